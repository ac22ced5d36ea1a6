// Distribution: who has what of the grid.
#include "ft/distribution.hpp"

#include "common/program.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

namespace {

using namespace fmpl::npb;
using namespace fmpl::npb::ft;

constexpr Grid kGrid{32, 64, 16};

std::vector<Distribution> parts(const Grid& grid, int ranks, Layout layout)
{
    std::vector<Distribution> all;
    for (int rank = 0; rank < ranks; ++rank) all.emplace_back(grid, ranks, layout, rank);
    return all;
}

// owners: for each line through the grid, how many ranks have it.
void expect_each_once(const std::vector<int>& owners)
{
    EXPECT_TRUE(std::all_of(owners.begin(), owners.end(), [](int count) { return count == 1; }));
}

TEST(Distribution, EveryPointBelongsToOneRankInEachForm)
{
    for (const Layout layout : {Layout::automatic, Layout::slab, Layout::pencil}) {
        for (int ranks = 1; ranks <= (layout == Layout::slab ? 16 : 64); ranks *= 2) {
            std::vector<int> physical(kGrid.ny * kGrid.nz), middle(kGrid.nx * kGrid.nz), spectral(kGrid.nx * kGrid.ny);
            for (const Distribution& part : parts(kGrid, ranks, layout)) {
                for (std::size_t z = part.first_plane(); z < part.first_plane() + part.planes(); ++z) {
                    for (std::size_t y = 0; y < part.physical_lines(); ++y) {
                        ++physical[z * kGrid.ny + part.first_physical_line() + y];
                    }
                    for (std::size_t x = 0; x < part.columns(); ++x) ++middle[z * kGrid.nx + part.first_column() + x];
                }
                for (std::size_t y = 0; y < part.spectral_lines(); ++y) {
                    for (std::size_t x = 0; x < part.columns(); ++x) {
                        ++spectral[(part.first_spectral_line() + y) * kGrid.nx + part.first_column() + x];
                    }
                }
                EXPECT_EQ(part.points() * static_cast<std::size_t>(ranks), kGrid.points());
            }
            expect_each_once(physical);
            expect_each_once(middle);
            expect_each_once(spectral);
        }
    }
}

TEST(Distribution, GroupsHaveTheRanksThatShareWhatTheyExchangeInTheOrderOfTheirParts)
{
    for (int ranks = 1; ranks <= 64; ranks *= 2) {
        const std::vector<Distribution> all = parts(kGrid, ranks, Layout::pencil);
        for (const Distribution& own : all) {
            const std::vector<int> xy = own.xy_group(), yz = own.yz_group();
            ASSERT_EQ(xy.size(), own.xy_ranks());
            ASSERT_EQ(yz.size(), own.yz_ranks());
            for (std::size_t place = 0; place < xy.size(); ++place) {
                const Distribution& member = all[static_cast<std::size_t>(xy[place])];
                EXPECT_EQ(member.first_plane(), own.first_plane());
                EXPECT_EQ(member.first_column(), place * own.columns());
                EXPECT_EQ(member.first_physical_line(), place * own.physical_lines());
            }
            for (std::size_t place = 0; place < yz.size(); ++place) {
                const Distribution& member = all[static_cast<std::size_t>(yz[place])];
                EXPECT_EQ(member.first_column(), own.first_column());
                EXPECT_EQ(member.first_plane(), place * own.planes());
                EXPECT_EQ(member.first_spectral_line(), place * own.spectral_lines());
            }
        }
    }
}

TEST(Distribution, TakesSlabsWhileEachRankCanHaveAPlane)
{
    EXPECT_TRUE(Distribution(kGrid, 16, Layout::automatic, 0).slab());
    EXPECT_FALSE(Distribution(kGrid, 32, Layout::automatic, 0).slab());
    EXPECT_FALSE(Distribution(kGrid, 2, Layout::pencil, 0).slab());
    EXPECT_TRUE(Distribution(kGrid, 2, Layout::slab, 0).slab());
}

void expect_refused(int ranks, Layout layout, const std::string& word)
{
    try {
        const Distribution distribution(kGrid, ranks, layout, 0);
        ADD_FAILURE() << ranks << " ranks";
    } catch (const Refusal& refusal) {
        EXPECT_NE(std::string(refusal.what()).find(word), std::string::npos) << refusal.what();
    }
}

TEST(Distribution, RefusesRanksThatCannotShareTheGridAndSaysWhichCan)
{
    for (const int ranks : {3, 6, 12}) expect_refused(ranks, Layout::automatic, "power of two");
    expect_refused(32, Layout::slab, "up to 16");
    expect_refused(128, Layout::pencil, "up to 64");
    expect_refused(128, Layout::automatic, "up to 64");
}

TEST(Distribution, EveryClassRunsOnUpToFiveHundredRanks)
{
    for (const ProblemClass problem_class : kProblemClasses) {
        for (int ranks = 1; ranks <= 512; ranks *= 2) {
            for (const Layout layout : {Layout::automatic, Layout::pencil}) {
                EXPECT_NO_THROW(Distribution(grid_of(problem_class), ranks, layout, ranks - 1));
            }
        }
    }
}

}  // namespace
