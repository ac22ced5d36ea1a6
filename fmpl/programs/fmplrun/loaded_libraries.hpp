// Which shared libraries a program would run with, as its own dynamic linker says.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace fmpl::launcher {

struct LoadedLibrary {
    std::string name;  // that is asked for, as libmpich.so.12
    std::string path;  // that it was found at; empty: nowhere
};

// `program` is searched as execvp does, and `variables` are added to the environment, both as for the ranks. Nothing of
// the program runs. Nothing is answered for what is no dynamically linked program (a script, a static program, a file
// that cannot be read or found): what that loads is seen when it runs.
std::optional<std::vector<LoadedLibrary>> loaded_libraries(
    const std::string& program, const std::vector<std::pair<std::string, std::string>>& variables);

}  // namespace fmpl::launcher
