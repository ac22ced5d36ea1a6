#include "p2p/settings.hpp"

#include "error.hpp"
#include "p2p/copy_rates.hpp"

#include <mpi.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstdlib>
#include <string_view>

namespace fmpl::mpi {
namespace {

constexpr std::size_t kEagerBytes = 16 * 1024;
constexpr std::size_t kEagerBytesRemoteDma = 4 * 1024;
constexpr std::size_t kLargestEager = 1024 * 1024;
constexpr int kManyRanks = 32;
constexpr std::size_t kEagerBytesOfMany = 4 * 1024;

// The least has room for four of the longest bodies. A longer one gives a stream room, and what is written next has
// left the nearest cache of the core that has read it (docs/decisions/0047-rings-longer-than-the-nearest-cache.md); but
// all rings together of the ranks of a CPU are to stay in its second-level cache.
constexpr std::size_t kLongestRing = 256 * 1024;
constexpr std::size_t kRingsOfCpu = 1536 * 1024;

std::size_t least_ring(std::size_t eager_bytes)
{
    return 4 * std::max<std::size_t>(eager_bytes, 256);
}

std::size_t ring_bytes(std::size_t eager_bytes, int ranks, int ranks_of_cpu)
{
    const std::size_t rings = static_cast<std::size_t>(ranks_of_cpu) * static_cast<std::size_t>(std::max(ranks - 1, 1));
    return std::max(least_ring(eager_bytes), std::min(kLongestRing, std::bit_floor(kRingsOfCpu / rings)));
}

std::size_t eager_bytes_from(const char* text)
{
    const std::string_view view(text);
    std::size_t bytes = 0;
    const auto [end, error] = std::from_chars(view.data(), view.data() + view.size(), bytes);
    if (error != std::errc() || end != view.data() + view.size() || bytes > kLargestEager) {
        fail(MPI_ERR_ARG, "FMPL_MPI_EAGER={}: a number of bytes up to {} is needed", text, kLargestEager);
    }
    return bytes;
}

}  // namespace

Settings settings_from_environment(int ranks, int ranks_of_cpu)
{
    const std::size_t otherwise = ranks > kManyRanks ? kEagerBytesOfMany : kEagerBytes;
    const char* const text = std::getenv("FMPL_MPI_EAGER");
    const std::size_t bytes = text != nullptr ? eager_bytes_from(text) : otherwise;
    // Who sets a lower limit wants less memory, or what happens where a ring is full.
    const std::size_t ring = bytes < otherwise ? least_ring(bytes) : ring_bytes(bytes, ranks, ranks_of_cpu);
    return {bytes, std::min(bytes, kEagerBytesRemoteDma), text != nullptr ? 0 : CopyRates::kLongest, ring};
}

}  // namespace fmpl::mpi
