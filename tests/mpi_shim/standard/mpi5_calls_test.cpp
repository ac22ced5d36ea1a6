// MPI-5.0, chapter 20: what the standard ABI adds to the calls of MPI-3.1.
#include "mpi_test.hpp"

namespace mpi_test {
namespace {

TEST(StandardAbi, ItsVersionIsToldWithoutMpi)
{
    int version = -1;
    int subversion = -1;
    EXPECT_EQ(MPI_Abi_get_version(&version, &subversion), MPI_SUCCESS);
    EXPECT_EQ(version, 1);
    EXPECT_EQ(subversion, 0);
}

TEST(StandardAbi, IntegersOfPredefinedHandlesAreTheirValues)
{
    EXPECT_EQ(MPI_Comm_toint(MPI_COMM_WORLD), 0x101);
    EXPECT_EQ(MPI_Comm_fromint(0x102), MPI_COMM_SELF);
    EXPECT_EQ(MPI_Group_toint(MPI_GROUP_EMPTY), 0x109);
    EXPECT_EQ(MPI_Type_toint(MPI_LONG_DOUBLE_INT), 0x22d);
    EXPECT_EQ(MPI_Type_fromint(0x2e2), MPI_REAL16);
    EXPECT_EQ(MPI_Op_fromint(MPI_Op_toint(MPI_NO_OP)), MPI_NO_OP);
    EXPECT_EQ(MPI_Errhandler_toint(MPI_ERRORS_RETURN), 0x143);
    EXPECT_EQ(MPI_Info_fromint(0x130), MPI_INFO_NULL);
    EXPECT_EQ(MPI_Request_toint(MPI_REQUEST_NULL), 0x180);
    EXPECT_EQ(MPI_Message_toint(MPI_MESSAGE_NULL), 0x128);
    EXPECT_EQ(MPI_Message_fromint(0x129), MPI_MESSAGE_NO_PROC);
    EXPECT_EQ(MPI_Win_toint(MPI_WIN_NULL), 0x110);
    EXPECT_EQ(MPI_File_fromint(0x118), MPI_FILE_NULL);
}

MPI_TEST_AT(StandardAbi, IntegersOfOtherHandlesLeadBackToThem, ({2}))
{
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    const int number = MPI_Comm_toint(comm);
    EXPECT_EQ(number, MPI_Comm_toint(comm));
    EXPECT_FALSE(number >= 0 && number < 4096) << number;  // the predefined handles'
    EXPECT_EQ(MPI_Comm_fromint(number), comm);
    EXPECT_EQ(MPI_Comm_c2f(comm), number);
    MPI_Comm_free(&comm);

    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_contiguous(3, MPI_INT, &type);
    EXPECT_EQ(MPI_Type_fromint(MPI_Type_toint(type)), type);
    MPI_Type_free(&type);
}

MPI_TEST_AT(StandardAbi, TypesThatTheLibraryHasNotAreNoTypes, ({1}))
{
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    for (const MPI_Datatype type : {MPI_INTEGER16, MPI_LOGICAL16, MPI_REAL2, MPI_COMPLEX4}) {
        int size = 0;
        EXPECT_EQ(error_class(MPI_Type_size(type, &size)), MPI_ERR_TYPE);
    }
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

MPI_TEST_AT(StandardAbi, ABufferOfTheLibrarysOwnIsRefused, ({1}))
{
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    EXPECT_EQ(error_class(MPI_Buffer_attach(MPI_BUFFER_AUTOMATIC, 0)), MPI_ERR_BUFFER);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

// Numbers that are constants of the core's (standard.hpp) and none of this mpi.h.
MPI_TEST_AT(StandardAbi, NumbersOfOtherInterfacesMeanNothing, ({1}))
{
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    int value = 0;
    EXPECT_EQ(error_class(MPI_Send(&value, 1, MPI_INT, MPI_PROC_NULL, -1, MPI_COMM_WORLD)), MPI_ERR_TAG);
    EXPECT_EQ(error_class(MPI_Send(&value, 1, MPI_INT, -2, 0, MPI_COMM_WORLD)), MPI_ERR_RANK);
    EXPECT_EQ(error_class(MPI_Recv(&value, 1, MPI_INT, -2, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE)), MPI_ERR_RANK);
    EXPECT_EQ(
        error_class(MPI_Recv(&value, 1, MPI_INT, MPI_PROC_NULL, -1, MPI_COMM_WORLD, MPI_STATUS_IGNORE)), MPI_ERR_TAG);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

}  // namespace
}  // namespace mpi_test
