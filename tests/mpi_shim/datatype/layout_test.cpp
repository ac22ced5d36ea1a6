// The compiled layout against the written-out type map: what is packed, what is left alone, and every form that it
// offers.
#include "type_map.hpp"

#include "datatype/layout.hpp"
#include "support/ranks_test.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <numeric>
#include <random>
#include <set>
#include <vector>

namespace {

using namespace fmpl::mpi;
using namespace fmpl_test;

using Bytes = std::vector<unsigned char>;

DatatypePtr basic(Predefined id)
{
    return Datatype::predefined(id);
}

// Memory that holds exactly the message, from its first byte to its last: a sanitizer sees every access outside of it.
class Memory {
public:
    Memory(const std::vector<std::int64_t>& places, std::mt19937_64& random)
    {
        if (!places.empty()) {
            low_ = *std::min_element(places.begin(), places.end());
            bytes_.resize(static_cast<std::size_t>(*std::max_element(places.begin(), places.end()) - low_ + 1));
        }
        for (unsigned char& byte : bytes_) byte = static_cast<unsigned char>(random());
    }

    // What the MPI call would get: displacement 0, which may lie outside.
    void* buffer()
    {
        return reinterpret_cast<void*>(
            reinterpret_cast<std::uint64_t>(bytes_.data()) - static_cast<std::uint64_t>(low_));
    }
    unsigned char& at(std::int64_t place) { return bytes_[static_cast<std::size_t>(place - low_)]; }
    Bytes& bytes() { return bytes_; }

private:
    std::int64_t low_ = 0;
    Bytes bytes_;
};

Bytes packed_by_map(Memory& memory, const std::vector<std::int64_t>& places)
{
    Bytes dense;
    for (const std::int64_t place : places) dense.push_back(memory.at(place));
    return dense;
}

void expect_moves_like_the_map(const Layout& layout, const TypeMap& map, std::int64_t count, std::mt19937_64& random)
{
    const std::vector<std::int64_t> places = map.bytes(count);
    ASSERT_EQ(layout.bytes(count), places.size());
    Memory memory(places, random);
    const Bytes expected = packed_by_map(memory, places);

    // In pieces that end anywhere, with nothing written behind them.
    std::vector<std::size_t> cuts = {0, places.size()};
    for (int i = 0; i < 6; ++i) cuts.push_back(random() % (places.size() + 1));
    std::sort(cuts.begin(), cuts.end());
    for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
        const std::size_t size = cuts[i + 1] - cuts[i];
        Bytes dense(size + 16, 0xa5);
        layout.pack(memory.buffer(), count, cuts[i], cuts[i + 1], dense.data());
        ASSERT_TRUE(std::equal(dense.begin(), dense.begin() + static_cast<std::ptrdiff_t>(size),
            expected.begin() + static_cast<std::ptrdiff_t>(cuts[i])))
            << "packed bytes " << cuts[i] << " to " << cuts[i + 1] << " of " << places.size();
        ASSERT_TRUE(std::all_of(dense.end() - 16, dense.end(), [](unsigned char b) { return b == 0xa5; }));
    }

    // Back, in pieces in order; bytes that are in no entry keep their value.
    Memory target(places, random);
    Memory wanted = target;
    for (std::size_t i = 0; i < places.size(); ++i) wanted.at(places[i]) = expected[i];
    for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
        layout.unpack(target.buffer(), count, cuts[i], cuts[i + 1], expected.data() + cuts[i]);
    }
    ASSERT_TRUE(target.bytes() == wanted.bytes());
    // One piece alone touches its own bytes only.
    Memory once(places, random);
    Memory once_wanted = once;
    for (std::size_t i = cuts[2]; i < cuts[4]; ++i) once_wanted.at(places[i]) = expected[i];
    layout.unpack(once.buffer(), count, cuts[2], cuts[4], expected.data() + cuts[2]);
    ASSERT_TRUE(once.bytes() == once_wanted.bytes());

    std::vector<std::int64_t> visited;
    layout.for_each_piece(count, cuts[1], cuts[5], [&](std::int64_t offset, std::uint64_t size) {
        for (std::uint64_t i = 0; i < size; ++i) visited.push_back(offset + static_cast<std::int64_t>(i));
        return true;
    });
    ASSERT_TRUE(std::equal(visited.begin(), visited.end(), places.begin() + static_cast<std::ptrdiff_t>(cuts[1]),
        places.begin() + static_cast<std::ptrdiff_t>(cuts[5])));

    if (const auto piece = layout.single_piece(count); piece && !places.empty()) {
        for (std::size_t i = 0; i < places.size(); ++i) {
            ASSERT_EQ(places[i], *piece + static_cast<std::int64_t>(i));
        }
    }
}

// The bytes that columns give, by the definition in fmpl/layers.h.
std::vector<std::int64_t> bytes_of(const Layout::Columns& form)
{
    const fmpl_columns& c = form.columns;
    std::vector<std::int64_t> places;
    for (std::size_t j = 0; j < c.count; ++j) {
        const auto limit = [&](std::ptrdiff_t first, std::ptrdiff_t step) {
            return std::clamp<std::int64_t>(
                first + static_cast<std::ptrdiff_t>(j) * step, 0, static_cast<std::int64_t>(c.bytes));
        };
        for (std::int64_t b = limit(c.begin, c.begin_step); b < limit(c.end, c.end_step); ++b) {
            places.push_back(form.offset + static_cast<std::int64_t>(j * c.stride) + b);
        }
    }
    return places;
}

void expect_columns_are_the_map(const Layout& layout, const TypeMap& map, std::int64_t count)
{
    const auto form = layout.columns(count);
    if (!form) return;
    ASSERT_TRUE(form->columns.count <= 1 || form->columns.stride >= form->columns.bytes);
    ASSERT_EQ(bytes_of(*form), map.bytes(count));
}

TEST(Layout, MovesRandomTypesAsTheirMapsSay)
{
    std::mt19937_64 random(seed());
    for (int round = 0; round < 4000; ++round) {
        SCOPED_TRACE("round " + std::to_string(round) + ", FMPL_TEST_SEED=" + std::to_string(seed()));
        const TypeAndMap made = random_type(random, 1 + round % 5);
        const Datatype& type = *made.type;
        ASSERT_EQ(type.size(), made.map.size());
        ASSERT_EQ(type.lower_bound(), made.map.lower_bound());
        ASSERT_EQ(type.upper_bound(), made.map.upper_bound());
        ASSERT_EQ(type.true_lower_bound(), made.map.true_lower_bound());
        ASSERT_EQ(type.true_upper_bound(), made.map.true_upper_bound());
        ASSERT_EQ(type.alignment(), made.map.alignment());

        const auto layout = Layout::compile(type);
        const std::int64_t count = static_cast<std::int64_t>(random() % 4);
        expect_moves_like_the_map(*layout, made.map, count, random);
        expect_columns_are_the_map(*layout, made.map, count);
        if (HasFatalFailure()) return;

        const auto two = made.map.bytes(2);
        bool in_order = true;
        for (std::size_t i = 1; i < two.size(); ++i) in_order = in_order && two[i] == two[i - 1] + 1;
        ASSERT_EQ(type.is_contiguous(), in_order);
    }
}

TEST(Layout, CountsTheElementsOfAnyNumberOfBytes)
{
    std::mt19937_64 random(seed());
    for (int round = 0; round < 1000; ++round) {
        SCOPED_TRACE("round " + std::to_string(round) + ", FMPL_TEST_SEED=" + std::to_string(seed()));
        const TypeAndMap made = random_type(random, 1 + round % 4);
        std::vector<std::int64_t> ends = {0};
        Signature signature;
        for (int copy = 0; copy < 2; ++copy) {
            for (const Entry& entry : made.map.entries) {
                ends.push_back(ends.back() + info(entry.type).size);
                signature = signature.followed_by(Signature(entry.type));
            }
        }
        ASSERT_TRUE(made.type->signature().repeated(2) == signature);
        for (std::int64_t bytes = 0; bytes <= std::min<std::int64_t>(ends.back(), 400); ++bytes) {
            const auto end = std::lower_bound(ends.begin(), ends.end(), bytes);
            const auto elements = made.type->elements_in(bytes);
            ASSERT_EQ(elements.has_value(), *end == bytes) << bytes << " bytes";
            if (elements) {
                ASSERT_EQ(*elements, end - ends.begin()) << bytes << " bytes";
            }
        }
    }
}

TEST(Layout, CopiesFromOneTypeToAnother)
{
    std::mt19937_64 random(seed());
    for (int round = 0; round < 500; ++round) {
        SCOPED_TRACE("round " + std::to_string(round) + ", FMPL_TEST_SEED=" + std::to_string(seed()));
        const TypeAndMap from = random_type(random, 3);
        const TypeAndMap to = random_type(random, 3);
        const std::vector<std::int64_t> from_places = from.map.bytes(40);
        const std::vector<std::int64_t> to_places = to.map.bytes(30);
        Memory source(from_places, random);
        Memory target(to_places, random);
        Memory wanted = target;
        const std::size_t end = std::min(from_places.size(), to_places.size());
        const std::size_t begin = end == 0 ? 0 : random() % end;
        for (std::size_t i = begin; i < end; ++i) wanted.at(to_places[i]) = source.at(from_places[i]);
        copy_message(*Layout::compile(*from.type), source.buffer(), 40, *Layout::compile(*to.type), target.buffer(), 30,
            begin, end);
        ASSERT_TRUE(target.bytes() == wanted.bytes());
    }
}

TEST(Layout, KeepsWhatRepeatsAsLoopsHoweverLong)
{
    const DatatypePtr number = basic(Predefined::double_real);
    const DatatypePtr vector = Datatype::vector(1000000, 1, 2, number);
    EXPECT_LT(Layout::compile(*vector)->compiled_bytes(), 1000u);
    EXPECT_LT(Layout::compile(*Datatype::hvector(1000000, 1, 40000000, vector))->compiled_bytes(), 1000u);
    // An index array that is regular after all, and equal structures.
    std::vector<int> places(10000);
    for (std::size_t i = 0; i < places.size(); ++i) places[i] = static_cast<int>(3 * i);
    EXPECT_LT(Layout::compile(*Datatype::indexed_block(1, places, number))->compiled_bytes(), 1000u);
    const DatatypePtr record = Datatype::structure(
        std::array{1, 1}, std::array<std::int64_t, 2>{0, 8}, std::array{basic(Predefined::integer), number});
    EXPECT_LT(Layout::compile(*Datatype::indexed_block(1, places, record))->compiled_bytes(), 1500u);
    // Neighbours become one piece.
    std::iota(places.begin(), places.end(), 7);
    EXPECT_EQ(Layout::compile(*Datatype::indexed_block(1, places, number))->single_piece(1), 56);
}

TEST(Layout, BeginsAnywhereInAVeryLongMessage)
{
    // Far more bytes than there is memory: only the ends of a range may be looked for.
    const DatatypePtr row = Datatype::hvector(1 << 30, 1, 4, basic(Predefined::character));
    const DatatypePtr rows = Datatype::hvector(1 << 30, 1, std::int64_t{1} << 32, row);
    const auto layout = Layout::compile(*rows);
    EXPECT_EQ(layout->bytes(1), std::uint64_t{1} << 60);
    const std::uint64_t begin = (std::uint64_t{1} << 59) + 12345;
    std::vector<std::int64_t> offsets;
    layout->for_each_piece(1, begin, std::uint64_t{1} << 60, [&](std::int64_t offset, std::uint64_t bytes) {
        EXPECT_EQ(bytes, 1u);
        offsets.push_back(offset);
        return offsets.size() < 3;
    });
    const std::int64_t first = (std::int64_t{1} << 61) + 4 * 12345;
    EXPECT_EQ(offsets, (std::vector<std::int64_t>{first, first + 4, first + 8}));
}

TEST(Layout, TakesAddressesFromBottom)
{
    double a = 1.5;
    std::array<int, 3> b = {7, 8, 9};
    const DatatypePtr type = Datatype::structure(std::array{1, 3},
        std::array{static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(&a)),
            static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(b.data()))},
        std::array{basic(Predefined::double_real), basic(Predefined::integer)});
    const auto layout = Layout::compile(*type);
    std::array<char, 20> dense{};
    layout->pack(nullptr, 1, 0, 20, dense.data());
    a = 0;
    b = {};
    layout->unpack(nullptr, 1, 0, 20, dense.data());
    EXPECT_EQ(a, 1.5);
    EXPECT_EQ(b, (std::array{7, 8, 9}));
}

TEST(Layout, RefusesRangesAndCountsThatTheMessageDoesNotHave)
{
    const auto layout = Layout::compile(*basic(Predefined::integer));
    std::array<int, 4> some{};
    int dense = 0;
    EXPECT_THROW(layout->pack(some.data(), 4, 12, 17, &dense), TypeError);
    EXPECT_THROW(layout->unpack(some.data(), 4, 9, 8, &dense), TypeError);
    EXPECT_THROW((void)layout->bytes(-1), TypeError);
    EXPECT_THROW((void)layout->bytes(std::numeric_limits<std::int64_t>::max() / 2), TypeError);
    EXPECT_THROW(copy_message(*layout, some.data(), 1, *layout, &dense, 1, 0, 8), TypeError);
}

TEST(Layout, OffersMatricesAndTrapezoidsAsColumns)
{
    const DatatypePtr number = basic(Predefined::double_real);
    const auto matrix = Layout::compile(*Datatype::vector(5, 3, 10, number))->columns(1);
    ASSERT_TRUE(matrix);
    EXPECT_EQ(matrix->offset, 0);
    EXPECT_EQ(matrix->columns.bytes, 24u);
    EXPECT_EQ(matrix->columns.count, 5u);
    EXPECT_EQ(matrix->columns.stride, 80u);

    // The triangles and trapezoids of m x n matrices with leading dimension 9: all must be described, and rightly.
    for (int m = 2; m <= 7; ++m) {
        for (int n = 2; n <= 7; ++n) {
            for (const bool upper : {true, false}) {
                SCOPED_TRACE(std::to_string(m) + " x " + std::to_string(n) + (upper ? " upper" : " lower"));
                std::vector<int> lengths;
                std::vector<int> places;
                std::vector<std::int64_t> expected;
                for (int j = 0; j < n; ++j) {
                    const int first = upper ? 0 : std::min(j, m);
                    const int last = upper ? std::min(j + 1, m) : m;
                    lengths.push_back(last - first);
                    places.push_back(9 * j + first);
                    for (int b = 0; b < 8 * (last - first); ++b) expected.push_back(8 * places.back() + b);
                }
                const auto form = Layout::compile(*Datatype::indexed(lengths, places, number))->columns(1);
                ASSERT_TRUE(form);
                ASSERT_EQ(bytes_of(*form), expected);
                ASSERT_GE(form->columns.stride, form->columns.bytes);
            }
        }
    }

    EXPECT_FALSE(Layout::compile(*Datatype::vector(5, 3, -10, number))->columns(1));
    EXPECT_FALSE(Layout::compile(*Datatype::vector(5, 3, 2, number))->columns(1));
    EXPECT_FALSE(Layout::compile(*Datatype::indexed(std::array{1, 2, 1}, std::array{0, 9, 18}, number))->columns(1));
    EXPECT_FALSE(Layout::compile(*Datatype::indexed(std::array{1, 2, 3}, std::array{0, 9, 19}, number))->columns(1));
}

}  // namespace
