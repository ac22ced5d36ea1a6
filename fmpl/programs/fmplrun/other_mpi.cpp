#include "other_mpi.hpp"

#include "loaded_libraries.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace fmpl::launcher {
namespace {

// By the beginning of their names. Open MPI's oldest libmpi.so.12 is told from MPICH's by what comes with it.
constexpr std::string_view kOpenMpiNames[] = {"libmpi.so.4", "libmpi.so.2", "libopen-rte.so", "libopen-pal.so",
    "libmpi_mpifh.so", "libmpi_usempi", "libmpi_java.so"};
// Those that FMPL has libraries of the same names for: of the binary interfaces of MPICH, of Open MPI 4 and of MPI-5.
constexpr std::string_view kMpichNames[] = {"libmpich.so.12", "libmpichfort.so.12", "libmpi.so.12", "libmpifort.so.12"};
constexpr std::string_view kOpenMpi4Names[] = {"libmpi.so.40", "libmpi_mpifh.so.40", "libmpi_usempi_ignore_tkr.so.40",
    "libmpi_usempif08.so.40", "libmpi_cxx.so.40"};
constexpr std::string_view kStandardName = "libmpi_abi.so.0";  // of MPI-5's interface
// What a program calls that is a rank of FMPL's.
constexpr std::string_view kOurNames[] = {"libfmpl.so", "libmpi_fmpl.so", "libblacs_fmpl.so"};

template <std::size_t n>
bool begins_as_one_of(const std::string_view (&names)[n], std::string_view library)
{
    return std::any_of(
        std::begin(names), std::end(names), [&](std::string_view name) { return library.starts_with(name); });
}

}  // namespace

bool is_of_open_mpi(std::string_view library)
{
    return begins_as_one_of(kOpenMpiNames, library);
}

bool has_mpich_interface(std::string_view library)
{
    return std::find(std::begin(kMpichNames), std::end(kMpichNames), library) != std::end(kMpichNames);
}

bool has_open_mpi_interface(std::string_view library)
{
    return std::find(std::begin(kOpenMpi4Names), std::end(kOpenMpi4Names), library) != std::end(kOpenMpi4Names);
}

bool has_standard_interface(std::string_view library)
{
    return library == kStandardName;
}

std::optional<std::string> warning_of_other_mpi(const Options& options)
{
    if (options.ranks == 1 || options.mpi || options.blacs) return std::nullopt;
    const std::string& program = options.program.front();
    const auto libraries = loaded_libraries(program, options.variables).value_or(std::vector<LoadedLibrary>());
    const auto is_ours = [](const LoadedLibrary& library) { return begins_as_one_of(kOurNames, library.name); };
    if (std::any_of(libraries.begin(), libraries.end(), is_ours)) return std::nullopt;
    const auto alone = [&](std::string_view mpi, std::string_view library, std::string_view otherwise) {
        return fmt::format(
            "warning: {} was built with {} (it needs {}), whose processes know nothing of this job: it is started {} "
            "times, "
            "each alone; {}",
            program, mpi, library, options.ranks, otherwise);
    };
    // libmpi itself: Open MPI's launcher needs the others.
    const auto calls_open_mpi = [&](const LoadedLibrary& library) {
        return is_of_open_mpi(library.name) && library.name.starts_with("libmpi");
    };
    const auto open_mpi = std::find_if(libraries.begin(), libraries.end(), calls_open_mpi);
    if (open_mpi != libraries.end()) {
        return alone("Open MPI", open_mpi->name,
            has_open_mpi_interface(open_mpi->name) ? "start it with fmplrun --mpi"
                                                   : "compile it with mpicc.fmpl, mpicxx.fmpl or mpifort.fmpl");
    }
    const auto mpich = std::find_if(libraries.begin(), libraries.end(),
        [](const LoadedLibrary& library) { return has_mpich_interface(library.name); });
    if (mpich != libraries.end()) {
        return alone("MPICH or an MPI of its binary interface", mpich->name, "start it with fmplrun --mpi");
    }
    const auto standard = std::find_if(libraries.begin(), libraries.end(),
        [](const LoadedLibrary& library) { return has_standard_interface(library.name); });
    if (standard == libraries.end()) return std::nullopt;
    return alone("an MPI of the standard's binary interface", standard->name, "start it with fmplrun --mpi");
}

}  // namespace fmpl::launcher
