// Which libraries the program and its libraries ask for by name (DT_NEEDED), as opposed to those that are there because
// LD_PRELOAD names them.
#pragma once

namespace fmpl::rdma_heap {

// Whether the program is one that may become a rank: it, or a library that it brings, needs libfmpl, a BLACS or
// ScaLAPACK library of any name, libmpi_fmpl, or, where that is loaded, an MPI library of MPICH's or Open MPI's names.
// fmplrun --blacs and --mpi put libraries that need libfmpl into every process; a shell around the program must not
// pass for a rank by that. Allocates nothing; to be called before threads are there.
bool program_needs_fmpl();

}  // namespace fmpl::rdma_heap
