// transport.hpp for an MPI: the calls that a user of MPI would write, on MPI_COMM_WORLD.
//
// FMPL_BENCH_MPI is the name of the program in quotes, as in "mpi-bench.openmpi"; that over FMPL's MPI ends in ".mpi".
#pragma once

#include "fmpl_setting.hpp"

#include <mpi.h>

#include <cstddef>
#include <exception>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace fmpl::bench::transport {

inline constexpr const char* kProgram = FMPL_BENCH_MPI;
inline constexpr const char* kShortName = "MPI";
inline constexpr const char* kLauncher = std::string_view(kProgram).ends_with(".mpi") ? "fmplrun" : "mpiexec";
inline constexpr const char* kAllocator = "MPI_Alloc_mem";
inline constexpr std::size_t kMostMessageBytes = std::numeric_limits<int>::max();

[[noreturn]] inline void fail(int code)
{
    char words[MPI_MAX_ERROR_STRING];
    int length = 0;
    MPI_Error_string(code, words, &length);
    throw std::runtime_error(std::string(words, static_cast<std::size_t>(length)));
}

inline void check(int code)
{
    if (code != MPI_SUCCESS) [[unlikely]]
        fail(code);
}

// MPI_Init joins the job, so that session() has nothing left to do.
class Process {
public:
    Process() : exceptions_(std::uncaught_exceptions())
    {
        check(MPI_Init(nullptr, nullptr));
        check(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    }
    // Not after an exception: the other ranks would wait in MPI_Finalize for one that failed.
    ~Process()
    {
        if (std::uncaught_exceptions() == exceptions_) MPI_Finalize();
    }
    Process(const Process&) = delete;
    Process& operator=(const Process&) = delete;

    int rank() const
    {
        int rank = 0;
        check(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
        return rank;
    }
    int ranks() const
    {
        int size = 0;
        check(MPI_Comm_size(MPI_COMM_WORLD, &size));
        return size;
    }
    std::unique_ptr<int> session(int /*indices*/) const { return nullptr; }

private:
    int exceptions_;
};

// What main returns after an exception; ends the other ranks.
inline int end_after_error()
{
    int initialized = 0;
    MPI_Initialized(&initialized);
    if (initialized != 0) MPI_Abort(MPI_COMM_WORLD, 1);
    return 1;
}

// The first words of what the library says of itself, such as "Open MPI v4.1.4".
inline std::string library()
{
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    int length = 0;
    check(MPI_Get_library_version(text, &length));
    const std::string_view all(text, static_cast<std::size_t>(length));
    std::string words;
    for (const char c : all.substr(0, all.find_first_of(",\n"))) {
        if (c != ' ' && c != '\t') {
            words += c;
        } else if (!words.ends_with(' ')) {
            words += ' ';
        }
    }
    return words;
}

// Whether the environment variable changes how the library works.
inline bool is_setting(std::string_view variable)
{
    for (const char* start : {"OMPI_MCA_", "MPICH_", "MPIR_", "UCX_", "FI_"}) {
        if (variable.starts_with(start)) return true;
    }
    return is_fmpl_setting(variable);
}

class Group {
public:
    static Group world() { return Group(MPI_COMM_WORLD); }
    static Group of(bool member)  // collective over the job
    {
        MPI_Comm comm = MPI_COMM_NULL;
        check(MPI_Comm_split(MPI_COMM_WORLD, member ? 0 : MPI_UNDEFINED, 0, &comm));
        return Group(comm);
    }
    void barrier() const { check(MPI_Barrier(comm_)); }
    void free() noexcept  // collective over the group; nothing where this rank is no member
    {
        if (comm_ != MPI_COMM_NULL) MPI_Comm_free(&comm_);
    }

private:
    explicit Group(MPI_Comm comm) : comm_(comm) {}
    MPI_Comm comm_;
};

inline void send(const void* data, std::size_t bytes, int peer, int index)
{
    check(MPI_Send(data, static_cast<int>(bytes), MPI_BYTE, peer, index, MPI_COMM_WORLD));
}

inline void recv(void* data, std::size_t bytes, int peer, int index)
{
    check(MPI_Recv(data, static_cast<int>(bytes), MPI_BYTE, peer, index, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
}

class PostedReceives {
public:
    explicit PostedReceives(int count) : requests_(static_cast<std::size_t>(count), MPI_REQUEST_NULL) {}
    void post(void* data, std::size_t bytes, int peer, int index)
    {
        check(MPI_Irecv(data, static_cast<int>(bytes), MPI_BYTE, peer, index, MPI_COMM_WORLD, &request(index)));
    }
    void wait(int /*peer*/, int index) { check(MPI_Wait(&request(index), MPI_STATUS_IGNORE)); }

private:
    MPI_Request& request(int index) { return requests_[static_cast<std::size_t>(index)]; }
    std::vector<MPI_Request> requests_;
};

inline void barrier()
{
    check(MPI_Barrier(MPI_COMM_WORLD));
}

inline void bcast(void* data, std::size_t bytes, int root)
{
    check(MPI_Bcast(data, static_cast<int>(bytes), MPI_BYTE, root, MPI_COMM_WORLD));
}

// Not in place: the MPICH of Debian 12 crashes in that where the root is not rank 0 (pmodels/mpich issue 6540).
class SumToRoot {
public:
    explicit SumToRoot(std::size_t most) : result_(most) {}
    const double* operator()(const double* values, std::size_t count, int root)
    {
        check(MPI_Reduce(values, result_.data(), static_cast<int>(count), MPI_DOUBLE, MPI_SUM, root, MPI_COMM_WORLD));
        return result_.data();
    }

private:
    std::vector<double> result_;
};

// In place, as FMPL.
inline void sum_to_all(double* values, std::size_t count)
{
    check(MPI_Allreduce(MPI_IN_PLACE, values, static_cast<int>(count), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD));
}

inline void max_over_ranks(double* values, std::size_t count)
{
    check(MPI_Allreduce(MPI_IN_PLACE, values, static_cast<int>(count), MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD));
}

inline void* allocate(std::size_t bytes)
{
    void* memory = nullptr;
    check(MPI_Alloc_mem(static_cast<MPI_Aint>(bytes), MPI_INFO_NULL, &memory));
    return memory;
}

inline void release(void* memory)
{
    MPI_Free_mem(memory);
}

}  // namespace fmpl::bench::transport
