// Preloaded by fmplrun --blacs: MPI_WTIME for Fortran programs that take the time from their MPI and call nothing else
// of it.
//
// xshseqr and xdhseqr of Debian's testers do, and Open MPI lets them before MPI_INIT, which nobody calls under --blacs;
// MPICH ends the program.
#include <time.h>

extern "C" [[gnu::visibility("default")]] double mpi_wtime_()
{
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}
