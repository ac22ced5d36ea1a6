#include "program.hpp"
#include "available_memory.hpp"
#include "program_options.hpp"

#include "../../apps/options_end.hpp"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <new>

namespace fmpl::npb {

namespace {

using command_line::OptionsEnd;

constexpr int kVerified = 0;
constexpr int kFailed = 1;

int cpus()
{
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

std::string compiler()
{
#if defined(__clang__)
    return "clang " __clang_version__;
#else
    return "g++ " __VERSION__;
#endif
}

double now()
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::string report(const ProgramText& text, const Run& run, const Outcome& outcome, Communication& communication)
{
    const double seconds = run.seconds();
    const double mops = seconds > 0 ? outcome.operations * 1e-6 / seconds : 0;
    std::string lines = fmt::format("\n {} Benchmark Completed.\n", text.name);
    const auto line = [&](const char* name, const auto& value) {
        lines += fmt::format(" {:<16}= {:>24}\n", name, value);
    };
    line("Class", std::string(1, letter(run.problem_class())));
    line("Size", outcome.size);
    line("Iterations", outcome.iterations);
    line("Time in seconds", fmt::format("{:.4f}", seconds));
    line("Total processes", communication.ranks());
    line("Mop/s total", fmt::format("{:.2f}", mops));
    line("Mop/s/process", fmt::format("{:.2f}", mops / communication.ranks()));
    line("Operation type", outcome.operation_type);
    line("Verification", outcome.verified() ? "SUCCESSFUL" : "UNSUCCESSFUL");
    line("Library", communication.library());
    lines += "\n Seconds by rank: computation, communication\n";
    for (std::size_t rank = 0; rank < run.rank_seconds().size(); ++rank) {
        const double spent = run.communication_seconds()[rank];
        lines += fmt::format(" {:>6} {:>12.4f} {:>12.4f}\n", rank, run.rank_seconds()[rank] - spent, spent);
    }
    for (const Check& check : outcome.checks) {
        if (!check.passed) {
            lines += fmt::format(" {}: {:.15e}, and it should be {:.15e}\n", check.name, check.value, check.reference);
        }
    }
    return lines;
}

nlohmann::json figures(const ProgramText& text, const Run& run, const Outcome& outcome, Communication& communication)
{
    nlohmann::json checks = nlohmann::json::array();
    for (const Check& check : outcome.checks) {
        checks.push_back(
            {{"name", check.name}, {"value", check.value}, {"reference", check.reference}, {"passed", check.passed}});
    }
    std::vector<double> computation(run.rank_seconds());
    for (std::size_t rank = 0; rank < computation.size(); ++rank)
        computation[rank] -= run.communication_seconds()[rank];
    return {{"kernel", text.name}, {"class", std::string(1, letter(run.problem_class()))}, {"size", outcome.size},
        {"iterations", outcome.iterations}, {"ranks", communication.ranks()}, {"library", communication.library()},
        {"seconds", run.seconds()}, {"operations", outcome.operations},
        {"mops", run.seconds() > 0 ? outcome.operations * 1e-6 / run.seconds() : 0.0}, {"verified", outcome.verified()},
        {"checks", checks}, {"computation_seconds", computation},
        {"communication_seconds", run.communication_seconds()}, {"details", outcome.details}};
}

// Whether rank 0 can write to the file, which is left as it is. Collective: all ranks get the answer.
bool can_write(const std::string& file, Communication& communication)
{
    double refused = 0;
    if (communication.rank() == 0) {
        std::error_code ignored;
        const bool existed = std::filesystem::exists(file, ignored);
        if (!std::ofstream(file, std::ios::app)) refused = 1;
        if (!existed) std::filesystem::remove(file, ignored);
    }
    return communication.world().maximum(refused) == 0;
}

void print(int rank, std::FILE* stream, const std::string& text)
{
    if (rank != 0) return;
    std::fputs(text.c_str(), stream);
    std::fflush(stream);
}

}  // namespace

bool Outcome::verified() const
{
    return !checks.empty() &&
           std::all_of(checks.begin(), checks.end(), [](const Check& check) { return check.passed; });
}

Run::Run(Communication& communication, ProblemClass problem_class)
    : communication_(communication),
      problem_class_(problem_class)
{
}

void Run::say(const std::string& line)
{
    print(communication_.rank(), stdout, line + "\n");
}

void Run::require_memory(std::size_t bytes)
{
    constexpr double kGiB = 1024.0 * 1024.0 * 1024.0;
    // Rank 0 of each host would do; the ranks of a job are on one host.
    const double wanted = communication_.world().sum(static_cast<double>(bytes));
    const double available = -communication_.world().maximum(-static_cast<double>(available_memory()));
    if (wanted <= available) return;
    throw Refusal(fmt::format(
        "class {} on {} rank{} takes {:.1f} GiB of memory, and {:.1f} GiB are available here; use a smaller class",
        letter(problem_class_), communication_.ranks(), communication_.ranks() == 1 ? "" : "s", wanted / kGiB,
        available / kGiB));
}

void Run::start_clock()
{
    communication_.world().barrier();
    communication_start_ = communication_.communication_seconds();
    start_ = now();
}

void Run::stop_clock()
{
    const double end = now();
    const double communication = communication_.communication_seconds() - communication_start_;
    const auto ranks = static_cast<std::size_t>(communication_.ranks());
    const auto rank = static_cast<std::size_t>(communication_.rank());
    rank_seconds_.assign(ranks, 0.0);
    communication_seconds_.assign(ranks, 0.0);
    rank_seconds_[rank] = end - start_;
    communication_seconds_[rank] = communication;
    communication_.world().sum(std::span(rank_seconds_));
    communication_.world().sum(std::span(communication_seconds_));
    // Where ranks share CPUs, one begins while another has come far.
    seconds_ = communication_.world().maximum(end) + communication_.world().maximum(-start_);
}

int run_joined(Communication& communication, const ProgramText& text, int argc, const char* const* argv,
    const Kernel& kernel, const AddOptions& add_options)
{
    const int rank = communication.rank();
    try {
        const ProgramOptions options = read_options(text, argc, argv, add_options);
        // Known before the run, not after it.
        if (!options.json_file.empty() && !can_write(options.json_file, communication)) {
            throw Refusal(fmt::format("--json '{}' cannot be written", options.json_file));
        }
        print(rank, stdout,
            fmt::format("\n NAS Parallel Benchmark {} over {}\n class {}, {} rank{}\n\n", text.name,
                communication.library(), letter(options.problem_class), communication.ranks(),
                communication.ranks() == 1 ? "" : "s"));
        Run run(communication, options.problem_class);
        const Outcome outcome = kernel(run);
        print(rank, stdout, report(text, run, outcome, communication));
        bool written = true;
        if (rank == 0 && !options.json_file.empty()) {
            nlohmann::json all = figures(text, run, outcome, communication);
            all["cpus"] = cpus();
            all["compiler"] = compiler();
            std::ofstream file(options.json_file);
            file << all.dump(2) << '\n';
            written = static_cast<bool>(file.flush());
            if (!written) {
                print(rank, stderr, fmt::format("{}: --json '{}' cannot be written\n", text.name, options.json_file));
            }
        }
        return outcome.verified() && written ? kVerified : kFailed;
    } catch (const OptionsEnd& end) {
        print(rank, end.exit_code() == 0 ? stdout : stderr, end.what());
        return end.exit_code();
    } catch (const Refusal& refusal) {
        print(rank, stderr, fmt::format("{}: {}\n", text.name, refusal.what()));
        return kRefused;
    }
}

namespace {

// One rank's part of run_program.
int run_rank(const ProgramText& text, int argc, char** argv, const Program& program)
{
    std::unique_ptr<Communication> communication;
    try {
        communication = Communication::join();
        return run_joined(*communication, text, argc, argv, program.kernel, program.add_options);
    } catch (const std::bad_alloc&) {
        const std::string reason = fmt::format("{}: not enough memory; use a smaller class", text.name);
        if (communication != nullptr) communication->abort(reason.c_str());
        std::fprintf(stderr, "%s\n", reason.c_str());
    } catch (const std::exception& error) {
        const std::string reason = fmt::format("{}: {}", text.name, error.what());
        if (communication != nullptr) communication->abort(reason.c_str());
        std::fprintf(stderr, "%s\n", reason.c_str());
    }
    return kFailed;
}

}  // namespace

int run_program(const ProgramText& text, int argc, char** argv, const std::function<Program()>& make_program)
{
    return Communication::run_process([&] { return run_rank(text, argc, argv, make_program()); });
}

}  // namespace fmpl::npb
