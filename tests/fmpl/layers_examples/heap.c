#include <fmpl/heap.h>

// The first bytes of the heap, a multiple of the page size; NULL: the heap stays where it is.
void *begin_heap(size_t bytes)
{
    void *begin;
    size_t size;
    if (fmpl_heap_range(&begin, &size) != FMPL_SUCCESS || bytes > size) return NULL;
    return fmpl_heap_commit(begin, bytes) == FMPL_SUCCESS ? begin : NULL;
}
