// Which Process a call from C or Fortran means: that of the calling rank, which the communication library keeps. Used
// by the C and Fortran names alone; everything below takes the Process it works on.
#pragma once

#include "process.hpp"

namespace fmpl::blacs {

// Null before joining and after leaving.
inline Process* find_process()
{
    return static_cast<Process*>(rank_state());
}
[[noreturn]] void refuse_without_process();
inline Process& require_process()  // throws Error instead
{
    if (Process* const process = find_process()) [[likely]]
        return *process;
    refuse_without_process();
}
// Joins first when needed; may block until all ranks join. Throws Error.
Process& join_process();
// Leaves; go_on: the communication library stays usable, and a later join_process takes over the duty to finalize it.
// Does nothing when the rank never joined. Throws Error.
void leave_process(bool go_on);

}  // namespace fmpl::blacs
