// What everything in the shim throws: an error class of the standard (MPI_ERR_*) and the reason in words, which name
// the argument and say what to do. The boundary adds the rank and the name of the MPI call, and asks the error
// handler.
#pragma once

#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <utility>

namespace fmpl::mpi {

class Error : public std::runtime_error {
public:
    Error(int error_class, const std::string& words) : std::runtime_error(words), class_(error_class) {}

    int error_class() const { return class_; }

private:
    int class_;
};

// Another rank has ended the job: nothing is left to handle.
class JobEnding : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

// error_class: MPI_ERR_* of mpi.h.
template <class... Arguments>
[[noreturn]] void fail(int error_class, fmt::format_string<Arguments...> format, Arguments&&... arguments)
{
    throw Error(error_class, fmt::format(format, std::forward<Arguments>(arguments)...));
}

}  // namespace fmpl::mpi
