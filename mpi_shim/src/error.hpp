// What everything in the shim throws: an error class of the standard and the reason in words, which name the argument
// and say what to do. The boundary adds the rank and the name of the MPI call, and asks the error
// handler.
#pragma once

#include "standard.hpp"

#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <utility>

namespace fmpl::mpi {

class Error : public std::runtime_error {
public:
    Error(ErrorClass error_class, const std::string& words) : Error(code_of(error_class), words) {}
    // With a code that a function of the program's returned, in the core's numbers.
    Error(int code, const std::string& words) : std::runtime_error(words), code_(code) {}

    int code() const { return code_; }

private:
    int code_;
};

// Another rank has ended the job: nothing is left to handle.
class JobEnding : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

template <class... Arguments>
[[noreturn]] void fail(ErrorClass error_class, fmt::format_string<Arguments...> format, Arguments&&... arguments)
{
    throw Error(error_class, fmt::format(format, std::forward<Arguments>(arguments)...));
}

// With a code that a function of the program's returned, or that an Error had elsewhere.
template <class... Arguments>
[[noreturn]] void fail_with_code(int code, fmt::format_string<Arguments...> format, Arguments&&... arguments)
{
    throw Error(code, fmt::format(format, std::forward<Arguments>(arguments)...));
}

}  // namespace fmpl::mpi
