// The block of a rank's envelopes: where the parts of each pair lie.
#include "p2p/envelopes/block.hpp"
#include "p2p/envelopes/ring_room.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <vector>

namespace {

using namespace fmpl;

struct Part {
    Offset at;
    std::size_t bytes;
};

// All that other ranks write in the block of rank `at`, and its pair cells.
std::vector<Part> parts(const EnvelopeLayout& layout, int at, int ranks)
{
    std::vector<Part> all;
    for (int other = 0; other < ranks; ++other) {
        all.push_back({layout.door(other), sizeof(EnvelopeDoor)});
        if (other == at) continue;
        all.push_back({layout.cells(at, other), layout.sizes().cells * sizeof(EnvelopeCell)});
        all.push_back({layout.credit(at, other), sizeof(EnvelopeCredit)});
        all.push_back({layout.claim(at, other), sizeof(EnvelopeClaim)});
        all.push_back({layout.pair_cell(at, other), sizeof(EnvelopeCell)});
        all.push_back({layout.bodies(at, other), layout.sizes().bodies_bytes()});
    }
    std::sort(all.begin(), all.end(), [](const Part& a, const Part& b) { return a.at < b.at; });
    return all;
}

TEST(EnvelopeLayout, NoTwoPartsOfABlockOverlap)
{
    for (const int ranks : {1, 2, 3, 7, 64, 200, 1100}) {
        for (const std::size_t body_bytes : {256u, 16384u, 66304u}) {
            const EnvelopeLayout layout(ranks, body_bytes);
            for (const int at : {0, ranks / 2, ranks - 1}) {
                Offset end = 0;
                for (const Part& part : parts(layout, at, ranks)) {
                    ASSERT_GE(part.at, end) << ranks << " ranks, block of " << at;
                    ASSERT_EQ(part.at % std::min(part.bytes, kLine), 0u);
                    end = part.at + part.bytes;
                }
                EXPECT_LE(end, layout.bytes()) << ranks << " ranks, block of " << at;
            }
        }
    }
}

TEST(EnvelopeLayout, ALineLiesBetweenTheRingsOfTwoSources)
{
    const EnvelopeLayout layout(3, 256);
    EXPECT_EQ(layout.cells(1, 2) - layout.cells(1, 0), (layout.sizes().cells + 1) * sizeof(EnvelopeCell));
}

TEST(EnvelopeLayout, ManyRanksHaveShorterRings)
{
    EXPECT_EQ(EnvelopeLayout(2, 256).sizes().cells, 256u);
    EXPECT_EQ(EnvelopeLayout(32, 256).sizes().cells, 256u);
    EXPECT_EQ(EnvelopeLayout(128, 256).sizes().cells, 64u);
    EXPECT_EQ(EnvelopeLayout(129, 256).sizes().cells, 32u);
    EXPECT_EQ(EnvelopeLayout(5000, 256).sizes().cells, 8u);
}

TEST(BestRingRoom, HasRoomInTheTablesAndTheCaches)
{
    constexpr std::size_t kTables = std::size_t{64} * 1024 * 1024;
    for (const int ranks : {1, 2, 3, 4, 7, 8, 16, 33, 200, 1100}) {
        const auto others = static_cast<std::size_t>(std::max(ranks - 1, 1));
        for (const int ranks_of_cpu : {1, 2, ranks}) {
            const std::size_t room = best_ring_room(ranks, ranks_of_cpu, kTables);
            EXPECT_TRUE(std::has_single_bit(room)) << room;
            EXPECT_LE(others * room, kRingsOfRank);
            EXPECT_LE(room, rewritten_bytes());
            EXPECT_LE(best_ring_room(ranks, ranks_of_cpu, kTables / 64) * others, kTables / 64 / 4);
            if (ranks_of_cpu > 1) {
                EXPECT_LE(static_cast<std::size_t>(ranks_of_cpu) * others * room, kRingsOfCpu);
            }
        }
    }
    EXPECT_EQ(best_ring_room(2, 1, kTables), rewritten_bytes());
}

}  // namespace
