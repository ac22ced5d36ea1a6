// The MPI error class of what a call throws.
#pragma once

#include "error.hpp"

namespace mpi_test {

// ErrorClass::success if it throws nothing.
template <class Call>
fmpl::mpi::ErrorClass class_thrown_by(Call&& call)
{
    try {
        call();
    } catch (const fmpl::mpi::Error& error) {
        return static_cast<fmpl::mpi::ErrorClass>(error.code());
    }
    return fmpl::mpi::ErrorClass::success;
}

}  // namespace mpi_test
