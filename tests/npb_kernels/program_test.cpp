// What the kernels' programs do alike, in ranks that have joined: exit statuses and the time of each rank. What they
// print is for npb_test.py.
#include "common/program.hpp"

#include "support/ranks_test.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <unistd.h>

namespace {

using namespace fmpl_test;
using namespace fmpl::npb;

const RanksOptions kOptions{.ranks = {1, 2, 4, 7}};

Outcome passed()
{
    Outcome outcome;
    outcome.operations = 1e6;
    outcome.checks = {{"all", 1, 1, true}};
    return outcome;
}

int run_with(Communication& communication, const std::vector<const char*>& arguments, const Kernel& kernel)
{
    std::vector<const char*> all{"probe"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    return run_joined(communication, {"PROBE", "nothing"}, static_cast<int>(all.size()), all.data(), kernel);
}

FMPL_RANKS_TEST_WITH(NpbProgram, TheStatusIsZeroOnlyIfVerified, kOptions)
{
    const auto communication = Communication::join();
    EXPECT_EQ(run_with(*communication, {}, [](Run&) { return passed(); }), 0);
    EXPECT_EQ(run_with(*communication, {},
                  [](Run&) {
                      Outcome outcome = passed();
                      outcome.checks.push_back({"one", 1, 2, false});
                      return outcome;
                  }),
        1);
    EXPECT_EQ(run_with(*communication, {}, [](Run&) { return Outcome(); }), 1) << "nothing was checked";
}

FMPL_RANKS_TEST_WITH(NpbProgram, RefusalsAndWrongArgumentsGiveTwoOnAllRanks, kOptions)
{
    const auto communication = Communication::join();
    bool ran = false;
    const auto kernel = [&](Run&) {
        ran = true;
        return passed();
    };
    EXPECT_EQ(run_with(*communication, {"--class", "E"}, kernel), 2);
    EXPECT_EQ(run_with(*communication, {"--class", ""}, kernel), 2);
    EXPECT_EQ(run_with(*communication, {"--class"}, kernel), 2);
    EXPECT_EQ(run_with(*communication, {"--size", "3"}, kernel), 2);
    EXPECT_EQ(run_with(*communication, {"--json", "/missing/file"}, kernel), 2);
    EXPECT_EQ(run_with(*communication, {"--help"}, kernel), 0);
    EXPECT_FALSE(ran);
    EXPECT_EQ(run_with(*communication, {},
                  [](Run& run) {
                      const auto exchange = run.communication().exchange(run.communication().world(), 1024, 1);
                      throw Refusal("3 ranks would do");
                      return passed();
                  }),
        2);
    EXPECT_EQ(run_with(*communication, {},
                  [](Run& run) {
                      run.require_memory(std::size_t{1} << 50);
                      return passed();
                  }),
        2);
    // The job goes on: other calls of the ranks find each other.
    EXPECT_EQ(communication->world().sum(1.0), communication->ranks());
}

FMPL_RANKS_TEST_WITH(NpbProgram, TheClassIsTheOneAskedFor, kOptions)
{
    const auto communication = Communication::join();
    for (const auto& [word, expected] :
        {std::pair{"w", ProblemClass::W}, {"W", ProblemClass::W}, {"D", ProblemClass::D}}) {
        EXPECT_EQ(run_with(*communication, {"--class", word},
                      [&, wanted = expected](Run& run) {
                          EXPECT_EQ(run.problem_class(), wanted);
                          return passed();
                      }),
            0);
    }
}

FMPL_RANKS_TEST_WITH(NpbProgram, TheTimeIsFromTheFirstStartToTheLastEndAndCommunicationIsAPartOfIt, kOptions)
{
    const auto communication = Communication::join();
    const auto now = [] {
        return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
    };
    run_with(*communication, {}, [&](Run& run) {
        communication->world().barrier();
        const double before = now();
        run.start_clock();
        for (int turn = 0; turn < 50; ++turn) communication->world().barrier();
        run.stop_clock();
        const auto ranks = static_cast<std::size_t>(communication->ranks());
        EXPECT_EQ(run.rank_seconds().size(), ranks);
        EXPECT_EQ(run.communication_seconds().size(), ranks);
        EXPECT_GE(run.seconds(), *std::max_element(run.rank_seconds().begin(), run.rank_seconds().end()));
        EXPECT_LE(run.seconds(), communication->world().maximum(now()) + communication->world().maximum(-before));
        for (std::size_t rank = 0; rank < ranks; ++rank) {
            EXPECT_GT(run.communication_seconds()[rank], 0);
            EXPECT_GE(run.rank_seconds()[rank], run.communication_seconds()[rank]);
        }
        return passed();
    });
}

FMPL_RANKS_TEST_WITH(NpbProgram, TheFileHasAllFigures, kOptions)
{
    const auto communication = Communication::join();
    int number = static_cast<int>(getpid());
    communication->world().broadcast(std::as_writable_bytes(std::span(&number, 1)), 0);
    const std::string file = std::filesystem::temp_directory_path() / fmt::format("fmpl-npb-{}.json", number);
    EXPECT_EQ(run_with(*communication, {"--json", file.c_str(), "--class", "A"},
                  [&](Run& run) {
                      run.start_clock();
                      run.stop_clock();
                      return passed();
                  }),
        0);
    if (communication->rank() != 0) return;
    const nlohmann::json written = nlohmann::json::parse(std::ifstream(file));
    std::filesystem::remove(file);
    EXPECT_EQ(written["kernel"], "PROBE");
    EXPECT_EQ(written["class"], "A");
    EXPECT_EQ(written["ranks"], communication->ranks());
    EXPECT_EQ(written["verified"], true);
    EXPECT_EQ(written["checks"].size(), 1u);
    EXPECT_EQ(written["computation_seconds"].size(), static_cast<std::size_t>(communication->ranks()));
    EXPECT_EQ(written["communication_seconds"].size(), static_cast<std::size_t>(communication->ranks()));
}

}  // namespace
