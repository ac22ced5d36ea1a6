// Columns: what a shape gives, against plain loops over its columns.
#include "p2p/columns.hpp"
#include "p2p/records.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <algorithm>
#include <random>
#include <utility>
#include <vector>

namespace {

using namespace fmpl;

// All kinds: blocks, trapezoids, parts of columns, steps in both directions at once, columns that give nothing.
fmpl_columns random_shape(std::mt19937_64& random)
{
    const auto between = [&](std::ptrdiff_t least, std::ptrdiff_t most) {
        return least + static_cast<std::ptrdiff_t>(random() % static_cast<std::uint64_t>(most - least + 1));
    };
    fmpl_columns shape{};
    shape.bytes = static_cast<std::size_t>(between(0, 50));
    shape.count = static_cast<std::size_t>(between(0, 40));
    shape.stride = shape.bytes + static_cast<std::size_t>(between(0, 20));
    shape.begin = between(-80, 80);
    shape.end = between(-80, 80);
    if (random() % 2 == 0) shape.begin_step = between(-6, 6);
    if (random() % 2 == 0) shape.end_step = between(-6, 6);
    return shape;
}

// Where the message's bytes lie, from the base.
std::vector<std::size_t> places_of(const fmpl_columns& shape)
{
    std::vector<std::size_t> places;
    for (std::size_t j = 0; j < shape.count; ++j) {
        const auto limit = static_cast<std::ptrdiff_t>(shape.bytes);
        const auto column = static_cast<std::ptrdiff_t>(j);
        for (std::ptrdiff_t i = 0; i < limit; ++i) {
            if (i >= shape.begin + column * shape.begin_step && i < shape.end + column * shape.end_step) {
                places.push_back(j * shape.stride + static_cast<std::size_t>(i));
            }
        }
    }
    return places;
}

TEST(ColumnShapes, HaveAsManyBytesAsTheirColumnsGive)
{
    std::mt19937_64 random(20);
    for (int round = 0; round < 20000; ++round) {
        const fmpl_columns shape = random_shape(random);
        const Columns columns(shape);
        const std::vector<std::size_t> places = places_of(shape);
        ASSERT_EQ(columns.bytes(), places.size()) << shape.bytes << " " << shape.count << " " << shape.begin << " "
                                                  << shape.begin_step << " " << shape.end << " " << shape.end_step;
        if (columns.in_one_piece() && !places.empty()) {
            EXPECT_EQ(columns.first(), places.front());
            EXPECT_EQ(places.back() - places.front() + 1, places.size());
        }
        if (columns.whole()) {
            EXPECT_EQ(places.size(), shape.count * shape.bytes);
        }
    }
}

TEST(ColumnShapes, PlacesNearTheEndsOfTheAddressSpaceGiveWhatTheyShould)
{
    constexpr std::ptrdiff_t kLow = PTRDIFF_MIN;
    constexpr std::ptrdiff_t kHigh = PTRDIFF_MAX;
    EXPECT_EQ(Columns({8, 3, 10, kLow, 0, kHigh, 0}).bytes(), 24U);
    EXPECT_EQ(Columns({8, 3, 10, 2, 0, kLow, 0}).bytes(), 0U);
    EXPECT_EQ(Columns({8, 3, 10, kLow, 1, 5, 0}).bytes(), 15U);
    EXPECT_EQ(Columns({8, 3, 10, 2, 0, kHigh - 3, 1}).bytes(), 18U);
}

// In pieces that end anywhere, as a message comes through a ring, and from pieces in any order.
TEST(ColumnShapes, AreGatheredAndScatteredPieceByPiece)
{
    std::mt19937_64 random(21);
    for (int round = 0; round < 3000; ++round) {
        const fmpl_columns shape = random_shape(random);
        const Columns columns(shape);
        const std::vector<std::size_t> places = places_of(shape);
        std::vector<std::byte> base(columns.extent() + 1);
        for (std::byte& b : base) b = static_cast<std::byte>(random());
        std::vector<std::byte> target(base.size(), std::byte{0xEE});
        std::vector<std::byte> expected = target;
        for (const std::size_t place : places) expected[place] = base[place];

        std::vector<std::byte> message(places.size() + 1);
        std::vector<std::pair<std::size_t, std::size_t>> pieces;
        for (std::size_t begin = 0; begin < places.size();) {
            const std::size_t bytes = 1 + random() % (places.size() - begin);
            pieces.emplace_back(begin, bytes);
            begin += bytes;
        }
        for (const auto& [begin, bytes] : pieces) columns.gather(base.data(), begin, bytes, message.data() + begin);
        for (std::size_t i = 0; i < places.size(); ++i) ASSERT_EQ(message[i], base[places[i]]) << round;

        if (round % 2 == 0) std::shuffle(pieces.begin(), pieces.end(), random);
        for (const auto& [begin, bytes] : pieces) columns.scatter(target.data(), begin, bytes, message.data() + begin);
        ASSERT_EQ(target, expected) << round;
    }
}

TEST(ColumnShapes, ABlockFitsOneWord)
{
    const std::uint64_t word = BlockWord::make(320, 5120);
    EXPECT_TRUE(BlockWord::is(word));
    EXPECT_EQ(BlockWord::column_bytes(word), 320U);
    EXPECT_EQ(BlockWord::stride(word), 5120U);
    const std::uint64_t largest = BlockWord::make(0x7fff'ffff, 0xffff'fffe);
    EXPECT_TRUE(BlockWord::fits(0x7fff'ffff, 0xffff'fffe));
    EXPECT_TRUE(BlockWord::is(largest));
    EXPECT_EQ(BlockWord::column_bytes(largest), 0x7fff'ffffU);
    EXPECT_EQ(BlockWord::stride(largest), 0xffff'fffeU);
    // What would be cut, and what would be an invitation.
    EXPECT_FALSE(BlockWord::fits(std::size_t{1} << 31, 5120));
    EXPECT_FALSE(BlockWord::fits(320, std::size_t{1} << 32));
    EXPECT_FALSE(BlockWord::fits(0x7fff'ffff, 0xffff'ffff));
    EXPECT_FALSE(BlockWord::is(kHelpWanted));
    EXPECT_FALSE(BlockWord::is(kNoOffset));
    EXPECT_FALSE(BlockWord::is(Offset{1} << 40));
}

}  // namespace
