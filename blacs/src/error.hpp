// How an error leaves the code below the C and Fortran names: as an Error whose words name the argument, its value and
// what to do. The boundary (boundary.hpp) adds the routine and the process, and ends the job.
#pragma once

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

namespace fmpl::blacs {

class Error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

// The caller gave a bad argument, or asked for more than there is.
template <class... Args>
[[noreturn]] void refuse(fmt::format_string<Args...> words, Args&&... args)
{
    throw Error(fmt::format(words, std::forward<Args>(args)...));
}

}  // namespace fmpl::blacs
