! FMPL in Fortran. Include this file in each unit that calls FMPL:
!       include 'fmplf.h'
! Each call is that of fmpl.h as a subroutine whose last argument, ier,
! is FMPL_SUCCESS or one of FMPL_ERR_*. size is in bytes; all integers
! are default ones, except addresses (integer*8).
!
!  fmpl_init(ma, fa, count, ier)            fmpl_finalize(ier)
!    ma, fa: areas in remote-DMA memory, or any integers: then the
!    library owns both areas.
!  fmpl_send, fmpl_isend, fmpl_issend(buf, size, dst, mai, comm, ier)
!  fmpl_recv, fmpl_irecv(buf, size, src, mai, comm, ier)
!  fmpl_isend_wait, fmpl_issend_wait(dst, mai, comm, ier)
!  fmpl_irecv_wait(src, mai, comm, ier)
!  fmpl_received(source, index, bytes, ier)
!  fmpl_sendbuf_set(buf, size, ipara, ier)
!    ipara: time-out in milliseconds. buf outside remote-DMA memory
!    stays unused: the library keeps the messages in as much memory.
!  fmpl_sendbuf_check(nsend, nspool, ier)
!  fmpl_send_any(buf, size, dst, mai, comm, ier)
!  fmpl_recv_any(buf, size, mai, comm, ier)
!  fmpl_comm_create(comm, key, ier)         fmpl_comm_free(comm, ier)
!  fmpl_comm_rank(comm, rank, ier)   fmpl_comm_size(comm, size, ier)
!  fmpl_bcast(buf, size, root, comm, ier)   fmpl_barrier(comm, ier)
!  fmpl_reduce(buf, count, func, root, comm, work, ier)
!  fmpl_allreduce(buf, count, func, comm, work, ier)
!    func: one of the operations below, or one of fmpl_op_create.
!  fmpl_op_create(func, function, size, ier)
!    makes an operation of a subroutine function(in, inout, count),
!    inout(i) = in(i) (op) inout(i), for elements of size bytes.
!  fmpl_malloc(size, address, ier)     fmpl_free(address, ier)
!    size, address: integer*8; 0 when there is not enough memory.
!  fmpl_initialized(flag, ier)         fmpl_abort(code)
!  double precision function fmpl_wtime()
      integer FMPL_COMM_WORLD
      parameter (FMPL_COMM_WORLD = 0)
      integer FMPL_COMM_NULL
      parameter (FMPL_COMM_NULL = -1)
      integer FMPL_ANY_TAG
      parameter (FMPL_ANY_TAG = -1)
      integer FMPL_SUCCESS
      parameter (FMPL_SUCCESS = 0)
      integer FMPL_ERR_NOT_INITIALIZED
      parameter (FMPL_ERR_NOT_INITIALIZED = 1)
      integer FMPL_ERR_ALREADY_INITIALIZED
      parameter (FMPL_ERR_ALREADY_INITIALIZED = 2)
      integer FMPL_ERR_ARGUMENT
      parameter (FMPL_ERR_ARGUMENT = 3)
      integer FMPL_ERR_RANK
      parameter (FMPL_ERR_RANK = 4)
      integer FMPL_ERR_INDEX
      parameter (FMPL_ERR_INDEX = 5)
      integer FMPL_ERR_COMM
      parameter (FMPL_ERR_COMM = 6)
      integer FMPL_ERR_TRUNCATED
      parameter (FMPL_ERR_TRUNCATED = 7)
      integer FMPL_ERR_BUSY
      parameter (FMPL_ERR_BUSY = 8)
      integer FMPL_ERR_NO_REQUEST
      parameter (FMPL_ERR_NO_REQUEST = 9)
      integer FMPL_ERR_MEMORY
      parameter (FMPL_ERR_MEMORY = 10)
      integer FMPL_ERR_MISMATCH
      parameter (FMPL_ERR_MISMATCH = 11)
      integer FMPL_ERR_PENDING
      parameter (FMPL_ERR_PENDING = 12)
      integer FMPL_ERR_ABORTED
      parameter (FMPL_ERR_ABORTED = 13)
      integer FMPL_ERR_SYSTEM
      parameter (FMPL_ERR_SYSTEM = 14)
      integer FMPL_ERR_INTERNAL
      parameter (FMPL_ERR_INTERNAL = 15)
! Operations: INTEGER8 is integer*8, DOUBLE double precision.
      integer FMPL_SUM_INTEGER
      parameter (FMPL_SUM_INTEGER = 1)
      integer FMPL_PROD_INTEGER
      parameter (FMPL_PROD_INTEGER = 2)
      integer FMPL_MIN_INTEGER
      parameter (FMPL_MIN_INTEGER = 3)
      integer FMPL_MAX_INTEGER
      parameter (FMPL_MAX_INTEGER = 4)
      integer FMPL_SUM_INTEGER8
      parameter (FMPL_SUM_INTEGER8 = 5)
      integer FMPL_PROD_INTEGER8
      parameter (FMPL_PROD_INTEGER8 = 6)
      integer FMPL_MIN_INTEGER8
      parameter (FMPL_MIN_INTEGER8 = 7)
      integer FMPL_MAX_INTEGER8
      parameter (FMPL_MAX_INTEGER8 = 8)
      integer FMPL_SUM_REAL
      parameter (FMPL_SUM_REAL = 9)
      integer FMPL_PROD_REAL
      parameter (FMPL_PROD_REAL = 10)
      integer FMPL_MIN_REAL
      parameter (FMPL_MIN_REAL = 11)
      integer FMPL_MAX_REAL
      parameter (FMPL_MAX_REAL = 12)
      integer FMPL_SUM_DOUBLE
      parameter (FMPL_SUM_DOUBLE = 13)
      integer FMPL_PROD_DOUBLE
      parameter (FMPL_PROD_DOUBLE = 14)
      integer FMPL_MIN_DOUBLE
      parameter (FMPL_MIN_DOUBLE = 15)
      integer FMPL_MAX_DOUBLE
      parameter (FMPL_MAX_DOUBLE = 16)
      integer FMPL_SUM_COMPLEX
      parameter (FMPL_SUM_COMPLEX = 17)
      integer FMPL_PROD_COMPLEX
      parameter (FMPL_PROD_COMPLEX = 18)
      integer FMPL_SUM_DOUBLE_COMPLEX
      parameter (FMPL_SUM_DOUBLE_COMPLEX = 19)
      integer FMPL_PROD_DOUBLE_COMPLEX
      parameter (FMPL_PROD_DOUBLE_COMPLEX = 20)
      double precision fmpl_wtime
      external fmpl_wtime
