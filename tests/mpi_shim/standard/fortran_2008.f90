! A program for fortran_2008_test.py: the module mpi_f08 (MPI-3.1, section 17.1.1), where it differs from mpi. It prints
! a line "OK ..." for each part that all ranks found right. Other MPIs compile and run it as well.
module parts
  use, intrinsic :: iso_c_binding
  use mpi_f08
  implicit none
  logical :: part_holds = .true.
  integer :: rank, size
  integer :: copies = 0, deletions = 0, errors = 0
contains
  subroutine expect(holds, what)
    logical, intent(in) :: holds
    character(len=*), intent(in) :: what
    if (holds) return
    print '(2a)', 'wrong: ', what
    part_holds = .false.
  end subroutine

  subroutine end_part(name)
    character(len=*), intent(in) :: name
    logical :: holds
    call MPI_Allreduce(part_holds, holds, 1, MPI_LOGICAL, MPI_LAND, MPI_COMM_WORLD)
    if (rank == 0 .and. holds) print '(2a)', 'OK ', name
    part_holds = .true.
  end subroutine

  ! inout(i) = 10 * in(i) + inout(i)
  subroutine combine(invec, inoutvec, len, datatype)
    type(c_ptr), value :: invec, inoutvec
    integer :: len
    type(MPI_Datatype) :: datatype
    integer, pointer :: in(:), inout(:)
    call c_f_pointer(invec, in, [len])
    call c_f_pointer(inoutvec, inout, [len])
    if (datatype /= MPI_INTEGER) return
    inout = 10 * in + inout
  end subroutine

  subroutine copy_next(oldcomm, comm_keyval, extra_state, attribute_val_in, attribute_val_out, flag, ierror)
    type(MPI_Comm) :: oldcomm
    integer :: comm_keyval, ierror
    integer(kind=MPI_ADDRESS_KIND) :: extra_state, attribute_val_in, attribute_val_out
    logical :: flag
    if (oldcomm == MPI_COMM_WORLD .and. extra_state == 7) copies = copies + 1
    attribute_val_out = attribute_val_in + 1
    flag = .true.
    ierror = MPI_SUCCESS
  end subroutine

  subroutine count_deletion(comm, comm_keyval, attribute_val, extra_state, ierror)
    type(MPI_Comm) :: comm
    integer :: comm_keyval, ierror
    integer(kind=MPI_ADDRESS_KIND) :: attribute_val, extra_state
    deletions = deletions + 1
    ierror = MPI_SUCCESS
  end subroutine

  subroutine note_error(comm, error_code)
    type(MPI_Comm) :: comm
    integer :: error_code
    if (comm == MPI_COMM_WORLD) errors = errors + 1
  end subroutine
end module

program fortran_2008
  use parts
  implicit none
  procedure(MPI_User_function), pointer :: combination
  type(MPI_Comm) :: comm, grid
  type(MPI_Request) :: requests(2)
  type(MPI_Status) :: status, statuses(2)
  type(MPI_Datatype) :: type, blocks(1)
  type(MPI_Op) :: op
  type(MPI_Errhandler) :: handler
  type(MPI_Group) :: group
  type(MPI_Info) :: info
  type(c_ptr) :: memory
  integer, target, asynchronous :: attached(1000)
  integer, pointer :: allocated(:)
  integer :: values(3, 2), got(3, 2), one, keyval, code, length, fields(MPI_STATUS_SIZE), i
  integer(kind=MPI_ADDRESS_KIND) :: value, displacements(1), bound, extent
  character(len=MPI_MAX_ERROR_STRING) :: text
  character(len=20) :: value_text
  logical :: flag
  real :: real_number
  double precision :: started

  call MPI_Init(code)
  call expect(code == MPI_SUCCESS, 'MPI_Init')
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, size)

  ! Handles
  call MPI_Comm_dup(MPI_COMM_WORLD, comm)
  call expect(comm /= MPI_COMM_WORLD .and. comm == comm, 'operators on communicators')
  call expect(all([MPI_INTEGER, MPI_REAL] == [MPI_INTEGER, MPI_INTEGER] .eqv. [.true., .false.]), 'of arrays')
  call MPI_Comm_group(comm, group)
  call expect(group /= MPI_GROUP_NULL .and. group /= MPI_GROUP_EMPTY, 'operators on groups')
  call MPI_Group_free(group)
  call expect(group == MPI_GROUP_NULL, 'the null group')
  call end_part('handles')

  ! Messages: buffers of any type and rank, statuses, requests
  values = reshape([(100 * rank + i, i = 1, 6)], [3, 2])
  got = -1
  call MPI_Irecv(got, 6, MPI_INTEGER, modulo(rank - 1, size), 5, comm, requests(1))
  call MPI_Isend(values, 6, MPI_INTEGER, modulo(rank + 1, size), 5, comm, requests(2))
  call MPI_Waitall(2, requests, statuses)
  call expect(all(got == values + 100 * (modulo(rank - 1, size) - rank)), 'what was received')
  call expect(statuses(1)%MPI_SOURCE == modulo(rank - 1, size) .and. statuses(1)%MPI_TAG == 5, 'the status')
  call expect(requests(1) == MPI_REQUEST_NULL .and. requests(2) == MPI_REQUEST_NULL, 'null requests')
  call MPI_Get_count(statuses(1), MPI_INTEGER, one)
  call expect(one == 6, 'MPI_Get_count')
  call MPI_Status_f082f(statuses(1), fields)
  call MPI_Status_f2f08(fields, status)
  call expect(status%MPI_SOURCE == statuses(1)%MPI_SOURCE .and. fields(MPI_TAG) == 5, 'statuses of both forms')
  call MPI_Sendrecv(real(rank), 1, MPI_REAL, modulo(rank + 1, size), 1, real_number, 1, MPI_REAL, MPI_ANY_SOURCE, &
      MPI_ANY_TAG, comm, MPI_STATUS_IGNORE)
  call expect(real_number == real(modulo(rank - 1, size)), 'MPI_Sendrecv')
  call MPI_Isend(values, 6, MPI_INTEGER, MPI_PROC_NULL, 5, comm, requests(1))
  requests(2) = MPI_REQUEST_NULL
  call MPI_Testall(2, requests, flag, MPI_STATUSES_IGNORE)
  call expect(flag, 'MPI_Testall')
  call end_part('messages')

  ! Collective calls, in place; an operation of the program's
  one = rank + 1
  call MPI_Allreduce(MPI_IN_PLACE, one, 1, MPI_INTEGER, MPI_SUM, comm)
  call expect(one == size * (size + 1) / 2, 'MPI_IN_PLACE')
  call MPI_Op_create(combine, .false., op)
  one = rank + 1
  call MPI_Allreduce(MPI_IN_PLACE, one, 1, MPI_INTEGER, op, comm)
  i = 0
  do length = 1, size
    i = 10 * i + length
  end do
  call expect(one == i, 'an operation that does not commute')
  call MPI_Op_free(op)
  combination => combine
  call MPI_Op_create(combination, .true., op)
  call expect(op /= MPI_OP_NULL, 'a pointer to a procedure')
  call MPI_Op_free(op)
  call MPI_Iallreduce(MPI_IN_PLACE, one, 1, MPI_INTEGER, MPI_MAX, comm, requests(1))
  call MPI_Wait(requests(1), MPI_STATUS_IGNORE)
  call end_part('collective calls')

  ! Types, made of arrays of handles
  displacements = 0
  blocks = MPI_INTEGER
  call MPI_Type_create_struct(1, [2], displacements, blocks, type)
  call MPI_Type_commit(type)
  call MPI_Type_get_extent(type, bound, extent)
  call expect(bound == 0 .and. extent == 8, 'MPI_Type_get_extent')
  call MPI_Type_free(type)
  call expect(type == MPI_DATATYPE_NULL, 'the null type')
  call end_part('types')

  ! Memory: pointers to it
  call MPI_Alloc_mem(400_MPI_ADDRESS_KIND, MPI_INFO_NULL, memory)
  call c_f_pointer(memory, allocated, [100])
  allocated = rank
  call MPI_Bcast(allocated, 100, MPI_INTEGER, 0, comm)
  call expect(all(allocated == 0), 'memory of MPI_Alloc_mem')
  call MPI_Free_mem(allocated)
  call MPI_Buffer_attach(attached, 4000)
  call MPI_Buffer_detach(memory, length)
  call expect(length == 4000 .and. c_associated(memory, c_loc(attached)), 'MPI_Buffer_detach')
  call end_part('memory')

  ! Functions that MPI calls; no ierror
  call MPI_Comm_create_keyval(copy_next, count_deletion, keyval, 7_MPI_ADDRESS_KIND)
  call MPI_Comm_set_attr(MPI_COMM_WORLD, keyval, 41_MPI_ADDRESS_KIND)
  call MPI_Comm_free(comm)
  call MPI_Comm_dup(MPI_COMM_WORLD, comm)
  call MPI_Comm_get_attr(comm, keyval, value, flag)
  call expect(flag .and. value == 42 .and. copies == 1, 'a copied attribute')
  call MPI_Comm_delete_attr(MPI_COMM_WORLD, keyval)
  call MPI_Comm_delete_attr(comm, keyval)
  call expect(deletions == 2, 'deleted attributes')
  call MPI_Comm_free_keyval(keyval)
  call MPI_Comm_create_errhandler(note_error, handler)
  call MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler)
  call MPI_Send(one, 1, MPI_INTEGER, size, 0, MPI_COMM_WORLD, code)
  call MPI_Error_string(code, text, length)
  call expect(errors == 1 .and. code /= MPI_SUCCESS .and. length > 0, 'an error handler')
  call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL)
  call MPI_Errhandler_free(handler)
  call end_part('functions')

  ! Texts, logicals, topologies
  call MPI_Info_create(info)
  call MPI_Info_set(info, 'key', 'a value')
  call MPI_Info_get(info, 'key', 20, value_text, flag)
  call expect(flag .and. value_text == 'a value', 'infos')
  call MPI_Info_free(info)
  call MPI_Cart_create(comm, 1, [size], [.true.], .false., grid)
  call MPI_Cart_shift(grid, 0, 1, i, one)
  call expect(i == modulo(rank - 1, size) .and. one == modulo(rank + 1, size), 'MPI_Cart_shift')
  call MPI_Comm_free(grid)
  call MPI_Dist_graph_create_adjacent(comm, 1, [rank], MPI_UNWEIGHTED, 1, [rank], MPI_UNWEIGHTED, MPI_INFO_NULL, &
      .false., grid)
  call MPI_Dist_graph_neighbors_count(grid, i, one, flag)
  call expect(i == 1 .and. one == 1 .and. .not. flag, 'a graph without weights')
  call MPI_Comm_free(grid)
  call MPI_Comm_free(comm)
  call expect(comm == MPI_COMM_NULL, 'the null communicator')
  started = MPI_Wtime()
  call expect(MPI_Wtime() >= started, 'MPI_Wtime')
  call end_part('texts and topologies')
  call MPI_Finalize()
end program
