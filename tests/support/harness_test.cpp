// The harness itself: a rank that fails, throws or hangs makes its test fail, in words, in both modes.
#include "ranks_test.hpp"

#include <cstdlib>
#include <stdexcept>
#include <string>

namespace {

using namespace fmpl_test;

// The subjects misbehave only when told to; otherwise they pass.
bool provoked(const char* what)
{
    const char* value = std::getenv("FMPL_TEST_PROVOKE");
    return value != nullptr && std::string(value) == what;
}

FMPL_RANKS_TEST_WITH(HarnessSubject, Misbehaves, (RanksOptions{.ranks = {2}, .unmapped = false}))
{
    const fmpl::Session session(2);
    EXPECT_FALSE(provoked("fail") && rank() == 1) << "provoked failure";
    if (provoked("throw") && rank() == 1) throw std::runtime_error("provoked exception");
    char byte = 0;
    if (provoked("throw") || (provoked("hang") && rank() == 0))
        REQUIRE_OK(fmpl_recv(&byte, 1, 1 - rank(), 0, FMPL_COMM_WORLD));
    REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
}

ProgramResult run_subject(const std::string& mode, const std::string& provocation, const std::string& timeout = "60")
{
    return run_program({this_program(), "--gtest_filter=HarnessSubject.Misbehaves/" + mode + "_2"},
        {{"FMPL_TEST_PROVOKE", provocation}, {"FMPL_TEST_TIMEOUT", timeout}, {"FMPL_TEST_SEED", "815"}});
}

void expect_reported(const ProgramResult& result, const std::vector<std::string>& words)
{
    EXPECT_NE(result.status, 0);
    for (const std::string& word : words) {
        EXPECT_NE(result.output.find(word), std::string::npos) << "\"" << word << "\" is missing in:\n"
                                                               << result.output;
    }
}

std::vector<std::string> modes()
{
    if (modes_without_processes()) return {"threads"};
    return {"threads", "processes"};
}

TEST(Harness, AFailingRankIsNamedWithTheSeed)
{
    for (const std::string& mode : modes()) {
        expect_reported(run_subject(mode, "fail"), {"provoked failure", "rank 1 of 2", "FMPL_TEST_SEED=815"});
    }
}

TEST(Harness, AThrowingRankEndsTheTestAndIsNamed)
{
    for (const std::string& mode : modes()) {
        expect_reported(run_subject(mode, "throw"), {"provoked exception", "rank 1 of 2", "FMPL_TEST_SEED=815"});
    }
}

TEST(Harness, AHangingJobIsEnded)
{
    for (const std::string& mode : modes()) {
        expect_reported(run_subject(mode, "hang", "4"), {"HarnessSubject.Misbehaves/" + mode + "_2"});
    }
}

TEST(Harness, WithoutProvocationTheSubjectPasses)
{
    for (const std::string& mode : modes()) {
        const ProgramResult result = run_subject(mode, "none");
        EXPECT_EQ(result.status, 0) << result.output;
        EXPECT_NE(result.output.find("1 test from 1 test suite ran"), std::string::npos) << result.output;
    }
}

}  // namespace
