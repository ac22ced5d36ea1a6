#include "crossbar/private_memory.hpp"

#include "crossbar/waiter.hpp"
#include "error.hpp"

#include <sys/prctl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>

namespace fmpl {
namespace {

constexpr std::uint64_t kProbeWord = 0x6c50'4d46'6265'7270;

// For a call that the kernel has refused; reads errno. A peer that is no more has been killed: the launcher sees that
// too, ends the job and says why. Its word comes within milliseconds; without it this rank's own error stands.
[[noreturn]] void fail_copy(const Crossbar& crossbar, const std::string& words)
{
    constexpr int kMostMilliseconds = 2000;
    const int refused = errno;
    const Waiter waiter(crossbar, {});
    for (int i = 0; refused == ESRCH && i < kMostMilliseconds; ++i) {
        waiter.check_abort();
        usleep(1000);
    }
    errno = refused;
    fail_system(words);
}

std::uint64_t expected_word(int node)
{
    return kProbeWord ^ static_cast<std::uint64_t>(node);
}

}  // namespace

PrivateMemory::PrivateMemory(const Crossbar& crossbar) : crossbar_(&crossbar)
{
    const char* choice = std::getenv("FMPL_PRIVATE_COPY");
    staged_ = choice != nullptr && std::strcmp(choice, "staged") == 0;
    if (choice != nullptr && !staged_ && std::strcmp(choice, "auto") != 0) {
        fail(FMPL_ERR_ARGUMENT, "FMPL_PRIVATE_COPY={}: give auto or staged", choice);
    }
}

void PrivateMemory::publish()
{
    if (staged_) return;
    // Where the Yama security module restricts the calls to descendants, this rank lifts that for itself.
    prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
    word_ = expected_word(crossbar_->node());
    crossbar_->record(crossbar_->node())
        .probe_at.store(reinterpret_cast<std::uintptr_t>(&word_), std::memory_order_relaxed);  // published by `ready`
}

void PrivateMemory::probe()
{
    if (staged_) return;
    const int next = (crossbar_->node() + 1) % crossbar_->nodes();
    if (next == crossbar_->node() || !crossbar_->maps(next)) return;
    std::uint64_t found = 0;
    if (pid(next) == getpid()) {
        available_ = true;
        return;
    }
    const iovec here{&found, sizeof found};
    const iovec there{
        reinterpret_cast<void*>(crossbar_->record(next).probe_at.load(std::memory_order_relaxed)), sizeof found};
    const ssize_t got = process_vm_readv(pid(next), &here, 1, &there, 1, 0);
    available_ = got == static_cast<ssize_t>(sizeof found) && found == expected_word(next);
}

std::byte* PrivateMemory::own(int node, Offset at, std::size_t bytes) const
{
    if (!is_private(at)) {
        std::byte* const there = crossbar_->mapped(node, at);
        if (there != nullptr) crossbar_->map_pages(there, bytes);
        return there;
    }
    return pid(node) == getpid() ? reinterpret_cast<std::byte*>(at & ~kMark) : nullptr;
}

void PrivateMemory::write(int node, Offset at, const std::byte* from, std::size_t bytes) const
{
    if (std::byte* to = own(node, at, bytes)) {
        copy_across(to, from, bytes);
        return;
    }
    while (bytes > 0) {
        const iovec here{const_cast<std::byte*>(from), bytes};
        const iovec there{reinterpret_cast<void*>(at & ~kMark), bytes};
        const ssize_t done = process_vm_writev(pid(node), &here, 1, &there, 1, 0);
        if (done <= 0) {
            fail_copy(
                *crossbar_, fmt::format("{} bytes cannot be written to the receive buffer of rank {}", bytes, node));
        }
        from += done;
        at += static_cast<std::size_t>(done);
        bytes -= static_cast<std::size_t>(done);
    }
}

void PrivateMemory::read(int node, Offset at, std::byte* to, std::size_t bytes) const
{
    if (const std::byte* from = own(node, at, bytes)) {
        copy_across(to, from, bytes);
        return;
    }
    while (bytes > 0) {
        const iovec here{to, bytes};
        const iovec there{reinterpret_cast<void*>(at & ~kMark), bytes};
        const ssize_t done = process_vm_readv(pid(node), &here, 1, &there, 1, 0);
        if (done <= 0) {
            fail_copy(*crossbar_, fmt::format("{} bytes cannot be read from the send buffer of rank {}", bytes, node));
        }
        to += done;
        at += static_cast<std::size_t>(done);
        bytes -= static_cast<std::size_t>(done);
    }
}

}  // namespace fmpl
