#include "preload.hpp"

#include "error.hpp"
#include "loaded_libraries.hpp"
#include "other_mpi.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include <fcntl.h>
#include <unistd.h>

namespace fmpl::launcher {
namespace {

constexpr std::string_view kHeapLibrary = "libfmpl_rdma_heap.so";
constexpr std::string_view kBlacsLibraries[] = {"libblacs_fmpl.so", "libfmpl_scalapack_mend.so"};
constexpr std::string_view kPdgemmLibrary = "libpdgemm_fmpl.so";
constexpr std::string_view kMpiFolder = "fmpl/mpi-abi";  // beside libfmpl
constexpr std::string_view kMpiName = "libmpich.so.12";  // one of those in it
constexpr std::string_view kOpenMpi4Suffix = ".so.40";   // of all its libraries
constexpr std::string_view kSeparators = ": ";           // of LD_PRELOAD
// Besides, those of LD_LIBRARY_PATH, and what the dynamic linker replaces.
constexpr std::string_view kUnspeakable = ": ;$";

// The value that a rank would see: of the last -x, else fmplrun's own.
std::optional<std::string> variable_of_ranks(const Options& options, std::string_view name)
{
    for (auto v = options.variables.rbegin(); v != options.variables.rend(); ++v) {
        if (v->first == name) return v->second;
    }
    const char* value = std::getenv(std::string(name).c_str());
    return value != nullptr ? std::optional<std::string>(value) : std::nullopt;
}

// Of a folder whose path has such characters: through a descriptor of this process, which lives as long as the job.
// So there is no file to be left behind, and what ranks do to their own descriptors, as Python closes them for its
// children, changes nothing.
std::filesystem::path speakable_name(const std::filesystem::path& folder, std::string_view option)
{
    const int fd = open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) {
        fail(FMPL_ERR_SYSTEM, "{}: {} cannot be opened: {}", option, folder.string(), std::strerror(errno));
    }
    return fmt::format("/proc/{}/fd/{}", getpid(), fd);
}

// Beside libfmpl: in the library folder of the installation or the build tree that this program lies in. `option` asks
// for the library; `otherwise` says what else the user may do.
std::string path_of(std::string_view library, std::string_view option, std::string_view otherwise)
{
    std::error_code error;
    const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
    if (error) fail(FMPL_ERR_SYSTEM, "{}: /proc/self/exe cannot be read: {}", option, error.message());
    const std::filesystem::path installed = program.parent_path() / FMPL_BIN_TO_LIB;
    const std::filesystem::path built = program.parent_path() / "../lib";
    for (const auto& folder : {installed, built}) {
        const std::filesystem::path path = folder.lexically_normal() / library;
        if (access(path.c_str(), R_OK) != 0) continue;
        const bool can_be_named = path.string().find_first_of(kUnspeakable) == std::string::npos;
        return can_be_named ? path.string() : (speakable_name(folder, option) / library).string();
    }
    fail(FMPL_ERR_SYSTEM, "{}: {} is not in {}; install it there, or {}", option, library,
        installed.lexically_normal().string(), otherwise);
}

// The names in a value of LD_PRELOAD.
std::vector<std::string> names_in(std::string_view preload)
{
    std::vector<std::string> names;
    while (!preload.empty()) {
        const std::string_view name = preload.substr(0, preload.find_first_of(kSeparators));
        preload.remove_prefix(std::min(preload.size(), name.size() + 1));
        if (!name.empty()) names.emplace_back(name);
    }
    return names;
}

// Takes a library out, from whichever folder; says whether it was there.
bool take_out(std::vector<std::string>& names, std::string_view library)
{
    return std::erase_if(names, [&](const auto& name) { return std::filesystem::path(name).filename() == library; }) >
           0;
}

std::string joined(const std::vector<std::string>& names)
{
    std::string preload;
    for (const std::string& name : names) preload += (preload.empty() ? "" : ":") + name;
    return preload;
}

// --mpi: puts the libraries of MPICH's and Open MPI's names in front of LD_LIBRARY_PATH, and answers those that have to
// be preloaded.
//
// The path reaches every library that asks for one of the names, also one that is loaded while the program runs, and
// costs the other programs of a job (a shell around the program) nothing. What it does not reach is a program with a
// search path of its own in front of it (DT_RPATH): there the library is preloaded, and taken for the one that is
// asked for, since it has that name (DT_SONAME). A preload alone would put the library into every process of the job,
// and where there is no MPI it would have to be told from a rank's.
std::vector<std::string> add_mpi_path(Options& options)
{
    namespace fs = std::filesystem;
    const std::string first = fmt::format("{}/{}", kMpiFolder, kMpiName);
    const std::string folder = fs::path(path_of(first, "--mpi", "leave the option out")).parent_path().string();
    const std::string before = variable_of_ranks(options, "LD_LIBRARY_PATH").value_or("");
    options.variables.emplace_back("LD_LIBRARY_PATH", before.empty() ? folder : folder + ":" + before);

    std::vector<std::string> preloaded;
    const std::string& program = options.program.front();
    for (const auto& [name, path] :
        loaded_libraries(program, options.variables).value_or(std::vector<LoadedLibrary>())) {
        if (is_of_open_mpi(name) && name.starts_with("libmpi") && !has_open_mpi_interface(name)) {
            if (name.ends_with(kOpenMpi4Suffix)) {
                fail(FMPL_ERR_ARGUMENT,
                    "--mpi: {} needs {}, a library of Open MPI 4 that FMPL's MPI has no counterpart of; compile the "
                    "program with mpicc.fmpl, mpicxx.fmpl or mpifort.fmpl",
                    program, name);
            }
            fail(FMPL_ERR_ARGUMENT,
                "--mpi: {} needs {}, of a version of Open MPI whose binary interface FMPL's MPI has not, but that of "
                "version 4 (libmpi.so.40); compile the program with mpicc.fmpl, mpicxx.fmpl or mpifort.fmpl",
                program, name);
        }
        std::error_code ignored;
        const bool is_ours = has_mpich_interface(name) || has_open_mpi_interface(name) || has_standard_interface(name);
        if (is_ours && !fs::equivalent(fs::path(path).parent_path(), folder, ignored)) {
            preloaded.push_back(folder + "/" + name);
        }
    }
    return preloaded;
}

}  // namespace

void add_preload_variables(Options& options)
{
    const std::vector<std::string> mpi = options.mpi ? add_mpi_path(options) : std::vector<std::string>();
    const auto variable = variable_of_ranks(options, "FMPL_RDMA");
    const std::string mode = !options.rdma.empty() ? options.rdma
                             : variable            ? *variable
                             : options.blacs       ? "heap"
                                                   : "none";
    if (mode != "heap" && mode != "none") {
        fail(FMPL_ERR_ARGUMENT, "FMPL_RDMA={} is unknown; allowed are: heap, none", mode);
    }
    std::vector<std::string> names = names_in(variable_of_ranks(options, "LD_PRELOAD").value_or(""));
    bool changed = take_out(names, kHeapLibrary);
    std::vector<std::string> in_front;
    if (options.blacs) {
        for (const std::string_view library : kBlacsLibraries) {
            take_out(names, library);
            in_front.push_back(path_of(library, "--blacs", "link the program with -lblacs_fmpl in front"));
        }
    }
    const bool pdgemm = options.pdgemm == "fmpl" || (options.pdgemm.empty() && options.blacs);
    if (pdgemm || options.pdgemm == "none") changed = take_out(names, kPdgemmLibrary) || changed;
    if (pdgemm) {
        const bool implied = options.pdgemm.empty();
        in_front.insert(in_front.begin(),
            path_of(kPdgemmLibrary, implied ? "--blacs with --pdgemm fmpl, its default" : "--pdgemm fmpl",
                implied ? "say --pdgemm none" : "leave the option out"));
    }
    in_front.insert(in_front.end(), mpi.begin(), mpi.end());
    names.insert(names.begin(), in_front.begin(), in_front.end());
    changed = changed || !in_front.empty();
    if (mode == "heap") {
        const bool implied = options.rdma.empty() && !variable;
        names.insert(
            names.begin(), path_of(kHeapLibrary, implied ? "--blacs with --rdma heap, its default" : "--rdma heap",
                               implied ? "say --rdma none (a build with a sanitizer has no such library)"
                                       : "leave the option out (a build with a sanitizer has no such library)"));
        changed = true;
    }
    if (changed) options.variables.emplace_back("LD_PRELOAD", joined(names));
    if (mode == "heap" || !options.rdma.empty()) options.variables.emplace_back("FMPL_RDMA", mode);
}

}  // namespace fmpl::launcher
