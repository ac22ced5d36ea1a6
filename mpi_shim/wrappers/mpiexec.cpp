// mpiexec.fmpl and mpirun.fmpl: start an MPI program by fmplrun --mpi, with the options that MPICH's and Open MPI's
// launchers have.
//
// The environment reaches fmplrun byte by byte, whatever its names: shells drop those that they cannot have as
// variables.

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <initializer_list>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <unistd.h>

namespace {

constexpr const char* kHelp =
    "Usage: mpiexec.fmpl [options] program [its arguments], or mpirun.fmpl\n"
    "\n"
    "  -n, -np N                 number of ranks\n"
    "  -npernode, -N, -ppn N     the same, where neither -n nor -np is given\n"
    "  -env, -genv NAME VALUE    set a variable in the environment of the ranks; -x NAME[=VALUE]\n"
    "  -l, --tag-output          begin each line of output with [rank]\n"
    "  -wdir DIR                 run the program in this folder\n"
    "  -host LIST, -hostfile FILE, -machinefile FILE\n"
    "                            refused where they name another host than this one\n"
    "  --bind-to core|none, --timeout SECONDS\n"
    "Options of fmplrun (--rdma, --crossbar, --profile, --on-deadlock, --stats, --stats-json, --trace,\n"
    "--report-bindings) are passed on; fmplrun --help says what they do. All ranks run on this host, in one\n"
    "program: options that place them elsewhere are refused, and so is the \":\" between two programs. Those of\n"
    "other MPIs that change nothing here, as --mca NAME VALUE, are ignored with a word.\n";

[[noreturn]] void refuse(const std::string& words)
{
    std::fprintf(stderr, "%s: %s; nothing was started.\n", program_invocation_short_name, words.c_str());
    std::exit(2);
}

void ignore(std::string_view option, std::string_view value, const char* why)
{
    std::fprintf(stderr, "%s: %s %s is ignored: %s\n", program_invocation_short_name, std::string(option).c_str(),
        std::string(value).c_str(), why);
}

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words)
{
    return std::find(words.begin(), words.end(), word) != words.end();
}

// The number of slots may be behind a colon.
bool is_this_host(std::string_view host)
{
    char own[HOST_NAME_MAX + 1] = {};
    gethostname(own, sizeof own - 1);
    const std::string_view name(own);
    return is_one_of(
        host.substr(0, host.find(':')), {"", "localhost", "127.0.0.1", name, name.substr(0, name.find('.'))});
}

void check_hosts(const std::string& option, const std::string& list)
{
    for (std::string_view rest = list; !rest.empty();) {
        const std::string_view item = rest.substr(0, rest.find(','));
        rest.remove_prefix(std::min(rest.size(), item.size() + 1));
        if (!is_this_host(item))
            refuse(option + " " + list + ": FMPL runs all ranks on this host; leave the option out");
    }
}

// Of a file with a host in each line: its name, and what is of no interest here, as slots=4.
void check_host_file(const std::string& option, const std::string& file)
{
    std::ifstream lines(file);
    std::string line;
    while (std::getline(lines, line)) {
        std::string host;
        std::istringstream(line.substr(0, line.find('#'))) >> host;
        if (!is_this_host(host))
            refuse(
                option + " " + file + ": FMPL runs all ranks on this host, not on " + host + "; leave the option out");
    }
    // A folder can be opened, and not read.
    if (!lines.eof()) refuse(option + " " + file + ": the file cannot be read: " + std::strerror(errno));
    ignore(option, file, "all ranks run on this host");
}

// The folder of this program, in which fmplrun lies.
std::string own_folder()
{
    char path[PATH_MAX + 1] = {};
    if (readlink("/proc/self/exe", path, PATH_MAX) < 0)
        refuse("/proc/self/exe cannot be read: " + std::string(std::strerror(errno)));
    const std::string text(path);
    return text.substr(0, text.rfind('/'));
}

struct Command {
    std::vector<std::string> options;  // of fmplrun
    bool has_ranks = false;            // their number is among these
    std::string ranks_of_host;         // what it is otherwise; empty: not given
};

// The options of fmplrun for those at `word`, which it moves behind what it has read; false: there `program` begins.
bool read_option(char**& word, char** end, const std::string& fmplrun, Command& command)
{
    std::vector<std::string>& options = command.options;
    const std::string option = *word;
    const std::string name = option.substr(0, option.find('='));
    if (option.size() < 2 || option[0] != '-') return false;
    ++word;
    if (option == "--") return false;
    const auto value = [&]() -> std::string {
        if (word == end) refuse(option + " is the last word; give its value, and the program");
        return *word++;
    };
    if (is_one_of(option, {"-n", "-np", "--np", "-c"})) {
        options.insert(options.end(), {"-n", value()});
        command.has_ranks = true;
    } else if (is_one_of(option, {"-npernode", "--npernode", "-N", "-ppn", "--ppn"})) {
        command.ranks_of_host = value();
    } else if (option == "-x") {
        options.insert(options.end(), {"-x", value()});
    } else if (is_one_of(option, {"-env", "-genv", "--env", "--genv"})) {
        const std::string variable = value();
        options.insert(options.end(), {"-x", variable + "=" + value()});
    } else if (is_one_of(option, {"-l", "-prepend-rank", "--prepend-rank", "-tag-output", "--tag-output"})) {
        options.emplace_back("--tag-output");
    } else if (is_one_of(option, {"-wdir", "-wd", "--wdir", "--wd"})) {
        const std::string folder = value();
        if (chdir(folder.c_str()) != 0)
            refuse(option + " " + folder + ": the folder cannot be entered: " + std::strerror(errno));
    } else if (is_one_of(option, {"-host", "-hosts", "--host", "--hosts", "-H"})) {
        check_hosts(option, value());
    } else if (is_one_of(option, {"-f", "-hostfile", "--hostfile", "-machinefile", "--machinefile"})) {
        check_host_file(option, value());
    } else if (is_one_of(option, {"-map-by", "--map-by", "-rank-by", "--rank-by", "-npersocket", "--npersocket"})) {
        ignore(option, value(), "all ranks run on this host");
    } else if (is_one_of(option, {"-mca", "--mca", "-gmca", "--gmca", "-pmca", "--pmca", "-prtemca", "--prtemca"})) {
        const std::string parameter = value();
        ignore(option, parameter + " " + value(), "parameters of Open MPI have no meaning here");
    } else if (is_one_of(option, {"-prefix", "--prefix", "-launcher", "-bootstrap", "-iface", "-rmk"})) {
        ignore(option, value(), "all ranks are started by fmplrun");
    } else if (is_one_of(option, {"-envall", "-genvall", "--oversubscribe", "-oversubscribe", "--nooversubscribe",
                                     "-nooversubscribe", "--allow-run-as-root", "-allow-run-as-root", "-q", "--quiet",
                                     "--use-hwthread-cpus", "-use-hwthread-cpus", "-v", "-verbose", "--verbose"})) {
        // what fmplrun does anyway
    } else if (is_one_of(option, {"-envlist", "-genvlist"})) {
        value();
    } else if (is_one_of(option, {"-bind-to", "--bind-to"})) {
        const std::string binding = value();
        if (is_one_of(binding, {"core", "none"})) {
            options.insert(options.end(), {"--bind-to", binding});
        } else {
            ignore(option, binding, "there is core, and none");
        }
    } else if (is_one_of(option, {"-timeout", "--timeout"})) {
        options.insert(options.end(), {"--timeout", value()});
    } else if (is_one_of(option, {"--rdma", "--crossbar", "--profile", "--on-deadlock", "--stats-json", "--trace"})) {
        options.insert(options.end(), {option, value()});
    } else if (is_one_of(option, {"--stats", "--report-bindings"}) ||
               (name.size() < option.size() && is_one_of(name, {"--rdma", "--crossbar", "--profile", "--on-deadlock",
                                                                   "--timeout", "--stats-json", "--trace"}))) {
        options.push_back(option);
    } else if (is_one_of(option, {"-h", "-help", "--help"})) {
        std::fputs(kHelp, stdout);
        std::exit(std::fflush(stdout) == 0 ? 0 : 1);
    } else if (is_one_of(option, {"-V", "-version", "--version"})) {
        execl(fmplrun.c_str(), fmplrun.c_str(), "--version", static_cast<char*>(nullptr));
        refuse(fmplrun + " cannot be executed: " + std::strerror(errno));
    } else {
        refuse("the option " + option + " is unknown; mpiexec.fmpl --help lists those that there are");
    }
    return true;
}

}  // namespace

int main(int argc, char** argv)
{
    const std::string fmplrun = own_folder() + "/fmplrun";
    if (access(fmplrun.c_str(), X_OK) != 0) refuse("fmplrun is not in " + own_folder() + "; install FMPL again");
    Command read;
    read.options = {fmplrun, "--mpi"};
    char **word = argv + std::min(argc, 1), **const end = argv + argc;
    while (word != end && read_option(word, end, fmplrun, read)) {
    }
    if (word == end) refuse("the program to run is missing; mpiexec.fmpl --help lists the options");
    if (std::any_of(word, end, [](const char* argument) { return std::string_view(argument) == ":"; }))
        refuse("\":\" between programs: all ranks run one program; let it look at its rank");
    if (!read.has_ranks && !read.ranks_of_host.empty())
        read.options.insert(read.options.end(), {"-n", read.ranks_of_host});
    read.options.emplace_back("--");
    std::vector<char*> command;
    for (std::string& option : read.options) command.push_back(option.data());
    command.insert(command.end(), word, end);
    command.push_back(nullptr);
    execv(fmplrun.c_str(), command.data());
    refuse(fmplrun + " cannot be executed: " + std::strerror(errno));
}
