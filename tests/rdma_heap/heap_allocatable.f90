! Under fmplrun --rdma heap, allocatable arrays lie in remote-DMA memory and arrive whole. Stops with a message
! otherwise.
program heap_allocatable
  use iso_c_binding
  implicit none
  include 'fmplf.h'
  interface
    function fmpl_is_remote_dma(p, bytes) bind(c)
      import :: c_ptr, c_size_t, c_int
      type(c_ptr), value :: p
      integer(c_size_t), value :: bytes
      integer(c_int) :: fmpl_is_remote_dma
    end function
  end interface
  double precision, allocatable, target :: a(:), b(:,:)
  integer :: none(1), ier, rank, ranks, next, prev, i, n, round

  none = 0
  call fmpl_init(none, none, 2, ier)
  if (ier /= FMPL_SUCCESS) stop 'fmpl_init'
  call fmpl_comm_rank(FMPL_COMM_WORLD, rank, ier)
  call fmpl_comm_size(FMPL_COMM_WORLD, ranks, ier)
  next = mod(rank + 1, ranks)
  prev = mod(rank + ranks - 1, ranks)
  n = 1
  do round = 1, 7
    n = n * 8
    allocate (a(n), b(n, 2))
    if (fmpl_is_remote_dma(c_loc(a), int(8*n, c_size_t)) /= 1) stop 'allocate a'
    if (fmpl_is_remote_dma(c_loc(b), int(16*n, c_size_t)) /= 1) stop 'allocate b'
    a = [(dble(i + rank), i = 1, n)]
    b = 0
    call fmpl_irecv(b(1, 2), 8*n, prev, 0, FMPL_COMM_WORLD, ier)
    call fmpl_send(a, 8*n, next, 0, FMPL_COMM_WORLD, ier)
    if (ier /= FMPL_SUCCESS) stop 'fmpl_send'
    call fmpl_irecv_wait(prev, 0, FMPL_COMM_WORLD, ier)
    if (ier /= FMPL_SUCCESS) stop 'fmpl_irecv_wait'
    if (any(b(:, 1) /= 0) .or. any(b(:, 2) /= [(dble(i + prev), i = 1, n)])) stop 'the message'
    deallocate (a, b)
  end do
  call fmpl_finalize(ier)
  if (ier /= FMPL_SUCCESS) stop 'fmpl_finalize'
  if (rank == 0) print '(a)', 'all right'
end program
