// Coordinates of the nodes, and which sets of them are rectangles: every subset of small crossbars against an oracle.
#include "crossbar/topology.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

namespace {

using fmpl::Topology;
using Extents = std::array<int, 3>;

constexpr Extents kSmallCrossbars[] = {{1, 1, 1}, {8, 1, 1}, {1, 8, 1}, {4, 2, 1}, {2, 4, 1}, {3, 3, 1}, {3, 2, 2}};

int nodes_of(const Extents& extents)
{
    return extents[0] * extents[1] * extents[2];
}

// The nodes of a set as a bit mask, one bit a node.
std::vector<int> members(unsigned mask)
{
    std::vector<int> nodes;
    for (int node = 0; mask >> node != 0; ++node) {
        if ((mask >> node & 1u) != 0) nodes.push_back(node);
    }
    return nodes;
}

// Every box of the crossbar, drawn cell by cell.
std::vector<bool> boxes(const Extents& e)
{
    std::vector<bool> is_box(std::size_t{1} << nodes_of(e));
    for (int x0 = 0; x0 < e[0]; ++x0)
        for (int x1 = x0; x1 < e[0]; ++x1)
            for (int y0 = 0; y0 < e[1]; ++y0)
                for (int y1 = y0; y1 < e[1]; ++y1)
                    for (int z0 = 0; z0 < e[2]; ++z0)
                        for (int z1 = z0; z1 < e[2]; ++z1) {
                            unsigned mask = 0;
                            for (int x = x0; x <= x1; ++x)
                                for (int y = y0; y <= y1; ++y)
                                    for (int z = z0; z <= z1; ++z) mask |= 1u << (x + e[0] * (y + e[1] * z));
                            is_box[mask] = true;
                        }
    return is_box;
}

TEST(Topology, CoordinatesCountTheFirstDimensionFastest)
{
    const Topology topology({4, 3, 2});
    EXPECT_EQ(topology.extents(), (Extents{4, 3, 2}));
    int node = 0;
    for (int z = 0; z < 2; ++z) {
        for (int y = 0; y < 3; ++y) {
            for (int x = 0; x < 4; ++x) EXPECT_EQ(topology.coordinates(node++), (Extents{x, y, z}));
        }
    }
}

TEST(Topology, ARectangleIsExactlyABox)
{
    for (const Extents& extents : kSmallCrossbars) {
        const Topology topology(extents);
        const std::vector<bool> is_box = boxes(extents);
        for (unsigned mask = 0; mask < is_box.size(); ++mask) {
            const std::vector<int> nodes = members(mask);
            ASSERT_EQ(topology.is_rectangle(nodes), is_box[mask])
                << ::testing::PrintToString(nodes) << " of " << ::testing::PrintToString(extents);
        }
    }
}

TEST(Topology, ASingleNodeIsARectangle)
{
    for (const Extents& extents : kSmallCrossbars) {
        for (int node = 0; node < nodes_of(extents); ++node) {
            const int nodes[] = {node};
            EXPECT_TRUE(Topology(extents).is_rectangle(nodes)) << "node " << node;
        }
    }
}

TEST(Topology, TheWholeCrossbarIsARectangle)
{
    for (const Extents& extents : kSmallCrossbars) {
        EXPECT_TRUE(Topology(extents).is_rectangle(members((1u << nodes_of(extents)) - 1)));
    }
}

TEST(Topology, NoNodesAreNoRectangle)
{
    EXPECT_FALSE(Topology({4, 2, 1}).is_rectangle({}));
}

TEST(Topology, TheOrderOfTheNodesDoesNotMatter)
{
    const Topology topology({4, 2, 1});
    std::vector<int> square = {1, 2, 5, 6};
    std::vector<int> bent = {1, 2, 5, 7};
    do {
        EXPECT_TRUE(topology.is_rectangle(square)) << ::testing::PrintToString(square);
    } while (std::next_permutation(square.begin(), square.end()));
    do {
        EXPECT_FALSE(topology.is_rectangle(bent)) << ::testing::PrintToString(bent);
    } while (std::next_permutation(bent.begin(), bent.end()));
}

}  // namespace
