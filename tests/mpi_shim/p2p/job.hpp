// A rank's stay in a job of the MPI shim.
#pragma once

#include "support/ranks_test.hpp"

#include <mpi.h>

#include <random>
#include <stdexcept>

namespace mpi_test {

// MPI_Init to MPI_Finalize; errors of MPI_COMM_WORLD are returned.
class Job {
public:
    Job()
    {
        if (MPI_Init(nullptr, nullptr) != MPI_SUCCESS) throw std::runtime_error("MPI_Init");
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        MPI_Comm_size(MPI_COMM_WORLD, &size);
    }
    ~Job() { MPI_Finalize(); }
    Job(const Job&) = delete;
    Job& operator=(const Job&) = delete;

    // Shifts the ranks against each other.
    void delay() { fmpl_test::random_delay(random_); }

    int rank = 0;
    int size = 0;

private:
    std::mt19937_64 random_{fmpl_test::seed() * 31 + static_cast<std::uint64_t>(fmpl_test::rank())};
};

}  // namespace mpi_test
