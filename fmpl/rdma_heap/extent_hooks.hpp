// jemalloc's extents from the heap range: the hooks that every arena of the process gets.
//
// An extent lies in the range, or, when the range has no room for it, in ordinary memory: a correct program goes on,
// and its messages from there are copied twice. Extents from before the range was there are ordinary memory, too.
#pragma once

#include <jemalloc/jemalloc.h>

namespace fmpl::rdma_heap {

class HeapRange;

// The heap range of this process; inactive until a rank starts it.
extern HeapRange heap;

// Lives as long as the process. Never allocates.
extern extent_hooks_t extent_hooks;

}  // namespace fmpl::rdma_heap
