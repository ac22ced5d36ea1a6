! A program that calls MPI and ScaLAPACK, as most that use ScaLAPACK do: the ranks of MPI_COMM_WORLD are parted into two
! halves, each half makes a grid from its communicator and solves a linear system of its own, and MPI brings the results
! together.
program solve
  use mpi
  implicit none
  integer, parameter :: order = 120, block = 20
  integer :: rank, ranks, half, color, ierr, handle, context, grid_handle, grid_comm, members
  integer :: nprow, npcol, myrow, mycol, columns, info, i, j, column
  integer :: desc(9), descb(9)
  integer, external :: numroc, sys2blacs_handle, blacs2sys_handle
  integer, allocatable :: pivots(:)
  double precision, allocatable :: a(:, :), b(:)
  double precision :: error, largest, start

  call mpi_init(ierr)
  start = mpi_wtime()
  call mpi_comm_rank(MPI_COMM_WORLD, rank, ierr)
  call mpi_comm_size(MPI_COMM_WORLD, ranks, ierr)
  color = merge(1, 0, 2 * rank >= ranks)
  call mpi_comm_split(MPI_COMM_WORLD, color, rank, half, ierr)
  call mpi_comm_size(half, members, ierr)

  handle = sys2blacs_handle(half)
  context = handle
  call blacs_gridinit(context, 'Row', 1, members)
  call blacs_gridinfo(context, nprow, npcol, myrow, mycol)

  columns = numroc(order, block, mycol, 0, npcol)
  allocate(a(order, max(1, columns)), b(order), pivots(order + block))
  call descinit(desc, order, order, block, block, 0, 0, context, order, info)
  call descinit(descb, order, 1, block, block, 0, 0, context, order, info)

  ! Diagonally dominant, with row sums known: the solution is color + 1 everywhere.
  do j = 1, columns
    column = ((j - 1) / block * npcol + mycol) * block + mod(j - 1, block) + 1
    do i = 1, order
      a(i, j) = 1d0 / (abs(i - column) + 1)
      if (i == column) a(i, j) = order
    end do
  end do
  do i = 1, order
    b(i) = order
    do j = 1, order
      if (i /= j) b(i) = b(i) + 1d0 / (abs(i - j) + 1)
    end do
    b(i) = b(i) * (color + 1)
  end do
  call pdgesv(order, 1, a, 1, 1, desc, pivots, b, 1, 1, descb, info)

  ! The solution is on the first process of the grid, which the communicator of the grid tells the others of.
  error = 0
  if (mycol == 0) error = maxval(abs(b - (color + 1)))
  call blacs_get(context, 10, grid_handle)
  grid_comm = blacs2sys_handle(grid_handle)
  call mpi_bcast(error, 1, MPI_DOUBLE_PRECISION, 0, grid_comm, ierr)
  call free_blacs_system_handle(grid_handle)
  call blacs_gridexit(context)
  call free_blacs_system_handle(handle)
  call blacs_exit(1)  ! MPI goes on

  if (info /= 0) error = huge(error)
  call mpi_allreduce(error, largest, 1, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD, ierr)
  if (rank == 0) then
    if (largest < 1d-10) then
      print '(a, i0, a)', 'two systems solved on ', ranks, ' ranks'
    else
      print '(a, es9.2)', 'a system is solved wrongly: the largest error is ', largest
    end if
    if (mpi_wtime() < start) print '(a)', 'the clock of MPI goes backwards'
  end if
  call mpi_comm_free(half, ierr)
  call mpi_finalize(ierr)
  if (largest >= 1d-10) stop 1
end program
