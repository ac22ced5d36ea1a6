#include <fmpl/exchange.h>

// The numbers of all ranks, on rank 0: all[r] is that of rank r. Called by all `size` ranks.
int numbers_of_all(struct fmpl_exchange *x, int rank, int size, int own, int *all)
{
    if (rank != 0) {
        void *room;
        int code = fmpl_exchange_room(x, sizeof own, &room);
        if (code != FMPL_SUCCESS) return code;
        *(int *)room = own;
        fmpl_exchange_show(x, 0);
    }
    for (int r = 0; rank == 0 && r < size; ++r) {
        const void *given = &own;
        size_t bytes;
        int code = r == 0 ? FMPL_SUCCESS : fmpl_exchange_take(x, r, &given, &bytes);
        if (code != FMPL_SUCCESS) return code;
        all[r] = *(const int *)given;
    }
    fmpl_exchange_end(x);
    return FMPL_SUCCESS;
}
