/* Each rank sends each other one messages of many lengths in private memory (static data, the heap), and they broadcast
 * and add up some of these lengths; checked. Prints "rank R: right" and returns 0, or says what is wrong. With
 * EXCHANGE_PROBE_MPI over MPI, else over FMPL. */
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
static int broadcast(void *data, int bytes, int root)
{
    return MPI_Bcast(data, bytes, MPI_BYTE, root, MPI_COMM_WORLD);
}
static int add_up(int *data, int n)
{
    return MPI_Allreduce(MPI_IN_PLACE, data, n, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
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
static int broadcast(void *data, int bytes, int root)
{
    return fmpl_bcast(data, (size_t)bytes, root, FMPL_COMM_WORLD);
}
static int add_up(int *data, int n)
{
    return fmpl_allreduce(data, (size_t)n, FMPL_SUM_INT32, FMPL_COMM_WORLD, NULL);
}
static int end(void)
{
    return fmpl_finalize();
}
#endif

enum { most = 3000000 };
static _Alignas(int) unsigned char static_data[most];

static unsigned char expected(int source, int bytes, int at)
{
    return (unsigned char)(source * 101 + bytes * 7 + at * 13 + at / 251);
}

static int is_wrong(const unsigned char *data, int bytes, int rank, int source)
{
    for (int b = 0; b < bytes; ++b) {
        if (data[b] != expected(source, bytes, b)) {
            fprintf(stderr, "rank %d: byte %d of %d from rank %d is wrong\n", rank, b, bytes, source);
            return 13;
        }
    }
    return 0;
}

static int pass(unsigned char *data, int bytes, int rank, int source, int destination)
{
    if (rank == source) {
        for (int b = 0; b < bytes; ++b) data[b] = expected(source, bytes, b);
        return send_to(data, bytes, destination) ? 11 : 0;
    }
    memset(data, 0, most);
    if (receive_from(data, bytes, source)) return 12;
    return is_wrong(data, bytes, rank, source);
}

static int all_together(unsigned char *data, int bytes, int rank, int ranks)
{
    const int root = bytes % ranks, n = bytes / (int)sizeof(int);
    for (int b = 0; b < bytes; ++b) data[b] = rank == root ? expected(root, bytes, b) : 0;
    if (broadcast(data, bytes, root)) return 15;
    if (is_wrong(data, bytes, rank, root)) return 13;
    int *const numbers = (int *)(void *)data;
    for (int i = 0; i < n; ++i) numbers[i] = rank + i;
    if (add_up(numbers, n)) return 16;
    for (int i = 0; i < n; ++i) {
        if (numbers[i] != ranks * (ranks - 1) / 2 + ranks * i) {
            fprintf(stderr, "rank %d: sum %d of %d is wrong\n", rank, i, n);
            return 17;
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
        if (lengths[i] == most) continue; /* a matter of the messages above */
        int wrong = all_together(static_data, lengths[i], rank, ranks);
        if (!wrong) wrong = all_together(heap, lengths[i], rank, ranks);
        if (wrong) return wrong;
    }
    free(heap);
    if (end()) return 14;
    printf("rank %d: right\n", rank);
    return 0;
}
