/* Each rank sends each other one messages of many lengths in private memory (static data, the heap), checked. Prints
 * "rank R: right" and returns 0, or says what is wrong. With EXCHANGE_PROBE_MPI over MPI, else over FMPL. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef EXCHANGE_PROBE_MPI
#include <mpi.h>

static int begin(int *rank, int *ranks)
{
    return MPI_Init(NULL, NULL) || MPI_Comm_rank(MPI_COMM_WORLD, rank) || MPI_Comm_size(MPI_COMM_WORLD, ranks);
}
static int send_to(void *data, int bytes, int peer)
{
    return MPI_Send(data, bytes, MPI_BYTE, peer, 0, MPI_COMM_WORLD);
}
static int receive_from(void *data, int bytes, int peer)
{
    return MPI_Recv(data, bytes, MPI_BYTE, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
static int end(void)
{
    return MPI_Finalize();
}
#else
#include <fmpl.h>

static int begin(int *rank, int *ranks)
{
    return fmpl_init(NULL, NULL, 1) || fmpl_comm_rank(FMPL_COMM_WORLD, rank) ||
           fmpl_comm_size(FMPL_COMM_WORLD, ranks);
}
static int send_to(void *data, int bytes, int peer)
{
    return fmpl_send(data, (size_t)bytes, peer, 0, FMPL_COMM_WORLD);
}
static int receive_from(void *data, int bytes, int peer)
{
    return fmpl_recv(data, (size_t)bytes, peer, 0, FMPL_COMM_WORLD);
}
static int end(void)
{
    return fmpl_finalize();
}
#endif

enum { most = 3000000 };
static unsigned char static_data[most];

static unsigned char expected(int source, int bytes, int at)
{
    return (unsigned char)(source * 101 + bytes * 7 + at * 13 + at / 251);
}

static int pass(unsigned char *data, int bytes, int rank, int source, int destination)
{
    if (rank == source) {
        for (int b = 0; b < bytes; ++b) data[b] = expected(source, bytes, b);
        return send_to(data, bytes, destination) ? 11 : 0;
    }
    memset(data, 0, most);
    if (receive_from(data, bytes, source)) return 12;
    for (int b = 0; b < bytes; ++b) {
        if (data[b] != expected(source, bytes, b)) {
            fprintf(stderr, "rank %d: byte %d of %d from rank %d is wrong\n", rank, b, bytes, source);
            return 13;
        }
    }
    return 0;
}

int main(void)
{
    static const int lengths[] = {0, 1, 24, 72, 500, 4096, 20000, 70000, 1048576, most};
    unsigned char *const heap = malloc(most);
    int rank = -1, ranks = 0;
    if (heap == NULL || begin(&rank, &ranks)) return 10;
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; ++i) {
        for (int pair = 0; pair < ranks * ranks; ++pair) {
            const int source = pair / ranks, destination = pair % ranks;
            if (source == destination || (rank != source && rank != destination)) continue;
            int wrong = pass(static_data, lengths[i], rank, source, destination);
            if (!wrong) wrong = pass(heap, lengths[i], rank, source, destination);
            if (wrong) return wrong;
        }
    }
    free(heap);
    if (end()) return 14;
    printf("rank %d: right\n", rank);
    return 0;
}
