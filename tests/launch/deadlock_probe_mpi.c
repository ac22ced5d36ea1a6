/* As deadlock_probe.cpp, over the MPI shim. */
#include <mpi.h>

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static MPI_Request begun;

static int query(void *state, MPI_Status *status)
{
    (void)state;
    MPI_Status_set_elements(status, MPI_INT, 0);
    MPI_Status_set_cancelled(status, 0);
    status->MPI_SOURCE = MPI_UNDEFINED;
    status->MPI_TAG = MPI_UNDEFINED;
    return MPI_SUCCESS;
}

static int nothing(void *state)
{
    (void)state;
    return MPI_SUCCESS;
}

static int not_cancelled(void *state, int complete)
{
    (void)state;
    (void)complete;
    return MPI_SUCCESS;
}

/* No MPI call may be made here by the standard; FMPL's shim bears this one. */
static void complete_it(int signal)
{
    (void)signal;
    MPI_Grequest_complete(begun);
}

int main(int argc, char **argv)
{
    const char *which = argc > 1 ? argv[1] : "";
    int rank, size, data = 0;
    struct sigaction action;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (strcmp(which, "meet") == 0) {
        int sum = 0;
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 0, &data, 1, MPI_INT, (rank + size - 1) % size, 0,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (sum != size * (size - 1) / 2 || data != (rank + size - 1) % size) MPI_Abort(MPI_COMM_WORLD, 3);
        if (argc > 2) {
            MPI_Barrier(MPI_COMM_WORLD);
            if (rank == 0) printf("met\n");
            fflush(stdout);
            for (;;) pause();
        }
    } else if (strcmp(which, "receive_in_a_circle") == 0) {
        MPI_Recv(&data, 1, MPI_INT, (rank + 1) % size, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (strcmp(which, "finalize_while_one_receives") == 0) {
        if (rank == 0) MPI_Recv(&data, 1, MPI_INT, 1, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (strcmp(which, "barrier_without_one") == 0) {
        if (rank == 0) MPI_Probe(1, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (rank != 0) MPI_Barrier(MPI_COMM_WORLD);
    } else if (strcmp(which, "a_signal_ends_a_request") == 0) {
        if (rank == 0) {
            MPI_Grequest_start(query, nothing, not_cancelled, NULL, &begun);
            memset(&action, 0, sizeof action);
            action.sa_handler = complete_it;
            sigaction(SIGALRM, &action, NULL);
            alarm(6);
            MPI_Wait(&begun, MPI_STATUS_IGNORE);
        }
        MPI_Barrier(MPI_COMM_WORLD);
    } else {
        fprintf(stderr, "deadlock_probe_mpi: no such case\n");
        MPI_Abort(MPI_COMM_WORLD, 97);
    }
    MPI_Finalize();
    return 0;
}
