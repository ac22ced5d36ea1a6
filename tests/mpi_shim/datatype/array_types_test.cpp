// Subarrays and distributed arrays against their definitions, element by element.
#include "datatype/datatype.hpp"
#include "datatype/layout.hpp"
#include "support/ranks_test.hpp"

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <string>
#include <vector>

namespace {

using namespace fmpl::mpi;
using fmpl_test::seed;

using Numbers = std::vector<int>;

// The element numbers (in memory order) of one of the type, which is of MPI_SHORT.
std::vector<std::int64_t> elements_of(const DatatypePtr& type)
{
    std::vector<std::int64_t> elements;
    const auto layout = Layout::compile(*type);
    layout->for_each_piece(1, 0, layout->bytes(1), [&](std::int64_t offset, std::uint64_t bytes) {
        for (std::uint64_t b = 0; b < bytes; b += 2) elements.push_back((offset + static_cast<std::int64_t>(b)) / 2);
        return true;
    });
    return elements;
}

// All elements of an array whose index in every dimension is one that `holds` accepts, in memory order.
template <class Holds>
std::vector<std::int64_t> elements_held(const Numbers& sizes, int order, Holds&& holds)
{
    std::int64_t total = 1;
    for (const int size : sizes) total *= size;
    std::vector<std::int64_t> elements;
    for (std::int64_t element = 0; element < total; ++element) {
        bool held = true;
        std::int64_t rest = element;
        for (std::size_t i = 0; i < sizes.size(); ++i) {
            const std::size_t d = order == kOrderC ? sizes.size() - 1 - i : i;
            held = held && holds(d, static_cast<int>(rest % sizes[d]));
            rest /= sizes[d];
        }
        if (held) elements.push_back(element);
    }
    return elements;
}

DatatypePtr element()
{
    return Datatype::predefined(Predefined::short_int);
}

TEST(ArrayTypes, SubarrayIsTheElementsInside)
{
    std::mt19937_64 random(seed());
    for (int round = 0; round < 500; ++round) {
        SCOPED_TRACE("round " + std::to_string(round) + ", FMPL_TEST_SEED=" + std::to_string(seed()));
        const std::size_t dimensions = 1 + random() % 4;
        const int order = random() % 2 ? kOrderC : kOrderFortran;
        Numbers sizes, subsizes, starts;
        std::int64_t total = 1;
        for (std::size_t d = 0; d < dimensions; ++d) {
            sizes.push_back(static_cast<int>(1 + random() % 6));
            subsizes.push_back(static_cast<int>(1 + random() % static_cast<unsigned>(sizes[d])));
            starts.push_back(static_cast<int>(random() % static_cast<unsigned>(sizes[d] - subsizes[d] + 1)));
            total *= sizes[d];
        }
        const DatatypePtr type = Datatype::subarray(sizes, subsizes, starts, order, element());
        ASSERT_EQ(elements_of(type), elements_held(sizes, order, [&](std::size_t d, int i) {
            return i >= starts[d] && i < starts[d] + subsizes[d];
        }));
        ASSERT_EQ(type->lower_bound(), 0);
        ASSERT_EQ(type->extent(), 2 * total);
        Numbers integers = {static_cast<int>(dimensions)};
        for (const Numbers& part : {sizes, subsizes, starts}) integers.insert(integers.end(), part.begin(), part.end());
        integers.push_back(order);
        ASSERT_EQ(type->contents().integers, integers);
        ASSERT_EQ(type->combiner(), Combiner::subarray);
    }
}

TEST(ArrayTypes, DarrayGivesEveryProcessItsElements)
{
    std::mt19937_64 random(seed());
    for (int round = 0; round < 300; ++round) {
        SCOPED_TRACE("round " + std::to_string(round) + ", FMPL_TEST_SEED=" + std::to_string(seed()));
        const std::size_t dimensions = 1 + random() % 3;
        const int order = random() % 2 ? kOrderC : kOrderFortran;
        Numbers sizes, distributions, arguments, grid, blocks;
        int processes = 1;
        std::int64_t total = 1;
        for (std::size_t d = 0; d < dimensions; ++d) {
            sizes.push_back(static_cast<int>(1 + random() % 11));
            const int kind = kDistributeBlock + static_cast<int>(random() % 3);
            const bool standard = random() % 2 == 0;
            distributions.push_back(kind);
            grid.push_back(kind == kDistributeNone ? 1 : static_cast<int>(1 + random() % 4));
            const int least = (sizes[d] + grid[d] - 1) / grid[d];
            if (kind == kDistributeBlock) {
                blocks.push_back(standard ? least : least + static_cast<int>(random() % 3));
            } else {
                blocks.push_back(kind == kDistributeNone ? sizes[d]
                                 : standard              ? 1
                                                         : static_cast<int>(1 + random() % 4));
            }
            arguments.push_back(standard || kind == kDistributeNone ? kDistributeDefault : blocks[d]);
            processes *= grid[d];
            total *= sizes[d];
        }
        for (int rank = 0; rank < processes; ++rank) {
            const DatatypePtr type =
                Datatype::darray(processes, rank, sizes, distributions, arguments, grid, order, element());
            Numbers coordinates(dimensions);
            for (std::size_t d = dimensions, rest = static_cast<std::size_t>(rank); d-- > 0;) {
                coordinates[d] = static_cast<int>(rest) % grid[d];
                rest /= static_cast<std::size_t>(grid[d]);
            }
            ASSERT_EQ(elements_of(type), elements_held(sizes, order, [&](std::size_t d, int i) {
                return i / blocks[d] % grid[d] == coordinates[d];
            }));
            ASSERT_EQ(type->lower_bound(), 0);
            ASSERT_EQ(type->extent(), 2 * total);
            ASSERT_EQ(type->contents().integers.size(), 4 * dimensions + 4);
            ASSERT_EQ(type->contents().integers[1], rank);
        }
    }
}

TEST(ArrayTypes, BadArgumentsAreErrors)
{
    const auto subarray = [](int size, int subsize, int start, int order) {
        return Datatype::subarray(std::array{size}, std::array{subsize}, std::array{start}, order, element());
    };
    EXPECT_NO_THROW(subarray(5, 3, 2, kOrderC));
    EXPECT_THROW(subarray(5, 3, 3, kOrderC), TypeError);
    EXPECT_THROW(subarray(5, 6, 0, kOrderC), TypeError);
    EXPECT_THROW(subarray(5, 0, 0, kOrderC), TypeError);
    EXPECT_THROW(subarray(5, 3, -1, kOrderC), TypeError);
    EXPECT_THROW(subarray(5, 3, 2, 0), TypeError);
    EXPECT_THROW(Datatype::subarray({}, {}, {}, kOrderC, element()), TypeError);

    const auto darray = [](int size, int rank, int length, int distribution, int argument, int grid) {
        return Datatype::darray(size, rank, std::array{length}, std::array{distribution}, std::array{argument},
            std::array{grid}, kOrderC, element());
    };
    EXPECT_NO_THROW(darray(2, 1, 9, kDistributeBlock, 5, 2));
    EXPECT_THROW(darray(2, 1, 9, kDistributeBlock, 4, 2), TypeError);
    EXPECT_THROW(darray(2, 2, 9, kDistributeBlock, 5, 2), TypeError);
    EXPECT_THROW(darray(3, 1, 9, kDistributeBlock, 5, 2), TypeError);
    EXPECT_THROW(darray(2, 1, 9, kDistributeNone, kDistributeDefault, 2), TypeError);
    EXPECT_THROW(darray(2, 1, 9, kDistributeCyclic, 0, 2), TypeError);
    EXPECT_THROW(darray(2, 1, 9, 7, 1, 2), TypeError);
    EXPECT_THROW(darray(2, 1, 0, kDistributeBlock, 5, 2), TypeError);
}

}  // namespace
