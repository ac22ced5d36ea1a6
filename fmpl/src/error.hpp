// The one error type below the C API, and the words around it. It is translated to a code once, in api/boundary.hpp.
#pragma once

#include <fmpl/fmpl.hpp>

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

namespace fmpl {

template <class... Args>
[[noreturn]] void fail(int code, fmt::format_string<Args...> words, Args&&... args)
{
    throw Error(code, fmt::format(words, std::forward<Args>(args)...));
}

// "why: Cannot allocate memory", for a failed system call; reads errno.
[[noreturn]] inline void fail_system(const std::string& what)
{
    const int saved = errno;
    throw Error(FMPL_ERR_SYSTEM, fmt::format("{}: {}", what, std::strerror(saved)));
}

}  // namespace fmpl
