// transport.hpp for FMPL.
#pragma once

#include "fmpl_setting.hpp"

#include <fmpl/fmpl.hpp>

#include <cstddef>
#include <cstdlib>
#include <limits>
#include <memory>
#include <string>
#include <string_view>

namespace fmpl::bench::transport {

inline constexpr const char* kProgram = "fmpl-bench";
inline constexpr const char* kShortName = "FMPL";
inline constexpr const char* kLauncher = "fmplrun";
inline constexpr const char* kAllocator = "fmpl_malloc";
inline constexpr std::size_t kMostMessageBytes = std::numeric_limits<std::size_t>::max();

inline void check(int code)
{
    if (code != FMPL_SUCCESS) [[unlikely]]
        throw Error(code, fmpl_error_message());
}

// Errors become exceptions, which main prints once.
class Process {
public:
    Process() { setenv("FMPL_ERRORS", "return", 1); }
    int rank() const { return fmpl_job_rank(); }
    int ranks() const { return fmpl_job_size(); }
    std::unique_ptr<Session> session(int indices) const { return std::make_unique<Session>(indices); }
};

// What main returns after an exception. The launcher ends the other ranks.
inline int end_after_error()
{
    return 1;
}

inline std::string library()
{
    return "FMPL " + std::to_string(FMPL_VERSION_MAJOR) + "." + std::to_string(FMPL_VERSION_MINOR) + "." +
           std::to_string(FMPL_VERSION_PATCH);
}

// Whether the environment variable changes how the library works. Process sets FMPL_ERRORS.
inline bool is_setting(std::string_view variable)
{
    return is_fmpl_setting(variable) && variable != "FMPL_ERRORS";
}

class Group {
public:
    static Group world() { return Group(Comm()); }
    static Group of(bool member) { return Group(Comm::create(member)); }  // collective over the job
    void barrier() const { check(fmpl_barrier(comm_.handle())); }
    void free() noexcept  // collective over the group; nothing where this rank is no member
    {
        if (!comm_) return;
        fmpl_comm_t handle = comm_.handle();
        fmpl_comm_free(&handle);  // what fails here fails again, in words, at the end of the session
    }

private:
    explicit Group(Comm comm) : comm_(comm) {}
    Comm comm_;
};

inline void send(const void* data, std::size_t bytes, int peer, int index)
{
    check(fmpl_send(data, bytes, peer, index, FMPL_COMM_WORLD));
}

inline void recv(void* data, std::size_t bytes, int peer, int index)
{
    check(fmpl_recv(data, bytes, peer, index, FMPL_COMM_WORLD));
}

class PostedReceives {
public:
    explicit PostedReceives(int /*count*/) {}
    void post(void* data, std::size_t bytes, int peer, int index)
    {
        check(fmpl_irecv(data, bytes, peer, index, FMPL_COMM_WORLD));
    }
    void wait(int peer, int index) { check(fmpl_irecv_wait(peer, index, FMPL_COMM_WORLD)); }
};

inline void barrier()
{
    check(fmpl_barrier(FMPL_COMM_WORLD));
}

inline void bcast(void* data, std::size_t bytes, int root)
{
    check(fmpl_bcast(data, bytes, root, FMPL_COMM_WORLD));
}

class SumToRoot {
public:
    explicit SumToRoot(std::size_t /*most*/) {}
    const double* operator()(double* values, std::size_t count, int root)
    {
        check(fmpl_reduce(values, count, FMPL_SUM_DOUBLE, root, FMPL_COMM_WORLD, nullptr));
        return values;
    }
};

inline void sum_to_all(double* values, std::size_t count)
{
    check(fmpl_allreduce(values, count, FMPL_SUM_DOUBLE, FMPL_COMM_WORLD, nullptr));
}

inline void max_over_ranks(double* values, std::size_t count)
{
    check(fmpl_allreduce(values, count, FMPL_MAX_DOUBLE, FMPL_COMM_WORLD, nullptr));
}

inline void* allocate(std::size_t bytes)
{
    void* memory = fmpl_malloc(bytes);
    if (memory == nullptr) throw Error(FMPL_ERR_MEMORY, fmpl_error_message());
    return memory;
}

inline void release(void* memory)
{
    fmpl_free(memory);
}

}  // namespace fmpl::bench::transport
