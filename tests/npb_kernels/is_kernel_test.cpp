// The kernel IS over FMPL: class S, from the command line on.
#include "is/is_kernel.hpp"
#include "is/sorting_problem.hpp"

#include "support/ranks_test.hpp"

#include <initializer_list>
#include <vector>

namespace {

using namespace fmpl::npb;

// Exit status of the program with these arguments.
int run_is(std::initializer_list<const char*> arguments)
{
    const auto communication = Communication::join();
    std::vector<const char*> argv{"is"};
    argv.insert(argv.end(), arguments);
    return run_joined(
        *communication, {"IS", "ranking of integer keys"}, static_cast<int>(argv.size()), argv.data(), is::is_kernel);
}

FMPL_RANKS_TEST_AT(IsKernel, VerifiesClassS, ({1, 2, 3, 4, 7, 8}))
{
    EXPECT_EQ(run_is({"--class", "S"}), 0);
}

FMPL_RANKS_TEST_AT(IsKernel, VerifiesClassWOnOneRankAndSeveral, ({1, 4}))
{
    EXPECT_EQ(run_is({"--class", "W"}), 0);
}

FMPL_RANKS_TEST_AT(IsKernel, RefusesAClassThatItDoesNotKnow, ({2}))
{
    EXPECT_EQ(run_is({"--class", "X"}), 2);
}

TEST(SortingProblem, ExpectsTheRanksOfTheReport)
{
    const auto expected = [](ProblemClass problem_class, int iteration, std::size_t test) {
        return is::sorting_problem(problem_class).expected_rank(iteration, test);
    };
    EXPECT_EQ(expected(ProblemClass::S, 10, 0), 10);
    EXPECT_EQ(expected(ProblemClass::W, 1, 1), 11697);
    EXPECT_EQ(expected(ProblemClass::A, 1, 4), 8388264);
    EXPECT_EQ(expected(ProblemClass::B, 3, 0), 33422934);
    EXPECT_EQ(expected(ProblemClass::C, 4, 2), 266294);
    EXPECT_EQ(expected(ProblemClass::D, 2, 4), 2147425335);
}

}  // namespace
