// The type objects that a rank begins with: those of the predefined types, each under its handle of mpi.h.
#pragma once

namespace fmpl::mpi {

class Process;

// Fills process.builtin_types, and puts the pairs that have numbers of process.types there, which must be empty. All
// are committed.
void add_predefined_types(Process& process);

}  // namespace fmpl::mpi
