! Rank 0 prints the sum of the ranks' numbers; buffers of several types, sentinels and attributes on the way.
program sums
  use mpi
  implicit none
  integer :: rank, ranks, total, keyval, request(2), statuses(MPI_STATUS_SIZE, 2), ierror
  integer(kind=MPI_ADDRESS_KIND) :: value
  real(8) :: mine(3), others(3)
  character(len=MPI_MAX_PROCESSOR_NAME) :: name
  logical :: flag

  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
  total = rank
  call MPI_Allreduce(MPI_IN_PLACE, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)

  mine = rank
  call MPI_Irecv(others, 3, MPI_DOUBLE_PRECISION, modulo(rank - 1, ranks), 5, MPI_COMM_WORLD, request(1), ierror)
  call MPI_Isend(mine, 3, MPI_DOUBLE_PRECISION, modulo(rank + 1, ranks), 5, MPI_COMM_WORLD, request(2), ierror)
  call MPI_Waitall(2, request, statuses, ierror)
  if (statuses(MPI_SOURCE, 1) /= modulo(rank - 1, ranks) .or. any(nint(others) /= modulo(rank - 1, ranks))) stop 1

  call MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, keyval, 0_MPI_ADDRESS_KIND, ierror)
  call MPI_Comm_set_attr(MPI_COMM_WORLD, keyval, 77_MPI_ADDRESS_KIND, ierror)
  call MPI_Comm_get_attr(MPI_COMM_WORLD, keyval, value, flag, ierror)
  if (.not. flag .or. value /= 77) stop 2
  call MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, value, flag, ierror)
  if (.not. flag .or. value < 32767) stop 3

  call MPI_Comm_set_name(MPI_COMM_WORLD, 'all of them  ', ierror)
  call MPI_Comm_get_name(MPI_COMM_WORLD, name, total, ierror)
  if (total /= 11 .or. name /= 'all of them') stop 4
  call MPI_Sizeof(mine, total, ierror)
  if (total /= 8) stop 5

  call MPI_Reduce(rank, total, 1, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD, ierror)
  if (rank == 0) print '(a, i0)', 'sum ', total
  call MPI_Finalize(ierror)
end program
