#include "crossbar/private_memory.hpp"

#include "crossbar/abort.hpp"
#include "crossbar/host.hpp"
#include "crossbar/rewritten_bytes.hpp"
#include "error.hpp"

#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <string_view>

namespace fmpl {
namespace {

// For a call that the kernel has refused; reads errno. A peer that is no more has been killed: the launcher sees that
// too, ends the job and says why. Its word comes within milliseconds; without it this rank's own error stands.
[[noreturn]] void fail_copy(const Crossbar& crossbar, const std::string& words)
{
    constexpr int kMostMilliseconds = 2000;
    const int refused = errno;
    for (int i = 0; refused == ESRCH && i < kMostMilliseconds; ++i) {
        check_abort(crossbar.control());
        usleep(1000);
    }
    errno = refused;
    fail_system(words);
}

// As much as the kernel copies in one call, which an ending job has to wait for.
constexpr std::size_t kMostOfACall = 1024 * 1024;

// Of ranks that share a CPU: with more of them each turn costs more, and chunks take several
// (docs/decisions/0065-long-eager-messages.md for messages that take one).
constexpr int kFewOfCpu = 2;

// A number that no other process has.
std::uint64_t unique_word()
{
    std::uint64_t word = 0;
    if (getrandom(&word, sizeof word, 0) == static_cast<ssize_t>(sizeof word)) return word;
    return std::random_device{}() * (std::uint64_t{1} << 32) + std::random_device{}();
}

}  // namespace

PrivateMemory::PrivateMemory(const Crossbar& crossbar, bool one_process)
    : crossbar_(&crossbar),
      one_process_(one_process),
      reach_(static_cast<std::size_t>(crossbar.nodes()), Reach::unknown)
{
    const char* const set = std::getenv("FMPL_PRIVATE_COPY");
    const std::string_view choice = set != nullptr ? set : "auto";
    if (choice != "auto" && choice != "kernel" && choice != "buffers" && choice != "staged") {
        fail(FMPL_ERR_ARGUMENT, "FMPL_PRIVATE_COPY={}: give auto, kernel, buffers or staged", choice);
    }
    staged_ = choice == "staged";
    const bool is_faster = one_process || !has_victim_cache() || crossbar.memory().ranks_of_cpu() > kFewOfCpu;
    is_preferred_ = choice == "auto" ? is_faster : choice != "buffers";
}

void PrivateMemory::publish()
{
    if (staged_ || one_process_) return;
    declare_tracer();
    word_ = unique_word();
    NodeRecord& record = crossbar_->record(crossbar_->node());
    record.probe_word.store(word_, std::memory_order_relaxed);  // both published by `ready`
    record.probe_at.store(reinterpret_cast<std::uintptr_t>(&word_), std::memory_order_relaxed);
}

// Where the Yama security module restricts the calls to a process's ancestors, this rank allows them to one more
// process and its descendants: the launcher, of whom all ranks descend. Its number counts only where it can be seen
// from here.
void PrivateMemory::declare_tracer() const
{
    const ControlBlock& control = crossbar_->control();
    if (control.has_launcher == 0) return;
    const std::uint64_t here = pid_namespace();
    const bool is_sure = here != 0 && control.launcher_pid_namespace != 0 ? here == control.launcher_pid_namespace
                                                                          : getppid() == control.launcher_pid;
    if (is_sure) prctl(PR_SET_PTRACER, static_cast<unsigned long>(control.launcher_pid), 0, 0, 0);
}

// The number that a peer has for itself may be another process's here, and the address that it tells may be good in
// that one, too. Its word is in nobody else.
bool PrivateMemory::probe(int node) const
{
    Reach& reach = reach_[static_cast<std::size_t>(node)];
    reach = Reach::no;
    if (staged_ || !crossbar_->maps(node)) return false;
    if (one_process_ || node == crossbar_->node()) {
        reach = Reach::yes;
        return true;
    }
    const NodeRecord& record = crossbar_->record(node);
    const std::uint64_t at = record.probe_at.load(std::memory_order_relaxed);
    if (at == 0) return false;
    std::uint64_t found = 0;
    const iovec here{&found, sizeof found};
    const iovec there{reinterpret_cast<void*>(at), sizeof found};
    const ssize_t got = process_vm_readv(pid(node), &here, 1, &there, 1, 0);
    if (got == static_cast<ssize_t>(sizeof found) && found == record.probe_word.load(std::memory_order_relaxed)) {
        reach = Reach::yes;
    }
    return reach == Reach::yes;
}

void PrivateMemory::write_private(int node, Offset at, const std::byte* from, std::size_t bytes) const
{
    check_abort(crossbar_->control());
    if (std::byte* const to = here(node, at)) {
        copy_across(to, from, bytes);
        return;
    }
    while (bytes > 0) {
        const std::size_t most = std::min(bytes, kMostOfACall);
        const iovec here{const_cast<std::byte*>(from), most};
        const iovec there{reinterpret_cast<void*>(at & ~kMark), most};
        const ssize_t done = process_vm_writev(pid(node), &here, 1, &there, 1, 0);
        if (done <= 0) {
            fail_copy(
                *crossbar_, fmt::format("{} bytes cannot be written to the receive buffer of rank {}", bytes, node));
        }
        from += done;
        at += static_cast<std::size_t>(done);
        bytes -= static_cast<std::size_t>(done);
        if (bytes > 0) check_abort(crossbar_->control());
    }
}

void PrivateMemory::read_private(int node, Offset at, std::byte* to, std::size_t bytes) const
{
    check_abort(crossbar_->control());
    if (const std::byte* const from = here(node, at)) {
        copy_from_across(to, from, bytes);
        return;
    }
    while (bytes > 0) {
        const std::size_t most = std::min(bytes, kMostOfACall);
        const iovec here{to, most};
        const iovec there{reinterpret_cast<void*>(at & ~kMark), most};
        const ssize_t done = process_vm_readv(pid(node), &here, 1, &there, 1, 0);
        if (done <= 0) {
            fail_copy(*crossbar_, fmt::format("{} bytes cannot be read from the send buffer of rank {}", bytes, node));
        }
        to += done;
        at += static_cast<std::size_t>(done);
        bytes -= static_cast<std::size_t>(done);
        if (bytes > 0) check_abort(crossbar_->control());
    }
}

}  // namespace fmpl
