// MPI-3.1, chapter 16: the calls on data types that MPI-3.0 removed. The shim has them still; the installed MPIs'
// headers do not.
#include "mpi_test.hpp"
#include "protocol_sizes.hpp"

namespace mpi_test {
namespace {

void expect_combiner_and_free(MPI_Datatype& type, int expected, int size)
{
    int integers = 0;
    int addresses = 0;
    int types = 0;
    int combiner = MPI_UNDEFINED;
    int bytes = -1;
    MPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner);
    EXPECT_EQ(combiner, expected);
    MPI_Type_size(type, &bytes);
    EXPECT_EQ(bytes, size);
    MPI_Type_free(&type);
}

MPI_TEST_AT(RemovedCalls, ConstructorsMakeTheTypesOfTheirSuccessors, ({1, 2}))
{
    const MPI_Datatype types[] = {MPI_INT, MPI_DOUBLE};
    int lengths[] = {2, 1};
    MPI_Aint displacements[] = {0, 16};
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_hvector(3, 2, 20, MPI_INT, &type);
    expect_combiner_and_free(type, MPI_COMBINER_HVECTOR, 24);
    MPI_Type_hindexed(2, lengths, displacements, MPI_INT, &type);
    expect_combiner_and_free(type, MPI_COMBINER_HINDEXED, 12);
    MPI_Datatype structure_types[] = {types[0], types[1]};
    MPI_Type_struct(2, lengths, displacements, structure_types, &type);
    expect_combiner_and_free(type, MPI_COMBINER_STRUCT, 16);
}

MPI_TEST_AT(RemovedCalls, BoundsAndAddressesAreThoseOfTheirSuccessors, ({1}))
{
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_create_resized(MPI_INT, -8, 24, &type);
    MPI_Aint value = -1;
    MPI_Type_extent(type, &value);
    EXPECT_EQ(value, 24);
    MPI_Type_lb(type, &value);
    EXPECT_EQ(value, -8);
    MPI_Type_ub(type, &value);
    EXPECT_EQ(value, 16);
    MPI_Type_free(&type);
    int place = 0;
    MPI_Aint address = 0;
    MPI_Get_address(&place, &address);
    MPI_Address(&place, &value);
    EXPECT_EQ(value, address);
}

}  // namespace
}  // namespace mpi_test
