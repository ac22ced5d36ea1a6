// The descriptors that the launcher waits for: epoll, with a source and a number for each descriptor.
#pragma once

#include <cstdint>
#include <span>

#include <sys/epoll.h>

namespace fmpl::launcher {

enum class Source : std::uint32_t { signals, rank_output, sink, terminal, rank_input };

struct Event {
    Source source;
    std::uint32_t number;  // which one of that source
};

class EventSet {
public:
    EventSet();  // throws Error(SYSTEM)
    ~EventSet();
    EventSet(const EventSet&) = delete;
    EventSet& operator=(const EventSet&) = delete;

    // False when the descriptor cannot be waited for, because it is always ready (a file). Throws Error(SYSTEM)
    // otherwise.
    bool add(int fd, std::uint32_t what, Event event);
    void change(int fd, std::uint32_t what, Event event);
    void remove(int fd);

    // Blocks until a descriptor is ready or `timeout_ms` (-1: none) have passed; the events are valid until the next
    // call.
    std::span<const epoll_event> wait(int timeout_ms);

    static Event event_of(const epoll_event& e)
    {
        return {static_cast<Source>(e.data.u64 >> 32), static_cast<std::uint32_t>(e.data.u64)};
    }

private:
    static constexpr int kRoom = 64;
    int epoll_;
    epoll_event ready_[kRoom];
};

}  // namespace fmpl::launcher
