// The kernel CG over FMPL: class S, from the command line on.
#include "cg/cg_kernel.hpp"

#include "support/ranks_test.hpp"

#include <iterator>

namespace {

using namespace fmpl::npb;

// Exit status of the program.
int run_cg()
{
    const auto communication = Communication::join();
    const char* const argv[] = {"cg", "--class", "S"};
    return run_joined(
        *communication, {"CG", "largest eigenvalue"}, static_cast<int>(std::size(argv)), argv, cg::cg_kernel);
}

FMPL_RANKS_TEST_AT(CgKernel, VerifiesClassS, ({1, 2, 4, 8, 16}))
{
    EXPECT_EQ(run_cg(), 0);
}

FMPL_RANKS_TEST_AT(CgKernel, RefusesRanksThatDoNotFormAGrid, ({3, 6}))
{
    EXPECT_EQ(run_cg(), 2);
}

}  // namespace
