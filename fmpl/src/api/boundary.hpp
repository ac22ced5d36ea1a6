// Where an Error becomes a code: every C call runs its body through boundary(), which also counts it.
#pragma once

#include "api/binding.hpp"

#include <type_traits>
#include <utility>

namespace fmpl {

inline CallStats& stats_of(const Endpoint& endpoint, Call call)
{
    return endpoint.node.crossbar.record(endpoint.rank()).stats[static_cast<std::size_t>(call)];
}

// The rank is the only writer of its statistics.
inline void add_to(std::atomic<std::uint64_t>& sum, std::uint64_t value)
{
    sum.store(sum.load(std::memory_order_relaxed) + value, std::memory_order_relaxed);
}

// Adds the time of one call to the rank's statistics. A call within a callback counts, but its time is that of the call which
// the callback serves.
class Timed {
public:
    Timed(Endpoint& endpoint, Call call, std::size_t bytes)
        : stats_(stats_of(endpoint, call)),
          bytes_(bytes),
          begin_(endpoint.node.in_callback ? 0 : monotonic_ns())
    {
    }
    ~Timed()
    {
        add_to(stats_.calls, 1);
        add_to(stats_.bytes, bytes_);
        if (begin_ != 0) add_to(stats_.nanoseconds, monotonic_ns() - begin_);
    }
    Timed(const Timed&) = delete;
    Timed& operator=(const Timed&) = delete;

private:
    CallStats& stats_;
    std::size_t bytes_;
    std::uint64_t begin_;
};

[[gnu::noinline, gnu::cold]] inline int not_initialized(Binding& b, const char* name)
{
    if (b.forked_from != 0) return b.report(name, b.forked_child_error());
    const bool finalized = b.endpoint && b.endpoint->finalized();
    return b.report(
        name, Error(FMPL_ERR_NOT_INITIALIZED,
                  finalized ? "called after fmpl_finalize; FMPL can be called between fmpl_init and fmpl_finalize"
                            : "called before fmpl_init; call fmpl_init first"));
}

inline std::size_t counted(std::size_t bytes)
{
    return bytes;
}
template <class Count>
std::size_t counted(const Count& count) requires std::is_invocable_v<Count>
{
    return count();
}

// Runs body(endpoint) for a call that needs fmpl_init before it; a query, which nothing blocks and nobody counts.
template <class Body>
int query(const char* name, Body&& body)
{
    Binding& b = binding();
    if (b.endpoint == nullptr || !b.endpoint->initialized()) return not_initialized(b, name);
    try {
        std::forward<Body>(body)(*b.endpoint);
        return FMPL_SUCCESS;
    } catch (...) {
        return b.report_current_exception(name);
    }
}

// The same for a call that communicates. bytes: a number, or a function that gives it and may throw Error.
template <class Bytes, class Body>
int boundary(Call call, const Bytes& bytes, Body&& body)
{
    Binding& b = binding();
    Endpoint* endpoint = b.endpoint.get();
    if (endpoint == nullptr || !endpoint->initialized()) [[unlikely]]
        return not_initialized(b, call_name(call));
    try {
        endpoint->node.call = call;
        if (endpoint->statistics) [[unlikely]] {
            const Timed timed(*endpoint, call, counted(bytes));
            std::forward<Body>(body)(*endpoint);
        } else {
            std::forward<Body>(body)(*endpoint);
        }
        return FMPL_SUCCESS;
    } catch (...) {
        return b.report_failed_call(call_name(call));
    }
}

}  // namespace fmpl
