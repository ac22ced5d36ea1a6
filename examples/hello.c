/* A token travels around the ring of ranks and counts them. */
#include <fmpl.h>
#include <stdio.h>

int main(void)
{
    int rank, size, token = 0;
    if (fmpl_init(NULL, NULL, 1) != FMPL_SUCCESS) return 1;
    fmpl_comm_rank(FMPL_COMM_WORLD, &rank);
    fmpl_comm_size(FMPL_COMM_WORLD, &size);

    const int next = (rank + 1) % size, previous = (rank + size - 1) % size;
    if (rank > 0) fmpl_recv(&token, sizeof token, previous, 0, FMPL_COMM_WORLD);
    token += 1;
    fmpl_send(&token, sizeof token, next, 0, FMPL_COMM_WORLD);
    if (rank == 0) {
        fmpl_recv(&token, sizeof token, previous, 0, FMPL_COMM_WORLD);
        printf("the token has met %d ranks\n", token);
    }
    return fmpl_finalize();
}
