// The one place where an Error meets the C names: the error handler of the communicator, window or file decides, and
// the call returns the error's class.
#pragma once

#include "abi/call_facts.hpp"
#include "abi/current.hpp"
#include "error.hpp"
#include "interface/handles.hpp"
#include "interface/numbers.hpp"
#include "process/process.hpp"

#include <mpi.h>

#include <utility>

// Defines MPI_name as another, weak name of PMPI_name, which must be defined in the same file.
#define FMPL_MPI_NAME(name) extern "C" __attribute__((weak, alias("P" #name), copy(P##name))) decltype(P##name) name;

namespace fmpl::mpi {

// Called in a catch clause: hands the error in flight to the handler of `object`, a communicator, a window or
// kFileNull (of MPI_COMM_WORLD when the number is that of another null handle or of none), and returns the code for the
// call to return, in the program's numbers. With MPI_ERRORS_ARE_FATAL it prints rank, call and reason, ends the job and
// does not return.
int handle_current_error(const char* name, HandleNumber object);
// The same for an error that is at hand as a code, in the core's numbers, and words.
int handle_error(const char* name, HandleNumber object, int code, const char* words);

// No rank here: the call came before MPI_Init or after MPI_Finalize. Ends the job.
[[noreturn]] void not_initialized(const char* name);

// For its lifetime, the rank is in an MPI call of that name, should somebody ask fmplrun.
class CallName {
public:
    CallName(const Messenger& messenger, const char* name) : place_(messenger.call()), before_(place_)
    {
        place_ = name;
    }
    ~CallName() { place_ = before_; }
    CallName(const CallName&) = delete;
    CallName& operator=(const CallName&) = delete;

private:
    const char*& place_;  // FMPL's: MPI_Finalize ends the messenger
    const char* before_;
};

// Runs body(process) for a call on a communicator, a window, or, for all that concerns files, MPI_FILE_NULL.
// facts(process): see abi/call_facts.hpp.
template <class Handle, class Facts, class Body>
[[gnu::always_inline]] inline int call_on(const char* name, Handle object, const Facts& facts, Body&& body)
{
    Process* const process = find_process();
    if (process == nullptr) [[unlikely]]
        not_initialized(name);
    // Inlined, and body called in one place, so that neither body nor facts needs memory. The body may end *process
    // (MPI_Finalize).
    const InTurn turn(process->turns);
    const bool observed = *process->observed != 0;
    try {
        const CallName in_call(process->messenger, name);
        if (observed) [[unlikely]]
            begin_observed(*process, name, facts);
        body(*process);
        if (observed) [[unlikely]]
            fmpl_layer_call_end(1);
        return MPI_SUCCESS;
    } catch (...) {
        if (observed) fmpl_layer_call_end(0);
        return handle_current_error(name, number_of(object));
    }
}
template <class Handle, class Body>
[[gnu::always_inline]] inline int call_on(const char* name, Handle object, Body&& body)
{
    return call_on(name, object, NoFacts(), std::forward<Body>(body));
}

// The same for a call without one: errors go to the handler of MPI_COMM_WORLD.
template <class Body>
int call(const char* name, Body&& body)
{
    return call_on(name, MPI_Comm{MPI_COMM_NULL}, std::forward<Body>(body));
}

// Throws Error (MPI_ERR_ARG) when the pointer is null.
inline void check_pointer(const void* pointer, const char* argument)
{
    if (pointer == nullptr) [[unlikely]]
        fail(ErrorClass::argument, "{} is a null pointer; give the address of a variable", argument);
}

// Throws Error (MPI_ERR_COUNT) when it is negative.
inline void check_count(std::int64_t count, const char* argument = "count")
{
    if (count < 0) [[unlikely]]
        fail(ErrorClass::count, "{} = {} is negative; give 0 or more", argument, count);
}

}  // namespace fmpl::mpi
