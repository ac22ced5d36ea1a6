// The command line of fmpl_info.
#pragma once

#include <optional>
#include <string>

namespace fmpl::info {

struct Options {
    int ranks = 0;         // of the job to explain; 0: as many as there are CPUs
    std::string crossbar;  // "": from the environment, or chosen from the number of ranks
    std::string profile;   // "": from the environment, or host
    bool json = false;
};

// What the command line asks for; or, without options, that it is answered already (--help, --version, or a mistake
// explained on standard error) and fmpl_info should exit with `status`.
struct CommandLine {
    std::optional<Options> options;
    int status = 0;
};

inline constexpr int kWrongArguments = 2;

CommandLine parse_command_line(int argc, const char* const* argv);

}  // namespace fmpl::info
