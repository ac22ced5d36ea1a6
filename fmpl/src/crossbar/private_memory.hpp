// Private memory of the ranks (stack, static data, an ordinary heap) reached from another rank of the same machine: by
// the kernel's process_vm_readv and process_vm_writev between processes, directly between threads of one process.
//
// A private address is an Offset with its top bit set, so that it travels in the same words as an arena's offsets. The
// kernel may forbid the calls (ptrace restrictions, seccomp), so nothing depends on them: available() is what a probe
// at fmpl_init found, and protocols then take another way.
#pragma once

#include "crossbar/crossbar.hpp"

#include <cstddef>
#include <cstdint>

namespace fmpl {

class PrivateMemory {
public:
    // FMPL_PRIVATE_COPY=staged: no other rank's private memory is reached, nor this one's. Throws Error(ARGUMENT) for
    // another value than that and auto.
    explicit PrivateMemory(const Crossbar& crossbar);

    static Offset address(const void* p) { return kMark | reinterpret_cast<std::uintptr_t>(p); }
    static bool is_private(Offset at) { return (at & kMark) != 0; }

    // Lets the other ranks probe this one. Called before the rank is ready.
    void publish();
    // Finds out whether this rank may reach the others. Called when all ranks are ready.
    void probe();
    bool available() const { return available_; }

    // Copies between this process and `at` of a mapped node, an arena's offset or a private address. Throws
    // Error(SYSTEM) when the kernel refuses: the memory is not there, or the peer has died.
    void write(int node, Offset at, const std::byte* from, std::size_t bytes) const;
    void read(int node, Offset at, std::byte* to, std::size_t bytes) const;

private:
    static constexpr Offset kMark = Offset{1} << 63;

    int pid(int node) const { return crossbar_->record(node).pid.load(std::memory_order_relaxed); }
    // The address, when this process itself holds it; a long part's pages are mapped then.
    std::byte* own(int node, Offset at, std::size_t bytes) const;

    const Crossbar* crossbar_;
    std::uint64_t word_ = 0;  // what the others read to find out whether they may
    bool staged_ = false;
    bool available_ = false;
};

}  // namespace fmpl
