// bench/transport.hpp for the BLACS: C names alone, so that one object file serves every BLACS that it is linked with
// or that is preloaded.
//
// All ranks form a grid of one row. Data counts in doubles; other sizes lose their rest.
#pragma once

#include "../bench/fmpl_setting.hpp"

#include <blacs_fmpl.h>

#include <cerrno>
#include <cstddef>
#include <exception>
#include <filesystem>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <dlfcn.h>

namespace fmpl::bench::transport {

// The file that the program has the BLACS from, without its folder.
inline std::string provider()
{
    Dl_info where{};
    void* symbol = dlsym(RTLD_DEFAULT, "Cblacs_pinfo");
    if (symbol == nullptr || dladdr(symbol, &where) == 0 || where.dli_fname == nullptr) return "unknown";
    std::error_code ignored;
    const std::filesystem::path file = std::filesystem::canonical(where.dli_fname, ignored);
    return (ignored ? std::filesystem::path(where.dli_fname) : file).filename().string();
}

inline const char* const kProgram = program_invocation_short_name;
inline constexpr const char* kShortName = "BLACS";
inline const char* const kLauncher =
    provider().starts_with("libblacs_fmpl") || provider().starts_with("libblacs_mpi.") ? "fmplrun" : "mpiexec";
inline constexpr const char* kAllocator = nullptr;
inline constexpr std::size_t kMostMessageBytes = std::size_t{std::numeric_limits<int>::max()} * sizeof(double);

// The job, since a process has it from its first BLACS call to its last.
struct Grid {
    int context = -1;
    int rank = 0;
    int ranks = 1;
};
inline Grid grid;

// Joins the job, so that session() has nothing left to do.
class Process {
public:
    Process() : exceptions_(std::uncaught_exceptions())
    {
        Cblacs_pinfo(&grid.rank, &grid.ranks);
        Cblacs_get(-1, 0, &grid.context);
        Cblacs_gridinit(&grid.context, "Row", 1, grid.ranks);
    }
    // Not after an exception: the other ranks would wait for one that failed.
    ~Process()
    {
        if (std::uncaught_exceptions() != exceptions_) return;
        Cblacs_gridexit(grid.context);
        Cblacs_exit(0);
    }
    Process(const Process&) = delete;
    Process& operator=(const Process&) = delete;

    int rank() const { return grid.rank; }
    int ranks() const { return grid.ranks; }
    std::unique_ptr<int> session(int /*indices*/) const { return nullptr; }

private:
    int exceptions_;
};

// What main returns after an exception; ends the other ranks.
inline int end_after_error()
{
    Cblacs_abort(grid.context, 1);
    return 1;
}

inline std::string library()
{
    return "BLACS (" + provider() + ")";
}

// Whether the environment variable changes how the library, or an MPI below it, works.
inline bool is_setting(std::string_view variable)
{
    for (const char* start : {"OMPI_MCA_", "MPICH_", "MPIR_", "UCX_", "FI_", "OPENBLAS_"}) {
        if (variable.starts_with(start)) return true;
    }
    return is_fmpl_setting(variable);
}

// In place, to all.
inline void sum_to_all(double* values, std::size_t count)
{
    const int m = static_cast<int>(count);
    Cdgsum2d(grid.context, "All", " ", m, 1, values, m, -1, -1);
}

// Of values that are not negative: the BLACS compare absolute values.
inline void max_over_ranks(double* values, std::size_t count)
{
    const int m = static_cast<int>(count);
    Cdgamx2d(grid.context, "All", " ", m, 1, values, m, nullptr, nullptr, -1, -1, -1);
}

inline void barrier()
{
    Cblacs_barrier(grid.context, "All");
}

inline void bcast(void* data, std::size_t bytes, int root)
{
    const int m = static_cast<int>(bytes / sizeof(double));
    if (grid.rank == root) {
        Cdgebs2d(grid.context, "All", " ", m, 1, static_cast<const double*>(data), m);
    } else {
        Cdgebr2d(grid.context, "All", " ", m, 1, static_cast<double*>(data), m, 0, root);
    }
}

class Group {
public:
    static Group world() { return Group(grid.context); }
    static Group of(bool member)  // collective over the job
    {
        std::vector<double> members(static_cast<std::size_t>(grid.ranks));
        members[static_cast<std::size_t>(grid.rank)] = member ? 1 : 0;
        max_over_ranks(members.data(), members.size());
        std::vector<int> map;
        for (int rank = 0; rank < grid.ranks; ++rank) {
            if (members[static_cast<std::size_t>(rank)] > 0) map.push_back(rank);
        }
        int context = -1;
        Cblacs_get(-1, 0, &context);
        Cblacs_gridmap(&context, map.data(), 1, 1, static_cast<int>(map.size()));
        return Group(member ? context : -1);
    }
    void barrier() const { Cblacs_barrier(context_, "All"); }
    void free() noexcept  // collective over the group; nothing where this rank is no member
    {
        if (context_ >= 0) Cblacs_gridexit(context_);
        context_ = -1;
    }

private:
    explicit Group(int context) : context_(context) {}
    int context_;
};

inline void* allocate(std::size_t /*bytes*/)
{
    throw std::logic_error("the BLACS have no memory of their own for messages");
}

inline void release(void* /*memory*/) {}

}  // namespace fmpl::bench::transport
