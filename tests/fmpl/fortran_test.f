! The calls of fmplf.h from Fortran 77, on any number of ranks: a ring, the send buffer, the any domain, reductions with a
! built-in operation and one of the program's own, a communicator, an error code. Stops with a message when one is wrong.
      program fortran_test
      implicit none
      include 'fmplf.h'
      integer none, ier, rank, ranks, next, prev, i, n, comm, own
      integer source, index, bytes, nsend, nspool, crank, csize, flag
      parameter (n = 5000)
      double precision a(n), b(n), work(n), t
      integer*8 address
      external keep_left
      t = fmpl_wtime()
      call fmpl_init(none, none, 8, ier)
      call expect(ier .eq. FMPL_SUCCESS, 'fmpl_init')
      call fmpl_initialized(flag, ier)
      call expect(flag .eq. 1, 'fmpl_initialized')
      call fmpl_comm_rank(FMPL_COMM_WORLD, rank, ier)
      call fmpl_comm_size(FMPL_COMM_WORLD, ranks, ier)
      next = mod(rank + 1, ranks)
      prev = mod(rank + ranks - 1, ranks)
      do i = 1, n
         a(i) = rank + i
      end do
      call fmpl_irecv(b, 8*n, prev, 3, FMPL_COMM_WORLD, ier)
      call fmpl_send(a, 8*n, next, 3, FMPL_COMM_WORLD, ier)
      call expect(ier .eq. FMPL_SUCCESS, 'fmpl_send')
      call fmpl_irecv_wait(prev, 3, FMPL_COMM_WORLD, ier)
      call expect(ier .eq. FMPL_SUCCESS .and. b(n) .eq. prev + n,       &
     &            'fmpl_irecv')
      call fmpl_received(source, index, bytes, ier)
      call expect(source .eq. prev .and. index .eq. 3 .and.             &
     &            bytes .eq. 8*n, 'fmpl_received')

      call fmpl_sendbuf_set(work, 8*n, 0, ier)
      call expect(ier .eq. FMPL_SUCCESS, 'fmpl_sendbuf_set')
      call fmpl_send(a, 800, next, 1, FMPL_COMM_WORLD, ier)
      call fmpl_recv(b, 800, prev, FMPL_ANY_TAG, FMPL_COMM_WORLD, ier)
      call expect(b(100) .eq. prev + 100, 'fmpl_recv any tag')
      call fmpl_barrier(FMPL_COMM_WORLD, ier)
      call fmpl_sendbuf_check(nsend, nspool, ier)
      call expect(nspool .eq. 0, 'fmpl_sendbuf_check')

      call fmpl_issend(a, 80, next, 2, FMPL_COMM_WORLD, ier)
      call fmpl_recv(b, 80, prev, 2, FMPL_COMM_WORLD, ier)
      call fmpl_issend_wait(next, 2, FMPL_COMM_WORLD, ier)
      call expect(b(10) .eq. prev + 10, 'fmpl_issend')

      call fmpl_send_any(rank, 4, 0, 9, FMPL_COMM_WORLD, ier)
      if (rank .eq. 0) then
         do i = 1, ranks
            call fmpl_recv_any(index, 4, 9, FMPL_COMM_WORLD, ier)
            call fmpl_received(source, none, bytes, ier)
            call expect(source .eq. index, 'fmpl_recv_any')
         end do
      end if

      call fmpl_allreduce(a, n, FMPL_SUM_DOUBLE, FMPL_COMM_WORLD,       &
     &                    work, ier)
      call expect(a(7) .eq. ranks*(ranks - 1)/2 + 7*ranks,              &
     &            'fmpl_allreduce')
      call fmpl_op_create(own, keep_left, 8, ier)
      b(1) = 100 + rank
      call fmpl_allreduce(b, 1, own, FMPL_COMM_WORLD, work, ier)
      call expect(b(1) .eq. 100, 'fmpl_op_create')
      b(1) = rank
      call fmpl_reduce(b, 1, FMPL_MAX_DOUBLE, 0, FMPL_COMM_WORLD,       &
     &                 work, ier)
      call expect(rank .ne. 0 .or. b(1) .eq. ranks - 1, 'fmpl_reduce')
      b(1) = rank
      call fmpl_bcast(b, 8, ranks - 1, FMPL_COMM_WORLD, ier)
      call expect(b(1) .eq. ranks - 1, 'fmpl_bcast')

      call fmpl_comm_create(comm, mod(rank + 1, 2), ier)
      if (mod(rank, 2) .eq. 0) then
         call fmpl_comm_rank(comm, crank, ier)
         call fmpl_comm_size(comm, csize, ier)
         call expect(crank .eq. rank/2 .and.                            &
     &               csize .eq. (ranks + 1)/2, 'fmpl_comm_create')
         call fmpl_comm_free(comm, ier)
      end if
      call expect(comm .eq. FMPL_COMM_NULL, 'fmpl_comm_free')

      call fmpl_send(a, -8, next, 1, FMPL_COMM_WORLD, ier)
      call expect(ier .eq. FMPL_ERR_ARGUMENT, 'negative size')
      call fmpl_send(a, 8, ranks, 1, FMPL_COMM_WORLD, ier)
      call expect(ier .eq. FMPL_ERR_RANK, 'rank out of range')
      call fmpl_reduce(b, 1, 777, 0, FMPL_COMM_WORLD, work, ier)
      call expect(ier .eq. FMPL_ERR_ARGUMENT, 'unknown operation')
      address = 0
      call fmpl_malloc(1000_8, address, ier)
      call expect(ier .eq. FMPL_SUCCESS .and. address .ne. 0,           &
     &            'fmpl_malloc')
      call fmpl_free(address, ier)
      call fmpl_malloc(-1000_8, address, ier)
      call expect(ier .eq. FMPL_ERR_ARGUMENT .and. address .eq. 0,      &
     &            'negative size of fmpl_malloc')
      call expect(fmpl_wtime() .ge. t, 'fmpl_wtime')
      call fmpl_finalize(ier)
      call expect(ier .eq. FMPL_SUCCESS, 'fmpl_finalize')
      end

      subroutine expect(ok, what)
      implicit none
      logical ok
      character*(*) what
      if (.not. ok) then
         print *, 'wrong: ', what
         stop 1
      end if
      end

! inout = in: what remains is the lowest rank's operand.
      subroutine keep_left(in, inout, count)
      implicit none
      integer count, i
      double precision in(count), inout(count)
      do i = 1, count
         inout(i) = in(i)
      end do
      end
