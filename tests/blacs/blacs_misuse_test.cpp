// Misuse ends the job with words that name the routine, the process, the argument and its value. Each body is a program
// of its own, of one process or of several; the test reads what it printed. What the BLACS let pass is here too.
#include "blacs_api.hpp"
#include "ending_program.hpp"

#include <cerrno>
#include <csignal>
#include <fstream>
#include <limits>
#include <string>

#include <unistd.h>

namespace {

using namespace fmpl_test;

int one_process_grid()
{
    int context = -1;
    Cblacs_get(-1, 0, &context);
    Cblacs_gridinit(&context, "R", 1, 1);
    return context;
}

// All processes in one row; the calling process's column is its number.
int row_grid()
{
    int number = -1, count = -1, context = -1;
    Cblacs_pinfo(&number, &count);
    Cblacs_get(-1, 0, &context);
    Cblacs_gridinit(&context, "R", 1, count);
    return context;
}

bool first()
{
    return rank() == 0;
}

double x[8];
int places[8];

}  // namespace

// FMPL_MISUSE(Name, words...) { program of one process }
#define FMPL_MISUSE(Name, ...)                                        \
    TEST(BlacsMisuse, Name)                                           \
    {                                                                 \
        expect_words("BlacsMisuse." #Name "_program", {__VA_ARGS__}); \
    }                                                                 \
    FMPL_RANKS_TEST_WITH(BlacsMisuse, Name##_program, ::fmpl_test::RanksOptions{.ranks = {}})

// FMPL_MISUSE_OF(ranks, Name, words...) { program of several processes, in which `c` is a grid of all in one row }
#define FMPL_PROGRAM_ON_A_ROW(Name)                                                           \
    static void Name##_on_a_row(int c);                                                       \
    FMPL_RANKS_TEST_WITH(BlacsMisuse, Name##_program, ::fmpl_test::RanksOptions{.ranks = {}}) \
    {                                                                                         \
        Name##_on_a_row(row_grid());                                                          \
        Cblacs_exit(0);                                                                       \
    }                                                                                         \
    static void Name##_on_a_row([[maybe_unused]] int c)
#define FMPL_MISUSE_OF(ranks_, Name, ...)                                        \
    TEST(BlacsMisuse, Name)                                                      \
    {                                                                            \
        expect_words_of(ranks_, "BlacsMisuse." #Name "_program", {__VA_ARGS__}); \
    }                                                                            \
    FMPL_PROGRAM_ON_A_ROW(Name)

FMPL_MISUSE(CallBeforePinfo, "Cdgesd2d", "not initialized", "blacs_pinfo")
{
    Cdgesd2d(0, 1, 1, x, 1, 0, 0);
}
FMPL_MISUSE(UnknownContext, "Cblacs_barrier", "process 0", "5", "not a context")
{
    Cblacs_barrier(one_process_grid() + 5, "All");
}
FMPL_MISUSE(ContextOfAProcessOutside, "Cblacs_barrier", "context is -1")
{
    one_process_grid();
    Cblacs_barrier(-1, "All");
}
FMPL_MISUSE(ExitedContext, "Cblacs_gridexit", "not a context")
{
    const int c = one_process_grid();
    Cblacs_gridexit(c);
    Cblacs_gridexit(c);
}
FMPL_MISUSE(UnknownScope, "Cblacs_barrier", "scope = 'E'")
{
    Cblacs_barrier(one_process_grid(), "Everyone");
}
FMPL_MISUSE(RowOutsideTheGrid, "Cdgesd2d", "{0,0} of the 1 x 1 grid", "rdest = 1")
{
    Cdgesd2d(one_process_grid(), 1, 1, x, 1, 1, 0);
}
FMPL_MISUSE(ColumnOutsideTheGrid, "Czgerv2d", "csrc = -2")
{
    Czgerv2d(one_process_grid(), 1, 1, x, 1, 0, -2);
}
FMPL_MISUSE(SmallLeadingDimension, "Cdgesd2d", "lda = 3", "m = 4")
{
    Cdgesd2d(one_process_grid(), 4, 2, x, 3, 0, 0);
}
// INT_MAX x INT_MAX elements: their bytes do not fit 64 bits, or come out small.
constexpr int kMost = std::numeric_limits<int>::max();
#define FMPL_HUGE_MATRIX(Routine, ...)                                                                                \
    FMPL_MISUSE(HugeMatrixOf##Routine, #Routine, "m = 2147483647", "n = 2147483647", "lda = 2147483647", "process 0") \
    {                                                                                                                 \
        const int c = one_process_grid();                                                                             \
        Routine(c, __VA_ARGS__);                                                                                      \
    }
FMPL_HUGE_MATRIX(Cigesd2d, kMost, kMost, places, kMost, 0, 0)
FMPL_HUGE_MATRIX(Cdgesd2d, kMost, kMost, x, kMost, 0, 0)
FMPL_HUGE_MATRIX(Czgerv2d, kMost, kMost, x, kMost, 0, 0)
FMPL_HUGE_MATRIX(Cdtrsd2d, "U", "N", kMost, kMost, x, kMost, 0, 0)
FMPL_HUGE_MATRIX(Cdtrrv2d, "L", "U", kMost, kMost, x, kMost, 0, 0)
FMPL_HUGE_MATRIX(Cdgebs2d, "All", "i", kMost, kMost, x, kMost)
FMPL_HUGE_MATRIX(Cdtrbs2d, "All", "i", "U", "N", kMost, kMost, x, kMost)
FMPL_HUGE_MATRIX(Cdgsum2d, "All", " ", kMost, kMost, x, kMost, 0, 0)
FMPL_HUGE_MATRIX(Cdgamx2d, "All", " ", kMost, kMost, x, kMost, places, places, kMost, 0, 0)
FMPL_MISUSE(FewColumnsFarApart, "Cdgesd2d", "n = 2000000", "lda = 2147483647")
{
    Cdgesd2d(one_process_grid(), 1, 2000000, x, kMost, 0, 0);
}
FMPL_MISUSE_OF(2, HugeMatrixOfABroadcast, "Cdgebr2d", "process 1", "m = 2147483647")
{
    if (first()) {
        Cdgebs2d(c, "All", "i", 1, 1, x, 1);
    } else {
        Cdgebr2d(c, "All", "i", kMost, kMost, x, kMost, 0, 0);
    }
}
FMPL_MISUSE(NegativeRows, "Cdgesd2d", "m = -1")
{
    Cdgesd2d(one_process_grid(), -1, 2, x, 3, 0, 0);
}
FMPL_MISUSE(NegativeColumns, "Cigerv2d", "n = -2")
{
    Cigerv2d(one_process_grid(), 1, -2, nullptr, 3, 0, 0);
}
FMPL_MISUSE(NullMatrix, "Csgesd2d", "null pointer")
{
    Csgesd2d(one_process_grid(), 1, 1, nullptr, 1, 0, 0);
}
FMPL_MISUSE(UnknownTriangle, "Cdtrsd2d", "uplo = 'X'")
{
    Cdtrsd2d(one_process_grid(), "X", "N", 1, 1, x, 1, 0, 0);
}
FMPL_MISUSE(UnknownDiagonal, "Cdtrsd2d", "diag = 'Z'")
{
    Cdtrsd2d(one_process_grid(), "U", "Z", 1, 1, x, 1, 0, 0);
}
FMPL_MISUSE(BroadcastFromItself, "Cdgebr2d", "this process itself")
{
    Cdgebr2d(one_process_grid(), "All", " ", 1, 1, x, 1, 0, 0);
}
FMPL_MISUSE(GridLargerThanTheJob, "Cblacs_gridinit", "2 x 3", "6 processes", "has 1")
{
    int c = 0;
    Cblacs_gridinit(&c, "R", 2, 3);
}
FMPL_MISUSE(EmptyGrid, "Cblacs_gridinit", "nprow = 0")
{
    int c = 0;
    Cblacs_gridinit(&c, "R", 0, 3);
}
FMPL_MISUSE(MapOutsideTheJob, "Cblacs_gridmap", "process 3", "0 .. 0")
{
    int c = 0;
    const int map = 3;
    Cblacs_gridmap(&c, &map, 1, 1, 1);
}
FMPL_MISUSE(UnknownSystemContext, "Cblacs_gridinit", "9 is not the handle")
{
    int c = 9;
    Cblacs_gridinit(&c, "R", 1, 1);
}
FMPL_MISUSE(UnknownWhat, "Cblacs_get", "what = 99")
{
    int v = 0;
    Cblacs_get(one_process_grid(), 99, &v);
}
FMPL_MISUSE(MessageLongerThanTheMatrix, "Cdgerv2d", "64")
{
    const int c = one_process_grid();
    Cdgesd2d(c, 8, 1, x, 8, 0, 0);
    Cdgerv2d(c, 4, 1, x, 4, 0, 0);
}
FMPL_MISUSE(FortranNamesAreNamed, "routine dgesd2d,", "rdest = 1")
{
    const int c = one_process_grid();
    const int one = 1;
    dgesd2d_(&c, &one, &one, x, &one, &one, &one);
}

// ---- Calls before and after ----

FMPL_MISUSE(BarrierBeforePinfo, "Cblacs_barrier", "process 0", "not initialized")
{
    Cblacs_barrier(0, "All");
}
FMPL_MISUSE(GridExitBeforePinfo, "Cblacs_gridexit", "not initialized")
{
    Cblacs_gridexit(0);
}
FMPL_MISUSE(FreebuffBeforePinfo, "Cblacs_freebuff", "not initialized")
{
    Cblacs_freebuff(0, 1);
}
FMPL_MISUSE(SetBeforePinfo, "Cblacs_set", "not initialized")
{
    int v = 1;
    Cblacs_set(0, 11, &v);
}
FMPL_MISUSE(PnumBeforePinfo, "Cblacs_pnum", "not initialized")
{
    Cblacs_pnum(0, 0, 0);
}
FMPL_MISUSE(SumAfterExit, "Cdgsum2d", "not initialized")
{
    const int c = one_process_grid();
    Cblacs_exit(0);
    Cdgsum2d(c, "All", " ", 1, 1, x, 1, -1, -1);
}
FMPL_MISUSE(SendAfterExitThatContinues, "Cdgesd2d", "not initialized")
{
    const int c = one_process_grid();
    Cblacs_exit(1);
    Cdgesd2d(c, 1, 1, x, 1, 0, 0);
}
FMPL_MISUSE(GridOfAnEarlierLife, "Cblacs_barrier", "0 is not a context")
{
    const int c = one_process_grid();
    Cblacs_exit(1);
    int number = 0, count = 0;
    Cblacs_pinfo(&number, &count);
    Cblacs_barrier(c, "All");
}

// ---- Contexts ----

FMPL_MISUSE(NegativeContext, "Cdgerv2d", "-7 is not a context")
{
    one_process_grid();
    Cdgerv2d(-7, 1, 1, x, 1, 0, 0);
}
FMPL_MISUSE(HugeContext, "Cdgebs2d", "2147483647 is not a context")
{
    one_process_grid();
    Cdgebs2d(2147483647, "All", " ", 1, 1, x, 1);
}
FMPL_MISUSE(PnumOfNoContext, "Cblacs_pnum", "3 is not a context")
{
    one_process_grid();
    Cblacs_pnum(3, 0, 0);
}
FMPL_MISUSE(PcoordOfNoContext, "Cblacs_pcoord", "3 is not a context")
{
    int r = 0, c = 0;
    one_process_grid();
    Cblacs_pcoord(3, 0, &r, &c);
}
FMPL_MISUSE(GridExitOfAProcessOutside, "Cblacs_gridexit", "context is -1")
{
    one_process_grid();
    Cblacs_gridexit(-1);
}
FMPL_MISUSE(FreebuffOfNoContext, "Cblacs_freebuff", "4 is not a context")
{
    one_process_grid();
    Cblacs_freebuff(4, 1);
}
FMPL_MISUSE(MessageIdOfNoContext, "Cksendid", "4 is not a context")
{
    one_process_grid();
    Cksendid(4, 0, 0);
}
FMPL_MISUSE(GetOfNoContext, "Cblacs_get", "4 is not a context")
{
    int v = 0;
    one_process_grid();
    Cblacs_get(4, 11, &v);
}
FMPL_MISUSE(SystemContextOfNoGrid, "Cblacs_get", "context is -1")
{
    int v = 0;
    one_process_grid();
    Cblacs_get(-1, 10, &v);
}
FMPL_MISUSE(SetOfNoContext, "Cblacs_set", "4 is not a context")
{
    int v = 1;
    one_process_grid();
    Cblacs_set(4, 11, &v);
}
FMPL_MISUSE(UnknownWhatToSet, "Cblacs_set", "what = 2")
{
    int v = 1;
    Cblacs_set(one_process_grid(), 2, &v);
}
FMPL_MISUSE_OF(2, AContextThatOnlyAnotherProcessHas, "Cblacs_barrier", "process 1", "1 is not a context")
{
    if (first()) {
        int d = 0;
        Cblacs_gridinit(&d, "R", 1, 1);
    }
    Cblacs_barrier(c + 1, first() ? "Row" : "All");
}

// ---- Grids ----

FMPL_MISUSE(NoColumns, "Cblacs_gridmap", "npcol = 0")
{
    int c = 0;
    Cblacs_gridmap(&c, places, 1, 1, 0);
}
FMPL_MISUSE(NegativeShape, "Cblacs_gridinit", "nprow = -1")
{
    int c = 0;
    Cblacs_gridinit(&c, "R", -1, -1);
}
FMPL_MISUSE(HugeShape, "Cblacs_gridinit", "4294967296 processes")
{
    int c = 0;
    Cblacs_gridinit(&c, "R", 65536, 65536);
}
FMPL_MISUSE(SystemContextMinusOne, "Cblacs_gridinit", "-1 is not the handle")
{
    int c = -1;
    Cblacs_gridinit(&c, "R", 1, 1);
}
FMPL_MISUSE(MapWithANegativeProcess, "Cblacs_gridmap", "process -1", "{0,0}", "0 .. 0")
{
    int c = 0;
    const int map = -1;
    Cblacs_gridmap(&c, &map, 1, 1, 1);
}
FMPL_MISUSE_OF(2, MapWithAProcessTwice, "Cblacs_gridmap", "process 1 twice", "{0,1}")
{
    int d = 0;
    const int map[] = {1, 1};
    Cblacs_gridmap(&d, map, 1, 1, 2);
}
FMPL_MISUSE_OF(2, SmallLeadingDimensionOfAMap, "Cblacs_gridmap", "2 x 2", "has 2")
{
    int d = 0;
    const int map[] = {0, 1, 0, 1};
    Cblacs_gridmap(&d, map, 1, 2, 2);
}
FMPL_MISUSE_OF(4, SmallerLeadingDimensionOfAMapThanRows, "Cblacs_gridmap", "ldup = 1", "nprow = 2")
{
    int d = 0;
    const int map[] = {0, 1, 2, 3};
    Cblacs_gridmap(&d, map, 1, 2, 2);
}
FMPL_MISUSE_OF(
    4, ShapesThatDiffer, "Cblacs_gridinit", "nprow x npcol is 1 x 4 here and 2 x 2 on the grid's first process")
{
    int d = 0;
    Cblacs_gridinit(&d, "R", first() ? 2 : 1, first() ? 2 : 4);
}
FMPL_MISUSE_OF(4, OrdersThatDiffer, "Cblacs_gridinit", "different lists", "order or usermap")
{
    int d = 0;
    Cblacs_gridinit(&d, first() ? "R" : "C", 2, 2);
}
FMPL_MISUSE_OF(3, MapsThatDiffer, "Cblacs_gridmap", "different lists", "usermap")
{
    int d = 0;
    const int map[] = {0, first() ? 1 : 2, first() ? 2 : 1};
    Cblacs_gridmap(&d, map, 1, 1, 3);
}

// ---- Letters ----

FMPL_MISUSE(NoScope, "Cdgebs2d", "scope = a null pointer", "give 'R'")
{
    Cdgebs2d(one_process_grid(), nullptr, " ", 1, 1, x, 1);
}
FMPL_MISUSE(ScopeOfASum, "Cdgsum2d", "scope = 'x'")
{
    Cdgsum2d(one_process_grid(), "x", " ", 1, 1, x, 1, -1, 0);
}
FMPL_MISUSE(ScopeOfAnExtreme, "Cdgamx2d", "scope = '1'")
{
    Cdgamx2d(one_process_grid(), "1", " ", 1, 1, x, 1, places, places, 1, -1, 0);
}
FMPL_MISUSE(EmptyScope, "Cblacs_barrier", "scope = character 0", "give 'R'")
{
    Cblacs_barrier(one_process_grid(), "");
}
FMPL_MISUSE(NoDiagonal, "Cztrsd2d", "diag = a null pointer", "give 'U'")
{
    Cztrsd2d(one_process_grid(), "L", nullptr, 1, 1, x, 1, 0, 0);
}
FMPL_MISUSE(TriangleOfABroadcast, "Cdtrbs2d", "uplo = 'B'")
{
    Cdtrbs2d(one_process_grid(), "All", " ", "B", "N", 1, 1, x, 1);
}
FMPL_MISUSE(DiagonalOfAReceive, "Cdtrrv2d", "diag = '?'")
{
    Cdtrrv2d(one_process_grid(), "U", "?", 1, 1, x, 1, 0, 0);
}

// ---- Matrices ----

FMPL_MISUSE(NegativeRowsOfASum, "Cigsum2d", "m = -4")
{
    Cigsum2d(one_process_grid(), "All", " ", -4, 2, places, 3, -1, 0);
}
FMPL_MISUSE(NegativeColumnsOfABroadcast, "Cdgebs2d", "n = -2")
{
    Cdgebs2d(one_process_grid(), "All", " ", 4, -2, x, 4);
}
FMPL_MISUSE(SmallLeadingDimensionOfATrapezoid, "Cdtrsd2d", "lda = 2", "m = 3")
{
    Cdtrsd2d(one_process_grid(), "U", "N", 3, 2, x, 2, 0, 0);
}
FMPL_MISUSE(SmallLeadingDimensionOfABroadcast, "Cdgebs2d", "lda = 0", "m = 3")
{
    Cdgebs2d(one_process_grid(), "All", " ", 3, 2, x, 0);
}
FMPL_MISUSE(SmallLeadingDimensionOfASum, "Cdgsum2d", "lda = -3", "m = 3")
{
    Cdgsum2d(one_process_grid(), "All", " ", 3, 2, x, -3, -1, 0);
}
FMPL_MISUSE(SmallLeadingDimensionOfPlaces, "Cdgamn2d", "ldia = 2", "m = 3")
{
    Cdgamn2d(one_process_grid(), "All", " ", 3, 2, x, 3, places, places, 2, -1, 0);
}
FMPL_MISUSE(NullPlaces, "Cdgamx2d", "ra or ca is a null pointer")
{
    Cdgamx2d(one_process_grid(), "All", " ", 3, 2, x, 3, nullptr, places, 3, -1, 0);
}
FMPL_MISUSE(NullMatrixOfASum, "Czgsum2d", "a is a null pointer", "3 x 2")
{
    Czgsum2d(one_process_grid(), "All", " ", 3, 2, nullptr, 3, -1, 0);
}
FMPL_MISUSE(NullMatrixOfABroadcast, "Ccgebs2d", "a is a null pointer")
{
    Ccgebs2d(one_process_grid(), "All", " ", 1, 1, nullptr, 3);
}

// ---- Null pointers of the support routines ----

FMPL_MISUSE(NullNumber, "Cblacs_pinfo", "mypnum is a null pointer")
{
    int v = 0;
    Cblacs_pinfo(nullptr, &v);
}
FMPL_MISUSE(NullCount, "Cblacs_setup", "nprocs is a null pointer")
{
    int v = 0;
    Cblacs_setup(&v, nullptr);
}
FMPL_MISUSE(NullValueToGet, "Cblacs_get", "val is a null pointer")
{
    Cblacs_get(-1, 0, nullptr);
}
FMPL_MISUSE(NullValueToSet, "Cblacs_set", "val is a null pointer")
{
    Cblacs_set(one_process_grid(), 11, nullptr);
}
FMPL_MISUSE(NullContextForAGrid, "Cblacs_gridinit", "context is a null pointer")
{
    Cblacs_gridinit(nullptr, "R", 1, 1);
}
FMPL_MISUSE(NullContextForAMap, "Cblacs_gridmap", "context is a null pointer")
{
    Cblacs_gridmap(nullptr, places, 1, 1, 1);
}
FMPL_MISUSE(NullMap, "Cblacs_gridmap", "usermap is a null pointer")
{
    int c = 0;
    Cblacs_gridmap(&c, nullptr, 1, 1, 1);
}
FMPL_MISUSE(NullGridInfo, "Cblacs_gridinfo", "mycol is a null pointer")
{
    int v = 0;
    Cblacs_gridinfo(one_process_grid(), &v, &v, &v, nullptr);
}
FMPL_MISUSE(NullCoordinates, "Cblacs_pcoord", "pcol is a null pointer")
{
    int v = 0;
    Cblacs_pcoord(one_process_grid(), 0, &v, nullptr);
}

// ---- Coordinates ----

FMPL_MISUSE_OF(2, RowOfASource, "Cdgerv2d", "rsrc = 1", "1 x 2 grid")
{
    Cdgerv2d(c, 1, 1, x, 1, 1, 0);
}
FMPL_MISUSE_OF(2, ColumnOfADestination, "Cdtrsd2d", "cdest = 2", "0 .. 1")
{
    Cdtrsd2d(c, "L", "N", 1, 1, x, 1, 0, 2);
}
FMPL_MISUSE_OF(2, ColumnOfARootInARow, "Cdgebr2d", "csrc = 5")
{
    Cdgebr2d(c, "Row", " ", 1, 1, x, 1, 0, 5);
}
FMPL_MISUSE_OF(2, RowOfARootInAColumn, "Cdtrbr2d", "rsrc = -1")
{
    Cdtrbr2d(c, "Col", " ", "U", "N", 1, 1, x, 1, -1, 0);
}
FMPL_MISUSE_OF(2, RowOfASum, "Cdgsum2d", "rdest = 1")
{
    Cdgsum2d(c, "All", " ", 1, 1, x, 1, 1, 0);
}
FMPL_MISUSE_OF(2, ColumnOfAnExtreme, "Cdgamx2d", "cdest = 2")
{
    Cdgamx2d(c, "Row", " ", 1, 1, x, 1, places, places, 1, 0, 2);
}
FMPL_MISUSE_OF(2, RowBelowMinusOne, "Cdgsum2d", "rdest = -2")
{
    Cdgsum2d(c, "All", " ", 1, 1, x, 1, -2, 0);
}

// ---- Processes that disagree ----

FMPL_MISUSE_OF(2, ARootThatCallsTheReceivingRoutine, "Cdgebr2d", "process 0 at {0,0}", "this process itself", "bs2d")
{
    Cdgebr2d(c, "All", " ", 1, 1, x, 1, 0, 0);
}
FMPL_MISUSE_OF(3, AnotherRootThanNamed, "Cdgebr2d", "root", "rank 0")
{
    if (first()) {
        Cdgebs2d(c, "All", " ", 1, 1, x, 1);
    } else {
        Cdgebr2d(c, "All", " ", 1, 1, x, 1, 0, 3 - rank());
    }
    Cblacs_barrier(c, "All");
}
FMPL_MISUSE_OF(3, ABroadcastOfAnotherSize, "Cdgebr2d", "48 bytes", "32", "m x n, rsrc, csrc must agree in the grid")
{
    if (first()) {
        Cdgebs2d(c, "All", " ", 3, 2, x, 3);
    } else {
        Cdgebr2d(c, "All", " ", 2, 2, x, 3, 0, 0);
    }
    Cblacs_barrier(c, "All");
}
FMPL_MISUSE_OF(3, ALongBroadcastOfAnotherSize, "Cdgebr2d", "2400000 bytes", "1600000")
{
    std::vector<double> a(300000);
    if (first()) {
        Cdgebs2d(c, "All", " ", 300000, 1, a.data(), 1);
    } else {
        Cdgebr2d(c, "All", " ", 100000, 2, a.data(), 150000, 0, 0);
    }
    Cblacs_barrier(c, "All");
}
FMPL_MISUSE_OF(3, AnEmptyMatrixForABroadcast, "Cdgebr2d", "32 bytes", "0")
{
    if (first()) {
        Cdgebs2d(c, "All", " ", 2, 2, x, 2);
    } else {
        Cdgebr2d(c, "All", " ", 0, 2, x, 2, 0, 0);
    }
    Cblacs_barrier(c, "All");
}
FMPL_MISUSE_OF(3, AnEmptyBroadcastForAMatrix, "Cdgebr2d", "0 bytes", "32")
{
    if (first()) {
        Cdgebs2d(c, "All", " ", 2, 0, x, 2);
    } else {
        Cdgebr2d(c, "All", " ", 2, 2, x, 2, 0, 0);
    }
    Cblacs_barrier(c, "All");
}
FMPL_MISUSE_OF(3, ASumOfAnotherSize, "Cdgsum2d", "m, n, rdest, cdest must agree")
{
    Cdgsum2d(c, "All", " ", first() ? 3 : 2, 2, x, 4, -1, 0);
}
FMPL_MISUSE_OF(2, ASumOfTwoOfAnotherSize, "Cdgsum2d", "m, n, rdest, cdest must agree")
{
    Cdgsum2d(c, "All", " ", first() ? 3 : 2, 2, x, 4, -1, 0);
}
FMPL_MISUSE_OF(3, AnEmptyMatrixForASum, "Cdgsum2d", "m, n, rdest, cdest must agree")
{
    Cdgsum2d(c, "Row", " ", first() ? 0 : 2, 2, x, 4, -1, 0);
}
FMPL_MISUSE_OF(4, ASumOfAnotherSizeInAColumn, "Cdgsum2d", "of the 2 x 2 grid",
    "m, n, rdest, cdest must agree in column", "(ranks: rows)", "rank 1 2 elements")
{
    int d = 0;
    Cblacs_gridinit(&d, "R", 2, 2);
    Cdgsum2d(d, "Column", " ", rank() < 2 ? 1 : 2, 1, x, 2, -1, 0);
    Cblacs_barrier(d, "All");
}
FMPL_MISUSE_OF(3, ASumToAnotherProcess, "Cdgsum2d", "rdest, cdest must agree", "to rank 1")
{
    Cdgsum2d(c, "All", " ", 1, 1, x, 4, 0, first() ? 0 : 1);
}
FMPL_MISUSE_OF(3, AnExtremeWithAndWithoutPlaces, "Cdgamx2d", "ldia = -1 must agree")
{
    Cdgamx2d(c, "All", " ", 2, 2, x, 2, places, places, first() ? -1 : 2, -1, 0);
}
FMPL_MISUSE_OF(
    2, AReceiveShorterThanItsMessage, "Cdgerv2d", "process 1 at {0,1}", "64", "48", "m = 3, n = 2", "{0,0} sent")
{
    if (first()) {
        Cdgesd2d(c, 4, 2, x, 4, 0, 1);
    } else {
        Cdgerv2d(c, 3, 2, x, 4, 0, 0);
    }
    Cblacs_barrier(c, "All");
}
FMPL_MISUSE_OF(2, ALongReceiveShorterThanItsMessage, "Csgerv2d", "12000000", "11996000")
{
    std::vector<float> a(3000000);
    if (first()) {
        Csgesd2d(c, 3000, 1000, a.data(), 3000, 0, 1);
    } else {
        Csgerv2d(c, 2999, 1000, a.data(), 3000, 0, 0);
    }
    Cblacs_barrier(c, "All");
}
FMPL_MISUSE_OF(2, AnEmptyReceiveForAMessage, "Cdgerv2d", "process 1", "8")
{
    if (first()) {
        Cdgesd2d(c, 1, 1, x, 1, 0, 1);
    } else {
        Cdgerv2d(c, 0, 0, x, 1, 0, 0);
    }
    Cblacs_barrier(c, "All");
}

// ---- System contexts ----

FMPL_MISUSE(UnknownHandle, "Cblacs2sys_handle", "5 is not the handle")
{
    one_process_grid();
    Cblacs2sys_handle(5);
}
FMPL_MISUSE(NegativeHandle, "Cblacs2sys_handle", "-1 is not the handle")
{
    one_process_grid();
    Cblacs2sys_handle(-1);
}
FMPL_MISUSE(HandleFreedTwice, "Cfree_blacs_system_handle", "1 is not the handle")
{
    int h = -1;
    Cblacs_get(one_process_grid(), 10, &h);
    Cfree_blacs_system_handle(h);
    Cfree_blacs_system_handle(h);
}
FMPL_MISUSE(UnknownHandleFreed, "Cfree_blacs_system_handle", "77 is not the handle")
{
    one_process_grid();
    Cfree_blacs_system_handle(77);
}
FMPL_MISUSE(GridOfAFreedHandle, "Cblacs_gridinit", "1 is not the handle")
{
    int h = -1;
    Cblacs_get(one_process_grid(), 10, &h);
    Cfree_blacs_system_handle(h);
    Cblacs_gridinit(&h, "R", 1, 1);
}
FMPL_MISUSE(HandleOfNoCommunicator, "Csys2blacs_handle", "FMPL_COMM_NULL")
{
    one_process_grid();
    Csys2blacs_handle(FMPL_COMM_NULL);
}
FMPL_MISUSE(HandleOfAnUnknownCommunicator, "Csys2blacs_handle", "4711")
{
    one_process_grid();
    Csys2blacs_handle(4711);
}

// ---- Fortran names ----

FMPL_MISUSE(FortranBarrier, "routine blacs_barrier,", "process 0", "scope = 'Q'")
{
    const int c = one_process_grid();
    blacs_barrier_(&c, "Q");
}
FMPL_MISUSE(FortranGrid, "routine blacs_gridinit,", "2 x 2")
{
    int c = 0;
    const int two = 2;
    blacs_gridinit_(&c, "R", &two, &two);
}
FMPL_MISUSE(FortranGridInfo, "routine blacs_gridinfo,", "nprow is a null pointer")
{
    const int c = one_process_grid();
    int v = 0;
    blacs_gridinfo_(&c, nullptr, &v, &v, &v);
}
FMPL_MISUSE(FortranSum, "routine dgsum2d,", "lda = 1")
{
    const int c = one_process_grid();
    const int one = 1, two = 2, minus_one = -1;
    dgsum2d_(&c, "All", " ", &two, &two, x, &one, &minus_one, &minus_one);
}
FMPL_MISUSE(FortranExtreme, "routine igamn2d,", "n = -1")
{
    const int c = one_process_grid();
    const int two = 2, minus_one = -1;
    igamn2d_(&c, "A", " ", &two, &minus_one, places, &two, places, places, &two, &minus_one, &minus_one);
}
FMPL_MISUSE(FortranHandle, "routine free_blacs_system_handle,", "9 is not the handle")
{
    one_process_grid();
    const int h = 9;
    free_blacs_system_handle_(&h);
}

// ---- What passes ----

// The reference BLACS take these, and programs use them.
FMPL_RANKS_TEST(BlacsMisuse, HarmlessOdditiesPass)
{
    const Blacs blacs;
    const int n = blacs.count();
    for (const char* order : {"Row", "r", " ", "X"}) {
        const Grid grid({1, n}, order);
        EXPECT_EQ(blacs.number(), grid.column);
    }
    const Grid grid({n, 1});
    const int to = (grid.row + 1) % n;
    const int from = (grid.row + n - 1) % n;
    for (const char* top : {" ", "?", "\0", "9", "H", "topology"}) {
        double sum = 1;
        Cdgsum2d(grid.context, "all", top, 1, 1, &sum, -5, -1, 77);  // lda of one column; cdest when all get the result
        EXPECT_EQ(n, sum);
        double first = grid.row;
        if (grid.row == 0) {
            Cdgebs2d(grid.context, "a", top, 1, 1, &first, 0);
        } else {
            Cdgebr2d(grid.context, "c", top, 1, 1, &first, 0, 0, 99);  // csrc in a column that is the grid
        }
        EXPECT_EQ(0, first);
    }
    // -1 for the column alone: all get it, as from the reference.
    int all = 1;
    Cigsum2d(grid.context, "C", " ", 1, 1, &all, 1, 0, -1);
    EXPECT_EQ(n, all);
    // No elements: whatever the leading dimensions, the other size and the pointers.
    Cdgesd2d(grid.context, 0, 5, nullptr, -2, to, 0);
    Cdgesd2d(grid.context, 0, -5, nullptr, 0, to, 0);
    Cdgerv2d(grid.context, -3, 0, nullptr, 0, from, 0);
    Cdgerv2d(grid.context, 0, 3, nullptr, 0, from, 0);
    Cdgsum2d(grid.context, "All", " ", 0, 4, nullptr, 0, -1, 0);
    Cdgamx2d(grid.context, "All", " ", 0, 4, nullptr, 0, grid.row == 0 ? places : nullptr, nullptr, 0, -1, 0);
    Cdgamx2d(grid.context, "All", " ", 4, 0, nullptr, 0, nullptr, nullptr, grid.row == 0 ? -1 : 4, 0, 0);
    // Names in any case and length; a triangle in small letters.
    double t = 3.5 + grid.row;
    Cdtrsd2d(grid.context, "upper", "non-unit", 1, 1, &t, 1, to, 0);
    Cdtrrv2d(grid.context, "U", "N", 1, 1, &t, 1, from, 0);
    EXPECT_EQ(3.5 + from, t);
    // The handle of all processes stays.
    Cfree_blacs_system_handle(0);
    EXPECT_EQ(FMPL_COMM_WORLD, Cblacs2sys_handle(0));
    Cblacs_barrier(grid.context, "columns");
}

TEST(BlacsMisuse, ExitBeforeAndTwicePasses)
{
    Cblacs_exit(0);
    Cblacs_exit(1);
    int nprow = 0, npcol = 0, row = 0, column = 0;
    Cblacs_gridinfo(0, &nprow, &npcol, &row, &column);
    EXPECT_EQ(-1, nprow);
    EXPECT_EQ(-1, column);
}

// ---- What no process can know ----

namespace {

// Under a short time limit of fmplrun, which then says what each process waits in.
void expect_time_out_words(int ranks, const std::string& body, const std::vector<std::string>& words)
{
    if (modes_without_processes()) GTEST_SKIP() << "the ranks of this build are threads";
    const char* const launcher = std::getenv("FMPLRUN");
    ASSERT_NE(nullptr, launcher) << "FMPLRUN is not set";
    const ProgramResult result = run_program(
        {launcher, "-n", std::to_string(ranks), "--timeout", "2", this_program()}, {{"FMPL_TEST_BODY", body}});
    EXPECT_NE(0, result.status);
    expect_words_in(result, words, result.status);
}

}  // namespace

#define FMPL_HANGS(ranks_, Name, ...)                                                  \
    TEST(BlacsMisuse, Name)                                                            \
    {                                                                                  \
        expect_time_out_words(ranks_, "BlacsMisuse." #Name "_program", {__VA_ARGS__}); \
    }                                                                                  \
    FMPL_PROGRAM_ON_A_ROW(Name)

FMPL_HANGS(2, AReceiveWhoseSendNeverComes, "rank 0", "rank 1", "fmpl_recv")
{
    Cdgerv2d(c, 1, 1, x, 1, 0, 1 - rank());
}
FMPL_HANGS(2, ABroadcastWithoutARoot, "rank 1", "fmpl_bcast", "fmpl_barrier")
{
    if (!first()) Cdgebr2d(c, "All", " ", 1, 1, x, 1, 0, 0);
    else Cblacs_barrier(c, "A");
}
FMPL_HANGS(3, ASumThatOneProcessLeavesOut, "fmpl_barrier", "fmpl_allreduce")
{
    if (first()) Cblacs_barrier(c, "A");
    else Cdgsum2d(c, "A", " ", 1, 1, x, 1, -1, 0);
}
FMPL_HANGS(2, AGridThatOneProcessLeavesOut, "fmpl_comm_create_group", "fmpl_barrier")
{
    if (first()) {
        int d = 0;
        Cblacs_gridinit(&d, "R", 1, 2);
    } else {
        Cblacs_barrier(c, "A");
    }
}

// ---- Abort ----

FMPL_RANKS_TEST_WITH(BlacsMisuse, Abort_program, ::fmpl_test::RanksOptions{.ranks = {}})
{
    Cblacs_abort(one_process_grid(), 42);
}
TEST(BlacsMisuse, AbortNamesProcessAndErrorNumberAndIsTheExitStatus)
{
    expect_words("BlacsMisuse.Abort_program", {"Cblacs_abort", "process 0 at {0,0}", "42"}, 42);
}

namespace {

constexpr int kLargeOrder = 2000;  // 32 MB of doubles

void announce()
{
    shared_words()[static_cast<std::size_t>(rank())].store(static_cast<std::uint64_t>(getpid()));
}

std::uint64_t announced(int process)
{
    return shared_words()[static_cast<std::size_t>(process)].load();
}

// Whether the process has gone to sleep.
bool sleeps(std::uint64_t process)
{
    std::ifstream file("/proc/" + std::to_string(process) + "/stat");
    std::string text;
    std::getline(file, text);
    const std::size_t end = text.rfind(')');
    return end != std::string::npos && text.compare(end, 3, ") S") == 0;
}

// Process 0 aborts when all others are in the state that the test is about.
void expect_abort_ends(int ranks, const std::string& body, const std::vector<std::string>& words, int status)
{
    if (modes_without_processes()) GTEST_SKIP() << "the ranks of this build are threads";
    expect_words_in(run_body_under_launcher(body, ranks), words, status);
    for (int r = 0; r < ranks; ++r) {
        const auto process = static_cast<pid_t>(announced(r));
        EXPECT_GT(process, 0) << "rank " << r << " never began";
        EXPECT_TRUE(process <= 0 || (kill(process, 0) != 0 && errno == ESRCH)) << "rank " << r << " lives on";
    }
}

}  // namespace

FMPL_RANKS_TEST_WITH(BlacsMisuse, AbortOfComputing_program, ::fmpl_test::RanksOptions{.ranks = {}})
{
    const int c = row_grid();
    announce();
    if (first()) {
        wait_until([] { return announced(1) != 0 && announced(2) != 0; }, "the others");
        Cblacs_abort(c, 5);
    }
    for (volatile double sum = 0;;) sum = sum + 1;
}
TEST(BlacsMisuse, AbortEndsProcessesThatCompute)
{
    expect_abort_ends(3, "BlacsMisuse.AbortOfComputing_program", {"Cblacs_abort", "process 0 at {0,0}", "number 5"}, 5);
}

FMPL_RANKS_TEST_WITH(BlacsMisuse, AbortOfSleeping_program, ::fmpl_test::RanksOptions{.ranks = {}})
{
    const int c = row_grid();
    announce();
    if (first()) {
        wait_until([] { return announced(1) != 0 && announced(2) != 0 && announced(3) != 0; }, "the others");
        wait_until([] { return sleeps(announced(1)) && sleeps(announced(2)) && sleeps(announced(3)); }, "their sleep");
        const int number = 300;
        blacs_abort_(&c, &number);
    }
    if (rank() == 1) Cdgerv2d(c, 1, 1, x, 1, 0, 0);
    if (rank() == 2) Cdgebr2d(c, "All", " ", 1, 1, x, 1, 0, 0);
    if (rank() == 3) Cblacs_barrier(c, "All");
}
TEST(BlacsMisuse, AbortEndsProcessesThatSleepInAReceiveABroadcastAndABarrier)
{
    expect_abort_ends(4, "BlacsMisuse.AbortOfSleeping_program", {"blacs_abort", "number 300"}, 1);
}

FMPL_RANKS_TEST_WITH(BlacsMisuse, AbortOfTransfers_program, ::fmpl_test::RanksOptions{.ranks = {}})
{
    const int c = row_grid();
    if (first()) {
        announce();
        wait_until([] { return announced(1) != 0 && announced(2) != 0; }, "the transfers");
        Cblacs_abort(c, 0);
    }
    std::vector<double> a(static_cast<std::size_t>(kLargeOrder) * (kLargeOrder + 1));
    for (int round = 0;; ++round) {
        const int lda = kLargeOrder + round % 2;
        if (rank() == 1) Cdgesd2d(c, kLargeOrder, kLargeOrder, a.data(), lda, 0, 2);
        if (rank() == 2) Cdgerv2d(c, kLargeOrder, kLargeOrder, a.data(), lda, 0, 1);
        if (rank() == 1) Cdgerv2d(c, kLargeOrder, kLargeOrder, a.data(), lda, 0, 2);
        if (rank() == 2) Cdgesd2d(c, kLargeOrder, kLargeOrder, a.data(), lda, 0, 1);
        if (round == 1) announce();
    }
}
TEST(BlacsMisuse, AbortEndsProcessesInTheMiddleOfLargeTransfers)
{
    expect_abort_ends(3, "BlacsMisuse.AbortOfTransfers_program", {"Cblacs_abort", "number 0"}, 1);
}

// Before the BLACS have begun there is no grid to name.
FMPL_MISUSE(AbortBeforePinfo, "Cblacs_abort", "process 0", "number 1")
{
    Cblacs_abort(-1, 1);
}
