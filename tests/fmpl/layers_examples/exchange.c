#include <fmpl/exchange.h>

// The numbers of all ranks, on rank 0: all[r] is that of rank r. Called by all `size` ranks.
int numbers_of_all(struct fmpl_exchanges *x, int rank, int size, int own, int *all)
{
    uint64_t n;
    int code = fmpl_exchange_begin(x, &n);
    if (code != FMPL_SUCCESS) return code;
    if (rank != 0) {
        void *room;
        code = fmpl_exchange_room(x, n, sizeof own, &room);
        if (code == FMPL_SUCCESS) {
            *(int *)room = own;
            fmpl_exchange_show(x, n, 0);
        }
    }
    for (int r = 0; rank == 0 && code == FMPL_SUCCESS && r < size; ++r) {
        const void *given = &own;
        size_t bytes;
        if (r > 0) code = fmpl_exchange_take(x, n, r, &given, &bytes);
        if (code == FMPL_SUCCESS) all[r] = *(const int *)given;
    }
    fmpl_exchange_end(x, n); // in any case: others wait for who has not left
    return code;
}
