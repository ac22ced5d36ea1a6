#include "event_set.hpp"

#include "error.hpp"

#include <unistd.h>

namespace fmpl::launcher {
namespace {

epoll_event record(std::uint32_t what, Event event)
{
    epoll_event e{};
    e.events = what;
    e.data.u64 = static_cast<std::uint64_t>(event.source) << 32 | event.number;
    return e;
}

}  // namespace

EventSet::EventSet() : epoll_(epoll_create1(EPOLL_CLOEXEC))
{
    if (epoll_ < 0) fail_system("fmplrun cannot wait for events (epoll_create1)");
}

EventSet::~EventSet()
{
    close(epoll_);
}

bool EventSet::add(int fd, std::uint32_t what, Event event)
{
    epoll_event e = record(what, event);
    if (epoll_ctl(epoll_, EPOLL_CTL_ADD, fd, &e) == 0) return true;
    if (errno == EPERM) return false;
    fail_system("fmplrun cannot wait for a descriptor (epoll_ctl)");
}

void EventSet::change(int fd, std::uint32_t what, Event event)
{
    epoll_event e = record(what, event);
    epoll_ctl(epoll_, EPOLL_CTL_MOD, fd, &e);
}

void EventSet::remove(int fd)
{
    epoll_ctl(epoll_, EPOLL_CTL_DEL, fd, nullptr);
}

std::span<const epoll_event> EventSet::wait(int timeout_ms)
{
    const int n = epoll_wait(epoll_, ready_, kRoom, timeout_ms);
    if (n < 0 && errno != EINTR) fail_system("fmplrun cannot wait for events (epoll_wait)");
    return {ready_, static_cast<std::size_t>(n < 0 ? 0 : n)};
}

}  // namespace fmpl::launcher
