#include "mpi_test.hpp"

#include <algorithm>

namespace mpi_test {

int rank()
{
    int result = -1;
    MPI_Comm_rank(MPI_COMM_WORLD, &result);
    return result;
}

int size()
{
    int result = -1;
    MPI_Comm_size(MPI_COMM_WORLD, &result);
    return result;
}

std::string error_name(int error_class)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    MPI_Error_string(error_class, text, &length);
    return std::to_string(error_class) + " (" + std::string(text, static_cast<std::size_t>(length)) + ")";
}

::testing::AssertionResult is_of_class(int expected, int code)
{
    const int got = code == MPI_SUCCESS ? MPI_SUCCESS : error_class(code);
    if (got == expected) return ::testing::AssertionSuccess();
    return ::testing::AssertionFailure() << "error class " << error_name(got) << " instead of " << error_name(expected);
}

ReturnErrors::ReturnErrors(MPI_Comm comm) : comm_(comm)
{
    MPI_Comm_get_errhandler(comm_, &former_);
    MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
}

ReturnErrors::~ReturnErrors()
{
    MPI_Comm_set_errhandler(comm_, former_);
    MPI_Errhandler_free(&former_);
}

void fail_requirement(const char* file, int line, const char* condition)
{
    throw std::runtime_error(std::string(file) + ":" + std::to_string(line) + ": not so: " + condition);
}

}  // namespace mpi_test
