/* The program's malloc heap in remote-DMA memory (fmplrun --rdma heap), for the allocator that is preloaded
 * for it. No call here blocks.
 *
 * Example, before main:
 *
 *     #include <fmpl/heap.h>
 *
 *     // The first bytes of the heap, a multiple of the page size; NULL: the heap stays where it is.
 *     void *begin_heap(size_t bytes)
 *     {
 *         void *begin;
 *         size_t size;
 *         if (fmpl_heap_range(&begin, &size) != FMPL_SUCCESS || bytes > size) return NULL;
 *         return fmpl_heap_commit(begin, bytes) == FMPL_SUCCESS ? begin : NULL;
 *     }
 */
#ifndef FMPL_HEAP_H
#define FMPL_HEAP_H

#include <fmpl.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Claims the part of the rank's arena that is set apart for the heap: *begin, *size in bytes, page-aligned,
 * without memory behind it. A process that fmplrun started calls it once, before main. The range stays mapped
 * to the end of the process, whatever fmpl_finalize does. Nothing is printed and nothing changes on an error.
 * Errors: ARGUMENT (not a rank of fmplrun's), ALREADY_INITIALIZED (the rank's heap belongs to another
 * process, or the rank has begun to use its arena), MEMORY, SYSTEM. */
int fmpl_heap_range(void **begin, size_t *size);

/* Backs a page-aligned part of the range, of `size` bytes, with memory, so that an access cannot fail. May be
 * called by any thread; neither allocates nor prints. Errors: MEMORY when there is too little; some of the
 * pages may then be backed. */
int fmpl_heap_commit(void *at, size_t size);

/* Gives the memory of such a part back. May be called by any thread; neither allocates nor prints. Errors:
 * SYSTEM when the system refuses. */
int fmpl_heap_release(void *at, size_t size);

#ifdef __cplusplus
}
#endif
#endif
