#include <fmpl/joint_copy.h>

// Rank 0 sends `size` bytes of any memory to rank 1. record: rank 0's, its place known to rank 1.
int pass(int rank, void *data, size_t size, void *record, uint64_t place)
{
    uint64_t address = (uint64_t)(uintptr_t)data;
    int opened = 0, done = 0;
    size_t copied;
    if (rank == 0) {
        fmpl_joint_prepare(record);
        fmpl_send(&address, sizeof address, 1, 0, FMPL_COMM_WORLD);
        while (!done) fmpl_joint_give(1, record, data, size, &done);
    } else {
        fmpl_recv(&address, sizeof address, 0, 0, FMPL_COMM_WORLD);
        fmpl_joint_open(0, place, data, size, 0, &opened);
        if (!opened) return FMPL_ERR_SYSTEM; // a program would ask rank 0 for a message
        while (!done) fmpl_joint_take(0, place, address, data, size, 0, &copied, &done);
    }
    return FMPL_SUCCESS;
}
