#include <fmpl/requests.h>

// Works piece by piece while a message from src comes; returns its code.
int work_until_received(void *buf, size_t size, int src, void (*work)(void))
{
    int done = 0;
    int code = fmpl_irecv(buf, size, src, 0, FMPL_COMM_WORLD);
    while (code == FMPL_SUCCESS && !done) {
        work();
        code = fmpl_irecv_test(src, 0, FMPL_COMM_WORLD, &done);
    }
    return code;
}
