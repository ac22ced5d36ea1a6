// The numbers that our check of the arguments of PxGEMM gives against those of libscalapack, on random calls with any
// number of bad arguments, process by process.
//
// libscalapack reports a bad argument by calling PB_Cabort, which this program replaces, as ScaLAPACK's own testers do.
// Alpha is 0 and beta 1, so that a call without an error does nothing.
//
// Environment: FMPL_TEST_CALLS, how many calls each number of ranks makes (default 20000).
#include "../blacs/blacs_api.hpp"
#include "argument_check.hpp"
#include "scalapack_gemm.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <sstream>
#include <vector>

namespace {

int reported = 0;  // the number that PB_Cabort was last called with; 0: it was not

}  // namespace

extern "C" {

[[gnu::visibility("default")]] void PB_Cabort(int, const char*, int info)
{
    reported = -info;
}

// Says in words what PB_Cabort says by number.
[[gnu::visibility("default")]] void PB_Cwarn(int, int, const char*, const char*, ...) {}
}

namespace {

using namespace fmpl_test;
using fmpl::pdgemm::check_arguments;
using fmpl::pdgemm::Descriptor;
using fmpl::pdgemm::GemmArguments;
using fmpl::pdgemm::ProcessGrid;
using fmpl::pdgemm::Submatrix;

struct Operand {
    int row = 1;
    int column = 1;
    std::vector<int> descriptor;
};

struct Call {
    char transa;
    char transb;
    int m;
    int n;
    int k;
    Operand a;
    Operand b;
    Operand c;
};

class Draw {
public:
    Draw(std::uint64_t common_seed, ProcessGrid grid) : random_(common_seed), grid_(grid) {}

    Call call()
    {
        faults_ = between(0, 3);
        Call call{};
        call.transa = fault(20) ? 'X' : "NTCntc"[between(0, 5)];
        call.transb = fault(20) ? '\0' : "NTCntc"[between(0, 5)];
        call.m = extent();
        call.n = extent();
        call.k = extent();
        const bool a_as_stored = std::toupper(call.transa) == 'N';
        const bool b_as_stored = std::toupper(call.transb) == 'N';
        call.a = a_as_stored ? operand(call.m, call.k) : operand(call.k, call.m);
        call.b = b_as_stored ? operand(call.k, call.n) : operand(call.n, call.k);
        call.c = operand(call.m, call.n);
        return call;
    }

private:
    int between(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }
    // Whether to put a fault here: one place in `places`, as long as the call has faults left.
    bool fault(int places)
    {
        if (faults_ == 0 || between(1, places) != 1) return false;
        --faults_;
        return true;
    }
    int extent() { return fault(20) ? -between(1, 5) : between(0, 5) == 0 ? 0 : between(1, 40); }

    Operand operand(int rows, int columns)
    {
        Operand drawn;
        drawn.row = between(1, 10);
        drawn.column = between(1, 10);
        int whole_rows = drawn.row - 1 + std::max(0, rows) + between(0, 3);
        int whole_columns = drawn.column - 1 + std::max(0, columns) + between(0, 3);
        const bool long_form = between(0, 2) == 0;
        int row_block = between(1, 12);
        int column_block = between(1, 12);
        int first_row_block = long_form ? between(1, 12) : row_block;
        int first_column_block = long_form ? between(1, 12) : column_block;
        int row_source = between(0, grid_.rows - 1);
        int column_source = between(0, grid_.columns - 1);
        const Descriptor correct{2, grid_.context, whole_rows, whole_columns, first_row_block, first_column_block,
            row_block, column_block, row_source, column_source, 1};
        int leading_dimension = std::max(1, correct.row_distribution(grid_).local_count(grid_.my_row));

        if (fault(30)) drawn.row = between(-2, 0);
        if (fault(30)) drawn.column = between(-2, 0);
        if (fault(30)) drawn.row += between(3, 60);
        if (fault(30)) drawn.column += between(3, 60);
        int type = long_form ? 2 : 1;
        if (fault(30)) type = std::array{0, 3, -1, 501, 502}[static_cast<std::size_t>(between(0, 4))];
        const int context = fault(30) ? grid_.context + between(1, 3) : grid_.context;
        if (fault(30)) whole_rows = between(-2, 1);
        if (fault(30)) whole_columns = between(-2, 1);
        if (fault(30)) row_block = between(-1, 0);
        if (fault(30)) column_block = between(-1, 0);
        if (long_form && fault(15)) first_row_block = between(-1, 0);
        if (long_form && fault(15)) first_column_block = between(-1, 0);
        if (fault(30)) row_source = between(0, 1) == 0 ? -between(2, 3) : grid_.rows + between(0, 2);
        if (fault(30)) column_source = between(0, 1) == 0 ? -between(2, 3) : grid_.columns + between(0, 2);
        // Too small on all processes, or on those with the most rows alone.
        if (fault(15)) leading_dimension = between(0, 1) == 0 ? between(-1, 0) : between(1, 15);

        drawn.descriptor = {type, context, whole_rows, whole_columns};
        if (long_form) drawn.descriptor.insert(drawn.descriptor.end(), {first_row_block, first_column_block});
        drawn.descriptor.insert(
            drawn.descriptor.end(), {row_block, column_block, row_source, column_source, leading_dimension});
        drawn.descriptor.resize(11, 0);  // whoever reads a type 1 as type 2 reads no further
        return drawn;
    }

    std::mt19937_64 random_;
    ProcessGrid grid_;
    int faults_ = 0;
};

std::string described(const Call& call)
{
    std::ostringstream out;
    out << "trans " << static_cast<int>(call.transa) << ' ' << static_cast<int>(call.transb) << ", m n k " << call.m
        << ' ' << call.n << ' ' << call.k;
    const auto operand = [&](char name, const Operand& x) {
        out << "; " << name << " at (" << x.row << ", " << x.column << "), descriptor";
        for (const int entry : x.descriptor) out << ' ' << entry;
    };
    operand('A', call.a);
    operand('B', call.b);
    operand('C', call.c);
    return out.str();
}

int number_of_scalapack(const Call& call, Gemm<double>* gemm)
{
    const double alpha = 0.0;
    const double beta = 1.0;
    double nothing = 0.0;
    reported = 0;
    gemm(&call.transa, &call.transb, &call.m, &call.n, &call.k, &alpha, &nothing, &call.a.row, &call.a.column,
        call.a.descriptor.data(), &nothing, &call.b.row, &call.b.column, call.b.descriptor.data(), &beta, &nothing,
        &call.c.row, &call.c.column, call.c.descriptor.data());
    return reported;
}

fmpl::pdgemm::ArgumentError our_error(const Call& call, const ProcessGrid& grid)
{
    // What the entry of the routine finds before anything else: no other grid exists.
    if (call.a.descriptor[1] != grid.context) return {fmpl::pdgemm::context_error_number, "no such context"};
    const auto upper = [](char letter) { return static_cast<char>(std::toupper(static_cast<unsigned char>(letter))); };
    const auto submatrix = [](const Operand& x) {
        return Submatrix{x.row, x.column, Descriptor::read(x.descriptor.data())};
    };
    return check_arguments(GemmArguments{upper(call.transa), upper(call.transb), call.m, call.n, call.k,
                               submatrix(call.a), submatrix(call.b), submatrix(call.c)},
        grid);
}

const RanksOptions on_processes{.ranks = {1, 2, 6}, .threads = false, .unmapped = false};

FMPL_RANKS_TEST_WITH(PdgemmErrorsAgainstScalapack, BadArgumentsHaveTheSameNumbers, on_processes)
{
    if (scalapack_library() == nullptr) return;  // another test says so
    const Blacs blacs;
    const Grid all(shapes(blacs.count()).back());
    if (all.inside()) {
        const ProcessGrid grid{all.context, all.rows, all.columns, all.row, all.column};
        Draw draw(seed(), grid);
        const char* wanted = std::getenv("FMPL_TEST_CALLS");
        const int calls = wanted != nullptr ? std::atoi(wanted) : 20000;
        std::map<int, int> times;  // each number was seen
        int different = 0;
        for (int number = 0; number < calls && different < 3; ++number) {
            const Call call = draw.call();
            const int scalapacks = number_of_scalapack(call, scalapack_gemm<double>());
            const auto ours = our_error(call, grid);
            ++times[scalapacks];
            if (ours.number == scalapacks) continue;
            ++different;
            ADD_FAILURE() << "our number is " << ours.number << " (" << ours.words << "), ScaLAPACK's " << scalapacks
                          << " at process (" << all.row << ", " << all.column << "): " << described(call) << "\ncall "
                          << number << "; FMPL_TEST_SEED=" << seed();
        }
        // Every argument that can be bad has been, and some calls were right.
        if (different == 0 && calls >= 20000) {
            for (const int number : {0, 1, 2, 3, 4, 5, 8, 9, 12, 13, 17, 18}) EXPECT_GT(times[number], 0) << number;
            for (const int matrix : {1000, 1400, 1900}) {
                for (int entry = 1; entry <= 11; ++entry) {
                    EXPECT_GT(times[matrix + entry], 0) << matrix + entry << ", FMPL_TEST_SEED=" << seed();
                }
            }
        }
    }
}

TEST(PdgemmErrorsAgainstScalapack, TheNumbersComeFromLibscalapack)
{
    if (scalapack_library() == nullptr) GTEST_SKIP() << scalapack_missing;
    const std::string file = file_of(reinterpret_cast<void*>(scalapack_gemm<double>()));
    EXPECT_NE(file.find("libscalapack"), std::string::npos) << file;
}

}  // namespace
