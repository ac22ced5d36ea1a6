! A module for Python by f2py. Python opens it with RTLD_LOCAL, so that it keeps common blocks of its own for what
! MPI_IN_PLACE and MPI_STATUS_IGNORE are.
subroutine sum_in_place(comm, n, x)
  implicit none
  include 'mpif.h'
  integer, intent(in) :: comm, n
  double precision, intent(inout) :: x(n)
  integer :: ierr
  call MPI_Allreduce(MPI_IN_PLACE, x, n, MPI_DOUBLE_PRECISION, MPI_SUM, comm, ierr)
end subroutine

subroutine rank_before(comm, rank)
  implicit none
  include 'mpif.h'
  integer, intent(in) :: comm
  integer, intent(out) :: rank
  integer :: mine, ranks, after, before, ierr
  call MPI_Comm_rank(comm, mine, ierr)
  call MPI_Comm_size(comm, ranks, ierr)
  after = mod(mine + 1, ranks)
  before = mod(mine + ranks - 1, ranks)
  call MPI_Sendrecv(mine, 1, MPI_INTEGER, after, 5, rank, 1, MPI_INTEGER, before, 5, comm, MPI_STATUS_IGNORE, ierr)
end subroutine
