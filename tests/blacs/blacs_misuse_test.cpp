// Misuse ends the job with words that name the routine, the process, the argument and its value. Each body is a program of
// one process of its own; the test reads what it printed.
#include "blacs_api.hpp"

#include <string>

namespace {

using namespace fmpl_test;

void expect_words(const std::string& body, const std::vector<std::string>& words, int status = 1)
{
    const ProgramResult result = run_body_without_launcher(body);
    EXPECT_EQ(status, result.status) << result.output;
    for (const std::string& word : words) {
        EXPECT_NE(std::string::npos, result.output.find(word)) << '"' << word << "\" is missing in: " << result.output;
    }
}

int one_process_grid()
{
    int context = -1;
    Cblacs_get(-1, 0, &context);
    Cblacs_gridinit(&context, "R", 1, 1);
    return context;
}

double x[8];

}  // namespace

#define FMPL_MISUSE(Name, statement, ...)                                                     \
    FMPL_RANKS_TEST_WITH(BlacsMisuse, Name##_program, ::fmpl_test::RanksOptions{.ranks = {}}) \
    {                                                                                         \
        statement;                                                                            \
    }                                                                                         \
    TEST(BlacsMisuse, Name)                                                                   \
    {                                                                                         \
        expect_words("BlacsMisuse." #Name "_program", {__VA_ARGS__});                         \
    }

FMPL_MISUSE(CallBeforePinfo, Cdgesd2d(0, 1, 1, x, 1, 0, 0), "Cdgesd2d", "not initialized", "blacs_pinfo")
FMPL_MISUSE(
    UnknownContext, Cblacs_barrier(one_process_grid() + 5, "All"), "Cblacs_barrier", "process 0", "5", "not a context")
FMPL_MISUSE(ContextOfAProcessOutside, one_process_grid(); Cblacs_barrier(-1, "All"), "Cblacs_barrier", "context is -1")
FMPL_MISUSE(ExitedContext, const int c = one_process_grid(); Cblacs_gridexit(c);
            Cblacs_gridexit(c), "Cblacs_gridexit", "not a context")
FMPL_MISUSE(UnknownScope, Cblacs_barrier(one_process_grid(), "Everyone"), "Cblacs_barrier", "scope = 'E'")
FMPL_MISUSE(RowOutsideTheGrid, Cdgesd2d(one_process_grid(), 1, 1, x, 1, 1, 0), "Cdgesd2d", "{0,0} of the 1 x 1 grid",
    "rdest = 1")
FMPL_MISUSE(ColumnOutsideTheGrid, Czgerv2d(one_process_grid(), 1, 1, x, 1, 0, -2), "Czgerv2d", "csrc = -2")
FMPL_MISUSE(SmallLeadingDimension, Cdgesd2d(one_process_grid(), 4, 2, x, 3, 0, 0), "Cdgesd2d", "lda = 3", "m = 4")
FMPL_MISUSE(NegativeRows, Cdgesd2d(one_process_grid(), -1, 2, x, 3, 0, 0), "Cdgesd2d", "m = -1")
FMPL_MISUSE(NegativeColumns, Cigerv2d(one_process_grid(), 1, -2, nullptr, 3, 0, 0), "Cigerv2d", "n = -2")
FMPL_MISUSE(NullMatrix, Csgesd2d(one_process_grid(), 1, 1, nullptr, 1, 0, 0), "Csgesd2d", "null pointer")
FMPL_MISUSE(UnknownTriangle, Cdtrsd2d(one_process_grid(), "X", "N", 1, 1, x, 1, 0, 0), "Cdtrsd2d", "uplo = 'X'")
FMPL_MISUSE(UnknownDiagonal, Cdtrsd2d(one_process_grid(), "U", "Z", 1, 1, x, 1, 0, 0), "Cdtrsd2d", "diag = 'Z'")
FMPL_MISUSE(
    BroadcastFromItself, Cdgebr2d(one_process_grid(), "All", " ", 1, 1, x, 1, 0, 0), "Cdgebr2d", "this process itself")
FMPL_MISUSE(GridLargerThanTheJob, int c = 0;
            Cblacs_gridinit(&c, "R", 2, 3), "Cblacs_gridinit", "2 x 3", "6 processes", "has 1")
FMPL_MISUSE(EmptyGrid, int c = 0; Cblacs_gridinit(&c, "R", 0, 3), "Cblacs_gridinit", "nprow = 0")
FMPL_MISUSE(MapOutsideTheJob, int c = 0; const int map = 3;
            Cblacs_gridmap(&c, &map, 1, 1, 1), "Cblacs_gridmap", "process 3", "0 .. 0")
FMPL_MISUSE(UnknownSystemContext, int c = 9; Cblacs_gridinit(&c, "R", 1, 1), "Cblacs_gridinit", "9 is not the handle")
FMPL_MISUSE(UnknownWhat, int v = 0; Cblacs_get(one_process_grid(), 99, &v), "Cblacs_get", "what = 99")
FMPL_MISUSE(MessageLongerThanTheMatrix, const int c = one_process_grid(); Cdgesd2d(c, 8, 1, x, 8, 0, 0);
            Cdgerv2d(c, 4, 1, x, 4, 0, 0), "Cdgerv2d", "64")
FMPL_MISUSE(FortranNamesAreNamed, const int c = one_process_grid(); const int one = 1;
            dgesd2d_(&c, &one, &one, x, &one, &one, &one), "routine dgesd2d,", "rdest = 1")

FMPL_RANKS_TEST_WITH(BlacsMisuse, Abort_program, ::fmpl_test::RanksOptions{.ranks = {}})
{
    Cblacs_abort(one_process_grid(), 42);
}
TEST(BlacsMisuse, AbortNamesProcessAndErrorNumberAndIsTheExitStatus)
{
    expect_words("BlacsMisuse.Abort_program", {"Cblacs_abort", "process 0 at {0,0}", "42"}, 42);
}
