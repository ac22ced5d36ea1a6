// The standard's tests over the shim: each body is a job of its own, as ranks_test.hpp runs it.
#include "mpi_test.hpp"
#include "support/ranks_test.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

namespace mpi_test {

namespace {

// Under a sanitizer each run costs ten times as much, and most of what it could find shows at a few numbers of ranks.
#if defined(__SANITIZE_THREAD__)
constexpr std::array kRanksUnderSanitizer = {2, 4};
#elif defined(__SANITIZE_ADDRESS__)
constexpr std::array kRanksUnderSanitizer = {1, 2, 3};
#endif

}  // namespace

bool register_test(const char* suite, const char* name, const char* file, int line, Body in_mpi, std::vector<int> ranks)
{
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
    std::vector<int> fewer;
    std::copy_if(ranks.begin(), ranks.end(), std::back_inserter(fewer),
        [](int n) { return std::count(kRanksUnderSanitizer.begin(), kRanksUnderSanitizer.end(), n) > 0; });
    if (!fewer.empty()) ranks = fewer;
#endif
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
