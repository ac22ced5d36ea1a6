#include <fmpl/observe.h>

// A send of the layer's, which statistics and traces show under its own name.
int my_send(const void *buf, size_t bytes, int dst)
{
    const int observed = *fmpl_layer_observed() != 0;
    if (observed) {
        fmpl_layer_call_begin("my_send");
        fmpl_layer_call_about(dst, 0, bytes, 1);
    }
    const int code = fmpl_send(buf, bytes, dst, 0, FMPL_COMM_WORLD);
    if (observed) fmpl_layer_call_end(code == FMPL_SUCCESS);
    return code;
}
