! A library for fortran_library_test.py, which a program without Fortran opens: each sentinel of MPI's in it. It is built
! with the module mpi, and with mpif.h where FMPL_WITH_MPIF_H is defined.
subroutine use_sentinels() bind(c)
#ifdef FMPL_WITH_MPIF_H
  implicit none
  include 'mpif.h'
#else
  use mpi
  implicit none
#endif
  ! In the memory of this library, as the sentinels are.
  integer, save :: sum(2), sent, received(2)
  integer :: rank, ranks, absolute, graph, degrees(2), one(1), requests(2), done, indices(2), ierror
  integer(MPI_ADDRESS_KIND) :: at(1)
  logical :: flag

  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)

  sum = [1, rank]
  call MPI_Allreduce(MPI_IN_PLACE, sum, 2, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
  call report('MPI_IN_PLACE', all(sum == [ranks, ranks * (ranks - 1) / 2]))

  call MPI_Get_address(sent, at(1), ierror)
  one = 1
  call MPI_Type_create_hindexed(1, one, at, MPI_INTEGER, absolute, ierror)
  call MPI_Type_commit(absolute, ierror)
  sent = merge(77, 0, rank == 0)
  call MPI_Bcast(MPI_BOTTOM, 1, absolute, 0, MPI_COMM_WORLD, ierror)
  call MPI_Type_free(absolute, ierror)
  call report('MPI_BOTTOM', sent == 77)

  call MPI_Sendrecv(rank, 1, MPI_INTEGER, rank, 1, received, 1, MPI_INTEGER, rank, 1, MPI_COMM_WORLD, &
    MPI_STATUS_IGNORE, ierror)
  call report('MPI_STATUS_IGNORE', received(1) == rank)

  received = -1
  call MPI_Irecv(received(1), 1, MPI_INTEGER, rank, 1, MPI_COMM_WORLD, requests(1), ierror)
  call MPI_Isend(ranks, 1, MPI_INTEGER, rank, 1, MPI_COMM_WORLD, requests(2), ierror)
  call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, ierror)
  call MPI_Testall(2, requests, flag, MPI_STATUSES_IGNORE, ierror)
  call MPI_Waitsome(2, requests, done, indices, MPI_STATUSES_IGNORE, ierror)
  call report('MPI_STATUSES_IGNORE', received(1) == ranks .and. flag .and. done == MPI_UNDEFINED)

  one = rank
  call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, one, MPI_UNWEIGHTED, 1, one, MPI_UNWEIGHTED, &
    MPI_INFO_NULL, .false., graph, ierror)
  call MPI_Dist_graph_neighbors_count(graph, degrees(1), degrees(2), flag, ierror)
  call MPI_Comm_free(graph, ierror)
  call report('MPI_UNWEIGHTED', all(degrees == 1) .and. .not. flag)

  call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 0, one, MPI_WEIGHTS_EMPTY, 0, one, MPI_WEIGHTS_EMPTY, &
    MPI_INFO_NULL, .false., graph, ierror)
  call MPI_Dist_graph_neighbors_count(graph, degrees(1), degrees(2), flag, ierror)
  call MPI_Comm_free(graph, ierror)
  call report('MPI_WEIGHTS_EMPTY', all(degrees == 0) .and. flag)

  call MPI_Finalize(ierror)

contains

  subroutine report(what, right)
    character(len=*), intent(in) :: what
    logical, intent(in) :: right
    logical :: right_everywhere
    call MPI_Reduce(right, right_everywhere, 1, MPI_LOGICAL, MPI_LAND, 0, MPI_COMM_WORLD, ierror)
    if (rank == 0 .and. right_everywhere) print '(2a)', 'OK ', what
  end subroutine
end subroutine
