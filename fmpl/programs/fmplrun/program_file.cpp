#include "program_file.hpp"

#include <climits>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string_view>

#include <link.h>
#include <unistd.h>

namespace fmpl::launcher {
namespace {

// Calls visit(segment, read) for each segment of an ELF file of this machine's kind until it returns true; read()
// gives the segment's bytes, "" where these cannot be read or are more than a megabyte.
template <class Visit>
bool visit_segments(const std::string& path, const Visit& visit)
{
    constexpr std::size_t kMostBytes = std::size_t{1} << 20;
    std::ifstream file(path, std::ios::binary);
    ElfW(Ehdr) header{};
    file.read(reinterpret_cast<char*>(&header), sizeof header);
    constexpr unsigned char kOurClass = sizeof(void*) == 8 ? ELFCLASS64 : ELFCLASS32;
    if (!file || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != kOurClass)
        return false;
    for (int i = 0; i < header.e_phnum; ++i) {
        ElfW(Phdr) segment{};
        file.seekg(static_cast<std::streamoff>(header.e_phoff) + i * header.e_phentsize);
        file.read(reinterpret_cast<char*>(&segment), sizeof segment);
        if (!file) return false;
        const auto read = [&] {
            if (segment.p_filesz > kMostBytes) return std::string();
            std::string bytes(segment.p_filesz, '\0');
            file.seekg(static_cast<std::streamoff>(segment.p_offset));
            file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
            return file ? bytes : std::string();
        };
        if (visit(segment, read)) return true;
    }
    return false;
}

}  // namespace

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

std::string dynamic_linker_of(const std::string& path)
{
    std::string linker;
    visit_segments(path, [&](const ElfW(Phdr) & segment, const auto& read) {
        if (segment.p_type != PT_INTERP || segment.p_filesz > PATH_MAX) return false;
        linker = read().c_str();  // it ends with a zero
        return true;
    });
    return linker;
}

bool ranks_may_share_a_process(const std::string& path)
{
    constexpr std::string_view kName("FMPL", 5);  // with its zero
    constexpr ElfW(Word) kMayShare = 1;
    return visit_segments(path, [&](const ElfW(Phdr) & segment, const auto& read) {
        if (segment.p_type != PT_NOTE) return false;
        const std::string notes = read();
        const auto padded = [](std::size_t bytes) { return (bytes + 3) / 4 * 4; };
        for (std::size_t at = 0; at + sizeof(ElfW(Nhdr)) <= notes.size();) {
            ElfW(Nhdr) note{};
            std::memcpy(&note, notes.data() + at, sizeof note);
            at += sizeof note;
            if (note.n_namesz > notes.size() - at) return false;
            if (std::string_view(notes).substr(at, note.n_namesz) == kName && note.n_type == kMayShare) return true;
            const std::size_t bytes = padded(note.n_namesz) + padded(note.n_descsz);
            if (bytes > notes.size() - at) return false;
            at += bytes;
        }
        return false;
    });
}

}  // namespace fmpl::launcher
