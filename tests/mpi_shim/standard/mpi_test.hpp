// Tests of an MPI library from the text of MPI-3.1, the same sources for the shim and for an installed MPI.
//
//     MPI_TEST(Send, MessagesOfAPairArriveInOrder) { ... }
//
// The body is called once by each rank, between MPI_Init and MPI_Finalize. MPI_TEST_AT(Suite, Name, ({2, 4})) names
// the numbers of ranks at which it runs; the others run at 1, 2, 3, 4 and 7. Inside a body, EXPECT_* may be used by
// all ranks. ASSERT_* may not: it would let one rank leave while the others wait for it. REQUIRE throws instead, and
// that ends the job. MPI_COMM_WORLD keeps MPI_ERRORS_ARE_FATAL unless a body says otherwise, so that a call's code
// need not be looked at.
//
// - Over the shim (mpi_test_fmpl.cpp) each body is a job of its own, with the ranks as processes and as threads: a test
//   has no mutable data besides that of its functions.
// - Over an installed MPI (mpi_test_peer.cpp) all bodies run one after another in one job: a body leaves no message
//   behind, and puts back what it changes of MPI_COMM_WORLD.
//
// Where an installed MPI departs from the standard, or does what the standard leaves to it, exceptions.cpp has a row.
#pragma once

#include <mpi.h>

#include <gtest/gtest.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace mpi_test {

using Body = void (*)();

// Called by the macros before main. Returns true, to initialize a variable with.
bool register_test(
    const char* suite, const char* name, const char* file, int line, Body in_mpi, std::vector<int> ranks);

// Calls the body with MPI initialized.
void run_in_mpi(Body body);

// The calling rank and the number of ranks of MPI_COMM_WORLD.
int rank();
int size();

// The same on all ranks, printed by every run: FMPL_TEST_SEED, or random.
std::uint64_t seed();

enum class Library { fmpl, openmpi, mpich };
Library library();

// True when exceptions.cpp has a row for the library under test and this part of a test, or this body ("Suite.Name",
// which is then not run at all).
bool excepted(const std::string& what);

inline int error_class(int code)
{
    int result = MPI_ERR_UNKNOWN;
    MPI_Error_class(code, &result);
    return result;
}
std::string error_name(int error_class);

// Success when the code is of the class.
::testing::AssertionResult is_of_class(int expected, int code);

// While it lives, errors of the communicator are returned; then its former error handler is back.
class ReturnErrors {
public:
    explicit ReturnErrors(MPI_Comm comm = MPI_COMM_WORLD);
    ~ReturnErrors();
    ReturnErrors(const ReturnErrors&) = delete;
    ReturnErrors& operator=(const ReturnErrors&) = delete;

private:
    MPI_Comm comm_;
    MPI_Errhandler former_ = MPI_ERRHANDLER_NULL;
};

[[noreturn]] void fail_requirement(const char* file, int line, const char* condition);

}  // namespace mpi_test

// Counts in parentheses: MPI_TEST_AT(Suite, Name, ({2, 4})).
#define MPI_TEST_AT(Suite, Name, Counts)                                                           \
    static void Suite##_##Name##_body();                                                           \
    static void Suite##_##Name##_in_mpi()                                                          \
    {                                                                                              \
        ::mpi_test::run_in_mpi(&Suite##_##Name##_body);                                            \
    }                                                                                              \
    [[maybe_unused]] static const bool Suite##_##Name##_is_registered = ::mpi_test::register_test( \
        #Suite, #Name, __FILE__, __LINE__, &Suite##_##Name##_in_mpi, std::vector<int> Counts);     \
    static void Suite##_##Name##_body()
#define MPI_TEST(Suite, Name) MPI_TEST_AT(Suite, Name, ({1, 2, 3, 4, 7}))

#define REQUIRE(condition)                                                              \
    do {                                                                                \
        if (!(condition)) ::mpi_test::fail_requirement(__FILE__, __LINE__, #condition); \
    } while (false)
// For calls under MPI_ERRORS_RETURN: the class of the code that the call returns.
#define EXPECT_CLASS(error_class, call) EXPECT_TRUE(::mpi_test::is_of_class((error_class), (call))) << "from " #call
#define EXPECT_SUCCESS(call) EXPECT_CLASS(MPI_SUCCESS, call)
#define REQUIRE_SUCCESS(call) REQUIRE((call) == MPI_SUCCESS)
