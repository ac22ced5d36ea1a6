! A token travels around the ring of ranks and counts them.
program hello
  implicit none
  include 'fmplf.h'
  integer :: areas(1), rank, ranks, next, previous, token, ier

  token = 0
  call fmpl_init(areas, areas, 1, ier)
  if (ier /= FMPL_SUCCESS) stop 1
  call fmpl_comm_rank(FMPL_COMM_WORLD, rank, ier)
  call fmpl_comm_size(FMPL_COMM_WORLD, ranks, ier)

  next = mod(rank + 1, ranks)
  previous = mod(rank + ranks - 1, ranks)
  if (rank > 0) call fmpl_recv(token, 4, previous, 0, FMPL_COMM_WORLD, ier)
  token = token + 1
  call fmpl_send(token, 4, next, 0, FMPL_COMM_WORLD, ier)
  if (rank == 0) then
    call fmpl_recv(token, 4, previous, 0, FMPL_COMM_WORLD, ier)
    print '(a, i0, a)', 'the token has met ', token, ' ranks'
  end if
  call fmpl_finalize(ier)
  if (ier /= FMPL_SUCCESS) stop 1
end program hello
