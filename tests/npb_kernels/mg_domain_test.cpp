// Domain: the boxes of the ranks, and the choice of the process grid.
#include "mg/domain.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

namespace {

using namespace fmpl::npb::mg;

TEST(MgDomain, BoxesCoverEveryDistributedLevelOnce)
{
    for (const Triple& processes : {Triple{1, 1, 1}, Triple{2, 1, 4}, Triple{2, 2, 2}, Triple{8, 8, 8}}) {
        const Domain domain(0, processes, 5);
        for (int level = domain.gathered_level(); level <= 5; ++level) {
            const int size = 1 << level;
            std::vector<int> owners(static_cast<std::size_t>(size) * size * size);
            for (int rank = 0; rank < domain.ranks(); ++rank) {
                const Box box = domain.box(level, rank);
                for (int z = 0; z < box.size[2]; ++z) {
                    for (int y = 0; y < box.size[1]; ++y) {
                        for (int x = 0; x < box.size[0]; ++x) {
                            ++owners[static_cast<std::size_t>(
                                box.offset[0] + x + size * (box.offset[1] + y + size * (box.offset[2] + z)))];
                        }
                    }
                }
            }
            EXPECT_EQ(owners, std::vector<int>(owners.size(), 1)) << "level " << level;
        }
    }
}

TEST(MgDomain, EveryDistributedLevelHasTwoLayersARank)
{
    for (const Triple& processes : {Triple{1, 1, 2}, Triple{1, 4, 8}, Triple{8, 8, 8}, Triple{1, 1, 64}}) {
        const Domain domain(0, processes, 8);
        EXPECT_LT(domain.gathered_level(), domain.finest());
        const Box box = domain.box(domain.gathered_level() + 1);
        for (const int size : box.size) EXPECT_GE(size, 2);
    }
}

TEST(MgDomain, NeighboursAreEachOthers)
{
    const Triple processes{2, 4, 2};
    for (int rank = 0; rank < 16; ++rank) {
        const Domain domain(rank, processes, 5);
        for (int dimension = 0; dimension < kDimensions; ++dimension) {
            for (const int direction : {-1, 1}) {
                const Domain other(domain.neighbour(dimension, direction), processes, 5);
                EXPECT_EQ(other.neighbour(dimension, -direction), rank);
                const auto d = static_cast<std::size_t>(dimension);
                const Box box = domain.box(5), next = other.box(5);
                EXPECT_EQ((box.offset[d] + direction * box.size[d] + 32) % 32, next.offset[d]);
            }
        }
    }
}

TEST(MgDomain, ChoosesAGridOfAllRanksAndDoesNotCutRowsWithoutNeed)
{
    for (int ranks = 1; ranks <= 512; ranks *= 2) {
        const Triple processes = Domain::choose_processes(ranks, 8);
        EXPECT_EQ(processes[0] * processes[1] * processes[2], ranks);
        EXPECT_TRUE(Domain::allows(processes, 8));
        EXPECT_TRUE(ranks > 16 || processes[0] == 1);
    }
    EXPECT_EQ(Domain::choose_processes(2, 8), (Triple{1, 1, 2}));
}

TEST(MgDomain, RefusesRanksThatCannotShareTheGrid)
{
    for (const int ranks : {3, 6, 12, 100, 1024}) EXPECT_EQ(Domain::choose_processes(ranks, 5), (Triple{0, 0, 0}));
    EXPECT_EQ(Domain::most_ranks(5), 512);
    EXPECT_EQ(Domain::choose_processes(512, 5), (Triple{8, 8, 8}));
    EXPECT_FALSE(Domain::allows({1, 1, 16}, 5));
    EXPECT_FALSE(Domain::allows({3, 1, 1}, 5));
}

}  // namespace
