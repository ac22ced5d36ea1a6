// How an error leaves the code below the C and Fortran names: as a fmpl::Error whose words name the argument, its value
// and what to do. The boundary (boundary.hpp) adds the routine and the process, and ends the job.
#pragma once

#include <fmpl/fmpl.hpp>

#include <fmt/format.h>

#include <utility>

namespace fmpl::blacs {

// The caller gave a bad argument.
template <class... Args>
[[noreturn]] void refuse(fmt::format_string<Args...> words, Args&&... args)
{
    throw Error(FMPL_ERR_ARGUMENT, fmt::format(words, std::forward<Args>(args)...));
}

// The result of an FMPL call, whose words are FMPL's own.
inline void check(int code)
{
    if (code != FMPL_SUCCESS) [[unlikely]]
        throw Error(code, fmpl_error_message());
}

}  // namespace fmpl::blacs
