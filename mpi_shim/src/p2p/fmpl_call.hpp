// FMPL's error codes as Errors.
#pragma once

#include "error.hpp"

#include <fmpl.h>

#include <mpi.h>

namespace fmpl::mpi {

// code: what an FMPL call has returned. Throws JobEnding when that is ABORTED, else Error.
inline void check_fmpl(int code)
{
    if (code == FMPL_SUCCESS) [[likely]]
        return;
    if (code == FMPL_ERR_ABORTED) throw JobEnding(fmpl_error_message());
    throw Error(code == FMPL_ERR_MEMORY ? MPI_ERR_NO_MEM : MPI_ERR_OTHER, fmpl_error_message());
}

}  // namespace fmpl::mpi
