// --rdma heap: what the environment of the ranks needs for the malloc heap to lie in remote-DMA memory.
#pragma once

#include "options.hpp"

namespace fmpl::launcher {

// Adds FMPL_RDMA and LD_PRELOAD to the variables of the ranks as --rdma says, or, without it, FMPL_RDMA (of -x, or in the
// environment). What the user preloads stays, behind the heap's library; without --rdma heap that library of an outer job
// is taken out. Throws Error: ARGUMENT (FMPL_RDMA is neither heap nor none), SYSTEM (the library is not where it belongs
// beside this program, or the dynamic linker could not read its path).
void add_heap_variables(Options& options);

}  // namespace fmpl::launcher
