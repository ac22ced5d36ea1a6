// The kernel MG over FMPL: class S, in every process grid.
#include "mg_plain_grid.hpp"

#include "mg/mg_kernel.hpp"

#include "support/ranks_test.hpp"

#include <iterator>

namespace {

using namespace fmpl::npb;
using namespace fmpl_test;

// Exit status of the program.
int run_class_s(Communication& communication, const mg::Triple& processes)
{
    const char* const argv[] = {"mg", "--class", "S"};
    return run_joined(communication, {"MG", "multigrid"}, static_cast<int>(std::size(argv)), argv,
        [&processes](Run& run) { return mg::run_mg(run, processes); });
}

FMPL_RANKS_TEST_AT(MgKernel, VerifiesClassS, ({1, 2, 4, 8, 16}))
{
    const auto communication = Communication::join();
    EXPECT_EQ(run_class_s(*communication, {0, 0, 0}), 0);
}

FMPL_RANKS_TEST_WITH(MgKernel, VerifiesClassSInEveryProcessGrid, (RanksOptions{.ranks = {2, 4, 8}, .processes = false}))
{
    const auto communication = Communication::join();
    for (const mg::Triple& processes : process_grids(communication->ranks(), 5)) {
        EXPECT_EQ(run_class_s(*communication, processes), 0)
            << processes[0] << " x " << processes[1] << " x " << processes[2];
    }
}

FMPL_RANKS_TEST_AT(MgKernel, RefusesRanksThatCannotShareTheGrid, ({3}))
{
    const auto communication = Communication::join();
    EXPECT_EQ(run_class_s(*communication, {0, 0, 0}), 2);
}

FMPL_RANKS_TEST_AT(MgKernel, RefusesAProcessGridOfOtherRanks, ({2}))
{
    const auto communication = Communication::join();
    EXPECT_EQ(run_class_s(*communication, {2, 2, 1}), 2);
}

}  // namespace
