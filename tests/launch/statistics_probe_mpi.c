/* Sends what tests/launch/statistics_test.py says over MPI, and no more: see MpiPattern there. */
#include <mpi.h>

#include <stdlib.h>

enum { SIZES = 7, LONGEST = 3000000 };
static const int size_of[SIZES] = {0, 8, 72, 1000, 20000, 300000, 3000000};

int main(int argc, char** argv)
{
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    char* buffer = malloc(LONGEST);
    char* remote;
    MPI_Alloc_mem(LONGEST, MPI_INFO_NULL, &remote);
    for (int from = 0; from < ranks; ++from) {
        for (int to = 0; to < ranks; ++to) {
            if (from == to) continue;
            for (int i = 0; i < SIZES; ++i) {
                if (rank == from) MPI_Send(i % 2 != 0 ? remote : buffer, size_of[i], MPI_BYTE, to, i, MPI_COMM_WORLD);
                if (rank == to)
                    MPI_Recv(
                        i % 3 != 0 ? remote : buffer, LONGEST, MPI_BYTE, from, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            }
            for (int i = 0; i < from + 2 * to + 1; ++i) {
                MPI_Request request;
                if (rank == from) MPI_Isend(buffer, 2, MPI_INT, to, 0, MPI_COMM_WORLD, &request);
                if (rank == to) MPI_Irecv(buffer, 2, MPI_INT, from, 0, MPI_COMM_WORLD, &request);
                if (rank == from || rank == to) MPI_Wait(&request, MPI_STATUS_IGNORE);
            }
            if (rank == from) MPI_Ssend(buffer, 100, MPI_BYTE, to, 0, MPI_COMM_WORLD);
            if (rank == to) MPI_Recv(buffer, 100, MPI_BYTE, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
    }
    const int next = (rank + 1) % ranks, previous = (rank + ranks - 1) % ranks;
    MPI_Request requests[2];
    MPI_Status statuses[2];
    MPI_Sendrecv(buffer, 5, MPI_DOUBLE, next, 0, remote, 5, MPI_DOUBLE, previous, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send_init(buffer, 16, MPI_BYTE, next, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Recv_init(remote, 16, MPI_BYTE, previous, 1, MPI_COMM_WORLD, &requests[1]);
    for (int i = 0; i < 3; ++i) {
        MPI_Startall(2, requests);
        MPI_Waitall(2, requests, statuses);
    }
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
    /* To itself, and to nobody. */
    MPI_Sendrecv(buffer, 3, MPI_BYTE, rank, 0, remote, 3, MPI_BYTE, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(buffer, 8, MPI_BYTE, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
    /* Not in one piece, to rank 0 of a communicator that counts backwards. */
    MPI_Comm backwards;
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &backwards);
    MPI_Datatype striped;
    MPI_Type_vector(10, 1, 2, MPI_INT, &striped);
    MPI_Type_commit(&striped);
    if (rank == 0 && ranks > 1) MPI_Send(buffer, 1000, striped, 0, 0, backwards);
    if (rank == ranks - 1 && ranks > 1) MPI_Recv(remote, 1000, striped, ranks - 1, 0, backwards, MPI_STATUS_IGNORE);
    MPI_Type_free(&striped);
    MPI_Comm_free(&backwards);
    /* What is in no matrix. */
    double one = 1, sum;
    MPI_Bcast(buffer, 1000, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Alltoall(buffer, 10, MPI_INT, remote, 10, MPI_INT, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Free_mem(remote);
    free(buffer);
    MPI_Finalize();
    return sum == ranks ? 0 : 98;
}
