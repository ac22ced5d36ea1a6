#include <fmpl/groups.h>

// Makes a communicator of ranks 0 and 1, in which rank 1 comes first. Other ranks do not call it.
int pair_backwards(fmpl_comm_t *pair, int *first)
{
    const int members[2] = {1, 0};
    const int code = fmpl_comm_create_group(pair, members, 2);
    if (code != FMPL_SUCCESS) return code;
    return fmpl_comm_world_rank(*pair, 0, first); // *first is 1
}
