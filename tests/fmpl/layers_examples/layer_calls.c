#include <fmpl/layer_calls.h>

int start_layer(void)
{
    fmpl_layer_speaks(FMPL_SPEAKS_BLACS);
    return fmpl_init(NULL, NULL, 1);
}

int my_barrier(void) // a rank that waits in it is said to be in "my_barrier"
{
    const char **call = fmpl_layer_call();
    const char *before = *call;
    *call = "my_barrier";
    const int code = fmpl_barrier(FMPL_COMM_WORLD);
    *call = before;
    return code;
}
