// The two futex calls that FMPL needs, on words that processes share.
#pragma once

#include <atomic>
#include <cstdint>
#include <ctime>

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace fmpl {

// Sleeps while word == expected, until woken, a signal, or the time-out (relative; nullptr: none).
inline void futex_wait(std::atomic<std::uint32_t>& word, std::uint32_t expected, const timespec* timeout)
{
    syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&word), FUTEX_WAIT, expected, timeout, nullptr, 0);
}

inline void futex_wake(std::atomic<std::uint32_t>& word, int sleepers)
{
    syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&word), FUTEX_WAKE, sleepers, nullptr, nullptr, 0);
}

}  // namespace fmpl
