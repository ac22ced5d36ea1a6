! Solves a linear system of order 200 with ScaLAPACK on a 1 x n grid, and prints how well the solution fits.
program solve
  implicit none
  integer, parameter :: order = 200, block = 20
  integer :: context, me, processes, nprow, npcol, myrow, mycol, columns, info, i, j, column
  integer :: desc(9), descb(9), numroc
  integer, allocatable :: pivots(:)
  double precision, allocatable :: a(:, :), b(:)
  double precision :: error(1)

  call blacs_pinfo(me, processes)
  call blacs_get(-1, 0, context)
  call blacs_gridinit(context, 'Row', 1, processes)
  call blacs_gridinfo(context, nprow, npcol, myrow, mycol)

  columns = numroc(order, block, mycol, 0, npcol)
  allocate(a(order, max(1, columns)), b(order), pivots(order + block))
  call descinit(desc, order, order, block, block, 0, 0, context, order, info)
  call descinit(descb, order, 1, block, block, 0, 0, context, order, info)

  ! Diagonally dominant, with row sums known: the solution is 1 everywhere.
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
  end do

  call pdgesv(order, 1, a, 1, 1, desc, pivots, b, 1, 1, descb, info)
  error = 0
  if (mycol == 0) error = maxval(abs(b - 1))
  call dgamx2d(context, 'All', ' ', 1, 1, error, 1, i, j, -1, -1, -1)
  if (me == 0) print '(a, i0, a)', 'solved on ', processes, merge(' processes ', ' WRONGLY   ', &
                                                                   info == 0 .and. error(1) < 1d-10)
  call blacs_gridexit(context)
  call blacs_exit(0)
  if (info /= 0 .or. error(1) >= 1d-10) stop 1
end program
