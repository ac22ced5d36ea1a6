// --blacs, --pdgemm fmpl, --mpi and --rdma heap: what the environment of the ranks needs for libraries of FMPL to
// come in front of the program's.
#pragma once

#include "options.hpp"

namespace fmpl::launcher {

// Adds FMPL_RDMA, LD_PRELOAD and LD_LIBRARY_PATH to the variables of the ranks.
//
// The heap is asked for by --rdma, or, without it, by FMPL_RDMA (of -x, or in the environment), or, without that too,
// by --blacs, since a ScaLAPACK program has its matrices in malloc memory. PDGEMM is asked for by --pdgemm, or, without
// it, by --blacs. In LD_PRELOAD the heap's library comes first, then PDGEMM, then the BLACS with the mend of ScaLAPACK
// that belongs to it, then what the user preloads. Where the heap is not wanted, or PDGEMM is refused, that library of
// an outer job is taken out. --mpi puts the shim's libraries that have other MPIs' names in front of LD_LIBRARY_PATH,
// and preloads them for a program with a search path of its own.
//
// Throws Error: ARGUMENT (FMPL_RDMA is neither heap nor none; --mpi for a program of an Open MPI other
// than 4), SYSTEM (a library is not where it belongs beside this program). Where the dynamic linker could not read a
// library's path, it is named through a descriptor of this process, which stays open.
void add_preload_variables(Options& options);

}  // namespace fmpl::launcher
