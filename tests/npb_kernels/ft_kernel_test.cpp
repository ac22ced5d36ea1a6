// The kernel FT over FMPL: class S, from the command line on.
#include "ft/ft_kernel.hpp"

#include "support/ranks_test.hpp"

#include <initializer_list>
#include <vector>

namespace {

using namespace fmpl::npb;

// Exit status of the program with these arguments.
int run_ft(std::initializer_list<const char*> arguments)
{
    const auto communication = Communication::join();
    std::vector<const char*> argv{"ft"};
    argv.insert(argv.end(), arguments);
    ft::Options options;
    return run_joined(
        *communication, {"FT", "3-D fast Fourier transform"}, static_cast<int>(argv.size()), argv.data(),
        [&](Run& run) { return ft::run_kernel(run, options); }, [&](CLI::App& app) { ft::add_options(app, options); });
}

FMPL_RANKS_TEST_AT(FtKernel, VerifiesClassSInSlabs, ({1, 2, 4, 8}))
{
    EXPECT_EQ(run_ft({"--class", "S", "--layout", "slab"}), 0);
}

FMPL_RANKS_TEST_AT(FtKernel, VerifiesClassSInPencils, ({1, 2, 4, 8}))
{
    EXPECT_EQ(run_ft({"--class", "S", "--layout", "pencil"}), 0);
}

FMPL_RANKS_TEST_AT(FtKernel, RefusesRanksThatCannotShareTheGrid, ({3}))
{
    EXPECT_EQ(run_ft({"--class", "S"}), 2);
}

FMPL_RANKS_TEST_AT(FtKernel, RefusesALayoutThatItDoesNotKnow, ({2}))
{
    EXPECT_EQ(run_ft({"--layout", "cube"}), 2);
}

}  // namespace
