// What the programs of the kernels do alike: join the job, read the command line, time, verify, report.
//
//     int main(int argc, char** argv)
//     {
//         return fmpl::npb::run_program({"IS", "ranking of integer keys"}, argc, argv, [] { return Program{kernel}; });
//     }
#pragma once

#include "communication.hpp"
#include "problem_class.hpp"

#include <nlohmann/json.hpp>

#include <cstddef>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace fmpl::npb {

// The kernel does not run on these ranks, with this class, in this memory: words for the user, who can choose others.
// All ranks must throw it alike, before the timed part; rank 0 prints it, and the exit status is 2.
class Refusal : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

// A number that the kernel computes and what it should be, for the report.
struct Check {
    std::string name;
    double value;
    double reference;
    bool passed;
};

struct Outcome {
    std::string size;            // "256 x 256 x 128"
    int iterations = 0;          // timed ones
    double operations = 0;       // in the timed part, all ranks together, by the benchmark's count
    std::string operation_type;  // "floating point", "keys ranked"
    std::vector<Check> checks;
    nlohmann::json details;  // of the kernel's own, for the JSON: layout ...
    bool verified() const;   // there are checks, and all passed
};

// What a kernel is given.
class Run {
public:
    Run(Communication& communication, ProblemClass problem_class);

    Communication& communication() { return communication_; }
    ProblemClass problem_class() const { return problem_class_; }

    // A line on standard output, by rank 0 alone.
    void say(const std::string& line);

    // Throws Refusal on all ranks when the ranks on this machine want more memory together than it has (of the
    // container's, where that is less). Collective. bytes: what this rank will allocate. To be called before it does.
    void require_memory(std::size_t bytes);

    // The timed part; collective both. The time is from the first rank's start to the last one's end, by the host's
    // clock.
    void start_clock();
    void stop_clock();
    double seconds() const { return seconds_; }

    // Seconds within the timed part, of each rank; valid on all ranks after stop_clock.
    const std::vector<double>& rank_seconds() const { return rank_seconds_; }
    const std::vector<double>& communication_seconds() const { return communication_seconds_; }

private:
    Communication& communication_;
    ProblemClass problem_class_;
    double start_ = 0;
    double communication_start_ = 0;
    double seconds_ = 0;
    std::vector<double> rank_seconds_;
    std::vector<double> communication_seconds_;
};

struct ProgramText {
    const char* name;   // "FT"
    const char* title;  // for --help
};

using Kernel = std::function<Outcome(Run&)>;
using AddOptions = std::function<void(CLI::App&)>;  // options of the kernel's own

// What one rank runs. Ranks may share the process, each on a thread of its own or in turn: what the options are read
// into is the rank's alone.
struct Program {
    Kernel kernel;
    AddOptions add_options = {};
};

// Returns the exit status: 0 only if verified, 1 if not or after an error, 2 for wrong arguments and refusals.
int run_program(const ProgramText& text, int argc, char** argv, const std::function<Program()>& make_program);

// The same for a rank that has joined already. Writes no JSON file when there is no --json.
int run_joined(Communication& communication, const ProgramText& text, int argc, const char* const* argv,
    const Kernel& kernel, const AddOptions& add_options = {});

}  // namespace fmpl::npb
