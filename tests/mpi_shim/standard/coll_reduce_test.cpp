// MPI-3.1, sections 5.9 to 5.11 and 5.12.7 to 5.12.12: reductions and scans with predefined operations.
#include "collective_calls.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <vector>

using namespace mpi_test;

namespace {

constexpr int kCounts[] = {0, 1, 3, 1000, 100000};

// Small, so that neither sums nor their conversion to double round.
template <class Value>
std::vector<Value> contribution(int from, int count)
{
    std::vector<Value> values(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) {
        values[static_cast<std::size_t>(i)] = static_cast<Value>((from + 1) * (i % 11 + 1) - (i % 3) * 20);
    }
    return values;
}

// The sum of the contributions of ranks [first, last).
template <class Value>
std::vector<Value> sum_of(int first, int last, int count)
{
    std::vector<Value> total(static_cast<std::size_t>(count));
    for (int from = first; from < last; ++from) {
        const std::vector<Value> more = contribution<Value>(from, count);
        std::transform(total.begin(), total.end(), more.begin(), total.begin(), std::plus<Value>());
    }
    return total;
}

template <class Value>
void reduce_to_every_root()
{
    for (const int count : kCounts) {
        for (const int root : roots_for(count, size())) {
            for (const Form form : kForms) {
                delay(static_cast<unsigned>(root + count));
                const std::vector<Value> mine = contribution<Value>(rank(), count);
                std::vector<Value> sum = untouched<Value>(mine.size());
                call_as(form, MPI_Reduce, MPI_Ireduce, mine.data(), rank() == root ? sum.data() : nullptr, count,
                    type_of<Value>(), MPI_SUM, root, MPI_COMM_WORLD);
                EXPECT_EQ(sum, rank() == root ? sum_of<Value>(0, size(), count) : untouched<Value>(mine.size()))
                    << "root " << root << ", count " << count;
            }
        }
    }
}

template <class Value>
void allreduce_counts()
{
    for (const int count : kCounts) {
        for (const Form form : kForms) {
            delay(static_cast<unsigned>(count));
            const std::vector<Value> mine = contribution<Value>(rank(), count);
            std::vector<Value> sum = untouched<Value>(mine.size());
            call_as(form, MPI_Allreduce, MPI_Iallreduce, mine.data(), sum.data(), count, type_of<Value>(), MPI_SUM,
                MPI_COMM_WORLD);
            EXPECT_EQ(sum, sum_of<Value>(0, size(), count)) << "count " << count;

            sum = mine;
            call_as(form, MPI_Allreduce, MPI_Iallreduce, MPI_IN_PLACE, sum.data(), count, type_of<Value>(), MPI_SUM,
                MPI_COMM_WORLD);
            EXPECT_EQ(sum, sum_of<Value>(0, size(), count)) << "in place, count " << count;
        }
    }
}

// The elements of the total that are rank `block`'s when every rank gets counts[rank].
std::vector<int> block_of_total(const std::vector<int>& counts, int block)
{
    const int all = std::accumulate(counts.begin(), counts.end(), 0);
    const int before = std::accumulate(counts.begin(), counts.begin() + block, 0);
    const std::vector<int> total = sum_of<int>(0, size(), all);
    return {total.begin() + before, total.begin() + before + counts[static_cast<std::size_t>(block)]};
}

}  // namespace

MPI_TEST(Reduce, IntegersAtEveryRoot)
{
    reduce_to_every_root<int>();
}

MPI_TEST(Reduce, DoublesAtEveryRoot)
{
    reduce_to_every_root<double>();
}

MPI_TEST(Reduce, InPlaceAtTheRoot)
{
    for (const int count : {1, 3, 1000}) {
        for (int root = 0; root < size(); ++root) {
            for (const Form form : kForms) {
                std::vector<int> mine = contribution<int>(rank(), count);
                if (rank() == root) {
                    call_as(form, MPI_Reduce, MPI_Ireduce, MPI_IN_PLACE, mine.data(), count, MPI_INT, MPI_SUM, root,
                        MPI_COMM_WORLD);
                    EXPECT_EQ(mine, sum_of<int>(0, size(), count));
                } else {
                    call_as(form, MPI_Reduce, MPI_Ireduce, mine.data(), nullptr, count, MPI_INT, MPI_SUM, root,
                        MPI_COMM_WORLD);
                    EXPECT_EQ(mine, contribution<int>(rank(), count));
                }
            }
        }
    }
}

MPI_TEST(Allreduce, IntegersOfEveryCount)
{
    allreduce_counts<int>();
}

MPI_TEST(Allreduce, DoublesOfEveryCount)
{
    allreduce_counts<double>();
}

// Section 5.9.1 strongly recommends that the result depends only on the arguments. What every user relies on: all ranks
// get the same bits, and get them again, whoever comes first.
MPI_TEST(Allreduce, RoundingDoesNotDependOnTheOrderOfArrival)
{
    const int count = 100;
    std::vector<double> mine;
    for (int i = 0; i < count; ++i) mine.push_back(1.0 / (3 + rank() * 7 + i));
    std::vector<double> first;
    for (unsigned round = 0; round < 10; ++round) {
        delay(round);
        std::vector<double> sum(count);
        MPI_Allreduce(mine.data(), sum.data(), count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        if (round == 0) first = sum;
        EXPECT_EQ(sum, first);
        std::vector<double> of_rank_0 = sum;
        MPI_Bcast(of_rank_0.data(), count, MPI_DOUBLE, 0, MPI_COMM_WORLD);
        EXPECT_EQ(sum, of_rank_0);
    }
}

MPI_TEST(ReduceScatterBlock, EveryCount)
{
    for (const int count : {0, 1, 3, 1000, 20000}) {
        const std::vector<int> counts(static_cast<std::size_t>(size()), count);
        const std::vector<int> expected = block_of_total(counts, rank());
        for (const Form form : kForms) {
            delay(static_cast<unsigned>(count));
            std::vector<int> all = contribution<int>(rank(), count * size());
            std::vector<int> block = untouched(static_cast<std::size_t>(count));
            call_as(form, MPI_Reduce_scatter_block, MPI_Ireduce_scatter_block, all.data(), block.data(), count, MPI_INT,
                MPI_SUM, MPI_COMM_WORLD);
            EXPECT_EQ(block, expected) << "count " << count;

            call_as(form, MPI_Reduce_scatter_block, MPI_Ireduce_scatter_block, MPI_IN_PLACE, all.data(), count, MPI_INT,
                MPI_SUM, MPI_COMM_WORLD);
            all.resize(static_cast<std::size_t>(count));
            EXPECT_EQ(all, expected) << "in place, count " << count;
        }
    }
}

MPI_TEST(ReduceScatter, UnevenBlocksAndEmptyOnes)
{
    for (const int unit : {0, 1, 3, 1000, 20000}) {
        std::vector<int> counts;
        for (int to = 0; to < size(); ++to) counts.push_back(unit * ((to * 2 + 1) % 4 - (to % 3 == 1 ? 1 : 0)));
        const int all_count = std::accumulate(counts.begin(), counts.end(), 0);
        const int own = counts[static_cast<std::size_t>(rank())];
        const std::vector<int> expected = block_of_total(counts, rank());
        for (const Form form : kForms) {
            delay(static_cast<unsigned>(unit));
            std::vector<int> all = contribution<int>(rank(), all_count);
            std::vector<int> block = untouched(static_cast<std::size_t>(own));
            call_as(form, MPI_Reduce_scatter, MPI_Ireduce_scatter, all.data(), block.data(), counts.data(), MPI_INT,
                MPI_SUM, MPI_COMM_WORLD);
            EXPECT_EQ(block, expected) << "unit " << unit;

            call_as(form, MPI_Reduce_scatter, MPI_Ireduce_scatter, MPI_IN_PLACE, all.data(), counts.data(), MPI_INT,
                MPI_SUM, MPI_COMM_WORLD);
            all.resize(static_cast<std::size_t>(own));
            EXPECT_EQ(all, expected) << "in place, unit " << unit;
        }
    }
}

MPI_TEST(ReduceScatter, OneRankGetsEverything)
{
    for (int only = 0; only < size(); ++only) {
        std::vector<int> counts(static_cast<std::size_t>(size()));
        counts[static_cast<std::size_t>(only)] = 5;
        const std::vector<int> all = contribution<int>(rank(), 5);
        std::vector<int> block = untouched(5);
        MPI_Reduce_scatter(all.data(), block.data(), counts.data(), MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        EXPECT_EQ(block, rank() == only ? sum_of<int>(0, size(), 5) : untouched(5));
    }
}

MPI_TEST(Scan, IncludesTheCallersOwn)
{
    for (const int count : kCounts) {
        const std::vector<double> expected = sum_of<double>(0, rank() + 1, count);
        for (const Form form : kForms) {
            delay(static_cast<unsigned>(count));
            const std::vector<double> mine = contribution<double>(rank(), count);
            std::vector<double> sum = untouched<double>(mine.size());
            call_as(form, MPI_Scan, MPI_Iscan, mine.data(), sum.data(), count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
            EXPECT_EQ(sum, expected) << "count " << count;

            sum = mine;
            call_as(form, MPI_Scan, MPI_Iscan, MPI_IN_PLACE, sum.data(), count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
            EXPECT_EQ(sum, expected) << "in place, count " << count;
        }
    }
}

// What rank 0 finds in its receive buffer is undefined.
MPI_TEST(Exscan, LeavesOutTheCallersOwn)
{
    for (const int count : kCounts) {
        const std::vector<int> expected = sum_of<int>(0, rank(), count);
        for (const Form form : kForms) {
            delay(static_cast<unsigned>(count));
            const std::vector<int> mine = contribution<int>(rank(), count);
            std::vector<int> sum = untouched(mine.size());
            call_as(form, MPI_Exscan, MPI_Iexscan, mine.data(), sum.data(), count, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
            if (rank() > 0) {
                EXPECT_EQ(sum, expected) << "count " << count;
            }

            sum = mine;
            call_as(form, MPI_Exscan, MPI_Iexscan, MPI_IN_PLACE, sum.data(), count, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
            if (rank() > 0) {
                EXPECT_EQ(sum, expected) << "in place, count " << count;
            }
        }
    }
}

MPI_TEST(ReduceLocal, CombinesIntoTheSecondBuffer)
{
    for (const int count : kCounts) {
        const std::vector<int> in = contribution<int>(1, count);
        std::vector<int> in_out = contribution<int>(2, count);
        EXPECT_EQ(MPI_Reduce_local(in.data(), in_out.data(), count, MPI_INT, MPI_SUM), MPI_SUCCESS);
        EXPECT_EQ(in_out, sum_of<int>(1, 3, count));
        EXPECT_EQ(in, contribution<int>(1, count));
    }
}
