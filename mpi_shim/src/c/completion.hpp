// What a completed operation comes to in a call: its status for the user, or its error.
#pragma once

#include "abi/boundary.hpp"
#include "abi/status.hpp"
#include "process/process.hpp"

#include <mpi.h>

#include <string>
#include <utility>

namespace fmpl::mpi {

// Like call_on, for a call whose communicator is known only when a handle has been looked at: body(process, comm) sets
// comm when errors from there on belong to a communicator.
template <class Body>
[[gnu::always_inline]] inline int call_then_on(const char* name, Body&& body)
{
    Process* const process = find_process();
    if (process == nullptr) [[unlikely]]
        not_initialized(name);
    HandleNumber comm = kCommNull;
    const InTurn turn(process->turns);
    const bool observed = *process->observed != 0;
    try {
        const CallName in_call(process->messenger, name);
        if (observed) [[unlikely]]
            begin_observed(*process, name, NoFacts());
        body(*process, comm);
        if (observed) [[unlikely]]
            fmpl_layer_call_end(1);
        return MPI_SUCCESS;
    } catch (...) {
        if (observed) fmpl_layer_call_end(0);
        return handle_current_error(name, comm);
    }
}

// Throws Error with the class of status.error, which is not 0. words: the request's, which may be empty.
[[noreturn]] void fail_operation(const Status& status, const std::string& words = {});

inline void check_operation(const Status& status)
{
    if (status.error != 0) [[unlikely]]
        fail_operation(status);
}

// For the call that completes one operation: gives the status, then throws if the operation failed.
inline void give_checked(MPI_Status* to, const Status& status)
{
    give(to, status);
    check_operation(status);
}

}  // namespace fmpl::mpi
