#include "p2p/settings.hpp"

#include "error.hpp"
#include "p2p/copy_rates.hpp"
#include "p2p/piece_choice.hpp"

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
constexpr std::size_t kLargestRate = 1'000'000;
constexpr int kManyRanks = 32;
constexpr std::size_t kEagerBytesOfMany = 4 * 1024;

// Room for four of the longest bodies.
std::size_t least_ring(std::size_t eager_bytes)
{
    return 4 * std::max<std::size_t>(eager_bytes, 256);
}

// The variable's value, or what holds where it is not set.
std::size_t number_from(const char* variable, std::size_t largest, const char* unit, std::size_t otherwise)
{
    const char* const text = std::getenv(variable);
    if (text == nullptr) return otherwise;
    const std::string_view view(text);
    std::size_t number = 0;
    const auto [end, error] = std::from_chars(view.data(), view.data() + view.size(), number);
    if (error != std::errc() || end != view.data() + view.size() || number > largest) {
        fail(MPI_ERR_ARG, "{}={}: a number of {} up to {} is needed", variable, text, unit, largest);
    }
    return number;
}

}  // namespace

Settings settings_from_environment(int ranks, std::size_t best_ring)
{
    const std::size_t otherwise = ranks > kManyRanks ? kEagerBytesOfMany : kEagerBytes;
    const bool is_set = std::getenv("FMPL_MPI_EAGER") != nullptr;
    const std::size_t bytes = number_from("FMPL_MPI_EAGER", kLargestEager, "bytes", otherwise);
    // Who sets a lower limit wants less memory, or what happens where a ring is full.
    const std::size_t ring = bytes < otherwise ? least_ring(bytes) : std::max(least_ring(bytes), best_ring);
    return {bytes, std::min(bytes, kEagerBytesRemoteDma), is_set ? 0 : CopyRates::kLongest,
        number_from("FMPL_MPI_SLOW_READS", kLargestRate, "bytes a nanosecond", PieceChoice::kSlowRate), ring};
}

}  // namespace fmpl::mpi
