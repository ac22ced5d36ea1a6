/* Exit status 0 when a block of malloc is remote-DMA memory: under fmplrun --rdma heap. */
#include <fmpl.h>
#include <fmpl/layers.h>
#include <stdlib.h>

int main(void)
{
    void *block = malloc(100000);
    int well = fmpl_init(NULL, NULL, 1) == FMPL_SUCCESS && fmpl_is_remote_dma(block, 100000);
    free(block);
    return fmpl_finalize() == FMPL_SUCCESS && well ? 0 : 1;
}
