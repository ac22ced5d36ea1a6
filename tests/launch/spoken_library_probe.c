/* A rank that leaves its job out of order, in the words of the MPI or, with SPEAKS_BLACS, of the BLACS. */
#include <stdlib.h>
#include <string.h>

#ifdef SPEAKS_BLACS
#include <blacs_fmpl.h>
static void join(void)
{
    int rank, size;
    Cblacs_pinfo(&rank, &size);
}
static void leave(void)
{
    Cblacs_exit(0);
}
#else
#include <mpi.h>
static void join(void)
{
    MPI_Init(NULL, NULL);
}
static void leave(void)
{
    MPI_Finalize();
}
#endif

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    const char *rank = getenv("FMPL_RANK");
    const int odd_one = rank != NULL && strcmp(rank, "1") == 0;
    if (odd_one && strcmp(what, "does_not_join") == 0) return 0;
    join();
    if (odd_one && strcmp(what, "does_not_leave") == 0) return 0;
    leave();
    return 0;
}
