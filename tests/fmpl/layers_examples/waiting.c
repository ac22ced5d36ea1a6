#include <fmpl/waiting.h>
#include <fmpl/requests.h>

static int has_come(void *source) // called often, so it tests what the rank has started itself
{
    int done = 0;
    const int code = fmpl_irecv_test(*(const int *)source, 0, FMPL_COMM_WORLD, &done);
    return done || code != FMPL_SUCCESS;
}

int receive_number(int source, int *number)
{
    const struct fmpl_wait_words what = {"receive_number", source, 0, 2, sizeof *number, 0, 0};
    const int code = fmpl_irecv(number, sizeof *number, source, 0, FMPL_COMM_WORLD);
    return code != FMPL_SUCCESS ? code : fmpl_wait_until(has_come, &source, &what);
}
