// FMPL in C++20: the calls of fmpl.h with types, spans and exceptions, and run_ranks: ranks as threads of one process.
//
// Every function throws fmpl::Error where the C call returns an error code. Nothing here holds state of its own: a Comm
// is a handle, and freeing it is explicit because it is collective.
#pragma once

#include <fmpl.h>
#include <fmpl/layers.h>

#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <new>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace fmpl {

class Error : public std::runtime_error {
public:
    Error(int code, const std::string& what) : std::runtime_error(what), code_(code) {}
    int code() const noexcept { return code_; }  // FMPL_ERR_*
private:
    int code_;
};

namespace detail {
inline void check(int code)
{
    if (code != FMPL_SUCCESS) throw Error(code, fmpl_error_message());
}
// What does not fit a size_t is more than any call takes.
template <class T>
std::size_t bytes_of(std::span<T> data)
{
    constexpr auto kMost = static_cast<std::size_t>(-1);
    return data.size() > kMost / sizeof(T) ? kMost : data.size_bytes();
}
}  // namespace detail

// Elements that may cross ranks: trivially copyable ones.
template <class T>
concept Transferable = std::is_trivially_copyable_v<T>;

// What a receive matched.
struct Received {
    int source;
    int index;
    std::size_t bytes;
};

class Comm {
public:
    constexpr Comm() = default;  // FMPL_COMM_WORLD
    constexpr explicit Comm(fmpl_comm_t handle) : handle_(handle) {}

    // Collective over the job: the ranks with member = true get the communicator, the others a null one.
    static Comm create(bool member)
    {
        fmpl_comm_t handle = FMPL_COMM_NULL;
        detail::check(fmpl_comm_create(&handle, member ? 1 : 0));
        return Comm(handle);
    }
    void free() { detail::check(fmpl_comm_free(&handle_)); }

    explicit operator bool() const { return handle_ != FMPL_COMM_NULL; }
    fmpl_comm_t handle() const { return handle_; }
    int rank() const
    {
        int r = 0;
        detail::check(fmpl_comm_rank(handle_, &r));
        return r;
    }
    int size() const
    {
        int n = 0;
        detail::check(fmpl_comm_size(handle_, &n));
        return n;
    }

    template <Transferable T>
    void send(std::span<const T> data, int destination, int index) const
    {
        detail::check(fmpl_send(data.data(), detail::bytes_of(data), destination, index, handle_));
    }
    template <Transferable T>
    Received recv(std::span<T> data, int source, int index) const
    {
        detail::check(fmpl_recv(data.data(), detail::bytes_of(data), source, index, handle_));
        return received();
    }
    template <Transferable T>
    void isend(std::span<const T> data, int destination, int index) const
    {
        detail::check(fmpl_isend(data.data(), detail::bytes_of(data), destination, index, handle_));
    }
    template <Transferable T>
    void irecv(std::span<T> data, int source, int index) const
    {
        detail::check(fmpl_irecv(data.data(), detail::bytes_of(data), source, index, handle_));
    }
    void isend_wait(int destination, int index) const { detail::check(fmpl_isend_wait(destination, index, handle_)); }
    Received irecv_wait(int source, int index) const
    {
        detail::check(fmpl_irecv_wait(source, index, handle_));
        return received();
    }
    template <Transferable T>
    void send_any(std::span<const T> data, int destination, int index) const
    {
        detail::check(fmpl_send_any(data.data(), detail::bytes_of(data), destination, index, handle_));
    }
    template <Transferable T>
    Received recv_any(std::span<T> data, int index) const
    {
        detail::check(fmpl_recv_any(data.data(), detail::bytes_of(data), index, handle_));
        return received();
    }

    void barrier() const { detail::check(fmpl_barrier(handle_)); }
    template <Transferable T>
    void bcast(std::span<T> data, int root) const
    {
        detail::check(fmpl_bcast(data.data(), detail::bytes_of(data), root, handle_));
    }
    template <Transferable T>
    void reduce(std::span<T> data, fmpl_op_t op, int root) const
    {
        detail::check(fmpl_reduce(data.data(), data.size(), op, root, handle_, nullptr));
    }
    template <Transferable T>
    void allreduce(std::span<T> data, fmpl_op_t op) const
    {
        detail::check(fmpl_allreduce(data.data(), data.size(), op, handle_, nullptr));
    }

private:
    static Received received()
    {
        Received r{};
        detail::check(fmpl_received(&r.source, &r.index, &r.bytes));
        return r;
    }
    fmpl_comm_t handle_ = FMPL_COMM_WORLD;
};

inline constexpr Comm world{};

// The job from here to the end of the scope: fmpl_init, fmpl_finalize. When an exception leaves the scope, the job is
// not finalized, so that the launcher ends it: the other ranks would wait for this one.
class Session {
public:
    explicit Session(int count = 64) : exceptions_(std::uncaught_exceptions())
    {
        detail::check(fmpl_init(nullptr, nullptr, count));
    }
    ~Session()
    {
        if (std::uncaught_exceptions() == exceptions_) fmpl_finalize();
    }
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

private:
    int exceptions_;
};

// Remote-DMA memory for standard containers: std::vector<double, fmpl::Allocator<double>>. Throws std::bad_alloc.
template <class T>
struct Allocator {
    using value_type = T;
    Allocator() = default;
    template <class U>
    Allocator(const Allocator<U>&) noexcept
    {
    }
    T* allocate(std::size_t n)
    {
        if (n > static_cast<std::size_t>(-1) / sizeof(T)) throw std::bad_array_new_length();
        if (void* p = fmpl_malloc(n * sizeof(T))) return static_cast<T*>(p);
        throw std::bad_alloc();
    }
    void deallocate(T* p, std::size_t) noexcept { fmpl_free(p); }
    friend bool operator==(const Allocator&, const Allocator&) { return true; }
};
template <class T>
using Vector = std::vector<T, Allocator<T>>;

// How run_ranks makes its job. Zero or empty: as the environment variable of the same meaning says, or the default.
struct JobOptions {
    std::size_t arena_bytes = 0;  // address space of each rank's arena
    std::string crossbar;         // "8x2"
    std::string profile;          // "host" or "sr8000"
    std::string engine;           // "shm" or "unmapped" (for tests: pretends that no peer's memory is mapped)
    // The threads of the system that carry the ranks; 0: one for each rank. On fewer, successive ranks take turns on
    // one thread: a rank that waits in FMPL lets the next one run, which takes 0.2 us where a change of processes
    // takes 2 to 8.
    // As many threads as CPUs, or a multiple of that, are bound to them. Such ranks must wait for each other in FMPL
    // alone: one that waits for a lock or for input keeps those of its thread waiting. They share what is
    // thread_local, have stacks as long as ulimit -s says (1 to 64 MiB; 8 where it says unlimited), and may fork only
    // what calls exec or _exit. The MPI and the BLACS that stand on FMPL can be called by them, each rank with its
    // own MPI_Init.
    int threads = 0;
};

// Runs f(rank) for n ranks of a job of their own, on a thread each or as options.threads says: FMPL calls in them
// behave as in n processes (fmpl_init included, which f calls as a program would). Returns when all have returned.
// When f throws, or returns between fmpl_init and fmpl_finalize, the job is aborted (the other ranks' calls fail with
// FMPL_ERR_ABORTED) and the first rank's exception is rethrown. Throws Error for n < 1 or when the job cannot be
// made.
void run_ranks(int n, const std::function<void(int rank)>& f, const JobOptions& options = {});

// The main of a program whose ranks may share a process. Such a program says so by FMPL_RANKS_MAY_SHARE_A_PROCESS,
// once, outside of all functions; then fmplrun starts it, where ranks outnumber CPUs, as one process with a thread
// for each CPU, on which ranks take turns as described for JobOptions::threads (fmplrun --ranks-as decides
// otherwise). run_process runs rank_main on each rank that this process is, one or all, and returns what main is to
// return: what the lowest rank returned that did not return 0, or 0. Whatever is static is shared by the ranks then,
// the standard streams among it; a rank that throws, calls exit, or returns between fmpl_init and fmpl_finalize, ends
// the job at once (with status 1, or that of exit), one that returns another status than 0 when all have returned.
int run_process(const std::function<int()>& rank_main);

}  // namespace fmpl

// A note in the program's file (ELF), which fmplrun reads.
#define FMPL_RANKS_MAY_SHARE_A_PROCESS                                                   \
    asm(".pushsection .note.fmpl, \"a\", %note\n"                                        \
        ".balign 4\n"                                                                    \
        ".long 5, 0, 1\n" /* the name's length, no more, 1: ranks may share a process */ \
        ".asciz \"FMPL\"\n"                                                              \
        ".balign 4\n"                                                                    \
        ".popsection")
