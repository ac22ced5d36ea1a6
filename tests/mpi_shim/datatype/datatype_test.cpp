// The constructors of data types by examples worked out by hand from MPI-3.1, chapter 4.
#include "datatype/datatype.hpp"
#include "datatype/layout.hpp"

#include <gtest/gtest.h>

#include <array>
#include <climits>
#include <cstdint>
#include <vector>

namespace {

using namespace fmpl::mpi;

DatatypePtr basic(Predefined id)
{
    return Datatype::predefined(id);
}

// {(double, 0), (char, 8)}, the type of the standard's examples: its extent is 16.
DatatypePtr double_and_char()
{
    return Datatype::structure(std::array{1, 1}, std::array<std::int64_t, 2>{0, 8},
        std::array{basic(Predefined::double_real), basic(Predefined::character)});
}

// Where the pieces of one of the type lie.
using Places = std::vector<std::pair<std::int64_t, std::uint64_t>>;
Places places_of(const DatatypePtr& type)
{
    Places places;
    const auto layout = Layout::compile(*type);
    layout->for_each_piece(1, 0, layout->bytes(1), [&](std::int64_t offset, std::uint64_t bytes) {
        places.emplace_back(offset, bytes);
        return true;
    });
    return places;
}

void expect_bounds(
    const DatatypePtr& type, std::int64_t lower, std::int64_t extent, std::int64_t true_lower, std::int64_t true_extent)
{
    EXPECT_EQ(type->lower_bound(), lower);
    EXPECT_EQ(type->extent(), extent);
    EXPECT_EQ(type->true_lower_bound(), true_lower);
    EXPECT_EQ(type->true_extent(), true_extent);
}

template <class F>
void expect_error(ErrorClass error_class, F&& f)
{
    try {
        f();
        ADD_FAILURE() << "no error";
    } catch (const TypeError& error) {
        EXPECT_EQ(error.type_error_class(), error_class) << error.what();
        EXPECT_GT(std::string(error.what()).size(), 20u);
    }
}

TEST(Datatype, PredefinedTypesHaveTheSizesOfTheirLanguages)
{
    const auto expect = [](Predefined id, const char* name, std::int64_t size, std::int64_t extent) {
        SCOPED_TRACE(name);
        const DatatypePtr type = basic(id);
        EXPECT_EQ(type->name(), name);
        EXPECT_EQ(type->size(), size);
        EXPECT_EQ(type->extent(), extent);
        EXPECT_EQ(type->lower_bound(), 0);
        EXPECT_EQ(type->combiner(), Combiner::named);
        EXPECT_EQ(type->predefined_id(), id);
    };
    expect(Predefined::character, "MPI_CHAR", 1, 1);
    expect(Predefined::wchar, "MPI_WCHAR", 4, 4);
    expect(Predefined::long_double, "MPI_LONG_DOUBLE", 16, 16);
    expect(Predefined::c_bool, "MPI_C_BOOL", 1, 1);
    expect(Predefined::c_long_double_complex, "MPI_C_LONG_DOUBLE_COMPLEX", 32, 32);
    expect(Predefined::aint, "MPI_AINT", 8, 8);
    expect(Predefined::fortran_logical, "MPI_LOGICAL", 4, 4);
    expect(Predefined::fortran_double_complex, "MPI_DOUBLE_COMPLEX", 16, 16);
    expect(Predefined::complex32, "MPI_COMPLEX32", 32, 32);
    expect(Predefined::float_and_int, "MPI_FLOAT_INT", 8, 8);
    expect(Predefined::double_and_int, "MPI_DOUBLE_INT", 12, 16);
    expect(Predefined::short_and_int, "MPI_SHORT_INT", 6, 8);
    expect(Predefined::long_double_and_int, "MPI_LONG_DOUBLE_INT", 20, 32);
    expect(Predefined::two_fortran_double_precisions, "MPI_2DOUBLE_PRECISION", 16, 16);
    expect_bounds(basic(Predefined::double_and_int), 0, 16, 0, 12);
    EXPECT_EQ(places_of(basic(Predefined::short_and_int)), (Places{{0, 2}, {4, 4}}));
}

TEST(Datatype, ContiguousRepeatsAtTheExtent)
{
    // Example 4.2.
    const DatatypePtr type = Datatype::contiguous(3, double_and_char());
    expect_bounds(type, 0, 48, 0, 41);
    EXPECT_EQ(places_of(type), (Places{{0, 9}, {16, 9}, {32, 9}}));
    EXPECT_FALSE(type->is_contiguous());
    EXPECT_TRUE(Datatype::contiguous(3, basic(Predefined::integer))->is_contiguous());
}

TEST(Datatype, VectorStepsByExtents)
{
    // Examples 4.3 and 4.4.
    EXPECT_EQ(places_of(Datatype::vector(2, 3, 4, double_and_char())),
        (Places{{0, 9}, {16, 9}, {32, 9}, {64, 9}, {80, 9}, {96, 9}}));
    const DatatypePtr backwards = Datatype::vector(3, 1, -2, double_and_char());
    EXPECT_EQ(places_of(backwards), (Places{{0, 9}, {-32, 9}, {-64, 9}}));
    expect_bounds(backwards, -64, 80, -64, 73);
    EXPECT_EQ(places_of(Datatype::hvector(2, 2, 11, basic(Predefined::integer))), (Places{{0, 8}, {11, 8}}));
}

TEST(Datatype, IndexedPlacesBlocks)
{
    // Example 4.5.
    const std::array lengths = {3, 1};
    const Places expected = {{64, 9}, {80, 9}, {96, 9}, {0, 9}};
    EXPECT_EQ(places_of(Datatype::indexed(lengths, std::array{4, 0}, double_and_char())), expected);
    EXPECT_EQ(places_of(Datatype::hindexed(lengths, std::array<std::int64_t, 2>{64, 0}, double_and_char())), expected);
    EXPECT_EQ(places_of(Datatype::indexed_block(2, std::array{5, -1, 1}, basic(Predefined::integer))),
        (Places{{20, 8}, {-4, 16}}));
    EXPECT_EQ(places_of(Datatype::hindexed_block(1, std::array<std::int64_t, 2>{7, 2}, basic(Predefined::short_int))),
        (Places{{7, 2}, {2, 2}}));
}

TEST(Datatype, StructureMixesTypesAndIsPadded)
{
    // Example 4.6: two floats at 0, one of type1 at 16, three characters at 26.
    const DatatypePtr type = Datatype::structure(std::array{2, 1, 3}, std::array<std::int64_t, 3>{0, 16, 26},
        std::array{basic(Predefined::float_real), double_and_char(), basic(Predefined::character)});
    EXPECT_EQ(places_of(type), (Places{{0, 8}, {16, 9}, {26, 3}}));
    expect_bounds(type, 0, 32, 0, 29);
    EXPECT_EQ(type->alignment(), 8);
    EXPECT_EQ(type->size(), 20);
    EXPECT_EQ(type->signature().elements(), 7);
    expect_bounds(double_and_char(), 0, 16, 0, 9);
}

TEST(Datatype, ResizedSetsMarkersThatConstructorsKeep)
{
    // Section 4.1.7's example: an integer with the extent 9, from -3 to 6; two of them end at 15.
    const DatatypePtr one = Datatype::resized(basic(Predefined::integer), -3, 9);
    expect_bounds(one, -3, 9, 0, 4);
    const DatatypePtr two = Datatype::contiguous(2, one);
    expect_bounds(two, -3, 18, 0, 13);
    // Markers win over data in a structure, and no padding follows a marked end.
    expect_bounds(Datatype::structure(std::array{1, 1}, std::array<std::int64_t, 2>{0, 40},
                      std::array{Datatype::resized(basic(Predefined::integer), 2, 9), basic(Predefined::character)}),
        2, 9, 0, 41);
    expect_bounds(
        Datatype::structure(std::array{1, 1, 1}, std::array<std::int64_t, 3>{-4, 0, 7},
            std::array{basic(Predefined::lower_bound), basic(Predefined::integer), basic(Predefined::upper_bound)}),
        -4, 11, 0, 4);
    expect_bounds(Datatype::contiguous(3, Datatype::resized(basic(Predefined::integer), 0, -4)), -8, 4, -8, 12);
}

TEST(Datatype, NothingHasNoBytes)
{
    for (const DatatypePtr& type :
        {Datatype::contiguous(0, basic(Predefined::integer)), Datatype::vector(3, 0, 2, basic(Predefined::integer)),
            Datatype::indexed({}, {}, double_and_char()), Datatype::structure({}, {}, {})}) {
        EXPECT_EQ(type->size(), 0);
        expect_bounds(type, 0, 0, 0, 0);
        EXPECT_EQ(type->count_in(0), 0);
        EXPECT_EQ(type->count_in(4), std::nullopt);
        EXPECT_TRUE(places_of(type).empty());
    }
}

TEST(Datatype, ContentsAreTheArguments)
{
    const DatatypePtr old = basic(Predefined::integer);
    using Integers = std::vector<int>;
    using Addresses = std::vector<std::int64_t>;
    const auto expect = [](const DatatypePtr& type, Combiner combiner, const Integers& integers,
                            const Addresses& addresses, std::size_t types) {
        EXPECT_EQ(type->combiner(), combiner);
        EXPECT_EQ(type->contents().integers, integers);
        EXPECT_EQ(type->contents().addresses, addresses);
        EXPECT_EQ(type->contents().types.size(), types);
        EXPECT_EQ(type->predefined_id(), std::nullopt);
        EXPECT_EQ(type->name(), "");
    };
    const Addresses bytes = {8, 0};
    expect(Datatype::dup(old), Combiner::dup, {}, {}, 1);
    expect(Datatype::contiguous(3, old), Combiner::contiguous, {3}, {}, 1);
    expect(Datatype::vector(3, 2, 5, old), Combiner::vector, {3, 2, 5}, {}, 1);
    expect(Datatype::hvector(3, 2, 50, old), Combiner::hvector, {3, 2}, {50}, 1);
    expect(Datatype::indexed(std::array{1, 2}, std::array{6, 0}, old), Combiner::indexed, {2, 1, 2, 6, 0}, {}, 1);
    expect(Datatype::hindexed(std::array{1, 2}, bytes, old), Combiner::hindexed, {2, 1, 2}, bytes, 1);
    expect(Datatype::indexed_block(4, std::array{6, 0}, old), Combiner::indexed_block, {2, 4, 6, 0}, {}, 1);
    expect(Datatype::hindexed_block(4, bytes, old), Combiner::hindexed_block, {2, 4}, bytes, 1);
    expect(
        Datatype::structure(std::array{1, 2}, bytes, std::array{old, old}), Combiner::structure, {2, 1, 2}, bytes, 2);
    expect(Datatype::resized(old, -4, 12), Combiner::resized, {}, {-4, 12}, 1);
    EXPECT_TRUE(basic(Predefined::integer)->contents().types.empty());
    const DatatypePtr renamed = old->renamed("mine");
    EXPECT_EQ(renamed->name(), "mine");
    EXPECT_EQ(renamed->predefined_id(), Predefined::integer);
    EXPECT_EQ(old->name(), "MPI_INT");
}

TEST(Datatype, CountsWholeTypesAndBasicElements)
{
    // Example 4.20's types: pairs of floats, and what a message of 3 floats holds of them.
    const DatatypePtr two = Datatype::contiguous(2, basic(Predefined::float_real));
    EXPECT_EQ(two->count_in(8), 1);
    EXPECT_EQ(two->elements_in(8), 2);
    EXPECT_EQ(two->count_in(12), std::nullopt);
    EXPECT_EQ(two->elements_in(12), 3);
    EXPECT_EQ(two->elements_in(13), std::nullopt);
    EXPECT_EQ(double_and_char()->elements_in(17), 3);
    EXPECT_EQ(double_and_char()->elements_in(18), 4);
    EXPECT_EQ(basic(Predefined::double_and_int)->elements_in(8), 1);
    EXPECT_EQ(basic(Predefined::double_and_int)->elements_in(4), std::nullopt);
}

TEST(Datatype, SignaturesMatchWhateverTheConstructors)
{
    const DatatypePtr integer = basic(Predefined::integer);
    const DatatypePtr four = Datatype::vector(2, 2, 5, integer);
    EXPECT_TRUE(signatures_match(*four, 3, *integer, 12));
    EXPECT_FALSE(signatures_match(*four, 3, *integer, 11));
    EXPECT_FALSE(signatures_match(*integer, 1, *basic(Predefined::float_real), 1));
    EXPECT_FALSE(signatures_match(*integer, 1, *basic(Predefined::byte), 4));
    EXPECT_TRUE(signatures_match(*integer, 1, *basic(Predefined::packed), 4));
    EXPECT_TRUE(signatures_match(*basic(Predefined::two_ints), 1, *integer, 2));
    const DatatypePtr reversed = Datatype::structure(std::array{1, 1}, std::array<std::int64_t, 2>{0, 8},
        std::array{basic(Predefined::character), basic(Predefined::double_real)});
    EXPECT_FALSE(signatures_match(*double_and_char(), 1, *reversed, 1));
    EXPECT_TRUE(signatures_match(*Datatype::contiguous(5, reversed), 2, *reversed, 10));
}

TEST(Datatype, BadArgumentsAreErrors)
{
    const DatatypePtr old = basic(Predefined::integer);
    const DatatypePtr none;
    expect_error(ErrorClass::count, [&] { Datatype::contiguous(-1, old); });
    expect_error(ErrorClass::type, [&] { Datatype::contiguous(1, none); });
    expect_error(ErrorClass::count, [&] { Datatype::vector(-1, 1, 1, old); });
    expect_error(ErrorClass::argument, [&] { Datatype::vector(1, -1, 1, old); });
    expect_error(ErrorClass::argument, [&] { Datatype::hvector(1, -1, 1, old); });
    expect_error(ErrorClass::argument, [&] { Datatype::indexed(std::array{1, -1}, std::array{0, 1}, old); });
    expect_error(ErrorClass::argument, [&] { Datatype::indexed(std::array{1}, std::array{0, 1}, old); });
    expect_error(ErrorClass::argument, [&] { Datatype::indexed_block(-1, std::array{0, 1}, old); });
    expect_error(ErrorClass::type,
        [&] { Datatype::structure(std::array{1}, std::array<std::int64_t, 1>{0}, std::array{none}); });
    expect_error(ErrorClass::type, [&] { Datatype::dup(none); });
    expect_error(ErrorClass::type, [&] { Datatype::resized(none, 0, 1); });
}

TEST(Datatype, NumbersBeyond64BitsAreErrors)
{
    const DatatypePtr old = basic(Predefined::double_real);
    const DatatypePtr large =
        Datatype::contiguous(INT_MAX, Datatype::contiguous(INT_MAX, basic(Predefined::character)));
    EXPECT_EQ(large->size(), std::int64_t{INT_MAX} * INT_MAX);
    expect_error(ErrorClass::argument, [&] { Datatype::contiguous(3, large); });
    expect_error(ErrorClass::argument, [&] { Datatype::hvector(3, 1, INT64_MAX / 2, old); });
    expect_error(ErrorClass::argument, [&] { Datatype::hindexed(std::array{1}, std::array{INT64_MAX}, old); });
    expect_error(ErrorClass::argument, [&] {
        Datatype::hindexed_block(1, std::array<std::int64_t, 2>{INT64_MIN, INT64_MAX - 8}, old);
    });
    expect_error(ErrorClass::argument, [&] { Datatype::resized(old, INT64_MAX, 1); });
    DatatypePtr deep = old;
    expect_error(ErrorClass::other, [&] {
        for (int i = 0; i <= kDeepestNesting; ++i) deep = Datatype::dup(deep);
    });
    EXPECT_EQ(Layout::compile(*deep)->single_piece(1), 0);
}

}  // namespace
