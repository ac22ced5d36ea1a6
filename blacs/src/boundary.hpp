// The one place where an Error meets the C and Fortran names. The BLACS have no error codes, so an error prints the
// routine, the process, its place in the grid and the words, and ends all processes.
#pragma once

#include "current.hpp"

#include <exception>

namespace fmpl::blacs {

// Ends the job. context: the handle that the routine was given, or -1.
[[noreturn]] void give_up(const char* routine, int context, const char* words, int status = 1);

// Runs body(), for routines that may come before the BLACS begin and after they end.
template <class Body>
void call_any_time(const char* routine, int context, Body&& body)
{
    try {
        const ObservedCall observed(routine);
        body();
    } catch (const std::exception& e) {
        give_up(routine, context, e.what());
    }
}

// Runs body(process), with the process of the caller. A part of the routine: else what the routine was given goes to
// the body by way of memory.
template <class Body>
[[gnu::always_inline]] inline decltype(auto) call(const char* routine, int context, Body&& body)
{
    try {
        Process& process = require_process();
        [[maybe_unused]] const CallName name(process.job(), routine);
        const ObservedCall observed(process.job(), routine);
        return body(process);
    } catch (const std::exception& e) {
        give_up(routine, context, e.what());
    }
}

// The same for the routines with which a program may begin: joins first.
template <class Body>
decltype(auto) call_joining(const char* routine, int context, Body&& body)
{
    try {
        Process& process = join_process();
        [[maybe_unused]] const CallName name(process.job(), routine);
        const ObservedCall observed(process.job(), routine);
        return body(process);
    } catch (const std::exception& e) {
        give_up(routine, context, e.what());
    }
}

}  // namespace fmpl::blacs
