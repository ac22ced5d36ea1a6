// The routines of the BLACS in FMPL's statistics and traces (fmplrun --stats, --trace), in the place of the calls of
// FMPL that they make.
#pragma once

#include "job.hpp"

#include <fmpl/observe.h>

#include <cstddef>

namespace fmpl::blacs {

// A routine that runs. Its name's letters stay where they are.
class ObservedCall {
public:
    ObservedCall(const Job& job, const char* routine) : ObservedCall(job.is_observed(), routine) {}
    // Where there is no Job, or it may end meanwhile.
    explicit ObservedCall(const char* routine) : ObservedCall(*fmpl_layer_observed() != 0, routine) {}
    ~ObservedCall()
    {
        if (on_) [[unlikely]]
            fmpl_layer_call_end(1);
    }
    ObservedCall(const ObservedCall&) = delete;
    ObservedCall& operator=(const ObservedCall&) = delete;

private:
    ObservedCall(bool on, const char* routine) : on_(on)
    {
        if (on_) [[unlikely]]
            fmpl_layer_call_begin(routine);
    }

    bool on_;
};

// What the routine has to do with: a rank, or -1 for all of a scope. sends: the bytes are a message to it.
inline void tell_about(const Job& job, int world_rank, std::size_t bytes, bool sends = false)
{
    if (job.is_observed()) [[unlikely]]
        fmpl_layer_call_about(world_rank, -1, bytes, sends ? 1 : 0);
}

}  // namespace fmpl::blacs
