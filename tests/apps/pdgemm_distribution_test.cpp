// The index arithmetic of PDGEMM against a walk over every element, on random shapes.
#include "block_cyclic.hpp"
#include "inner_order.hpp"
#include "redistribution_plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

namespace {

using fmpl::pdgemm::BlockCyclic;
using fmpl::pdgemm::ChunkRule;
using fmpl::pdgemm::InnerOrder;
using fmpl::pdgemm::Pieces;
using fmpl::pdgemm::RedistributionPlan;
using InnerRun = fmpl::pdgemm::Run;  // Run alone is a member of every test
using fmpl::pdgemm::width_of;

constexpr int shapes = 400;

class PdgemmDistribution : public ::testing::Test {
protected:
    PdgemmDistribution()
    {
        const char* given = std::getenv("FMPL_TEST_SEED");
        const unsigned long long seed = given != nullptr ? std::strtoull(given, nullptr, 10) : std::random_device{}();
        std::printf("FMPL_TEST_SEED=%llu repeats this test\n", seed);
        random_.seed(seed);
    }

    int between(int least, int most) { return std::uniform_int_distribution<int>(least, most)(random_); }

    BlockCyclic distribution_of(int size)
    {
        const int processes = between(1, 6);
        return {size, between(1, 12), between(1, 12), between(0, processes - 1), processes};
    }
    BlockCyclic distribution() { return distribution_of(between(0, 90)); }

    std::mt19937_64 random_;
};

// What the definition says, element by element.
struct Walk {
    Walk(int size, int first_block, int block, int source, int processes)
        : counts(static_cast<std::size_t>(processes), 0)
    {
        int process = source;
        int left = first_block;
        for (int global = 0; global < size; ++global) {
            if (left == 0) {
                process = (process + 1) % processes;
                left = block;
            }
            --left;
            owners.push_back(process);
            locals.push_back(counts[static_cast<std::size_t>(process)]++);
            block_ends.push_back(std::min(size, global + left + 1));
        }
    }

    std::vector<int> owners;
    std::vector<int> locals;
    std::vector<int> block_ends;
    std::vector<int> counts;
};

TEST_F(PdgemmDistribution, EveryElementHasTheOwnerAndThePlaceThatTheDefinitionGives)
{
    for (int shape = 0; shape < shapes; ++shape) {
        const int processes = between(1, 6);
        const int size = between(0, 90);
        const int first = between(1, 12);
        const int block = between(1, 12);
        const int source = between(0, processes - 1);
        SCOPED_TRACE(::testing::Message() << "size " << size << " first block " << first << " block " << block
                                          << " source " << source << " processes " << processes);
        const BlockCyclic distribution(size, first, block, source, processes);
        const Walk walk(size, first, block, source, processes);
        std::vector<int> before(static_cast<std::size_t>(processes), 0);
        for (int global = 0; global < size; ++global) {
            const auto at = static_cast<std::size_t>(global);
            ASSERT_EQ(distribution.owner(global), walk.owners[at]);
            ASSERT_EQ(distribution.local_index(global), walk.locals[at]);
            ASSERT_EQ(distribution.global_index(walk.owners[at], walk.locals[at]), global);
            ASSERT_EQ(distribution.block_end(global), walk.block_ends[at]);
            for (int process = 0; process < processes; ++process) {
                ASSERT_EQ(distribution.local_count_before(process, global), before[static_cast<std::size_t>(process)]);
            }
            ++before[static_cast<std::size_t>(walk.owners[at])];
        }
        int with_elements = 0;
        for (int process = 0; process < processes; ++process) {
            ASSERT_EQ(distribution.local_count(process), walk.counts[static_cast<std::size_t>(process)]);
            with_elements += walk.counts[static_cast<std::size_t>(process)] > 0 ? 1 : 0;
        }
        if (distribution.has_one_owner()) {
            ASSERT_LE(with_elements, 1);
        }
    }
}

TEST_F(PdgemmDistribution, AWindowKeepsOwnersAndTheOrderOfLocalElements)
{
    for (int shape = 0; shape < shapes; ++shape) {
        const BlockCyclic whole = distribution();
        const int begin = between(0, whole.size());
        const int count = between(0, whole.size() - begin);
        const BlockCyclic window = whole.window(begin, count);
        ASSERT_EQ(window.size(), count);
        for (int i = 0; i < count; ++i) {
            const int owner = whole.owner(begin + i);
            ASSERT_EQ(window.owner(i), owner);
            ASSERT_EQ(window.local_index(i) + whole.local_count_before(owner, begin), whole.local_index(begin + i));
            ASSERT_EQ(window.block_end(i), std::min(count, whole.block_end(begin + i) - begin));
        }
    }
}

TEST_F(PdgemmDistribution, IntervalsCoverTheRangeOnceAndEachHasOneOwner)
{
    for (int shape = 0; shape < shapes; ++shape) {
        const BlockCyclic whole = distribution();
        const int begin = between(0, whole.size());
        const int end = between(begin, whole.size());
        int expected = begin;
        whole.for_each_interval(begin, end, [&](int owner, int from, int to) {
            ASSERT_EQ(from, expected);
            ASSERT_LT(from, to);
            for (int global = from; global < to; ++global) ASSERT_EQ(whole.owner(global), owner);
            expected = to;
        });
        ASSERT_EQ(expected, end);
    }
}

TEST_F(PdgemmDistribution, LayoutsAreTheSameExactlyWhenAllOwnersAre)
{
    int same = 0;
    for (int shape = 0; shape < 20 * shapes; ++shape) {
        const int size = between(0, 8);
        const int processes = between(1, 3);
        const auto random_layout = [&] {
            return BlockCyclic(size, between(1, 4), between(1, 4), between(0, processes - 1), processes);
        };
        const BlockCyclic x = random_layout();
        const BlockCyclic y = random_layout();
        bool owners_agree = true;
        for (int global = 0; global < size; ++global) owners_agree = owners_agree && x.owner(global) == y.owner(global);
        ASSERT_EQ(x.same_layout(y), owners_agree);
        same += owners_agree ? 1 : 0;
    }
    EXPECT_GT(same, 0);
}

TEST_F(PdgemmDistribution, LargeIndicesDoNotOverflow)
{
    constexpr int size = 2147483647;
    const BlockCyclic distribution(size, size, size, 2, 3);
    EXPECT_EQ(distribution.owner(size - 1), 2);
    EXPECT_EQ(distribution.block_end(5), size);
    EXPECT_EQ(distribution.window(7, size - 7).local_count(2), size - 7);
    const BlockCyclic fine(size, 1, 1, 6, 7);
    EXPECT_EQ(fine.global_index(fine.owner(size - 1), fine.local_index(size - 1)), size - 1);
    EXPECT_EQ(fine.block_end(size - 1), size);
}

// Every process of the old distribution holds the global indices of its elements; messages are exchanged as the plans
// say; then every process of the new distribution must hold its own.
TEST_F(PdgemmDistribution, ARedistributionDeliversEveryElementOnce)
{
    for (int shape = 0; shape < shapes; ++shape) {
        const BlockCyclic from = distribution();
        const BlockCyclic to = distribution_of(from.size());
        std::vector<std::vector<int>> delivered;
        for (int target = 0; target < to.processes(); ++target) {
            delivered.emplace_back(static_cast<std::size_t>(to.local_count(target)), -1);
        }
        for (int source = 0; source < from.processes(); ++source) {
            std::vector<int> held;
            for (int local = 0; local < from.local_count(source); ++local) {
                held.push_back(from.global_index(source, local));
            }
            for (int target = 0; target < to.processes(); ++target) {
                const RedistributionPlan plan_of_source(from, source, to, -1);
                const RedistributionPlan plan_of_target(from, -1, to, target);
                const Pieces& outgoing = plan_of_source.outgoing[static_cast<std::size_t>(target)];
                const Pieces& incoming = plan_of_target.incoming[static_cast<std::size_t>(source)];
                ASSERT_EQ(outgoing.elements(), incoming.elements());
                std::vector<int> message;
                for (const auto& piece : outgoing) {
                    for (int i = 0; i < piece.length; ++i) {
                        message.push_back(held.at(static_cast<std::size_t>(piece.source + i)));
                    }
                }
                std::size_t next = 0;
                for (const auto& piece : incoming) {
                    for (int i = 0; i < piece.length; ++i) {
                        int& place =
                            delivered[static_cast<std::size_t>(target)].at(static_cast<std::size_t>(piece.target + i));
                        ASSERT_EQ(place, -1) << "delivered twice";
                        place = message.at(next++);
                    }
                }
            }
        }
        for (int target = 0; target < to.processes(); ++target) {
            for (int local = 0; local < to.local_count(target); ++local) {
                ASSERT_EQ(delivered[static_cast<std::size_t>(target)][static_cast<std::size_t>(local)],
                    to.global_index(target, local));
            }
        }
    }
}

TEST_F(PdgemmDistribution, TheOrderHasEveryInnerIndexOnceWhereItsOwnersHaveIt)
{
    for (int shape = 0; shape < shapes; ++shape) {
        const int size = between(1, 300);
        const BlockCyclic a = distribution_of(size);
        const BlockCyclic b = distribution_of(size);
        const int least = between(1, 20);
        const ChunkRule rule{between(2 * least, 2 * least + 40), between(1, 40), least};
        const InnerOrder order(a, b, rule);
        std::vector<bool> seen(static_cast<std::size_t>(size), false);
        for (std::size_t i = 0; i < order.size(); ++i) {
            ASSERT_GE(width_of(order[i]), 1);
            ASSERT_LE(width_of(order[i]), std::min(rule.widest, order.widest()));
            for (const InnerRun& run : order[i]) {
                for (int j = 0; j < run.width; ++j) {
                    const int global = a.global_index(run.a.owner, run.a.local + j);
                    ASSERT_EQ(global, b.global_index(run.b.owner, run.b.local + j));
                    ASSERT_FALSE(seen.at(static_cast<std::size_t>(global)));
                    seen[static_cast<std::size_t>(global)] = true;
                }
            }
        }
        ASSERT_EQ(std::count(seen.begin(), seen.end(), true), size);
    }
}

TEST_F(PdgemmDistribution, IndicesOfOneOwnerPairThatLieTogetherAreOneRun)
{
    // A square grid and equal blocks: each process's indices are neighbours in both.
    const BlockCyclic both(640, 40, 40, 0, 4);
    const InnerOrder order(both, both, {384, 16, 16});
    ASSERT_EQ(order.size(), 4u);
    for (std::size_t i = 0; i < order.size(); ++i) {
        EXPECT_EQ(order[i].size(), 1u);
        EXPECT_EQ(width_of(order[i]), 160);
    }
    // One process row: B has all of k together, A every second block of it. Runs of 40 are wide enough alone or not.
    const BlockCyclic half(640, 40, 40, 0, 2);
    const BlockCyclic all(640, 40, 40, 0, 1);
    EXPECT_EQ(InnerOrder(half, all, {384, 16, 16}).size(), 16u);
    const InnerOrder gathered(half, all, {384, 128, 128});
    ASSERT_EQ(gathered.size(), 2u);
    EXPECT_EQ(gathered[0].size(), 8u);
    EXPECT_EQ(fmpl::pdgemm::place_in_one_piece(gathered[1], &InnerRun::a).owner, 1);
    EXPECT_EQ(fmpl::pdgemm::place_in_one_piece(gathered[1], &InnerRun::b).owner, -1);
    // Blocks of one: nothing is narrower than the least but the rest.
    const BlockCyclic ones(100, 1, 1, 0, 7);
    const BlockCyclic twos(100, 2, 2, 0, 3);
    const InnerOrder mixed(ones, twos, {64, 32, 20});
    for (std::size_t i = 0; i + 1 < mixed.size(); ++i) EXPECT_GE(width_of(mixed[i]), 20);
}

TEST_F(PdgemmDistribution, AChunkIsListedByOwnerInTheOrderOfTheChunk)
{
    for (int shape = 0; shape < shapes; ++shape) {
        const int size = between(1, 90);
        const BlockCyclic a = distribution_of(size);
        const BlockCyclic b = distribution_of(size);
        const InnerOrder order(a, b, {between(2, 60), 30, 1});
        std::vector<Pieces> by_owner(static_cast<std::size_t>(b.processes()));
        by_owner[0].add(3, 4, 5);  // of an earlier chunk: must go
        for (std::size_t i = 0; i < order.size(); ++i) {
            fmpl::pdgemm::list_pieces_by_owner(order[i], &InnerRun::b, by_owner);
            std::vector<int> panel(static_cast<std::size_t>(width_of(order[i])), -1);
            for (int owner = 0; owner < b.processes(); ++owner) {
                for (const auto& piece : by_owner[static_cast<std::size_t>(owner)]) {
                    for (int j = 0; j < piece.length; ++j) {
                        panel.at(static_cast<std::size_t>(piece.target + j)) = b.global_index(owner, piece.source + j);
                    }
                }
            }
            std::size_t at = 0;
            for (const InnerRun& run : order[i]) {
                for (int j = 0; j < run.width; ++j) {
                    ASSERT_EQ(panel[at++], a.global_index(run.a.owner, run.a.local + j));
                }
            }
        }
    }
}

TEST_F(PdgemmDistribution, GatherThenScatterIsTheSameAsACopyAndTouchesNothingElse)
{
    Pieces rows;
    rows.add(0, 1, 2);
    rows.add(2, 3, 1);  // continues the one before: one piece of 3
    rows.add(5, 0, 1);
    Pieces columns;
    columns.add(1, 2, 1);
    columns.add(3, 0, 2);
    EXPECT_EQ(rows.elements(), 4);
    EXPECT_EQ(rows.end() - rows.begin(), 2);

    constexpr int source_leading_dimension = 7;
    constexpr int target_leading_dimension = 5;
    std::vector<double> source(source_leading_dimension * 5);
    for (std::size_t i = 0; i < source.size(); ++i) source[i] = static_cast<double>(i);
    std::vector<double> expected(target_leading_dimension * 3, -1.0);
    for (const auto& column : columns) {
        for (int j = 0; j < column.length; ++j) {
            for (const auto& row : rows) {
                for (int i = 0; i < row.length; ++i) {
                    expected[static_cast<std::size_t>(
                        row.target + i + (column.target + j) * target_leading_dimension)] =
                        source[static_cast<std::size_t>(
                            row.source + i + (column.source + j) * source_leading_dimension)];
                }
            }
        }
    }

    std::vector<double> copied(expected.size(), -1.0);
    fmpl::pdgemm::copy_pieces(
        source.data(), source_leading_dimension, rows, columns, copied.data(), target_leading_dimension);
    EXPECT_EQ(copied, expected);

    std::vector<double> dense(12);
    std::vector<double> scattered(expected.size(), -1.0);
    fmpl::pdgemm::gather_pieces(source.data(), source_leading_dimension, rows, columns, dense.data());
    fmpl::pdgemm::scatter_pieces(dense.data(), rows, columns, scattered.data(), target_leading_dimension);
    EXPECT_EQ(scattered, expected);
}

}  // namespace
