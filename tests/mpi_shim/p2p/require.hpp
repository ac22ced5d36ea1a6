// MPI calls that may not fail.
#pragma once

#include <mpi.h>

#include <stdexcept>
#include <string>

namespace mpi_test {

// Under MPI_ERRORS_RETURN: what no call of a round may return.
inline void require(int code, const char* call)
{
    if (code == MPI_SUCCESS) return;
    char words[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    MPI_Error_string(code, words, &length);
    throw std::runtime_error(std::string(call) + ": " + words);
}

}  // namespace mpi_test
