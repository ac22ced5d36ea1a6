#include "crossbar/topology.hpp"

#include <algorithm>
#include <cstddef>

namespace fmpl {

bool Topology::is_rectangle(std::span<const int> nodes) const
{
    if (nodes.empty()) return false;
    std::array<int, 3> low = coordinates(nodes.front());
    std::array<int, 3> high = low;
    for (const int node : nodes) {
        const std::array<int, 3> at = coordinates(node);
        for (std::size_t d = 0; d < at.size(); ++d) {
            low[d] = std::min(low[d], at[d]);
            high[d] = std::max(high[d], at[d]);
        }
    }
    // Distinct nodes within their bounding box fill it when they are as many as it holds.
    std::size_t volume = 1;
    for (std::size_t d = 0; d < low.size(); ++d) volume *= static_cast<std::size_t>(high[d] - low[d] + 1);
    return volume == nodes.size();
}

}  // namespace fmpl
