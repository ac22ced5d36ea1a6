#include "heap_preload.hpp"

#include "error.hpp"

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string_view>

#include <unistd.h>

namespace fmpl::launcher {
namespace {

constexpr std::string_view kLibrary = "libfmpl_rdma_heap.so";
constexpr std::string_view kSeparators = ": ";  // of LD_PRELOAD

// The value that a rank would see: of the last -x, else fmplrun's own.
std::optional<std::string> variable_of_ranks(const Options& options, std::string_view name)
{
    for (auto v = options.variables.rbegin(); v != options.variables.rend(); ++v) {
        if (v->first == name) return v->second;
    }
    const char* value = std::getenv(std::string(name).c_str());
    return value != nullptr ? std::optional<std::string>(value) : std::nullopt;
}

// Beside libfmpl: in the library folder of the installation or the build tree that this program lies in.
std::string library_path()
{
    std::error_code error;
    const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
    if (error) fail(FMPL_ERR_SYSTEM, "--rdma heap: /proc/self/exe cannot be read: {}", error.message());
    const std::filesystem::path installed = program.parent_path() / FMPL_BIN_TO_LIB;
    const std::filesystem::path built = program.parent_path() / "../lib";
    for (const auto& folder : {installed, built}) {
        const std::string path = (folder.lexically_normal() / kLibrary).string();
        if (access(path.c_str(), R_OK) != 0) continue;
        if (path.find_first_of(kSeparators) != std::string::npos) {
            fail(FMPL_ERR_SYSTEM,
                "--rdma heap: LD_PRELOAD cannot name {}, since a blank or a colon ends a name there; install FMPL "
                "under another path",
                path);
        }
        return path;
    }
    fail(FMPL_ERR_SYSTEM,
        "--rdma heap: {} is not in {}; install it there, or leave the option out (a build with a sanitizer has no such "
        "library)",
        kLibrary, installed.lexically_normal().string());
}

// The entries of LD_PRELOAD that are not the heap's library.
std::string others_in(std::string_view preload)
{
    std::string others;
    while (!preload.empty()) {
        const std::string_view entry = preload.substr(0, preload.find_first_of(kSeparators));
        preload.remove_prefix(std::min(preload.size(), entry.size() + 1));
        if (entry.empty() || std::filesystem::path(entry).filename() == kLibrary) continue;
        others += others.empty() ? "" : ":";
        others += entry;
    }
    return others;
}

}  // namespace

void add_heap_variables(Options& options)
{
    const std::string mode =
        !options.rdma.empty() ? options.rdma : variable_of_ranks(options, "FMPL_RDMA").value_or("none");
    if (mode != "heap" && mode != "none") {
        fail(FMPL_ERR_ARGUMENT, "FMPL_RDMA={} is unknown; allowed are: heap, none", mode);
    }
    const std::string preload = variable_of_ranks(options, "LD_PRELOAD").value_or("");
    const std::string others = others_in(preload);
    if (mode == "heap") {
        const std::string library = library_path();
        options.variables.emplace_back("LD_PRELOAD", others.empty() ? library : library + ":" + others);
    } else if (preload.find(kLibrary) != std::string::npos) {
        options.variables.emplace_back("LD_PRELOAD", others);
    }
    if (mode == "heap" || !options.rdma.empty()) options.variables.emplace_back("FMPL_RDMA", mode);
}

}  // namespace fmpl::launcher
