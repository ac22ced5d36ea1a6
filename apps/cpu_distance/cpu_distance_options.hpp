// The command line of cpu-distance.
#pragma once

#include <vector>

namespace fmpl {

// The two CPUs. Throws command_line::OptionsEnd.
std::vector<int> read_cpus(int argc, const char* const* argv);

}  // namespace fmpl
