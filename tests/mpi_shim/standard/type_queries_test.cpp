// MPI-3.1, sections 4.1.5 to 4.1.13 and 17.2.5: bounds, addresses, envelopes and contents, Fortran's parametrized
// types, and what the constructors refuse.
#include "mpi_test.hpp"

#include <algorithm>
#include <ostream>
#include <string>

namespace mpi_test {
namespace {

struct Contents {
    int combiner = MPI_UNDEFINED;
    std::vector<int> integers{};
    std::vector<MPI_Aint> addresses{};
    std::vector<MPI_Datatype> types{};
};

bool is_predefined(MPI_Datatype type)
{
    int counts[3];
    int combiner = MPI_UNDEFINED;
    MPI_Type_get_envelope(type, &counts[0], &counts[1], &counts[2], &combiner);
    return combiner == MPI_COMBINER_NAMED || combiner == MPI_COMBINER_F90_REAL ||
           combiner == MPI_COMBINER_F90_COMPLEX || combiner == MPI_COMBINER_F90_INTEGER;
}

Contents contents_of(MPI_Datatype type)
{
    Contents result;
    int integers = -1;
    int addresses = -1;
    int types = -1;
    MPI_Type_get_envelope(type, &integers, &addresses, &types, &result.combiner);
    result.integers.assign(static_cast<std::size_t>(integers) + 1, -77);
    result.addresses.assign(static_cast<std::size_t>(addresses) + 1, -77);
    result.types.assign(static_cast<std::size_t>(types) + 1, MPI_DATATYPE_NULL);
    if (result.combiner != MPI_COMBINER_NAMED) {
        MPI_Type_get_contents(
            type, integers, addresses, types, result.integers.data(), result.addresses.data(), result.types.data());
    }
    result.integers.pop_back();
    result.addresses.pop_back();
    result.types.pop_back();
    return result;
}

// The type must tell what it was made of; it is freed.
void expect_contents(MPI_Datatype type, int combiner, const std::vector<int>& integers,
    const std::vector<MPI_Aint>& addresses, const std::vector<MPI_Datatype>& types)
{
    const Contents contents = contents_of(type);
    EXPECT_EQ(contents.combiner, combiner);
    EXPECT_EQ(contents.integers, integers);
    EXPECT_EQ(contents.addresses, addresses);
    EXPECT_EQ(contents.types.size(), types.size());
    for (std::size_t i = 0; i < std::min(types.size(), contents.types.size()); ++i) {
        if (is_predefined(types[i])) {
            EXPECT_EQ(contents.types[i], types[i]);
            continue;
        }
        // A handle of its own to the same type.
        const Contents theirs = contents_of(contents.types[i]);
        const Contents ours = contents_of(types[i]);
        EXPECT_EQ(theirs.combiner, ours.combiner);
        EXPECT_EQ(theirs.integers, ours.integers);
        MPI_Datatype handle = contents.types[i];
        MPI_Type_free(&handle);
    }
    MPI_Type_free(&type);
}

MPI_TEST_AT(TypeContents, EveryConstructorTellsWhatItWasGiven, ({1}))
{
    MPI_Datatype old = MPI_DATATYPE_NULL;
    MPI_Type_contiguous(3, MPI_SHORT, &old);
    for (const MPI_Datatype base : {MPI_DOUBLE, old}) {
        MPI_Datatype type = MPI_DATATYPE_NULL;
        const int lengths[] = {2, 3};
        const int places[] = {4, -1};
        const MPI_Aint displacements[] = {160, -24};
        const MPI_Datatype types[] = {base, MPI_CHAR};
        MPI_Type_contiguous(5, base, &type);
        expect_contents(type, MPI_COMBINER_CONTIGUOUS, {5}, {}, {base});
        MPI_Type_vector(5, 2, -7, base, &type);
        expect_contents(type, MPI_COMBINER_VECTOR, {5, 2, -7}, {}, {base});
        MPI_Type_create_hvector(5, 2, 100, base, &type);
        expect_contents(type, MPI_COMBINER_HVECTOR, {5, 2}, {100}, {base});
        MPI_Type_indexed(2, lengths, places, base, &type);
        expect_contents(type, MPI_COMBINER_INDEXED, {2, 2, 3, 4, -1}, {}, {base});
        MPI_Type_create_hindexed(2, lengths, displacements, base, &type);
        expect_contents(type, MPI_COMBINER_HINDEXED, {2, 2, 3}, {160, -24}, {base});
        MPI_Type_create_indexed_block(2, 9, places, base, &type);
        expect_contents(type, MPI_COMBINER_INDEXED_BLOCK, {2, 9, 4, -1}, {}, {base});
        MPI_Type_create_hindexed_block(2, 9, displacements, base, &type);
        expect_contents(type, MPI_COMBINER_HINDEXED_BLOCK, {2, 9}, {160, -24}, {base});
        MPI_Type_create_struct(2, lengths, displacements, types, &type);
        expect_contents(type, MPI_COMBINER_STRUCT, {2, 2, 3}, {160, -24}, {base, MPI_CHAR});
        MPI_Type_create_resized(base, -8, 48, &type);
        expect_contents(type, MPI_COMBINER_RESIZED, {}, {-8, 48}, {base});
        MPI_Type_dup(base, &type);
        expect_contents(type, MPI_COMBINER_DUP, {}, {}, {base});
        const int sizes[] = {8, 9};
        const int subsizes[] = {3, 4};
        const int starts[] = {2, 1};
        MPI_Type_create_subarray(2, sizes, subsizes, starts, MPI_ORDER_FORTRAN, base, &type);
        expect_contents(type, MPI_COMBINER_SUBARRAY, {2, 8, 9, 3, 4, 2, 1, MPI_ORDER_FORTRAN}, {}, {base});
        const int distributions[] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC};
        const int arguments[] = {MPI_DISTRIBUTE_DFLT_DARG, 2};
        const int grid[] = {2, 3};
        MPI_Type_create_darray(6, 4, 2, sizes, distributions, arguments, grid, MPI_ORDER_C, base, &type);
        expect_contents(type, MPI_COMBINER_DARRAY,
            {6, 4, 2, 8, 9, MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_DFLT_DARG, 2, 2, 3,
                MPI_ORDER_C},
            {}, {base});
    }
    MPI_Type_free(&old);
    EXPECT_EQ(contents_of(MPI_INT).combiner, MPI_COMBINER_NAMED);
    EXPECT_EQ(contents_of(MPI_DOUBLE_INT).combiner, MPI_COMBINER_NAMED);
}

MPI_TEST_AT(TypeContents, TheyOutliveTheirParts, ({1}))
{
    MPI_Datatype inner = MPI_DATATYPE_NULL;
    MPI_Datatype outer = MPI_DATATYPE_NULL;
    MPI_Type_vector(2, 1, 3, MPI_INT, &inner);
    MPI_Type_contiguous(4, inner, &outer);
    MPI_Type_free(&inner);
    Contents contents = contents_of(outer);
    REQUIRE(contents.types.size() == 1);
    MPI_Type_free(&outer);
    EXPECT_EQ(contents_of(contents.types[0]).integers, (std::vector<int>{2, 1, 3}));
    MPI_Datatype again = MPI_DATATYPE_NULL;
    MPI_Type_vector(2, 1, 2, contents.types[0], &again);  // and can be built upon
    int bytes = 0;
    MPI_Type_size(again, &bytes);
    EXPECT_EQ(bytes, 16);
    MPI_Type_free(&again);
    MPI_Type_free(&contents.types[0]);
}

MPI_TEST_AT(TypeContents, NamedTypesHaveNoContents, ({1}))
{
    const ReturnErrors returned;
    int integer = 0;
    MPI_Aint address = 0;
    MPI_Datatype type = MPI_DATATYPE_NULL;
    EXPECT_NE(MPI_Type_get_contents(MPI_INT, 1, 1, 1, &integer, &address, &type), MPI_SUCCESS);
}

struct Bounds {
    MPI_Aint lower;
    MPI_Aint extent;
    MPI_Aint true_lower;
    MPI_Aint true_extent;

    bool operator==(const Bounds&) const = default;
};

std::ostream& operator<<(std::ostream& out, const Bounds& b)
{
    return out << "lb " << b.lower << " extent " << b.extent << " true lb " << b.true_lower << " true extent "
               << b.true_extent;
}

Bounds bounds_of(MPI_Datatype type)
{
    Bounds b{-1, -1, -1, -1};
    MPI_Type_get_extent(type, &b.lower, &b.extent);
    MPI_Type_get_true_extent(type, &b.true_lower, &b.true_extent);
    return b;
}

// Section 4.1, example 4.1: {(double,0),(char,8)} has the extent 16.
MPI_TEST_AT(TypeBounds, AStructureIsPaddedToItsAlignment, ({1}))
{
    const int lengths[] = {1, 1};
    const MPI_Aint displacements[] = {0, 8};
    const MPI_Datatype types[] = {MPI_DOUBLE, MPI_CHAR};
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_create_struct(2, lengths, displacements, types, &type);
    EXPECT_EQ(bounds_of(type), (Bounds{0, 16, 0, 9}));
    MPI_Type_free(&type);
}

MPI_TEST_AT(TypeBounds, ResizingSetsThemAndLeavesTheTrueOnes, ({1}))
{
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Datatype twice = MPI_DATATYPE_NULL;
    MPI_Datatype back = MPI_DATATYPE_NULL;
    MPI_Type_create_resized(MPI_INT, -3, 9, &type);  // section 4.1.6's example
    EXPECT_EQ(bounds_of(type), (Bounds{-3, 9, 0, 4}));
    MPI_Type_contiguous(2, type, &twice);
    EXPECT_EQ(bounds_of(twice), (Bounds{-3, 18, 0, 13}));
    MPI_Type_create_resized(twice, 0, 4, &back);
    EXPECT_EQ(bounds_of(back), (Bounds{0, 4, 0, 13}));
    int bytes = 0;
    MPI_Type_size(back, &bytes);
    EXPECT_EQ(bytes, 8);
    for (MPI_Datatype* one : {&type, &twice, &back}) MPI_Type_free(one);
}

MPI_TEST_AT(TypeBounds, NegativeDisplacementsLowerTheLowerBound, ({1}))
{
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_vector(3, 1, -2, MPI_DOUBLE, &type);
    EXPECT_EQ(bounds_of(type), (Bounds{-32, 40, -32, 40}));
    MPI_Type_free(&type);
}

MPI_TEST_AT(TypeBounds, AnEmptyTypeHasNoSizeAndNoExtent, ({1}))
{
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_contiguous(0, MPI_INT, &type);
    MPI_Type_commit(&type);
    int bytes = -1;
    MPI_Type_size(type, &bytes);
    EXPECT_EQ(bytes, 0);
    const Bounds bounds = bounds_of(type);
    EXPECT_EQ(bounds.lower, 0);
    EXPECT_EQ(bounds.extent, 0);
    MPI_Type_free(&type);
}

MPI_TEST_AT(TypeBounds, SizesBeyondAnIntAreUndefinedThereAndRightInACount, ({1}))
{
    MPI_Datatype gigabyte = MPI_DATATYPE_NULL;
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_contiguous(1 << 30, MPI_BYTE, &gigabyte);
    MPI_Type_contiguous(5, gigabyte, &type);
    int bytes = 0;
    MPI_Count wide = 0;
    MPI_Type_size(type, &bytes);
    EXPECT_EQ(bytes, MPI_UNDEFINED);
    MPI_Type_size_x(type, &wide);
    EXPECT_EQ(wide, MPI_Count{5} << 30);
    MPI_Type_free(&gigabyte);
    MPI_Type_free(&type);
}

MPI_TEST_AT(Addresses, DifferencesAndSumsAreThoseOfThePlaces, ({1}))
{
    const double values[100] = {};
    MPI_Aint first = 0;
    MPI_Aint last = 0;
    MPI_Get_address(&values[0], &first);
    MPI_Get_address(&values[99], &last);
    EXPECT_EQ(MPI_Aint_diff(last, first), static_cast<MPI_Aint>(99 * sizeof(double)));
    EXPECT_EQ(MPI_Aint_diff(first, last), -static_cast<MPI_Aint>(99 * sizeof(double)));
    EXPECT_EQ(MPI_Aint_add(first, static_cast<MPI_Aint>(99 * sizeof(double))), last);
    MPI_Aint bottom = -1;
    MPI_Get_address(MPI_BOTTOM, &bottom);
    EXPECT_EQ(bottom, 0);
}

MPI_TEST_AT(TypeNames, PredefinedTypesHaveTheirOwnAndOthersTheGivenOnes, ({1}))
{
    char name[MPI_MAX_OBJECT_NAME];
    int length = -1;
    const auto name_of = [&](MPI_Datatype type) {
        MPI_Type_get_name(type, name, &length);
        return std::string(name, static_cast<std::size_t>(length));
    };
    EXPECT_EQ(name_of(MPI_INT), "MPI_INT");
    EXPECT_EQ(name_of(MPI_DOUBLE), "MPI_DOUBLE");
    EXPECT_EQ(name_of(MPI_C_DOUBLE_COMPLEX), "MPI_C_DOUBLE_COMPLEX");
    EXPECT_EQ(name_of(MPI_DOUBLE_INT), "MPI_DOUBLE_INT");
    EXPECT_EQ(name_of(MPI_PACKED), "MPI_PACKED");
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_contiguous(2, MPI_INT, &type);
    EXPECT_EQ(name_of(type), "");
    MPI_Type_set_name(type, "a pair of mine");
    EXPECT_EQ(name_of(type), "a pair of mine");
    MPI_Datatype copy = MPI_DATATYPE_NULL;
    MPI_Type_dup(type, &copy);
    EXPECT_NE(copy, type);
    MPI_Type_free(&copy);
    MPI_Type_free(&type);
}

// Section 17.2.5.
MPI_TEST_AT(FortranTypes, MatchSizeFindsTheTypeOfASize, ({1}))
{
    const ReturnErrors returned;
    const struct {
        int kind;
        int size;
    } cases[] = {{MPI_TYPECLASS_REAL, 4}, {MPI_TYPECLASS_REAL, 8}, {MPI_TYPECLASS_INTEGER, 1},
        {MPI_TYPECLASS_INTEGER, 2}, {MPI_TYPECLASS_INTEGER, 4}, {MPI_TYPECLASS_INTEGER, 8}, {MPI_TYPECLASS_COMPLEX, 8},
        {MPI_TYPECLASS_COMPLEX, 16}};
    for (const auto& c : cases) {
        MPI_Datatype type = MPI_DATATYPE_NULL;
        EXPECT_SUCCESS(MPI_Type_match_size(c.kind, c.size, &type));
        int bytes = -1;
        MPI_Type_size(type, &bytes);
        EXPECT_EQ(bytes, c.size);
        EXPECT_EQ(contents_of(type).combiner, MPI_COMBINER_NAMED);
    }
    MPI_Datatype type = MPI_DATATYPE_NULL;
    EXPECT_NE(MPI_Type_match_size(MPI_TYPECLASS_REAL, 7, &type), MPI_SUCCESS);
    EXPECT_NE(MPI_Type_match_size(4711, 4, &type), MPI_SUCCESS);
}

MPI_TEST_AT(FortranTypes, ParametrizedTypesAreWideEnough, ({1}))
{
    const auto bytes_of = [](MPI_Datatype type) {
        int bytes = -1;
        MPI_Type_size(type, &bytes);
        return bytes;
    };
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_create_f90_real(6, 30, &type);
    EXPECT_EQ(bytes_of(type), 4);
    MPI_Type_create_f90_real(15, 300, &type);
    EXPECT_EQ(bytes_of(type), 8);
    MPI_Type_create_f90_real(10, MPI_UNDEFINED, &type);
    EXPECT_EQ(bytes_of(type), 8);
    const Contents real = contents_of(type);
    EXPECT_EQ(real.combiner, MPI_COMBINER_F90_REAL);
    EXPECT_EQ(real.integers, (std::vector<int>{10, MPI_UNDEFINED}));
    MPI_Datatype again = MPI_DATATYPE_NULL;
    MPI_Type_create_f90_real(10, MPI_UNDEFINED, &again);
    EXPECT_EQ(again, type);  // the same arguments give the same handle
    MPI_Type_create_f90_complex(15, 300, &type);
    EXPECT_EQ(bytes_of(type), 16);
    EXPECT_EQ(contents_of(type).combiner, MPI_COMBINER_F90_COMPLEX);
    const struct {
        int digits;
        int bytes;
    } cases[] = {{2, 1}, {4, 2}, {9, 4}, {18, 8}};
    for (const auto& c : cases) {
        MPI_Type_create_f90_integer(c.digits, &type);
        EXPECT_EQ(bytes_of(type), c.bytes) << c.digits;
        const Contents contents = contents_of(type);
        EXPECT_EQ(contents.combiner, MPI_COMBINER_F90_INTEGER);
        EXPECT_EQ(contents.integers, std::vector<int>{c.digits});
    }
    const ReturnErrors returned;
    EXPECT_NE(MPI_Type_create_f90_integer(60, &type), MPI_SUCCESS);
}

MPI_TEST_AT(TypeArguments, BadOnesAreRefused, ({1}))
{
    const ReturnErrors returned;
    MPI_Datatype type = MPI_DATATYPE_NULL;
    const int minus[] = {-1};
    const int one[] = {1};
    const int zero[] = {0};
    const int four[] = {4};
    const MPI_Aint at[] = {0};
    const MPI_Datatype none[] = {MPI_DATATYPE_NULL};
    EXPECT_CLASS(MPI_ERR_COUNT, MPI_Type_contiguous(-1, MPI_INT, &type));
    EXPECT_CLASS(MPI_ERR_TYPE, MPI_Type_contiguous(1, MPI_DATATYPE_NULL, &type));
    EXPECT_CLASS(MPI_ERR_COUNT, MPI_Type_vector(-1, 1, 1, MPI_INT, &type));
    EXPECT_NE(MPI_Type_vector(1, -1, 1, MPI_INT, &type), MPI_SUCCESS);
    EXPECT_CLASS(MPI_ERR_COUNT, MPI_Type_indexed(-1, one, one, MPI_INT, &type));
    EXPECT_NE(MPI_Type_indexed(1, minus, one, MPI_INT, &type), MPI_SUCCESS);
    EXPECT_CLASS(MPI_ERR_TYPE, MPI_Type_create_struct(1, one, at, none, &type));
    if (!excepted("a subarray beyond its array")) {
        EXPECT_NE(MPI_Type_create_subarray(1, four, four, one, MPI_ORDER_C, MPI_INT, &type), MPI_SUCCESS);
    }
    EXPECT_NE(MPI_Type_create_subarray(1, four, one, zero, 4711, MPI_INT, &type), MPI_SUCCESS);
    type = MPI_DATATYPE_NULL;
    int bytes = 0;
    EXPECT_CLASS(MPI_ERR_TYPE, MPI_Type_commit(&type));
    EXPECT_CLASS(MPI_ERR_TYPE, MPI_Type_free(&type));
    EXPECT_CLASS(MPI_ERR_TYPE, MPI_Type_size(type, &bytes));
    type = MPI_INT;
    EXPECT_CLASS(MPI_ERR_TYPE, MPI_Type_free(&type));
}

}  // namespace
}  // namespace mpi_test
