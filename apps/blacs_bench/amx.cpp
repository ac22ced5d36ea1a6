// The time of an absolute maximum over all ranks that all of them get, with the coordinates of the ranks that had it.
#include "benchmarks.hpp"

#include "../bench/collective_table.hpp"
#include "../bench/transport.hpp"

#include <vector>

namespace fmpl::bench {
namespace {

// Element i: rank r has one of 1 .. ranks, each rank another one, with the sign of r.
double value_of(int rank, std::size_t i, int ranks)
{
    const int place = static_cast<int>((static_cast<std::size_t>(rank) + i) % static_cast<std::size_t>(ranks)) + 1;
    return rank % 2 == 0 ? place : -place;
}

}  // namespace

void run_amx(const Options& options, const Job& job, Report& report)
{
    std::vector<int> rows, columns;
    const auto amx = [&](std::byte* buffer, std::size_t bytes) {
        const int m = static_cast<int>(bytes / sizeof(double));
        rows.resize(bytes / sizeof(double));
        columns.resize(bytes / sizeof(double));
        Cdgamx2d(transport::grid.context, "All", " ", m, 1, reinterpret_cast<double*>(buffer), m, rows.data(),
            columns.data(), m, -1, -1);
    };
    run_collective(
        options, job, report, [&](std::byte* buffer, std::size_t bytes, std::uint64_t) { amx(buffer, bytes); },
        [&](std::byte* buffer, std::size_t bytes) {
            auto* values = reinterpret_cast<double*>(buffer);
            const std::size_t count = bytes / sizeof(double);
            for (std::size_t i = 0; i < count; ++i) values[i] = value_of(job.rank, i, job.ranks);
            amx(buffer, bytes);
            for (std::size_t i = 0; i < count; ++i) {
                const int winner = job.ranks - 1 - static_cast<int>(i % static_cast<std::size_t>(job.ranks));
                if (values[i] != value_of(winner, i, job.ranks) || rows[i] != 0 || columns[i] != winner) return false;
            }
            return true;
        });
}

}  // namespace fmpl::bench
