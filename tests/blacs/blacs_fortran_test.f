*     A BLACS program as Fortran users write them: a grid, a matrix round the ring of all processes, a sum over the grid.
*     Prints "ok" on process 0; stops with status 1 on a wrong result.
      PROGRAM BLACST
      IMPLICIT NONE
      INTEGER            M, N, LDA
      PARAMETER          ( M = 5, N = 3, LDA = 8 )
      INTEGER            ME, NPROCS, CTXT, NPROW, NPCOL, MYROW, MYCOL
      INTEGER            I, J, NEXT, PREV, PR, PC, BAD, TOTAL
      DOUBLE PRECISION   A( LDA, N ), B( LDA, N ), S, T0
      INTEGER            BLACS_PNUM
      DOUBLE PRECISION   DWALLTIME00
      EXTERNAL           BLACS_PNUM, DWALLTIME00
      EXTERNAL           BLACS_PINFO, BLACS_GET, BLACS_GRIDINIT
      EXTERNAL           BLACS_GRIDINFO, BLACS_PCOORD, BLACS_BARRIER
      EXTERNAL           BLACS_GRIDEXIT, BLACS_EXIT
      EXTERNAL           DGESD2D, DGERV2D, DGSUM2D, IGSUM2D
*
      BAD = 0
      T0 = DWALLTIME00()
      CALL BLACS_PINFO( ME, NPROCS )
      NPROW = 1
      IF( MOD( NPROCS, 2 ).EQ.0 ) NPROW = 2
      NPCOL = NPROCS / NPROW
      CALL BLACS_GET( -1, 0, CTXT )
      CALL BLACS_GRIDINIT( CTXT, 'Row-major', NPROW, NPCOL )
      CALL BLACS_GRIDINFO( CTXT, NPROW, NPCOL, MYROW, MYCOL )
      IF( BLACS_PNUM( CTXT, MYROW, MYCOL ).NE.ME ) BAD = BAD + 1
*
*     To the next process, from the one before.
*
      NEXT = MOD( ME+1, NPROCS )
      PREV = MOD( ME+NPROCS-1, NPROCS )
      DO 20 J = 1, N
         DO 10 I = 1, LDA
            A( I, J ) = 1000*ME + 10*I + J
            B( I, J ) = -1
   10    CONTINUE
   20 CONTINUE
      CALL BLACS_PCOORD( CTXT, NEXT, PR, PC )
      CALL DGESD2D( CTXT, M, N, A, LDA, PR, PC )
      CALL BLACS_PCOORD( CTXT, PREV, PR, PC )
      CALL DGERV2D( CTXT, M, N, B, LDA, PR, PC )
      DO 40 J = 1, N
         DO 30 I = 1, LDA
            S = 1000*PREV + 10*I + J
            IF( I.GT.M ) S = -1
            IF( B( I, J ).NE.S ) BAD = BAD + 1
   30    CONTINUE
   40 CONTINUE
*
*     The sum over all processes, on all processes.
*
      CALL DGSUM2D( CTXT, 'All', ' ', M, N, A, LDA, -1, -1 )
      DO 60 J = 1, N
         DO 50 I = 1, M
            S = 1000*( NPROCS*( NPROCS-1 ) / 2 ) + NPROCS*( 10*I+J )
            IF( A( I, J ).NE.S ) BAD = BAD + 1
   50    CONTINUE
   60 CONTINUE
*
      CALL BLACS_BARRIER( CTXT, 'All' )
      IF( DWALLTIME00().LT.T0 ) BAD = BAD + 1
      TOTAL = BAD
      CALL IGSUM2D( CTXT, 'All', ' ', 1, 1, TOTAL, 1, -1, -1 )
      IF( ME.EQ.0 .AND. TOTAL.EQ.0 ) WRITE( *, '( A )' ) 'ok'
      CALL BLACS_GRIDEXIT( CTXT )
      CALL BLACS_EXIT( 0 )
      IF( TOTAL.NE.0 ) THEN
         WRITE( *, '( A, I0, A, I0 )' ) 'wrong results on process ',
     $      ME, ': ', BAD
         STOP 1
      END IF
      END
