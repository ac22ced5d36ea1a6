// MPI-3.1, section 6.8: names of communicators and types.
#include "mpi_test.hpp"

#include <string>
#include <vector>

using namespace mpi_test;

namespace {

std::string name_of(MPI_Comm comm)
{
    char name[MPI_MAX_OBJECT_NAME] = "junk";
    int length = -1;
    MPI_Comm_get_name(comm, name, &length);
    EXPECT_EQ(std::string(name).size(), static_cast<std::size_t>(length));
    return name;
}

std::string name_of_type(MPI_Datatype type)
{
    char name[MPI_MAX_OBJECT_NAME] = "junk";
    int length = -1;
    MPI_Type_get_name(type, name, &length);
    EXPECT_EQ(std::string(name).size(), static_cast<std::size_t>(length));
    return name;
}

}  // namespace

MPI_TEST(Name, OfPredefinedCommunicators)
{
    EXPECT_EQ(name_of(MPI_COMM_WORLD), "MPI_COMM_WORLD");
    EXPECT_EQ(name_of(MPI_COMM_SELF), "MPI_COMM_SELF");
}

MPI_TEST(Name, OfACommunicatorIsEmptyUntilSetAndIsNotCopied)
{
    MPI_Comm first = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &first);
    if (!excepted("new communicators have no name")) {
        EXPECT_EQ(name_of(first), "");
    }
    MPI_Comm_set_name(first, "waves, eastward");
    EXPECT_EQ(name_of(first), "waves, eastward");
    MPI_Comm second = MPI_COMM_NULL;
    MPI_Comm_dup(first, &second);
    EXPECT_NE(name_of(second), "waves, eastward");
    MPI_Comm_set_name(first, "");
    EXPECT_EQ(name_of(first), "");
    MPI_Comm_free(&second);
    MPI_Comm_free(&first);
}

MPI_TEST(Name, IsCutToTheMaximum)
{
    EXPECT_GE(MPI_MAX_OBJECT_NAME, 64);
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    const std::string longest(MPI_MAX_OBJECT_NAME - 1, 'x');
    MPI_Comm_set_name(comm, longest.c_str());
    EXPECT_EQ(name_of(comm), longest);
    MPI_Comm_set_name(comm, (longest + "yyy").c_str());
    EXPECT_EQ(name_of(comm), longest);
    MPI_Comm_free(&comm);
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_contiguous(2, MPI_INT, &type);
    MPI_Type_set_name(type, (longest + "yyy").c_str());
    EXPECT_EQ(name_of_type(type), longest);
    MPI_Type_free(&type);
}

MPI_TEST(Name, OfPredefinedTypes)
{
    EXPECT_EQ(name_of_type(MPI_INT), "MPI_INT");
    EXPECT_EQ(name_of_type(MPI_DOUBLE), "MPI_DOUBLE");
    EXPECT_EQ(name_of_type(MPI_CHAR), "MPI_CHAR");
    EXPECT_EQ(name_of_type(MPI_BYTE), "MPI_BYTE");
    EXPECT_EQ(name_of_type(MPI_PACKED), "MPI_PACKED");
    EXPECT_EQ(name_of_type(MPI_UNSIGNED_LONG_LONG), "MPI_UNSIGNED_LONG_LONG");
    EXPECT_EQ(name_of_type(MPI_DOUBLE_PRECISION), "MPI_DOUBLE_PRECISION");
    EXPECT_EQ(name_of_type(MPI_DOUBLE_INT), "MPI_DOUBLE_INT");
    EXPECT_EQ(name_of_type(MPI_2INT), "MPI_2INT");
    EXPECT_EQ(name_of_type(MPI_UINT64_T), "MPI_UINT64_T");
    EXPECT_EQ(name_of_type(MPI_C_DOUBLE_COMPLEX), "MPI_C_DOUBLE_COMPLEX");
}

MPI_TEST(Name, OfADerivedTypeIsEmptyUntilSet)
{
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_contiguous(2, MPI_INT, &type);
    EXPECT_EQ(name_of_type(type), "");
    MPI_Type_set_name(type, "pair");
    EXPECT_EQ(name_of_type(type), "pair");
    MPI_Datatype copy = MPI_DATATYPE_NULL;
    MPI_Type_dup(type, &copy);
    if (!excepted("names of types are not copied")) {
        EXPECT_EQ(name_of_type(copy), "");
    }
    MPI_Type_free(&copy);
    MPI_Type_free(&type);
}
