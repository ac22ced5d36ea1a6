// MPI_UNWEIGHTED, MPI_WEIGHTS_EMPTY and MPI_T_PVAR_ALL_HANDLES of MPICH's mpi.h, which are objects: what they point to
// is nobody's weights or handle.
#include <mpi.h>

namespace {

int unweighted_mark;
int weights_empty_mark;
char all_handles_mark;

}  // namespace

int* const MPI_UNWEIGHTED = &unweighted_mark;
int* const MPI_WEIGHTS_EMPTY = &weights_empty_mark;
MPIR_T_pvar_handle_s* const MPI_T_PVAR_ALL_HANDLES = reinterpret_cast<MPIR_T_pvar_handle_s*>(&all_handles_mark);
