#include "domain.hpp"

#include <algorithm>
#include <limits>

namespace fmpl::npb::mg {

namespace {

// A level of this many points a dimension is gathered when ranks share the work: at 16^3, one rank's work takes as long
// as two or three messages.
constexpr int kGatheredLevel = 4;

bool is_power_of_two(int n)
{
    return n > 0 && (n & (n - 1)) == 0;
}

}  // namespace

bool Domain::allows(const Triple& processes, int finest)
{
    return std::all_of(processes.begin(), processes.end(),
        [finest](int count) { return is_power_of_two(count) && (count == 1 || count * kFewestLayers <= 1 << finest); });
}

int Domain::most_ranks(int finest)
{
    const int each = (1 << finest) / kFewestLayers;
    return each > 1024 ? std::numeric_limits<int>::max() : each * each * each;
}

Triple Domain::choose_processes(int ranks, int finest)
{
    // What a layer of the halo costs by dimension: one across x consists of single numbers, far from each other.
    constexpr std::array kCost{6.0, 1.05, 1.0};
    Triple best{0, 0, 0};
    if (!is_power_of_two(ranks)) return best;
    double least = std::numeric_limits<double>::infinity();
    const double n = 1 << finest;
    for (int x = 1; x <= ranks; x *= 2) {
        for (int y = 1; x * y <= ranks; y *= 2) {
            const Triple processes{x, y, ranks / (x * y)};
            if (!allows(processes, finest)) continue;
            double cost = 0;
            for (int d = 0; d < kDimensions; ++d) {
                const auto at = static_cast<std::size_t>(d);
                // The area of all faces across dimension d, over all ranks.
                if (processes[at] > 1) cost += kCost[at] * n * n * processes[at];
            }
            if (cost < least) {
                least = cost;
                best = processes;
            }
        }
    }
    return best;
}

Domain::Domain(int rank, const Triple& processes, int finest)
    : rank_(rank),
      processes_(processes),
      finest_(finest),
      gathered_(std::min(finest - 1, kGatheredLevel))
{
    // A distributed level has at least two layers a rank: one would not fill the halo of the finer level's
    // interpolation.
    const int most = *std::max_element(processes.begin(), processes.end());
    while (most > 1 && (1 << (gathered_ + 1)) < 2 * most) ++gathered_;
}

Triple Domain::coordinates(int rank) const
{
    return {rank % processes_[0], rank / processes_[0] % processes_[1], rank / (processes_[0] * processes_[1])};
}

Box Domain::box(int level, int rank) const
{
    Box box;
    const Triple at = coordinates(rank);
    for (std::size_t d = 0; d < kDimensions; ++d) {
        box.size[d] = (1 << level) / processes_[d];
        box.offset[d] = box.size[d] * at[d];
        box.cut[d] = processes_[d] > 1;
    }
    return box;
}

int Domain::neighbour(int dimension, int direction) const
{
    const auto d = static_cast<std::size_t>(dimension);
    Triple at = coordinates(rank_);
    at[d] = (at[d] + direction + processes_[d]) % processes_[d];
    return at[0] + processes_[0] * (at[1] + processes_[1] * at[2]);
}

}  // namespace fmpl::npb::mg
