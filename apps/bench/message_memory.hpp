// Memory of one of four kinds for a benchmark's messages, and buffers in it that are taken in turn.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

namespace fmpl::bench {

enum class MemoryKind { rdma, heap, stack, static_data };

const char* memory_name(MemoryKind kind);

// Calls f with `bytes` bytes of the kind, aligned to 64 and written once, so that every page is there. They last until
// f returns. Throws std::runtime_error where there is not so much; for the stack, where its limit does not allow it.
void with_message_memory(MemoryKind kind, std::size_t bytes, const std::function<void(std::byte*)>& f);

// Equal buffers, a power of two of them, that together fill about `footprint` bytes; at least
// `least` (1 or 2).
class BufferPool {
public:
    BufferPool(std::size_t buffer_bytes, std::size_t footprint, std::size_t least = 2);

    std::size_t total_bytes() const { return stride_ * (mask_ + 1); }
    std::size_t buffer_bytes() const { return buffer_bytes_; }
    std::uint64_t buffers() const { return mask_ + 1; }
    // The buffer of operation i, in memory of total_bytes().
    std::byte* at(std::byte* memory, std::uint64_t i) const { return memory + (i & mask_) * stride_; }

private:
    std::size_t buffer_bytes_;
    std::size_t stride_;
    std::uint64_t mask_;
};

// A pattern that depends on every one of its arguments; check says whether it is there.
void fill_pattern(std::byte* p, std::size_t bytes, std::uint64_t seed);
bool has_pattern(const std::byte* p, std::size_t bytes, std::uint64_t seed);

}  // namespace fmpl::bench
