// The command line of fmplrun.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace fmpl::launcher {

enum class Binding {
    automatic,  // core while the ranks fit the CPUs that this process may use, or share them evenly; else none
    core,
    none
};

// What a rank is to the system.
enum class RanksAs {
    // Threads where ranks outnumber CPUs and the program says that its ranks may share a process; else processes.
    automatic,
    processes,
    threads  // of one process, as many as CPUs
};

// What follows when all ranks wait for each other.
enum class OnDeadlock {
    end,     // say what each rank is blocked in, end the job
    report,  // say it, let the job stand as it is, for a debugger
    ignore
};

struct Options {
    int ranks = 1;
    Binding binding = Binding::automatic;
    RanksAs ranks_as = RanksAs::automatic;
    // Of -x, in order, values resolved; then those that --blacs, --pdgemm, --mpi and --rdma need.
    std::vector<std::pair<std::string, std::string>> variables;
    bool tag_output = false;
    std::optional<double> timeout_s;
    OnDeadlock on_deadlock = OnDeadlock::end;
    std::string crossbar;  // "": from the environment, or chosen from the number of ranks
    std::string profile;   // "": from the environment, or host
    std::string rdma;      // "": from the environment, or heap with --blacs, or none
    bool blacs = false;
    std::string pdgemm;  // "": fmpl with --blacs, or none
    bool mpi = false;
    bool statistics = false;
    std::string statistics_file;  // of --stats-json; "": none
    std::string trace_file;       // of --trace; "": none
    bool report_bindings = false;
    std::vector<std::string> program;  // its name and its arguments, untouched
};

// What the command line asks for; or, without options, that it is answered already (--help, --version, or a mistake
// explained on standard error) and fmplrun should exit with `status`.
struct CommandLine {
    std::optional<Options> options;
    int status = 0;
};

CommandLine parse_command_line(int argc, const char* const* argv);

}  // namespace fmpl::launcher
