#include "p2p/settings.hpp"

#include "error.hpp"

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
// The rings of a job take ranks * ranks * 4 times the limit: 64 MiB of 32 ranks.
constexpr int kManyRanks = 32;
constexpr std::size_t kEagerBytesOfMany = 4 * 1024;

std::size_t eager_bytes(int ranks)
{
    const char* text = std::getenv("FMPL_MPI_EAGER");
    if (text == nullptr) return ranks > kManyRanks ? kEagerBytesOfMany : kEagerBytes;
    const std::string_view view(text);
    std::size_t bytes = 0;
    const auto [end, error] = std::from_chars(view.data(), view.data() + view.size(), bytes);
    if (error != std::errc() || end != view.data() + view.size() || bytes > kLargestEager) {
        fail(MPI_ERR_ARG, "FMPL_MPI_EAGER={}: a number of bytes up to {} is needed", text, kLargestEager);
    }
    return bytes;
}

}  // namespace

Settings settings_from_environment(int ranks)
{
    const std::size_t bytes = eager_bytes(ranks);
    return {bytes, std::min(bytes, kEagerBytesRemoteDma)};
}

}  // namespace fmpl::mpi
