// Which Process a call from C or Fortran means: that of the calling thread when it is a rank itself, else that of its
// operating-system process. Used by the C and Fortran names alone; everything below takes the Process it works on.
#pragma once

#include "process.hpp"

namespace fmpl::blacs {

// Of the thread that joined. In the static block of thread-local memory, so that a routine finds it by one load.
extern constinit thread_local Process* process_of_thread [[gnu::tls_model("initial-exec")]];
// For all other threads; null too before joining and after leaving.
Process* find_process_of_others();
[[noreturn]] void refuse_without_process();

// Null before joining and after leaving.
inline Process* find_process()
{
    if (Process* const process = process_of_thread) [[likely]]
        return process->left() ? nullptr : process;
    return find_process_of_others();
}
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
