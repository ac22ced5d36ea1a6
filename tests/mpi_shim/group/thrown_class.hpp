// The MPI error class of what a call throws.
#pragma once

#include "error.hpp"

#include <mpi.h>

namespace mpi_test {

// MPI_SUCCESS if it throws nothing.
template <class Call>
int class_thrown_by(Call&& call)
{
    try {
        call();
    } catch (const fmpl::mpi::Error& error) {
        return error.error_class();
    }
    return MPI_SUCCESS;
}

}  // namespace mpi_test
