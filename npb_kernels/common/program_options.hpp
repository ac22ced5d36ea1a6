// The command line of a kernel's program.
#pragma once

#include "program.hpp"

#include <string>

namespace fmpl::npb {

inline constexpr int kRefused = 2;  // the exit status after arguments that cannot be used

struct ProgramOptions {
    ProblemClass problem_class = ProblemClass::S;
    std::string json_file;
};

// Throws command_line::OptionsEnd.
ProgramOptions read_options(const ProgramText& text, int argc, const char* const* argv, const AddOptions& add_options);

}  // namespace fmpl::npb
