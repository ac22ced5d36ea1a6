// Whether a process that is no rank of fmplrun's was started as one of several by the launcher of another system.
#pragma once

#include <optional>
#include <string>

namespace fmpl {

// By the variables that Open MPI's, MPICH's and other launchers of the PMI and PMIx interfaces, and Slurm set. On the
// first process of several, the words to say so; nothing on the others, and where there is no such launcher.
std::optional<std::string> words_about_other_launcher();

}  // namespace fmpl
