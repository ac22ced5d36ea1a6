// Turns FMPL's error codes into exceptions at the cost of one branch, so that a timed loop can afford it.
#pragma once

#include <fmpl/fmpl.hpp>

namespace fmpl::bench {

inline void check(int code)
{
    if (code != FMPL_SUCCESS) [[unlikely]]
        throw Error(code, fmpl_error_message());
}

}  // namespace fmpl::bench
