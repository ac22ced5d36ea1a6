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
// The binary interfaces besides MPICH's differ from it above all that knows ranks.
#if defined(__SANITIZE_THREAD__)
#define FMPL_FEWER_RANKS 2, 4
#elif defined(__SANITIZE_ADDRESS__)
#define FMPL_FEWER_RANKS 1, 2, 3
#elif defined(OPEN_MPI) || defined(MPI_ABI_VERSION)
#define FMPL_FEWER_RANKS 1, 3
#endif
#if defined(OPEN_MPI) || defined(MPI_ABI_VERSION)
constexpr bool kInThreads = false;
#else
constexpr bool kInThreads = true;
#endif

}  // namespace

bool register_test(const char* suite, const char* name, const char* file, int line, Body in_mpi, std::vector<int> ranks)
{
#ifdef FMPL_FEWER_RANKS
    constexpr std::array kFewer = {FMPL_FEWER_RANKS};
    std::vector<int> fewer;
    std::copy_if(ranks.begin(), ranks.end(), std::back_inserter(fewer),
        [&](int n) { return std::count(kFewer.begin(), kFewer.end(), n) > 0; });
    if (!fewer.empty()) ranks = fewer;
#endif
    fmpl_test::RanksOptions options{.ranks = std::move(ranks)};
    options.threads = kInThreads;
    return fmpl_test::register_body(suite, name, file, line, in_mpi, options);
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
