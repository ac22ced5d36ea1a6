! A program for fortran_calls_test.py: MPI-3.1 from Fortran, where it differs from C. Functions of the program's that
! MPI calls, logical and character arguments, the sentinels, indices from 1. It is built with the module mpi, and with
! mpif.h where FMPL_WITH_MPIF_H is defined. It prints a line "OK ..." for each part that all ranks found right.
#ifdef FMPL_WITH_MPIF_H
#define DECLARATIONS_OF_MPI
#else
#define DECLARATIONS_OF_MPI use mpi
#endif

! What the parts and the functions that MPI calls share.
module noted
  DECLARATIONS_OF_MPI
  implicit none
#ifdef FMPL_WITH_MPIF_H
  include 'mpif.h'
#endif
  integer, parameter :: address = MPI_ADDRESS_KIND
  logical :: part_holds
  ! The last call of each function, and how many there were.
  integer :: copies, deletions, errors, queries, frees, cancels
  integer :: object, key, code, length, type
  integer(address) :: state, value
  logical :: complete
  integer :: next_code = MPI_SUCCESS
contains
  subroutine expect(holds, what)
    logical, intent(in) :: holds
    character(len=*), intent(in) :: what
    if (holds) return
    print '(2a)', 'wrong: ', what
    part_holds = .false.
  end subroutine

  subroutine begin_part()
    part_holds = .true.
    copies = 0; deletions = 0; errors = 0; queries = 0; frees = 0; cancels = 0
    object = -1; key = -1; code = -1; length = -1; type = -1; state = -1; value = -1
    next_code = MPI_SUCCESS
  end subroutine

  subroutine end_part(name)
    character(len=*), intent(in) :: name
    integer :: rank, ierror
    logical :: holds
    call MPI_Allreduce(part_holds, holds, 1, MPI_LOGICAL, MPI_LAND, MPI_COMM_WORLD, ierror)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
    if (rank == 0 .and. holds) print '(2a)', 'OK ', name
  end subroutine
end module

! Functions that MPI calls, as procedures of a module.
module callbacks
  use noted
  implicit none
contains
  ! inout(i) = in(i) + inout(i), modulo 1000.
  subroutine add_modulo(in, inout, len, datatype)
    integer :: len, datatype
    integer :: in(len), inout(len)
    length = len
    type = datatype
    inout = modulo(in + inout, 1000)
  end subroutine

  ! Pairs (a, b) for x -> a x + b; first the one of the lower ranks. It does not commute.
  subroutine compose(in, inout, len, datatype)
    integer :: len, datatype
    integer :: in(2, len), inout(2, len)
    length = len
    type = datatype
    inout(2, :) = inout(1, :) * in(2, :) + inout(2, :)
    inout(1, :) = inout(1, :) * in(1, :)
  end subroutine

  ! Copies half of an even number, and no odd number.
  subroutine copy_half(oldcomm, keyval, extra_state, attribute_in, attribute_out, flag, ierror)
    integer :: oldcomm, keyval, ierror
    integer(address) :: extra_state, attribute_in, attribute_out
    logical :: flag
    copies = copies + 1
    object = oldcomm; key = keyval; state = extra_state; value = attribute_in
    flag = modulo(attribute_in, 2_address) == 0
    if (flag) attribute_out = attribute_in / 2
    ierror = next_code
  end subroutine

  subroutine note_deletion(comm, keyval, attribute, extra_state, ierror)
    integer :: comm, keyval, ierror
    integer(address) :: attribute, extra_state
    deletions = deletions + 1
    object = comm; key = keyval; state = extra_state; value = attribute
    ierror = next_code
  end subroutine

  ! Those of the deprecated routines: integers of the usual size.
  subroutine old_copy_next(oldcomm, keyval, extra_state, attribute_in, attribute_out, flag, ierror)
    integer :: oldcomm, keyval, extra_state, attribute_in, attribute_out, ierror
    logical :: flag
    copies = copies + 1
    object = oldcomm; key = keyval; state = extra_state; value = attribute_in
    attribute_out = attribute_in + 1
    flag = .true.
    ierror = MPI_SUCCESS
  end subroutine

  subroutine old_note_deletion(comm, keyval, attribute, extra_state, ierror)
    integer :: comm, keyval, attribute, extra_state, ierror
    deletions = deletions + 1
    object = comm; key = keyval; state = extra_state; value = attribute
    ierror = MPI_SUCCESS
  end subroutine

  subroutine note_error(comm, error_code)
    integer :: comm, error_code
    errors = errors + 1
    object = comm; code = error_code
  end subroutine

  subroutine query(extra_state, status, ierror)
    integer(address) :: extra_state
    integer :: status(MPI_STATUS_SIZE), ierror
    queries = queries + 1
    state = extra_state
    status(MPI_SOURCE) = 21
    status(MPI_TAG) = 22
    call MPI_Status_set_elements(status, MPI_DOUBLE_PRECISION, 5, ierror)
    call MPI_Status_set_cancelled(status, cancels > 0 .and. .not. complete, ierror)
    ierror = MPI_SUCCESS
  end subroutine

  subroutine free_state(extra_state, ierror)
    integer(address) :: extra_state
    integer :: ierror
    frees = frees + 1
    state = extra_state
    ierror = next_code
  end subroutine

  subroutine cancel(extra_state, is_complete, ierror)
    integer(address) :: extra_state
    logical :: is_complete
    integer :: ierror
    cancels = cancels + 1
    state = extra_state
    complete = is_complete
    ierror = MPI_SUCCESS
  end subroutine
end module

! The same as Fortran 77 has it.
subroutine external_product(in, inout, len, datatype)
  implicit none
  integer :: len, datatype, i
  complex :: in(len), inout(len)
  do i = 1, len
    inout(i) = in(i) * inout(i)
  end do
  datatype = datatype  ! is not used
end subroutine

program fortran_calls
  use callbacks
  implicit none
  integer :: rank, ranks, right, left, ierror

  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
  right = modulo(rank + 1, ranks)
  left = modulo(rank - 1, ranks)
  call operations()
  call attributes()
  call ready_made_attribute_functions()
  call attributes_of_types()
  call deprecated_attributes()
  call error_handlers()
  call generalized_requests()
  call logicals()
  call names()
  call infos()
  call texts()
  call sentinels()
  call weights()
  call indices()
  call characters()
  call functions()
  call files_and_windows()
  call MPI_Finalize(ierror)

contains

  subroutine operations()
    integer :: op, pair, mine(2, 3), all(2, 3), numbers(4), sums(4), i
    complex :: factor(2), product(2)
    logical :: commutes
    external :: external_product
    call begin_part()
    call MPI_Op_create(add_modulo, .true., op, ierror)
    call MPI_Op_commutative(op, commutes, ierror)
    call expect(commutes, 'MPI_Op_commutative of .true.')
    numbers = [(999 - rank - i, i = 1, 4)]
    call MPI_Allreduce(numbers, sums, 4, MPI_INTEGER, op, MPI_COMM_WORLD, ierror)
    call expect(all_equal(sums, [(modulo(ranks * (999 - i) - ranks * (ranks - 1) / 2, 1000), i = 1, 4)]), 'a sum')
    ! Not every rank need call it there.
    sums = [1, 2, 3, 4]
    call MPI_Reduce_local([5, 6, 7, 998], sums, 4, MPI_INTEGER, op, ierror)
    call expect(all_equal(sums, [6, 8, 10, 2]), 'MPI_Reduce_local')
    call expect(type == MPI_INTEGER .and. length == 4, 'the data type and the length that a function gets')
    call MPI_Op_free(op, ierror)
    call expect(op == MPI_OP_NULL, 'MPI_Op_free')

    call MPI_Op_create(compose, .false., op, ierror)
    call MPI_Op_commutative(op, commutes, ierror)
    call expect(.not. commutes, 'MPI_Op_commutative of .false.')
    call MPI_Type_contiguous(2, MPI_INTEGER, pair, ierror)
    call MPI_Type_commit(pair, ierror)
    mine(1, :) = 2
    mine(2, :) = rank
    call MPI_Allreduce(mine, all, 3, pair, op, MPI_COMM_WORLD, ierror)
    call expect(all_equal(all(1, :), [(2**ranks, i = 1, 3)]), 'factors of a composition')
    call expect(all_equal(all(2, :), [(composed(ranks), i = 1, 3)]), 'terms of a composition')
    call MPI_Scan(mine, all, 3, pair, op, MPI_COMM_WORLD, ierror)
    call expect(all(1, 1) == 2**(rank + 1) .and. all(2, 3) == composed(rank + 1), 'MPI_Scan of a composition')
    all(:, 1) = [10, 5]
    mine(:, 1) = [3, 7]
    call MPI_Reduce_local(mine, all, 1, pair, op, ierror)
    call expect(all(1, 1) == 30 .and. all(2, 1) == 75, 'MPI_Reduce_local of a derived type')
    call expect(type == pair .and. length == 1, 'the derived data type that a function gets')
    call MPI_Type_free(pair, ierror)
    call MPI_Op_free(op, ierror)

    call MPI_Op_create(external_product, .true., op, ierror)
    factor = [(1.0, 1.0), (2.0, 0.0)]
    call MPI_Reduce(factor, product, 2, MPI_COMPLEX, op, 0, MPI_COMM_WORLD, ierror)
    if (rank == 0) call expect(abs(product(1) - (1.0, 1.0)**ranks) < 1e-5 .and. product(2) == 2.0**ranks, 'a product')
    call MPI_Op_free(op, ierror)
    call end_part('operations')
  end subroutine

  ! What compose makes of the terms 0, 1, ... of the first n ranks, all with the factor 2.
  integer function composed(n)
    integer, intent(in) :: n
    integer :: i
    composed = 0
    do i = 0, n - 1
      composed = 2 * composed + i
    end do
  end function

  logical function all_equal(a, b)
    integer, intent(in) :: a(:), b(:)
    all_equal = size(a) == size(b) .and. all(a == b)
  end function

  subroutine attributes()
    integer :: keyval, comm, copy
    integer(address) :: found, wide
    logical :: flag
    call begin_part()
    wide = 2_address**40
    call MPI_Comm_create_keyval(copy_half, note_deletion, keyval, -wide, ierror)
    call MPI_Comm_dup(MPI_COMM_SELF, comm, ierror)
    flag = .true.
    call MPI_Comm_get_attr(comm, keyval, found, flag, ierror)
    call expect(.not. flag, 'an attribute that is not set')
    call MPI_Comm_set_attr(comm, keyval, 6 * wide, ierror)
    call MPI_Comm_get_attr(comm, keyval, found, flag, ierror)
    call expect(flag .and. found == 6 * wide, 'an attribute of the size of an address')
    call MPI_Comm_dup(comm, copy, ierror)
    call expect(copies == 1 .and. object == comm .and. key == keyval, 'communicator and keyval of a copy function')
    call expect(state == -wide .and. value == 6 * wide, 'extra state and value of a copy function')
    call MPI_Comm_get_attr(copy, keyval, found, flag, ierror)
    call expect(flag .and. found == 3 * wide, 'what a copy function gave')
    call MPI_Comm_set_attr(comm, keyval, -5_address, ierror)
    call expect(deletions == 1 .and. object == comm .and. value == 6 * wide .and. state == -wide, 'setting it again')
    call MPI_Comm_free(copy, ierror)
    call expect(deletions == 2 .and. value == 3 * wide, 'MPI_Comm_free')
    call MPI_Comm_dup(comm, copy, ierror)
    call expect(copies == 2 .and. value == -5, 'a negative value')
    call MPI_Comm_get_attr(copy, keyval, found, flag, ierror)
    call expect(.not. flag, 'a copy function that says .false.')
    call MPI_Comm_free(copy, ierror)
    call expect(deletions == 2, 'a duplicate without the attribute')

    call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN, ierror)
    call MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN, ierror)
    next_code = MPI_ERR_INTERN
    call MPI_Comm_dup(comm, copy, ierror)
    call expect(class_of(ierror) == MPI_ERR_INTERN, 'the error of a copy function')
    call MPI_Comm_delete_attr(comm, keyval, ierror)
    call expect(class_of(ierror) == MPI_ERR_INTERN .and. deletions == 3, 'the error of a delete function')
    next_code = MPI_SUCCESS
    call MPI_Comm_get_attr(comm, keyval, found, flag, ierror)
    call expect(flag .and. found == -5, 'an attribute whose delete function failed')
    call MPI_Comm_delete_attr(comm, keyval, ierror)
    call MPI_Comm_get_attr(comm, keyval, found, flag, ierror)
    call expect(.not. flag .and. deletions == 4, 'MPI_Comm_delete_attr')
    call MPI_Comm_free_keyval(keyval, ierror)
    call expect(keyval == MPI_KEYVAL_INVALID, 'MPI_Comm_free_keyval')
    call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL, ierror)
    call MPI_Comm_free(comm, ierror)
    call MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, found, flag, ierror)
    call expect(flag .and. found >= 32767, 'MPI_TAG_UB')
    call end_part('attributes')
  end subroutine

  subroutine ready_made_attribute_functions()
    integer :: copied, left_out, comm, copy
    integer(address) :: found
    logical :: flag
    call begin_part()
    call MPI_Comm_create_keyval(MPI_COMM_DUP_FN, note_deletion, copied, 1_address, ierror)
    call MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, left_out, 2_address, ierror)
    call MPI_Comm_dup(MPI_COMM_WORLD, comm, ierror)
    call MPI_Comm_set_attr(comm, copied, -2_address**40, ierror)
    call MPI_Comm_set_attr(comm, left_out, 8_address, ierror)
    call MPI_Comm_dup(comm, copy, ierror)
    call MPI_Comm_get_attr(copy, copied, found, flag, ierror)
    call expect(flag .and. found == -2_address**40, 'MPI_COMM_DUP_FN')
    call MPI_Comm_get_attr(copy, left_out, found, flag, ierror)
    call expect(.not. flag, 'MPI_COMM_NULL_COPY_FN')
    call MPI_Comm_delete_attr(comm, left_out, ierror)
    call MPI_Comm_get_attr(comm, left_out, found, flag, ierror)
    call expect(.not. flag, 'MPI_COMM_NULL_DELETE_FN')
    call MPI_Comm_free_keyval(copied, ierror)
    call MPI_Comm_free(comm, ierror)
    call MPI_Comm_free(copy, ierror)
    call expect(deletions == 2 .and. state == 1, 'functions of a keyval that was freed')
    call MPI_Comm_free_keyval(left_out, ierror)
    call end_part('ready-made attribute functions')
  end subroutine

  subroutine attributes_of_types()
    integer :: copied, halved, type_made, copy
    integer(address) :: found
    logical :: flag
    call begin_part()
    call MPI_Type_create_keyval(MPI_TYPE_DUP_FN, MPI_TYPE_NULL_DELETE_FN, copied, 0_address, ierror)
    call MPI_Type_create_keyval(copy_half, note_deletion, halved, 4_address, ierror)
    call MPI_Type_contiguous(3, MPI_REAL, type_made, ierror)
    call MPI_Type_set_attr(type_made, copied, 2_address**33, ierror)
    call MPI_Type_set_attr(type_made, halved, 10_address, ierror)
    call MPI_Type_dup(type_made, copy, ierror)
    call MPI_Type_get_attr(copy, copied, found, flag, ierror)
    call expect(flag .and. found == 2_address**33, 'MPI_TYPE_DUP_FN')
    call MPI_Type_get_attr(copy, halved, found, flag, ierror)
    call expect(flag .and. found == 5 .and. object == type_made .and. state == 4, 'a copy function for types')
    call MPI_Type_free(copy, ierror)
    call expect(deletions == 1 .and. value == 5, 'a delete function for types')
    call MPI_Type_free(type_made, ierror)
    call MPI_Type_free_keyval(copied, ierror)
    call MPI_Type_free_keyval(halved, ierror)
    call expect(deletions == 2 .and. halved == MPI_KEYVAL_INVALID, 'MPI_Type_free')
    call end_part('attributes of types')
  end subroutine

  subroutine deprecated_attributes()
    integer :: next, same, none, comm, copy, found
    integer(address) :: wide
    logical :: flag
    call begin_part()
    call MPI_Keyval_create(old_copy_next, old_note_deletion, next, -77, ierror)
    call MPI_Keyval_create(MPI_DUP_FN, MPI_NULL_DELETE_FN, same, 0, ierror)
    call MPI_Keyval_create(MPI_NULL_COPY_FN, MPI_NULL_DELETE_FN, none, 0, ierror)
    call MPI_Comm_dup(MPI_COMM_SELF, comm, ierror)
    call MPI_Attr_put(comm, next, -10, ierror)
    call MPI_Attr_put(comm, same, -20, ierror)
    call MPI_Attr_put(comm, none, 30, ierror)
    call MPI_Comm_dup(comm, copy, ierror)
    call expect(copies == 1 .and. state == -77 .and. value == -10 .and. object == comm, 'a copy function')
    call MPI_Attr_get(copy, next, found, flag, ierror)
    call expect(flag .and. found == -9, 'what a copy function gave')
    call MPI_Attr_get(copy, same, found, flag, ierror)
    call expect(flag .and. found == -20, 'MPI_DUP_FN')
    call MPI_Attr_get(copy, none, found, flag, ierror)
    call expect(.not. flag, 'MPI_NULL_COPY_FN')
    ! Section 17.2.7: an integer of either size is seen as one of the other.
    call MPI_Comm_get_attr(copy, next, wide, flag, ierror)
    call expect(flag .and. wide == -9, 'a short integer in the size of an address')
    call MPI_Attr_delete(copy, next, ierror)
    call expect(deletions == 1 .and. value == -9 .and. object == copy .and. key == next, 'a delete function')
    call MPI_Attr_get(MPI_COMM_WORLD, MPI_TAG_UB, found, flag, ierror)
    call expect(flag .and. found >= 32767, 'MPI_TAG_UB')
    call MPI_Comm_free(copy, ierror)
    call MPI_Comm_free(comm, ierror)
    call expect(deletions == 2 .and. value == -10, 'MPI_Comm_free')
    call MPI_Keyval_free(next, ierror)
    call MPI_Keyval_free(same, ierror)
    call MPI_Keyval_free(none, ierror)
    call expect(next == MPI_KEYVAL_INVALID, 'MPI_Keyval_free')
    call end_part('deprecated attributes')
  end subroutine

  subroutine error_handlers()
    integer :: handler, found, comm
    call begin_part()
    call MPI_Comm_dup(MPI_COMM_WORLD, comm, ierror)
    call MPI_Comm_create_errhandler(note_error, handler, ierror)
    call MPI_Comm_set_errhandler(comm, handler, ierror)
    call MPI_Send(rank, 1, MPI_INTEGER, ranks + 5, 0, comm, ierror)
    call expect(errors == 1 .and. object == comm .and. code == ierror, 'what a handler gets')
    call expect(class_of(ierror) == MPI_ERR_RANK, 'the class of the error')
    call MPI_Comm_call_errhandler(comm, MPI_ERR_OTHER, ierror)
    call expect(errors == 2 .and. code == MPI_ERR_OTHER .and. ierror == MPI_SUCCESS, 'MPI_Comm_call_errhandler')
    call MPI_Comm_get_errhandler(comm, found, ierror)
    call expect(found == handler, 'MPI_Comm_get_errhandler')
    call MPI_Errhandler_free(found, ierror)
    call MPI_Errhandler_free(handler, ierror)
    call expect(handler == MPI_ERRHANDLER_NULL, 'MPI_Errhandler_free')
    call MPI_Send(rank, -1, MPI_INTEGER, 0, 0, comm, ierror)
    call expect(errors == 3 .and. class_of(ierror) == MPI_ERR_COUNT, 'a handler that was freed and is still set')
    call MPI_Comm_free(comm, ierror)
#ifdef FMPL_WITH_MPIF_H
    ! By their names of MPI-1.
    call MPI_Errhandler_create(note_error, handler, ierror)
    call MPI_Comm_dup(MPI_COMM_SELF, comm, ierror)
    call MPI_Errhandler_set(comm, handler, ierror)
    call MPI_Errhandler_free(handler, ierror)
    call MPI_Send(rank, 1, MPI_INTEGER, 0, -12, comm, ierror)
    call expect(errors == 4 .and. object == comm .and. class_of(ierror) == MPI_ERR_TAG, 'MPI_Errhandler_create')
    call MPI_Comm_free(comm, ierror)
#endif
    call end_part('error handlers')
  end subroutine

  integer function class_of(error_code)
    integer, intent(in) :: error_code
    integer :: error
    call MPI_Error_class(error_code, class_of, error)
  end function

  subroutine generalized_requests()
    integer :: request, copy, requests(2), status(MPI_STATUS_SIZE), statuses(MPI_STATUS_SIZE, 2), count, number
    integer(address) :: wide
    logical :: flag
    call begin_part()
    wide = -2_address**40
    call MPI_Grequest_start(query, free_state, cancel, wide, request, ierror)
    flag = .true.
    call MPI_Test(request, flag, MPI_STATUS_IGNORE, ierror)
    call expect(.not. flag .and. queries == 0, 'a request that is not complete')
    call MPI_Grequest_complete(request, ierror)
    call MPI_Request_get_status(request, flag, status, ierror)
    call expect(flag .and. queries == 1 .and. frees == 0 .and. state == wide, 'MPI_Request_get_status')
    call MPI_Wait(request, status, ierror)
    call expect(request == MPI_REQUEST_NULL .and. queries == 2 .and. frees == 1, 'MPI_Wait')
    call expect(status(MPI_SOURCE) == 21 .and. status(MPI_TAG) == 22, 'the status of a query function')
    call MPI_Get_count(status, MPI_DOUBLE_PRECISION, count, ierror)
    call MPI_Test_cancelled(status, flag, ierror)
    call expect(count == 5 .and. .not. flag, 'the elements that a query function set')

    call begin_counting()
    call MPI_Grequest_start(query, free_state, cancel, 3_address, request, ierror)
    call MPI_Cancel(request, ierror)
    call expect(cancels == 1 .and. .not. complete .and. state == 3, 'MPI_Cancel before it is complete')
    call MPI_Grequest_complete(request, ierror)
    call MPI_Wait(request, status, ierror)
    call MPI_Test_cancelled(status, flag, ierror)
    call expect(flag, 'the cancellation that a query function told')

    call begin_counting()
    call MPI_Grequest_start(query, free_state, cancel, 4_address, requests(1), ierror)
    call MPI_Irecv(number, 1, MPI_INTEGER, left, 6, MPI_COMM_WORLD, requests(2), ierror)
    call MPI_Grequest_complete(requests(1), ierror)
    call MPI_Cancel(requests(1), ierror)
    call expect(cancels == 1 .and. complete, 'MPI_Cancel when it is complete')
    call MPI_Send(rank, 1, MPI_INTEGER, right, 6, MPI_COMM_WORLD, ierror)
    call MPI_Waitall(2, requests, statuses, ierror)
    call expect(number == left .and. statuses(MPI_SOURCE, 2) == left, 'a message beside it')
    call expect(statuses(MPI_TAG, 1) == 22 .and. queries == 1 .and. frees == 1, 'MPI_Waitall')

    call begin_counting()
    call MPI_Grequest_start(query, free_state, cancel, 5_address, request, ierror)
    copy = request
    call MPI_Request_free(request, ierror)
    call expect(request == MPI_REQUEST_NULL .and. frees == 0, 'MPI_Request_free before it is complete')
    call MPI_Grequest_complete(copy, ierror)
    call expect(queries == 0 .and. frees == 1 .and. state == 5, 'MPI_Grequest_complete after MPI_Request_free')

    call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN, ierror)
    next_code = MPI_ERR_INTERN
    call MPI_Grequest_start(query, free_state, cancel, 6_address, request, ierror)
    call MPI_Grequest_complete(request, ierror)
    call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
    call expect(class_of(ierror) == MPI_ERR_INTERN .and. request == MPI_REQUEST_NULL, 'the error of a free function')
    call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL, ierror)
    call end_part('generalized requests')
  end subroutine

  subroutine begin_counting()
    queries = 0; frees = 0; cancels = 0
  end subroutine

  subroutine logicals()
    integer :: grid, line, dims(2), coords(2), cell, request, status(MPI_STATUS_SIZE)
    logical :: flag, periods(2), found(2), mine(3), all(3), remain(2), was
    call begin_part()
    call MPI_Initialized(flag, ierror)
    call MPI_Finalized(was, ierror)
    call expect(flag .and. .not. was, 'MPI_Initialized, MPI_Finalized')
    call MPI_Comm_test_inter(MPI_COMM_WORLD, flag, ierror)
    call expect(.not. flag, 'MPI_Comm_test_inter')
    dims = [ranks, 1]
    periods = [.true., .false.]
    call MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, .false., grid, ierror)
    found = [.false., .true.]
    call MPI_Cart_get(grid, 2, dims, found, coords, ierror)
    call expect(found(1) .and. .not. found(2) .and. coords(1) == rank, 'MPI_Cart_get')
    remain = [.true., .false.]
    call MPI_Cart_sub(grid, remain, line, ierror)
    call MPI_Comm_size(line, cell, ierror)
    call expect(cell == ranks, 'MPI_Cart_sub')
    call MPI_Comm_free(line, ierror)
    remain = [.false., .true.]
    call MPI_Cart_sub(grid, remain, line, ierror)
    call MPI_Comm_size(line, cell, ierror)
    call expect(cell == 1, 'MPI_Cart_sub of the other dimension')
    call MPI_Comm_free(line, ierror)
    call MPI_Comm_free(grid, ierror)
    mine = [rank == 0, .true., .false.]
    call MPI_Allreduce(mine, all, 3, MPI_LOGICAL, MPI_LOR, MPI_COMM_WORLD, ierror)
    call expect(all(1) .and. all(2) .and. .not. all(3), 'MPI_LOR')
    call MPI_Allreduce(mine, all, 3, MPI_LOGICAL, MPI_LAND, MPI_COMM_WORLD, ierror)
    call expect((all(1) .eqv. ranks == 1) .and. all(2) .and. .not. all(3), 'MPI_LAND')
    call MPI_Allreduce(mine, all, 3, MPI_LOGICAL, MPI_LXOR, MPI_COMM_WORLD, ierror)
    call expect(all(1) .and. (all(2) .eqv. modulo(ranks, 2) == 1) .and. .not. all(3), 'MPI_LXOR')
    call MPI_Iprobe(MPI_ANY_SOURCE, 99, MPI_COMM_WORLD, flag, MPI_STATUS_IGNORE, ierror)
    call expect(.not. flag, 'MPI_Iprobe')
    call MPI_Irecv(cell, 1, MPI_INTEGER, left, 98, MPI_COMM_WORLD, request, ierror)
    call MPI_Cancel(request, ierror)
    call MPI_Wait(request, status, ierror)
    call MPI_Test_cancelled(status, flag, ierror)
    call expect(flag, 'MPI_Test_cancelled')
    call end_part('logicals')
  end subroutine

  subroutine names()
    character(len=MPI_MAX_OBJECT_NAME) :: name
    integer :: comm, resulting, type_made
    call begin_part()
    call MPI_Comm_dup(MPI_COMM_WORLD, comm, ierror)
    call MPI_Comm_set_name(comm, '  two words    ', ierror)
    name = repeat('x', len(name))
    call MPI_Comm_get_name(comm, name, resulting, ierror)
    call expect(resulting == 11, 'the length of a name without the blanks at its end')
    call expect(name == '  two words', 'a name with blanks at its beginning')
    call expect(name(12:) == ' ', 'blanks behind a name')
    call MPI_Comm_set_name(comm, '   ', ierror)
    call MPI_Comm_get_name(comm, name, resulting, ierror)
    call expect(resulting == 0 .and. name == ' ', 'a name of blanks')
    call MPI_Comm_set_name(comm, repeat('n', MPI_MAX_OBJECT_NAME), ierror)
    call MPI_Comm_get_name(comm, name, resulting, ierror)
    call expect(resulting == MPI_MAX_OBJECT_NAME .and. name == repeat('n', MPI_MAX_OBJECT_NAME), 'the longest name')
    call MPI_Comm_free(comm, ierror)
    call MPI_Comm_get_name(MPI_COMM_WORLD, name, resulting, ierror)
    call expect(name == 'MPI_COMM_WORLD' .and. resulting == 14, 'the name of MPI_COMM_WORLD')
    call MPI_Type_contiguous(2, MPI_REAL, type_made, ierror)
    call MPI_Type_set_name(type_made, 'two reals ', ierror)
    call MPI_Type_get_name(type_made, name, resulting, ierror)
    call expect(name == 'two reals' .and. resulting == 9, 'the name of a type')
    call MPI_Type_free(type_made, ierror)
    call MPI_Type_get_name(MPI_DOUBLE_PRECISION, name, resulting, ierror)
    call expect(name == 'MPI_DOUBLE_PRECISION' .and. resulting == 20, 'the name of a predefined type')
    call end_part('names')
  end subroutine

  subroutine infos()
    integer :: info, copy, count
    character(len=30) :: text
    character(len=MPI_MAX_INFO_KEY) :: found
    logical :: flag
    call begin_part()
    call MPI_Info_create(info, ierror)
    call MPI_Info_set(info, '  the key   ', '  a value of words   ', ierror)
    call MPI_Info_set(info, 'second', 'two', ierror)
    text = repeat('x', len(text))
    call MPI_Info_get(info, 'the key', len(text), text, flag, ierror)
    call expect(flag .and. text == 'a value of words', 'a value without the blanks around it')
    call expect(text(17:) == ' ', 'blanks behind a value')
    call MPI_Info_get(info, ' second      ', len(text), text, flag, ierror)
    call expect(flag .and. text == 'two', 'a key with blanks around it')
    call MPI_Info_get(info, 'the key', 7, text, flag, ierror)
    call expect(flag .and. text == 'a value', 'a value that is cut')
    text = 'unchanged'
    call MPI_Info_get(info, 'another', len(text), text, flag, ierror)
    call expect(.not. flag .and. text == 'unchanged', 'a key that is not there')
    call MPI_Info_get_valuelen(info, 'the key ', count, flag, ierror)
    call expect(flag .and. count == 16, 'MPI_Info_get_valuelen')
    call MPI_Info_get_nkeys(info, count, ierror)
    call expect(count == 2, 'MPI_Info_get_nkeys')
    found = repeat('x', len(found))
    call MPI_Info_get_nthkey(info, 0, found, ierror)
    call expect(found == 'the key' .or. found == 'second', 'MPI_Info_get_nthkey')
    call MPI_Info_dup(info, copy, ierror)
    call MPI_Info_delete(info, 'the key ', ierror)
    call MPI_Info_get_nkeys(info, count, ierror)
    call expect(count == 1, 'MPI_Info_delete')
    call MPI_Info_get(copy, 'the key', len(text), text, flag, ierror)
    call expect(flag .and. text == 'a value of words', 'MPI_Info_dup')
    call MPI_Info_free(copy, ierror)
    call MPI_Info_free(info, ierror)
    call expect(info == MPI_INFO_NULL, 'MPI_Info_free')
    call end_part('infos')
  end subroutine

  subroutine texts()
    character(len=MPI_MAX_ERROR_STRING) :: text
    character(len=MPI_MAX_PROCESSOR_NAME) :: name
    character(len=MPI_MAX_LIBRARY_VERSION_STRING) :: version
    character(len=16) :: packed
    integer :: error_class, error_code, resulting, number
    integer(address) :: room, position
    call begin_part()
    call MPI_Add_error_class(error_class, ierror)
    call MPI_Add_error_code(error_class, error_code, ierror)
    call MPI_Add_error_string(error_code, 'it went wrong   ', ierror)
    text = repeat('x', len(text))
    call MPI_Error_string(error_code, text, resulting, ierror)
    call expect(text == 'it went wrong' .and. resulting == 13, 'MPI_Add_error_string')
    call MPI_Get_processor_name(name, resulting, ierror)
    call expect(resulting == len_trim(name) .and. resulting > 0, 'MPI_Get_processor_name')
    call MPI_Get_library_version(version, resulting, ierror)
    call expect(resulting >= len_trim(version) .and. resulting > 0, 'MPI_Get_library_version')
    call MPI_Pack_external_size('external32 ', 2, MPI_INTEGER, room, ierror)
    call expect(room == 8, 'MPI_Pack_external_size')
    packed = repeat('x', len(packed))
    position = 2
    call MPI_Pack_external('external32  ', [65 * 256 + 66, 67], 2, MPI_INTEGER, packed, 16_address, position, ierror)
    call expect(position == 10, 'MPI_Pack_external')
    call expect(packed == 'xx' // char(0) // char(0) // 'AB' // repeat(char(0), 3) // 'Cxxxxxx', 'what it packed')
    position = 6
    call MPI_Unpack_external('external32', packed, 16_address, position, number, 1, MPI_INTEGER, ierror)
    call expect(number == 67 .and. position == 10, 'MPI_Unpack_external')
    call end_part('texts')
  end subroutine

  subroutine sentinels()
    integer :: type_made, requests(2), number, i, total, outcount, done(2), lengths(2), types(2), in
    integer :: exchanged(ranks), expected(ranks)
    integer(address) :: displacements(2)
    double precision :: real_in
    ! Their addresses are taken, and MPI writes to them by that.
    integer, volatile :: whole
    double precision, volatile :: real_value
    logical :: flag
    call begin_part()
    call MPI_Get_address(whole, displacements(1), ierror)
    call MPI_Get_address(real_value, displacements(2), ierror)
    lengths = 1
    types = [MPI_INTEGER, MPI_DOUBLE_PRECISION]
    call MPI_Type_create_struct(2, lengths, displacements, types, type_made, ierror)
    call MPI_Type_commit(type_made, ierror)
    whole = rank
    real_value = rank + 0.5d0
    call MPI_Sendrecv_replace(MPI_BOTTOM, 1, type_made, right, 1, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
    call expect(whole == left .and. real_value == left + 0.5d0, 'MPI_BOTTOM')
    if (rank == 0) then
      whole = 1234
      real_value = 0.25d0
    end if
    call MPI_Bcast(MPI_BOTTOM, 1, type_made, 0, MPI_COMM_WORLD, ierror)
    call expect(whole == 1234 .and. real_value == 0.25d0, 'MPI_BOTTOM in a collective call')
    call MPI_Type_free(type_made, ierror)

    total = rank + 1
    call MPI_Allreduce(MPI_IN_PLACE, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
    call expect(total == ranks * (ranks + 1) / 2, 'MPI_IN_PLACE as the send buffer')
    exchanged = [(100 * rank + i, i = 0, ranks - 1)]
    expected = [(100 * i + rank, i = 0, ranks - 1)]
    call MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, exchanged, 1, MPI_INTEGER, MPI_COMM_WORLD, ierror)
    call expect(all_equal(exchanged, expected), 'MPI_IN_PLACE in MPI_Alltoall')
    ! As the receive buffer: the root of a scatter.
    exchanged = [(7 * i, i = 0, ranks - 1)]
    in = 7 * rank
    if (rank == 0) then
      call MPI_Scatter(exchanged, 1, MPI_INTEGER, MPI_IN_PLACE, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, ierror)
    else
      call MPI_Scatter(exchanged, 1, MPI_INTEGER, in, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, ierror)
    end if
    call expect(in == 7 * rank, 'MPI_IN_PLACE as the receive buffer')
    call expect(exchanged(1) == 0, 'the block of the root')

    call MPI_Sendrecv(rank, 1, MPI_INTEGER, right, 2, number, 1, MPI_INTEGER, left, 2, MPI_COMM_WORLD, &
      MPI_STATUS_IGNORE, ierror)
    call expect(number == left, 'MPI_STATUS_IGNORE in MPI_Sendrecv')
    call MPI_Isend(rank, 1, MPI_INTEGER, right, 3, MPI_COMM_WORLD, requests(1), ierror)
    call MPI_Probe(left, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
    call MPI_Recv(number, 1, MPI_INTEGER, left, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
    call MPI_Wait(requests(1), MPI_STATUS_IGNORE, ierror)
    call expect(number == left, 'MPI_STATUS_IGNORE in MPI_Probe, MPI_Recv and MPI_Wait')
    do i = 1, 3
      number = -1
      call MPI_Irecv(number, 1, MPI_INTEGER, left, 4, MPI_COMM_WORLD, requests(1), ierror)
      call MPI_Irecv(real_in, 1, MPI_DOUBLE_PRECISION, left, 5, MPI_COMM_WORLD, requests(2), ierror)
      call MPI_Send(rank, 1, MPI_INTEGER, right, 4, MPI_COMM_WORLD, ierror)
      call MPI_Send(1d0 * rank, 1, MPI_DOUBLE_PRECISION, right, 5, MPI_COMM_WORLD, ierror)
      if (i == 1) then
        call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, ierror)
      else if (i == 2) then
        flag = .false.
        do while (.not. flag)
          call MPI_Testall(2, requests, flag, MPI_STATUSES_IGNORE, ierror)
        end do
      else
        total = 0
        do while (total < 2)
          call MPI_Waitsome(2, requests, outcount, done, MPI_STATUSES_IGNORE, ierror)
          total = total + outcount
        end do
      end if
      call expect(number == left .and. real_in == left, 'MPI_STATUSES_IGNORE')
    end do
    call end_part('sentinels')
  end subroutine

  subroutine weights()
    integer :: graph, sources(1), destinations(1), in, out, in_weights(1), out_weights(1)
    logical :: weighted
    call begin_part()
    sources = left
    destinations = right
    call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, sources, MPI_UNWEIGHTED, 1, destinations, MPI_UNWEIGHTED, &
      MPI_INFO_NULL, .false., graph, ierror)
    weighted = .true.
    call MPI_Dist_graph_neighbors_count(graph, in, out, weighted, ierror)
    call expect(in == 1 .and. out == 1 .and. .not. weighted, 'MPI_UNWEIGHTED')
    sources = -1
    destinations = -1
    call MPI_Dist_graph_neighbors(graph, 1, sources, MPI_UNWEIGHTED, 1, destinations, MPI_UNWEIGHTED, ierror)
    call expect(sources(1) == left .and. destinations(1) == right, 'MPI_Dist_graph_neighbors')
    call MPI_Comm_free(graph, ierror)
    in_weights = 3 + left
    out_weights = 3 + rank
    if (rank == 0) then
      call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 0, sources, MPI_WEIGHTS_EMPTY, 0, destinations, &
        MPI_WEIGHTS_EMPTY, MPI_INFO_NULL, .false., graph, ierror)
    else
      call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, [rank], in_weights, 1, [rank], in_weights, MPI_INFO_NULL, &
        .false., graph, ierror)
    end if
    call MPI_Dist_graph_neighbors_count(graph, in, out, weighted, ierror)
    call expect(in == min(rank, 1) .and. out == min(rank, 1) .and. weighted, 'MPI_WEIGHTS_EMPTY')
    call MPI_Comm_free(graph, ierror)
    call end_part('weights')
  end subroutine

  subroutine indices()
    integer :: requests(3), numbers(3), index, outcount, done(3), statuses(MPI_STATUS_SIZE, 3), status(MPI_STATUS_SIZE)
    logical :: flag
    call begin_part()
    requests = MPI_REQUEST_NULL
    call MPI_Waitany(3, requests, index, status, ierror)
    call expect(index == MPI_UNDEFINED, 'MPI_Waitany of null requests')
    call MPI_Waitsome(3, requests, outcount, done, statuses, ierror)
    call expect(outcount == MPI_UNDEFINED, 'MPI_Waitsome of null requests')
    call MPI_Irecv(numbers(3), 1, MPI_INTEGER, left, 7, MPI_COMM_WORLD, requests(3), ierror)
    call MPI_Testany(3, requests, index, flag, status, ierror)
    call MPI_Barrier(MPI_COMM_WORLD, ierror)
    call expect(.not. flag .and. index == MPI_UNDEFINED, 'MPI_Testany before the message')
    call MPI_Testsome(3, requests, outcount, done, statuses, ierror)
    call MPI_Barrier(MPI_COMM_WORLD, ierror)
    call expect(outcount == 0, 'MPI_Testsome before the message')
    call MPI_Send(rank, 1, MPI_INTEGER, right, 7, MPI_COMM_WORLD, ierror)
    call MPI_Waitany(3, requests, index, status, ierror)
    call expect(index == 3 .and. status(MPI_SOURCE) == left .and. numbers(3) == left, 'MPI_Waitany')
    call MPI_Irecv(numbers(1), 1, MPI_INTEGER, left, 8, MPI_COMM_WORLD, requests(1), ierror)
    call MPI_Send(rank, 1, MPI_INTEGER, right, 8, MPI_COMM_WORLD, ierror)
    flag = .false.
    do while (.not. flag)
      call MPI_Testany(3, requests, index, flag, status, ierror)
    end do
    call expect(index == 1 .and. status(MPI_TAG) == 8, 'MPI_Testany')
    call MPI_Irecv(numbers(2), 1, MPI_INTEGER, left, 9, MPI_COMM_WORLD, requests(2), ierror)
    call MPI_Send(rank, 1, MPI_INTEGER, right, 9, MPI_COMM_WORLD, ierror)
    call MPI_Waitsome(3, requests, outcount, done, statuses, ierror)
    call expect(outcount == 1 .and. done(1) == 2 .and. statuses(MPI_SOURCE, 1) == left, 'MPI_Waitsome')
    call end_part('indices')
  end subroutine

  subroutine characters()
    character(len=20) :: out, in
    integer :: status(MPI_STATUS_SIZE), count
    call begin_part()
    write (out, '(a, i4)') 'from rank', rank
    in = repeat('x', len(in))
    call MPI_Sendrecv(out, 13, MPI_CHARACTER, right, 11, in, 20, MPI_CHARACTER, left, 11, MPI_COMM_WORLD, status, &
      ierror)
    call MPI_Get_count(status, MPI_CHARACTER, count, ierror)
    write (out, '(a, i4)') 'from rank', left
    call expect(count == 13 .and. in(:13) == out(:13) .and. in(14:) == 'xxxxxxx', 'a text')
    out = 'abcdefghij'
    in = ' '
    call MPI_Sendrecv(out(3:5), 3, MPI_CHARACTER, right, 12, in(2:4), 3, MPI_CHARACTER, left, 12, MPI_COMM_WORLD, &
      MPI_STATUS_IGNORE, ierror)
    call expect(in == ' cde', 'a part of a text')
    if (rank == 0) in = 'told to all'
    call MPI_Bcast(in, len(in), MPI_CHARACTER, 0, MPI_COMM_WORLD, ierror)
    call expect(in == 'told to all', 'MPI_Bcast of a text')
    call end_part('characters')
  end subroutine

  subroutine functions()
    use, intrinsic :: iso_c_binding, only: c_ptr, c_f_pointer
    type(c_ptr) :: memory
    double precision, pointer :: numbers(:)
    double precision :: start
    integer(address) :: first, second
    integer :: pair(2)
#ifndef FMPL_WITH_MPIF_H
    integer :: bytes
#endif
    call begin_part()
    start = MPI_Wtime()
    call expect(PMPI_Wtime() >= start .and. MPI_Wtick() > 0, 'MPI_Wtime, MPI_Wtick')
    call MPI_Get_address(pair(1), first, ierror)
    call MPI_Get_address(pair(2), second, ierror)
    call expect(MPI_Aint_diff(second, first) == 4 .and. MPI_Aint_add(first, 4_address) == second, 'MPI_Aint_diff, _add')
    call MPI_Alloc_mem(800_address, MPI_INFO_NULL, memory, ierror)
    call c_f_pointer(memory, numbers, [100])
    numbers = rank
    call PMPI_Allreduce(MPI_IN_PLACE, numbers, 100, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD, ierror)
    call expect(all(nint(numbers) == ranks - 1), 'PMPI_Allreduce in memory of MPI_Alloc_mem')
    call MPI_Free_mem(numbers, ierror)
#ifndef FMPL_WITH_MPIF_H
    call MPI_Sizeof(pair, bytes, ierror)
    call expect(bytes == 4, 'MPI_Sizeof of an array')
    call MPI_Sizeof(start, bytes, ierror)
    call expect(bytes == 8, 'MPI_Sizeof of a variable')
#endif
    call end_part('functions')
  end subroutine

  ! What of them is there before they are.
  subroutine files_and_windows()
    integer :: handler, file, win, keyval, request, children, codes(2)
    integer(kind=MPI_OFFSET_KIND) :: offset
    character(len=8) :: arguments(2, 3)
    character(len=MPI_MAX_PORT_NAME) :: port
    call begin_part()
    file = -1
    call MPI_File_open(MPI_COMM_WORLD, '/nonexistent', MPI_MODE_RDONLY, MPI_INFO_NULL, file, ierror)
    call expect(file == MPI_FILE_NULL, 'MPI_File_open')
    call expect(class_of(ierror) == MPI_ERR_UNSUPPORTED_OPERATION, 'the class of MPI_File_open')
    call MPI_File_create_errhandler(note_error, handler, ierror)
    call MPI_File_set_errhandler(MPI_FILE_NULL, handler, ierror)
    call MPI_Errhandler_free(handler, ierror)
    offset = 0
    request = -1
    call MPI_File_iread_at(file, offset, rank, 1, MPI_INTEGER, request, ierror)
    call expect(errors == 1 .and. object == MPI_FILE_NULL .and. code == ierror, 'what a handler of files gets')
    call expect(request == MPI_REQUEST_NULL, 'MPI_File_iread_at')
    call MPI_Register_datarep('own', MPI_CONVERSION_FN_NULL, MPI_CONVERSION_FN_NULL, note_error, 0_address, ierror)
    call expect(errors == 2, 'MPI_Register_datarep')
    call MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN, ierror)

    call MPI_Win_create_keyval(MPI_WIN_DUP_FN, MPI_WIN_NULL_DELETE_FN, keyval, 0_address, ierror)
    call expect(ierror == MPI_SUCCESS .and. keyval /= MPI_KEYVAL_INVALID, 'MPI_Win_create_keyval')
    call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN, ierror)
    win = -1
    call MPI_Win_create(rank, 4_address, 4, MPI_INFO_NULL, MPI_COMM_WORLD, win, ierror)
    call expect(win == MPI_WIN_NULL, 'MPI_Win_create')
    call expect(class_of(ierror) == MPI_ERR_UNSUPPORTED_OPERATION, 'the class of MPI_Win_create')
    call MPI_Win_set_attr(win, keyval, 1_address, ierror)
    call expect(class_of(ierror) == MPI_ERR_WIN, 'MPI_Win_set_attr')
    call MPI_Win_free_keyval(keyval, ierror)
    call expect(keyval == MPI_KEYVAL_INVALID, 'MPI_Win_free_keyval')

    arguments(1, :) = ['one     ', 'two     ', '        ']
    arguments(2, :) = '        '
    children = -1
    call MPI_Comm_spawn('true', MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, children, MPI_ERRCODES_IGNORE, &
      ierror)
    call expect(children == MPI_COMM_NULL, 'MPI_Comm_spawn')
    children = -1
    call MPI_Comm_spawn_multiple(2, ['true ', 'false'], arguments, [1, 1], [MPI_INFO_NULL, MPI_INFO_NULL], 0, &
      MPI_COMM_WORLD, children, codes, ierror)
    call expect(children == MPI_COMM_NULL, 'MPI_Comm_spawn_multiple')
    call MPI_Lookup_name('service', MPI_INFO_NULL, port, ierror)
    call expect(class_of(ierror) == MPI_ERR_UNSUPPORTED_OPERATION, 'the class of MPI_Lookup_name')
    call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL, ierror)
    call end_part('files and windows')
  end subroutine
end program
