// The standard's tests over the shim: each body is a job of its own, as ranks_test.hpp runs it.
#include "mpi_test.hpp"
#include "support/ranks_test.hpp"

#include <utility>

namespace mpi_test {

bool register_test(const char* suite, const char* name, const char* file, int line, Body in_mpi, std::vector<int> ranks)
{
    return fmpl_test::register_body(
        suite, name, file, line, in_mpi, fmpl_test::RanksOptions{.ranks = std::move(ranks)});
}

void run_in_mpi(Body body)
{
    REQUIRE_SUCCESS(MPI_Init(nullptr, nullptr));
    body();  // what it throws ends the job
    REQUIRE_SUCCESS(MPI_Finalize());
}

std::uint64_t seed()
{
    return fmpl_test::seed();
}

Library library()
{
    return Library::fmpl;
}

// The shim makes no exceptions.
bool excepted(const std::string&)
{
    return false;
}

}  // namespace mpi_test
