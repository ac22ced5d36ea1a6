#include "loaded_libraries.hpp"

#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>
#include <string_view>

#include <fcntl.h>
#include <link.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace fmpl::launcher {
namespace {

using Environment = std::map<std::string, std::string>;

Environment environment_with(const std::vector<std::pair<std::string, std::string>>& variables)
{
    Environment result;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const std::string_view text(*entry);
        const auto equals = text.find('=');
        if (equals != std::string_view::npos) result.emplace(text.substr(0, equals), text.substr(equals + 1));
    }
    for (const auto& [name, value] : variables) result[name] = value;
    return result;
}

// "": nowhere.
std::string found_program(const std::string& program, const Environment& environment)
{
    if (program.find('/') != std::string::npos) return program;
    const auto set = environment.find("PATH");
    std::istringstream folders(set != environment.end() ? set->second : "/bin:/usr/bin");
    for (std::string folder; std::getline(folders, folder, ':');) {
        const std::string path = (folder.empty() ? "." : folder) + "/" + program;
        if (access(path.c_str(), X_OK) == 0) return path;
    }
    return "";
}

// The dynamic linker that the file names (PT_INTERP); "" for a file that names none.
std::string dynamic_linker_of(const std::string& path)
{
    std::ifstream file(path, std::ios::binary);
    ElfW(Ehdr) header{};
    file.read(reinterpret_cast<char*>(&header), sizeof header);
    constexpr unsigned char kOurClass = sizeof(void*) == 8 ? ELFCLASS64 : ELFCLASS32;
    if (!file || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != kOurClass) return "";
    for (int i = 0; i < header.e_phnum; ++i) {
        ElfW(Phdr) segment{};
        file.seekg(static_cast<std::streamoff>(header.e_phoff) + i * header.e_phentsize);
        file.read(reinterpret_cast<char*>(&segment), sizeof segment);
        if (!file) return "";
        if (segment.p_type != PT_INTERP || segment.p_filesz > PATH_MAX) continue;
        std::string name(segment.p_filesz, '\0');
        file.seekg(static_cast<std::streamoff>(segment.p_offset));
        file.read(name.data(), static_cast<std::streamsize>(name.size()));
        return file ? name.c_str() : std::string();
    }
    return "";
}

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
