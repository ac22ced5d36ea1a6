// MPI_UNWEIGHTED and MPI_WEIGHTS_EMPTY of MPICH's mpi.h, which are objects.
#include <mpi.h>

namespace {

// Nobody's weights can lie here.
int unweighted_mark;
int weights_empty_mark;

}  // namespace

int* const MPI_UNWEIGHTED = &unweighted_mark;
int* const MPI_WEIGHTS_EMPTY = &weights_empty_mark;
