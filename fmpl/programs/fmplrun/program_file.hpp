// What fmplrun reads in the file of the program that it is to start.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace fmpl::launcher {

using Environment = std::map<std::string, std::string>;

// fmplrun's own, with these added, as the ranks will have it.
Environment environment_with(const std::vector<std::pair<std::string, std::string>>& variables);

// The file that execvp would run; "" where there is none.
std::string found_program(const std::string& program, const Environment& environment);

// The dynamic linker that the file names (PT_INTERP); "" for a file that names none, or is no program of this
// machine's.
std::string dynamic_linker_of(const std::string& path);

// Whether the program says that its ranks may share a process (FMPL_RANKS_MAY_SHARE_A_PROCESS).
bool ranks_may_share_a_process(const std::string& path);

}  // namespace fmpl::launcher
