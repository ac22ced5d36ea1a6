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
  type(MPI_Datatype), allocatable :: types(:)
  type(MPI_Op) :: op
  type(MPI_Errhandler) :: handler
  type(MPI_Group) :: group
  type(MPI_Info) :: info
  type(c_ptr) :: memory
  integer, target, asynchronous :: attached(1000)
  integer, pointer :: allocated(:)
  integer :: values(3, 2), got(3, 2), one, keyval, code, length, fields(MPI_STATUS_SIZE), i, indices(2)
  integer :: integer_count, address_count, type_count, combiner
  integer, allocatable :: to_each(:), from_each(:), counts(:), places(:)
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

  ! Arguments by the names that the standard gives them; names for profiling; arrays of requests begin at 1
  got = -1
  requests(1) = MPI_REQUEST_NULL
  call MPI_Irecv(buf=got, count=6, datatype=MPI_INTEGER, source=modulo(rank - 1, size), tag=6, comm=comm, &
      request=requests(2))
  call MPI_Send(buf=values, count=6, datatype=MPI_INTEGER, dest=modulo(rank + 1, size), tag=6, comm=comm)
  call MPI_Waitall(count=2, array_of_requests=requests, array_of_statuses=statuses)
  call expect(all(got == values + 100 * (modulo(rank - 1, size) - rank)), 'calls by keywords')
  call expect(statuses(2)%MPI_TAG == 6 .and. statuses(1)%MPI_TAG == MPI_ANY_TAG, 'statuses by a keyword')
  call MPI_Irecv(got, 6, MPI_INTEGER, modulo(rank - 1, size), 7, comm, requests(2))
  call PMPI_Send(buf=values, count=6, datatype=MPI_INTEGER, dest=modulo(rank + 1, size), tag=7, comm=comm, ierror=code)
  call expect(code == MPI_SUCCESS, 'PMPI_Send')
  call MPI_Waitsome(incount=2, array_of_requests=requests, outcount=one, array_of_indices=indices, &
      array_of_statuses=statuses)
  call expect(one == 1 .and. indices(1) == 2 .and. statuses(1)%MPI_TAG == 7, 'MPI_Waitsome')
  call expect(requests(2) == MPI_REQUEST_NULL, 'the request of MPI_Waitsome')
  call MPI_Irecv(got, 6, MPI_INTEGER, modulo(rank - 1, size), 8, comm, requests(2))
  call MPI_Send(values, 6, MPI_INTEGER, modulo(rank + 1, size), 8, comm)
  call MPI_Waitany(count=2, array_of_requests=requests, index=i, status=MPI_STATUS_IGNORE)
  call MPI_F_sync_reg(buf=got)
  call PMPI_F_sync_reg(got)
  call expect(i == 2, 'MPI_Waitany')
  call PMPI_Comm_size(comm=comm, size=one)
  call expect(one == size, 'PMPI_Comm_size')
  call MPI_Pcontrol(level=1)
  call PMPI_Pcontrol(1)
  call end_part('keywords')

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
  ! An array of types, where ranks send and receive the same by different ones.
  call MPI_Type_contiguous(2, MPI_INTEGER, type)
  call MPI_Type_commit(type)
  allocate (to_each(2 * size), from_each(2 * size), counts(size), places(size), types(size))
  to_each = [(100 * rank + i, i = 1, 2 * size)]
  from_each = -1
  places = [(8 * (i - 1), i = 1, size)]
  counts = 2
  types = MPI_INTEGER
  counts(rank + 1) = 1
  types(rank + 1) = type
  call MPI_Alltoallw(to_each, [(2, i = 1, size)], places, [(MPI_INTEGER, i = 1, size)], from_each, counts, places, &
      types, comm)
  call expect(all(from_each == [((100 * one + 2 * rank + i, i = 1, 2), one = 0, size - 1)]), 'MPI_Alltoallw')
  deallocate (to_each, from_each, counts, places, types)
  call MPI_Type_free(type)
  call end_part('collective calls')

  ! Types, made of arrays of handles
  displacements = 0
  blocks = MPI_INTEGER
  call MPI_Type_create_struct(1, [2], displacements, blocks, type)
  call MPI_Type_commit(type)
  call MPI_Type_get_extent(type, bound, extent)
  call expect(bound == 0 .and. extent == 8, 'MPI_Type_get_extent')
  call MPI_Type_get_envelope(type, integer_count, address_count, type_count, combiner)
  call expect(all([integer_count, address_count, type_count, combiner] == [2, 1, 1, MPI_COMBINER_STRUCT]), &
      'MPI_Type_get_envelope')
  blocks = MPI_DATATYPE_NULL
  displacements = -1
  call MPI_Type_get_contents(datatype=type, max_integers=2, max_addresses=1, max_datatypes=1, &
      array_of_integers=indices, array_of_addresses=displacements, array_of_datatypes=blocks)
  call expect(all(indices == [1, 2]) .and. displacements(1) == 0 .and. blocks(1) == MPI_INTEGER, &
      'MPI_Type_get_contents')
  call MPI_Type_free(type)
  call expect(type == MPI_DATATYPE_NULL, 'the null type')
  call MPI_Sizeof(values, length)
  call expect(length == 4, 'MPI_Sizeof of an array')
  call MPI_Sizeof(x=started, size=length, ierror=code)
  call expect(length == 8 .and. code == MPI_SUCCESS, 'MPI_Sizeof of a variable')
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
  call MPI_Comm_create_keyval(comm_copy_attr_fn=copy_next, comm_delete_attr_fn=count_deletion, comm_keyval=keyval, &
      extra_state=7_MPI_ADDRESS_KIND)
  call MPI_Comm_set_attr(MPI_COMM_WORLD, keyval, 41_MPI_ADDRESS_KIND)
  call MPI_Comm_free(comm)
  call MPI_Comm_dup(MPI_COMM_WORLD, comm)
  call MPI_Comm_get_attr(comm, keyval, value, flag)
  call expect(flag .and. value == 42 .and. copies == 1, 'a copied attribute')
  call MPI_Comm_delete_attr(MPI_COMM_WORLD, keyval)
  call MPI_Comm_delete_attr(comm, keyval)
  call expect(deletions == 2, 'deleted attributes')
  call MPI_Comm_free_keyval(keyval)
  call MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, keyval, 0_MPI_ADDRESS_KIND)
  call MPI_Comm_set_attr(comm=comm, comm_keyval=keyval, attribute_val=43_MPI_ADDRESS_KIND)
  call MPI_Comm_dup(comm, grid)
  call MPI_Comm_get_attr(grid, keyval, value, flag)
  call expect(flag .and. value == 43, 'MPI_COMM_DUP_FN')
  call MPI_Comm_free(grid)
  call MPI_Comm_free_keyval(comm_keyval=keyval)
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
