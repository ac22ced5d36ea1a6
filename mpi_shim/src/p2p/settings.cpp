#include "p2p/settings.hpp"

#include "error.hpp"
#include "p2p/copy_rates.hpp"

#include <mpi.h>

#include <algorithm>
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

// Room for four of the longest bodies.
std::size_t least_ring(std::size_t eager_bytes)
{
    return 4 * std::max<std::size_t>(eager_bytes, 256);
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

Settings settings_from_environment(int ranks, std::size_t best_ring)
{
    const std::size_t otherwise = ranks > kManyRanks ? kEagerBytesOfMany : kEagerBytes;
    const char* const text = std::getenv("FMPL_MPI_EAGER");
    const std::size_t bytes = text != nullptr ? eager_bytes_from(text) : otherwise;
    // Who sets a lower limit wants less memory, or what happens where a ring is full.
    const std::size_t ring = bytes < otherwise ? least_ring(bytes) : std::max(least_ring(bytes), best_ring);
    return {bytes, std::min(bytes, kEagerBytesRemoteDma), text != nullptr ? 0 : CopyRates::kLongest, ring};
}

}  // namespace fmpl::mpi
