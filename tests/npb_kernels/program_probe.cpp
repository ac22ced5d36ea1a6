// A kernel that computes nothing and ends as --end says, for the test of what all programs do alike.
#include "common/program.hpp"

#include <CLI/CLI.hpp>

#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using namespace fmpl::npb;

Outcome kernel(Run& run, const std::string& end)
{
    Communication& communication = run.communication();
    // Whatever the end is, a kernel that is left has groups and exchanges.
    const std::unique_ptr<Group> self = communication.group(std::vector<int>{communication.rank()});
    const std::unique_ptr<Exchange> exchange = communication.exchange(communication.world(), 4096, 2);
    if (end == "refusal") throw Refusal("6 ranks would do");
    if (end == "memory") run.require_memory(std::size_t{1} << 50);
    if (end == "little-memory") run.require_memory(1000);
    if (end == "exception" && communication.rank() == communication.ranks() - 1)
        throw std::runtime_error("a shelf broke");
    if (end == "bad-alloc") throw std::bad_alloc();
    run.say("iteration 1");
    run.start_clock();
    for (int turn = 0; turn < 100; ++turn) communication.world().barrier();
    run.stop_clock();

    Outcome outcome;
    outcome.size = "3 x 5";
    outcome.iterations = 7;
    outcome.operations = 2e6;
    outcome.operation_type = "nothing at all";
    outcome.checks = {{"first", 1.5, 1.5, true}, {"second", 2.25, 2.5, end != "wrong"}};
    if (end == "unchecked") outcome.checks.clear();
    outcome.details = {{"layout", "flat"}};
    return outcome;
}

}  // namespace

int main(int argc, char** argv)
{
    return run_program({"PROBE", "nothing"}, argc, argv, [] {
        const auto end = std::make_shared<std::string>("verified");
        return Program{[end](Run& run) { return kernel(run, *end); },
            [end](CLI::App& app) { app.add_option("--end", *end, "how it ends"); }};
    });
}
