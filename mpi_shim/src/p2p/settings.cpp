#include "p2p/settings.hpp"

#include "error.hpp"
#include "p2p/copy_rates.hpp"
#include "p2p/crowded.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstdlib>
#include <string_view>

namespace fmpl::mpi {
namespace {

constexpr std::size_t kEagerBytes = 16 * 1024;
constexpr std::size_t kEagerBytesRemoteDma = 4 * 1024;
// Where a long message takes less time so than announced; and what the rings of all pairs of a job may take for that.
constexpr std::size_t kEagerBytesLong = 64 * 1024;
constexpr std::size_t kEagerBytesLongCrowded = 256 * 1024;
constexpr std::size_t kRingsOfJob = 64 * 1024 * 1024;
constexpr std::size_t kLargestEager = 1024 * 1024;

// Room for four of the longest bodies.
std::size_t least_ring(std::size_t eager_bytes)
{
    return 4 * std::max<std::size_t>(eager_bytes, 256);
}

// The shortest limit.
std::size_t least_eager_bytes(const JobFacts& job)
{
    return job.ranks > kManyRanks ? kEagerBytesOfMany : kEagerBytes;
}

// docs/decisions/0065-long-eager-messages.md
std::size_t default_eager_bytes(const JobFacts& job)
{
    const std::size_t least = least_eager_bytes(job);
    if (job.ranks > kManyRanks || !(job.is_crowded || job.two_copies_are_fast)) return least;
    const auto pairs = static_cast<std::size_t>(job.ranks) * static_cast<std::size_t>(job.ranks);
    const std::size_t ring = std::min(kRingsOfJob / pairs, job.most_ring);
    const std::size_t longest = job.is_crowded ? kEagerBytesLongCrowded : kEagerBytesLong;
    return std::clamp(std::bit_floor(ring / 4), least, longest);
}

std::size_t eager_bytes_from(const char* text)
{
    const std::string_view view(text);
    std::size_t bytes = 0;
    const auto [end, error] = std::from_chars(view.data(), view.data() + view.size(), bytes);
    if (error != std::errc() || end != view.data() + view.size() || bytes > kLargestEager) {
        fail(ErrorClass::argument, "FMPL_MPI_EAGER={}: a number of bytes up to {} is needed", text, kLargestEager);
    }
    return bytes;
}

}  // namespace

Settings settings_from_environment(const JobFacts& job)
{
    const char* const text = std::getenv("FMPL_MPI_EAGER");
    const std::size_t bytes = text != nullptr ? eager_bytes_from(text) : default_eager_bytes(job);
    const std::size_t from_remote_dma = job.is_crowded ? kEagerAnywhereCrowded : kEagerBytesRemoteDma;
    const std::size_t kept = text != nullptr ? bytes : std::min(bytes, kEagerBytes);
    const std::size_t of_many = text != nullptr ? bytes : std::min(bytes, kEagerBytesLong);
    // Who sets a lower limit wants less memory, or what happens where a ring is full.
    const std::size_t ring =
        bytes < least_eager_bytes(job) ? least_ring(bytes) : std::max(least_ring(bytes), job.best_ring);
    return {bytes, std::min(bytes, from_remote_dma), kept, of_many, text != nullptr ? 0 : CopyRates::kLongest, ring};
}

}  // namespace fmpl::mpi
