#include "loaded_libraries.hpp"

#include "program_file.hpp"

#include <cerrno>
#include <sstream>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace fmpl::launcher {
namespace {

// What the command prints; nothing when it fails.
std::optional<std::string> output_of(const std::vector<std::string>& command, const Environment& environment)
{
    std::vector<char*> arguments;
    for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    std::vector<std::string> entries;
    for (const auto& [name, value] : environment) entries.push_back(name + "=" + value);
    std::vector<char*> variables;
    for (const std::string& entry : entries) variables.push_back(const_cast<char*>(entry.c_str()));
    variables.push_back(nullptr);

    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return std::nullopt;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
    pid_t pid = -1;
    const int failed = posix_spawn(&pid, arguments[0], &actions, nullptr, arguments.data(), variables.data());
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    std::string text;
    char piece[4096];
    for (ssize_t got = 1; failed == 0 && got != 0;) {
        got = read(ends[0], piece, sizeof piece);
        if (got < 0 && errno != EINTR) break;
        if (got > 0) text.append(piece, static_cast<std::size_t>(got));
    }
    close(ends[0]);
    if (failed != 0) return std::nullopt;
    int status = 0;
    while (waitpid(pid, &status, 0) < 0) {
        if (errno != EINTR) return std::nullopt;
    }
    return status == 0 ? std::optional(text) : std::nullopt;
}

}  // namespace

std::optional<std::vector<LoadedLibrary>> loaded_libraries(
    const std::string& program, const std::vector<std::pair<std::string, std::string>>& variables)
{
    const Environment environment = environment_with(variables);
    const std::string path = found_program(program, environment);
    const std::string linker = path.empty() ? "" : dynamic_linker_of(path);
    if (linker.empty()) return std::nullopt;
    const auto printed = output_of({linker, "--list", path}, environment);
    if (!printed) return std::nullopt;
    // Lines such as "libm.so.6 => /lib/libm.so.6 (0x00007f...)", or "libm.so.6 => not found".
    std::vector<LoadedLibrary> libraries;
    std::istringstream lines(*printed);
    for (std::string line; std::getline(lines, line);) {
        const auto arrow = line.find(" => ");
        if (arrow == std::string::npos) continue;
        const auto begin = line.find_first_not_of(" \t");
        const std::string found = line.substr(arrow + 4, line.rfind(" (") - (arrow + 4));
        libraries.push_back({line.substr(begin, arrow - begin), found.starts_with('/') ? found : ""});
    }
    return libraries;
}

}  // namespace fmpl::launcher
