#include "options.hpp"

#include "../../../apps/command_line.hpp"
#include "preload.hpp"

#include "crossbar/control_block.hpp"
#include "error.hpp"

#include <fmpl.h>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>

namespace fmpl::launcher {
namespace {

constexpr int kWrongArguments = 2;
constexpr double kLongestTimeout_s = 1e8;

constexpr const char* kFooter =
    "Standard input goes to rank 0. Lines of the ranks' output are never mixed.\n"
    "Exit status: that of the lowest-ranked rank that failed; 128 + the signal for a killed rank; 124 after\n"
    "--timeout; 1 after a deadlock; 127 when the program is not found, 126 when it cannot be executed, 2 for wrong "
    "arguments.\n"
    "The signal USR1 prints what each rank is blocked in; so do a deadlock, a time-out, an interrupt and a "
    "termination.\n"
    "Example: fmplrun -n 4 --bind-to core --timeout 60 ./program --its-own-option";

std::string version()
{
    return fmt::format("fmplrun (FMPL) {}.{}.{}", FMPL_VERSION_MAJOR, FMPL_VERSION_MINOR, FMPL_VERSION_PATCH);
}

int ranks_from(const std::string& text)
{
    int ranks = 0;
    const char* end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, ranks);
    if (error != std::errc{} || rest != end || ranks < 1 || ranks > kMaxRanks) {
        throw CLI::ValidationError("-n", fmt::format("the number of ranks is 1 to {}, not \"{}\"", kMaxRanks, text));
    }
    return ranks;
}

double timeout_from(const std::string& text)
{
    double seconds = 0;
    const char* end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, seconds);
    if (error != std::errc{} || rest != end || !(seconds > 0 && seconds <= kLongestTimeout_s)) {
        throw CLI::ValidationError("--timeout", fmt::format("\"{}\" is not a number of seconds greater than 0", text));
    }
    return seconds;
}

Binding binding_from(const std::string& text)
{
    if (text == "core") return Binding::core;
    if (text == "none") return Binding::none;
    throw CLI::ValidationError("--bind-to", fmt::format("\"{}\" is neither core nor none", text));
}

RanksAs ranks_as_from(const std::string& text)
{
    if (text == "auto") return RanksAs::automatic;
    if (text == "processes") return RanksAs::processes;
    if (text == "threads") return RanksAs::threads;
    throw CLI::ValidationError("--ranks-as", fmt::format("\"{}\" is none of auto, processes and threads", text));
}

OnDeadlock on_deadlock_from(const std::string& text)
{
    if (text == "end") return OnDeadlock::end;
    if (text == "report") return OnDeadlock::report;
    if (text == "ignore") return OnDeadlock::ignore;
    throw CLI::ValidationError("--on-deadlock", fmt::format("\"{}\" is none of end, report and ignore", text));
}

std::string profile_from(const std::string& text)
{
    if (text == "host" || text == "sr8000") return text;
    throw CLI::ValidationError("--profile", fmt::format("\"{}\" is neither host nor sr8000", text));
}

std::string rdma_from(const std::string& text)
{
    if (text == "heap" || text == "none") return text;
    throw CLI::ValidationError("--rdma", fmt::format("\"{}\" is neither heap nor none", text));
}

std::string pdgemm_from(const std::string& text)
{
    if (text == "fmpl" || text == "none") return text;
    throw CLI::ValidationError("--pdgemm", fmt::format("\"{}\" is neither fmpl nor none", text));
}

std::string file_from(const char* option, const std::string& text)
{
    if (text.empty()) throw CLI::ValidationError(option, "the name of the file is empty");
    return text;
}

// NAME=VALUE, or NAME alone: the value that it has here.
std::pair<std::string, std::string> variable_from(const std::string& text)
{
    const auto equals = text.find('=');
    const std::string name = text.substr(0, equals);
    if (name.empty()) throw CLI::ValidationError("-x", fmt::format("\"{}\" has no name before the =", text));
    for (const char* reserved : {"FMPL_RANK", "FMPL_SIZE", "FMPL_JOB_FD", "FMPL_JOB_ID", "FMPL_PROCESS_THREADS"}) {
        if (name == reserved) throw CLI::ValidationError("-x", name + " is set by fmplrun itself");
    }
    if (equals != std::string::npos) return {name, text.substr(equals + 1)};
    const char* value = std::getenv(name.c_str());
    if (value == nullptr) {
        throw CLI::ValidationError("-x", fmt::format("{} is not set here; write {}=VALUE", name, name));
    }
    return {name, value};
}

// How many of the arguments are fmplrun's own: all before the first one that is neither an option nor an option's
// value.
int own_arguments(const CLI::App& app, const std::vector<std::string>& arguments)
{
    std::size_t i = 0;
    while (i < arguments.size()) {
        const std::string& argument = arguments[i];
        if (argument == "--") return static_cast<int>(i);
        if (argument.size() < 2 || argument[0] != '-') break;
        const bool is_long = argument[1] == '-';
        const std::string name = is_long ? argument.substr(0, argument.find('=')) : argument.substr(0, 2);
        const CLI::Option* option = app.get_option_no_throw(name);
        const bool has_value_attached = argument.size() > name.size();
        const bool takes_next = option != nullptr && option->get_items_expected_max() > 0 && !has_value_attached;
        i += takes_next ? 2 : 1;
    }
    return static_cast<int>(std::min(i, arguments.size()));
}

}  // namespace

CommandLine parse_command_line(int argc, const char* const* argv)
{
    Options options;
    CLI::App app("Starts a job of FMPL: N ranks of one program, which can send messages to each other.");
    app.name("fmplrun");
    app.footer(kFooter);
    app.set_help_flag("-h,--help", "Print this and exit");
    app.set_version_flag("--version", version(), "Print the version and exit");
    app.add_option_function<std::string>(
           "-n,--np", [&](const std::string& text) { options.ranks = ranks_from(text); },
           "Number of ranks, default 1; also spelled -np")
        ->type_name("N");
    app.add_option_function<std::string>(
           "--bind-to", [&](const std::string& text) { options.binding = binding_from(text); },
           "core: each rank on cores of its own, distinct physical ones first; none: wherever the system puts it "
           "(default: core while the ranks fit the CPUs or share them evenly; of ranks that share them a CPU with "
           "nothing to do takes some of another's for a while)")
        ->type_name("core|none");
    app.add_option_function<std::string>(
           "--ranks-as", [&](const std::string& text) { options.ranks_as = ranks_as_from(text); },
           "What a rank is to the system. threads: one process with a thread for each CPU, on which ranks take turns, "
           "for programs "
           "that say they can do that, as the NAS kernels; auto: threads for such programs where ranks outnumber CPUs, "
           "unless "
           "--bind-to, --tag-output, --rdma heap, --pdgemm, --blacs or --mpi is given (default: auto)")
        ->type_name("auto|processes|threads");
    app.add_option_function<std::string>(
           "-x", [&](const std::string& text) { options.variables.push_back(variable_from(text)); },
           "Set a variable in the environment of the ranks; may be repeated")
        ->trigger_on_parse()
        ->type_name("NAME[=VALUE]");
    app.add_flag("--tag-output", options.tag_output, "Begin each line of output with [rank]");
    app.add_option_function<std::string>(
           "--timeout", [&](const std::string& text) { options.timeout_s = timeout_from(text); },
           "End the job after so long, saying what each rank is blocked in")
        ->type_name("SECONDS");
    app.add_option_function<std::string>(
           "--on-deadlock", [&](const std::string& text) { options.on_deadlock = on_deadlock_from(text); },
           "When all ranks wait for each other, so that nobody can go on: end: say what each is blocked in and end the "
           "job with status 1; report: say it once, for a debugger (default: end)")
        ->type_name("end|report|ignore");
    app.add_option("--crossbar", options.crossbar, "Shape of the emulated crossbar: 1 to 3 dimensions, as in 8x2")
        ->type_name("SHAPE");
    app.add_option_function<std::string>(
           "--profile", [&](const std::string& text) { options.profile = profile_from(text); },
           "What the emulated hardware allows: no limits, or those of the SR8000 (default: host)")
        ->type_name("host|sr8000");
    app.add_option_function<std::string>(
           "--rdma", [&](const std::string& text) { options.rdma = rdma_from(text); },
           "heap: all malloc memory of the program is remote-DMA memory, so that its buffers move with one copy; for "
           "dynamically linked programs (default: none; heap with --blacs)")
        ->type_name("heap|none");
    app.add_flag("--blacs", options.blacs,
        "Put BLACS-FMPL in front of the BLACS of an unmodified program that is linked with a shared libscalapack; with "
        "--mpi for one that calls MPI too");
    app.add_option_function<std::string>(
           "--pdgemm", [&](const std::string& text) { options.pdgemm = pdgemm_from(text); },
           "fmpl: put FMPL's psgemm_, pdgemm_, pcgemm_ and pzgemm_ in front of those of the program's ScaLAPACK "
           "(default: "
           "none; fmpl with --blacs)")
        ->type_name("fmpl|none");
    app.add_flag("--mpi", options.mpi,
        "Put FMPL's MPI in the place of the MPI of an unmodified program: Open MPI 4, MPICH, or another of MPICH's or "
        "of MPI-5's binary interface");
    app.add_flag("--stats", options.statistics,
        "At the end, print each rank's time in computation and communication, its calls, and who sent to whom");
    app.add_option_function<std::string>(
           "--stats-json", [&](const std::string& text) { options.statistics_file = file_from("--stats-json", text); },
           "Write the same to a file, as JSON")
        ->type_name("FILE");
    app.add_option_function<std::string>(
           "--trace", [&](const std::string& text) { options.trace_file = file_from("--trace", text); },
           "Write each rank's calls with their times to a file that ui.perfetto.dev and Chrome's developer tools open")
        ->type_name("FILE");
    app.add_flag("--report-bindings", options.report_bindings, "Print on which CPUs each rank may run");

    // Named here for --help alone: what follows the options never reaches the parser.
    app.add_option("program", options.program, "The program, and its arguments, which stay as they are")
        ->type_name("[arguments]");

    // mpirun's -np is no option in the Unix form: there it would be -n with the value "p". Spelled as a long one, it
    // brings more arguments into fmplrun's part; the program's own -np stays as it is.
    std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
    int own = 0;
    for (int before = -1; own != before;) {
        before = own;
        own = own_arguments(app, arguments);
        std::replace(arguments.begin(), arguments.begin() + own, std::string("-np"), std::string("--np"));
    }
    auto program_begin = arguments.begin() + own;
    // CLI11 takes its arguments in reverse.
    std::vector<std::string> reversed(std::make_reverse_iterator(program_begin), arguments.rend());
    if (program_begin != arguments.end() && *program_begin == "--") ++program_begin;
    options.program.assign(program_begin, arguments.end());

    try {
        command_line::parse_strictly(app, [&] { app.parse(std::move(reversed)); });
        if (options.program.empty()) throw CLI::ValidationError("the program to run is missing");
        if (options.program.front().empty()) throw CLI::ValidationError("the name of the program is empty");
        add_preload_variables(options);
    } catch (const CLI::Success& answered) {
        return {std::nullopt, app.exit(answered)};
    } catch (const CLI::ParseError& mistake) {
        fmt::print(stderr, "fmplrun: {}\nfmplrun --help lists the options; nothing was started.\n", mistake.what());
        return {std::nullopt, kWrongArguments};
    } catch (const Error& mistake) {
        fmt::print(stderr, "fmplrun: {}; nothing was started.\n", mistake.what());
        return {std::nullopt, mistake.code() == FMPL_ERR_ARGUMENT ? kWrongArguments : 1};
    }
    return {std::move(options), 0};
}

}  // namespace fmpl::launcher
