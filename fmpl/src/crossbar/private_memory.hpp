// Private memory of the ranks (stack, static data, an ordinary heap) reached from another rank of the same machine: by
// the kernel's process_vm_readv and process_vm_writev between processes, directly between threads of one process.
//
// A private address is an Offset with its top bit set, so that it travels in the same words as an arena's offsets.
// The kernel may forbid the calls (ptrace restrictions, seccomp), and a peer may be out of sight (another PID
// namespace, where its number is nobody's or a stranger's). So nothing depends on them: reaches() is what a probe of
// that peer has found, and protocols take another way where it is false.
#pragma once

#include "crossbar/crossbar.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace fmpl {

class PrivateMemory {
public:
    // one_process: all ranks of the job are threads of this process; otherwise none but this one.
    // FMPL_PRIVATE_COPY=staged: no other rank's private memory is reached, nor this one's. Throws Error(ARGUMENT) for
    // another value than that, auto, kernel and buffers.
    PrivateMemory(const Crossbar& crossbar, bool one_process);

    static Offset address(std::uintptr_t p) { return kMark | p; }
    static Offset address(const void* p) { return address(reinterpret_cast<std::uintptr_t>(p)); }
    static bool is_private(Offset at) { return (at & kMark) != 0; }

    // Lets the other ranks of the job, and no other processes, reach this one. Called before the rank is ready.
    void publish();
    // Whether this rank reaches the private memory of `node`, which is ready. Found out once a peer, by one system
    // call, when it is first asked for.
    bool reaches(int node) const
    {
        const Reach known = reach_[static_cast<std::size_t>(node)];
        return known == Reach::unknown ? probe(node) : known == Reach::yes;
    }

    // Whether the kernel's copy of long data is preferred to two copies through remote-DMA memory
    // (FMPL_PRIVATE_COPY=kernel): not between processes if the third-level cache makes those faster, and few ranks
    // share a CPU (=buffers). There the kernel copies what would have to wait otherwise
    // (docs/decisions/0062-two-copies-instead-of-the-kernels.md).
    bool is_preferred() const { return is_preferred_; }

    // The address of `at` in this process, which holds an arena's offset of a mapped node and private memory of its
    // own ranks; nullptr where only the kernel can copy.
    std::byte* here(int node, Offset at) const
    {
        if (!is_private(at)) return crossbar_->mapped(node, at);
        return one_process_ || node == crossbar_->node() ? reinterpret_cast<std::byte*>(at & ~kMark) : nullptr;
    }

    // Copies between this process and `at` of a mapped node, an arena's offset or a private address. Throws
    // Error(SYSTEM) when the kernel refuses: the memory is not there, or the peer has died; and of private memory
    // Error(ABORTED) once the job is ending: a rank that has left its call by that may have given the buffer up.
    void write(int node, Offset at, const std::byte* from, std::size_t bytes) const
    {
        is_private(at) ? write_private(node, at, from, bytes) : crossbar_->write(node, at, from, bytes);
    }
    void read(int node, Offset at, std::byte* to, std::size_t bytes) const
    {
        is_private(at) ? read_private(node, at, to, bytes) : crossbar_->read(node, at, to, bytes);
    }

private:
    static constexpr Offset kMark = Offset{1} << 63;

    enum class Reach : std::uint8_t { unknown, no, yes };

    bool probe(int node) const;
    void declare_tracer() const;
    int pid(int node) const { return crossbar_->record(node).pid.load(std::memory_order_relaxed); }
    void write_private(int node, Offset at, const std::byte* from, std::size_t bytes) const;
    void read_private(int node, Offset at, std::byte* to, std::size_t bytes) const;

    const Crossbar* crossbar_;
    std::uint64_t word_ = 0;  // no other process has it: what the others read to know that it is this one
    bool one_process_;
    bool staged_ = false;
    bool is_preferred_ = true;
    mutable std::vector<Reach> reach_;  // by node
};

}  // namespace fmpl
