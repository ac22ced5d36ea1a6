! A program for fortran_module_test.py, as older programs are written: with the module mpi, a tool that uses it,
! routines declared external, scalars for arrays that nobody looks at, and arrays for scalars.

! A tool that takes the place of MPI_SEND and MPI_WAITALL.
module calls
  implicit none
  integer :: sends = 0, waits = 0
end module

subroutine mpi_send(buf, count, datatype, dest, tag, comm, ierror)
  use mpi
  use calls
  implicit none
  integer :: buf(*), count, datatype, dest, tag, comm, ierror
  sends = sends + 1
  call pmpi_send(buf, count, datatype, dest, tag, comm, ierror)
end subroutine

subroutine mpi_waitall(count, requests, statuses, ierror)
  use mpi
  use calls
  implicit none
  integer :: count, requests(*), statuses(MPI_STATUS_SIZE, *), ierror
  external pmpi_waitall
  waits = waits + 1
  call pmpi_waitall(count, requests, statuses, ierror)
end subroutine

program older
  use mpi
  use calls
  implicit none
  external mpi_bcast
  integer :: rank, ranks, request, grid, ierror
  integer :: counts(2), places(2), types(2), mine(2), all(2)
  real(8) :: x

  call mpi_init(ierror)
  call mpi_comm_rank(MPI_COMM_WORLD, rank, ierror)
  call mpi_comm_size(MPI_COMM_WORLD, ranks, ierror)
  counts = 1
  places = [0, 1]
  types = MPI_INTEGER

  ! On other processes than the root, and beside MPI_IN_PLACE, arrays are not looked at.
  all = -1
  all(rank + 1) = rank
  if (rank == 0) then
    call mpi_gatherv(MPI_IN_PLACE, 0, MPI_INTEGER, all, counts, places, MPI_INTEGER, 0, MPI_COMM_WORLD, ierror)
    call expect(all(2) == 1, 'gatherv')
    call mpi_scatterv(all, counts, places, MPI_INTEGER, MPI_IN_PLACE, 0, MPI_INTEGER, 0, MPI_COMM_WORLD, ierror)
  else
    call mpi_gatherv(rank, 1, MPI_INTEGER, 0, 0, 0, MPI_INTEGER, 0, MPI_COMM_WORLD, ierror)
    call mpi_scatterv(0, 0, 0, MPI_INTEGER, mine, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, ierror)
    call expect(mine(1) == 1, 'scatterv')
  end if
  all = -1
  all(rank + 1) = rank
  call mpi_allgatherv(MPI_IN_PLACE, 0, MPI_INTEGER, all, counts, places, MPI_INTEGER, MPI_COMM_WORLD, ierror)
  call expect(all(1) == 0 .and. all(2) == 1, 'allgatherv')
  all = 10 * rank + [0, 1]
  call mpi_alltoallv(MPI_IN_PLACE, 0, 0, MPI_INTEGER, all, counts, places, MPI_INTEGER, MPI_COMM_WORLD, ierror)
  call expect(all(1) == rank .and. all(2) == 10 + rank, 'alltoallv')
  all = 10 * rank + [0, 1]
  call mpi_alltoallw(MPI_IN_PLACE, 0, 0, 0, all, counts, 4 * places, types, MPI_COMM_WORLD, ierror)
  call expect(all(1) == rank .and. all(2) == 10 + rank, 'alltoallw')
  all = rank
  call mpi_reduce_scatter(MPI_IN_PLACE, all, counts, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
  call expect(all(1) == 1, 'reduce_scatter')
  all = -1
  all(rank + 1) = rank
  call mpi_iallgatherv(MPI_IN_PLACE, 0, MPI_INTEGER, all, counts, places, MPI_INTEGER, MPI_COMM_WORLD, request, ierror)
  call mpi_wait(request, MPI_STATUS_IGNORE, ierror)
  call expect(all(1) == 0 .and. all(2) == 1, 'iallgatherv')
  all = 10 * rank + [0, 1]
  call mpi_ialltoallv(MPI_IN_PLACE, 0, 0, MPI_INTEGER, all, counts, places, MPI_INTEGER, MPI_COMM_WORLD, request, &
    ierror)
  call mpi_wait(request, MPI_STATUS_IGNORE, ierror)
  call expect(all(1) == rank .and. all(2) == 10 + rank, 'ialltoallv')
  if (rank == 0) then
    call mpi_igatherv(MPI_IN_PLACE, 0, MPI_INTEGER, all, counts, places, MPI_INTEGER, 0, MPI_COMM_WORLD, request, &
      ierror)
  else
    call mpi_igatherv(7, 1, MPI_INTEGER, 0, 0, 0, MPI_INTEGER, 0, MPI_COMM_WORLD, request, ierror)
  end if
  call mpi_wait(request, MPI_STATUS_IGNORE, ierror)
  call expect(rank /= 0 .or. all(2) == 7, 'igatherv')
  ! Arrays of types, of which the first one counts.
  mine = 10 * rank + [0, 1]
  call mpi_alltoallv(mine, counts, places, types, all, counts, places, types, MPI_COMM_WORLD, ierror)
  call expect(all(1) == rank .and. all(2) == 10 + rank, 'alltoallv with types')

  ! One request, one dimension.
  call mpi_irecv(x, 1, MPI_DOUBLE_PRECISION, modulo(rank + 1, ranks), 7, MPI_COMM_WORLD, request, ierror)
  call mpi_send(0.5d0 + rank, 1, MPI_DOUBLE_PRECISION, modulo(rank - 1, ranks), 7, MPI_COMM_WORLD, ierror)
  call mpi_waitall(1, request, MPI_STATUSES_IGNORE, ierror)
  call expect(x == 0.5d0 + modulo(rank + 1, ranks) .and. sends == 1 .and. waits == 1, 'the tool')
  call mpi_cart_create(MPI_COMM_WORLD, 1, ranks, .true., .false., grid, ierror)
  call mpi_cart_rank(grid, rank, mine(1), ierror)
  call expect(mine(1) == rank, 'cart_rank')
  call mpi_bcast(x, 1, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, ierror)

  call mpi_finalize(ierror)
  if (rank == 0) print '(a)', 'OK'

contains

  subroutine expect(holds, what)
    logical, intent(in) :: holds
    character(len=*), intent(in) :: what
    if (holds) return
    print '(2a)', 'wrong: ', what
    stop 1
  end subroutine
end program
