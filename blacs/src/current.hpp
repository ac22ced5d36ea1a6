// Which Process a call from C or Fortran means: that of the calling thread when it is a rank itself, else that of its
// operating-system process. Used by the C and Fortran names alone; everything below takes the Process it works on.
#pragma once

#include "process.hpp"

namespace fmpl::blacs {

// Null before joining and after leaving.
Process* find_process();
Process& require_process();  // throws Error instead
// Joins first when needed; may block until all ranks join. Throws Error.
Process& join_process();
// Leaves; go_on: the communication library stays usable, and a later join_process takes over the duty to finalize it.
// Does nothing when the rank never joined. Throws Error.
void leave_process(bool go_on);

}  // namespace fmpl::blacs
