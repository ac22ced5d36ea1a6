// FMPL's error codes as Errors.
#pragma once

#include "error.hpp"

#include <fmpl.h>

namespace fmpl::mpi {

[[noreturn, gnu::noinline, gnu::cold]] inline void fail_fmpl(int code)
{
    if (code == FMPL_ERR_ABORTED) throw JobEnding(fmpl_error_message());
    throw Error(code == FMPL_ERR_MEMORY ? ErrorClass::no_mem : ErrorClass::other, fmpl_error_message());
}

// code: what an FMPL call has returned. Throws JobEnding when that is ABORTED, else Error.
inline void check_fmpl(int code)
{
    if (code != FMPL_SUCCESS) [[unlikely]]
        fail_fmpl(code);
}

}  // namespace fmpl::mpi
