#include "message_memory.hpp"

#include "transport.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <stdexcept>

#include <alloca.h>
#include <sys/resource.h>

namespace fmpl::bench {
namespace {

constexpr std::size_t kAlignment = 64;
constexpr std::size_t kStackReserve = std::size_t{512} * 1024;  // for everything else that lies there

// What the longest of the default sizes needs. Untouched pages take no memory.
alignas(kAlignment) std::byte static_memory[std::size_t{64} << 20];

std::size_t round_up(std::size_t bytes)
{
    return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

[[gnu::noinline]] void on_the_stack(std::size_t bytes, const std::function<void(std::byte*)>& f)
{
    auto* p = static_cast<std::byte*>(alloca(bytes + kAlignment));
    p += (kAlignment - reinterpret_cast<std::uintptr_t>(p) % kAlignment) % kAlignment;
    std::memset(p, 0, bytes);
    f(p);
}

void check_stack_limit(std::size_t bytes)
{
    rlimit limit{};
    if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return;
    const std::size_t most = limit.rlim_cur > kStackReserve ? limit.rlim_cur - kStackReserve : 0;
    if (bytes > most) {
        throw std::runtime_error(
            fmt::format("--memory stack: {} bytes of buffers do not fit the stack, which has room for {}; give smaller "
                        "--sizes (for bandwidth, also --footprint), or raise ulimit -s",
                bytes, most));
    }
}

// A counter through a mixing step: cheap, and no two positions or seeds look alike.
std::uint64_t pattern_word(std::uint64_t seed, std::uint64_t position)
{
    std::uint64_t x = (seed + 1) * 0x9e3779b97f4a7c15u + position;
    x = (x ^ x >> 31) * 0xd6e8feb86659fd93u;
    return x ^ x >> 32;
}

}  // namespace

const char* memory_name(MemoryKind kind)
{
    switch (kind) {
        case MemoryKind::rdma:
            return "rdma";
        case MemoryKind::heap:
            return "heap";
        case MemoryKind::stack:
            return "stack";
        case MemoryKind::static_data:
            break;
    }
    return "static";
}

void with_message_memory(MemoryKind kind, std::size_t bytes, const std::function<void(std::byte*)>& f)
{
    const std::size_t wanted = round_up(std::max<std::size_t>(bytes, 1));
    if (kind == MemoryKind::stack) {
        check_stack_limit(wanted + kAlignment);
        on_the_stack(wanted, f);
        return;
    }
    if (kind == MemoryKind::static_data) {
        if (wanted > sizeof static_memory) {
            throw std::runtime_error(
                fmt::format("--memory static: {} bytes of buffers do not fit the {} that this "
                            "program has; give smaller --sizes (for bandwidth, also --footprint)",
                    wanted, sizeof static_memory));
        }
        std::memset(static_memory, 0, wanted);
        f(static_memory);
        return;
    }
    const bool rdma = kind == MemoryKind::rdma;
    const std::unique_ptr<void, void (*)(void*)> memory(
        rdma ? transport::allocate(wanted) : std::aligned_alloc(kAlignment, wanted),
        rdma ? transport::release : std::free);
    if (!memory) throw std::runtime_error(fmt::format("malloc has no {} bytes; give smaller --sizes", wanted));
    std::memset(memory.get(), 0, wanted);
    f(static_cast<std::byte*>(memory.get()));
}

BufferPool::BufferPool(std::size_t buffer_bytes, std::size_t footprint, std::size_t least)
    : buffer_bytes_(buffer_bytes),
      stride_(round_up(std::max<std::size_t>(buffer_bytes, 1))),
      mask_(std::bit_floor(std::max<std::size_t>(footprint / stride_, least)) - 1)
{
}

void fill_pattern(std::byte* p, std::size_t bytes, std::uint64_t seed)
{
    for (std::size_t at = 0; at < bytes; at += sizeof(std::uint64_t)) {
        const std::uint64_t word = pattern_word(seed, at);
        std::memcpy(p + at, &word, std::min(sizeof word, bytes - at));
    }
}

bool has_pattern(const std::byte* p, std::size_t bytes, std::uint64_t seed)
{
    for (std::size_t at = 0; at < bytes; at += sizeof(std::uint64_t)) {
        const std::uint64_t word = pattern_word(seed, at);
        if (std::memcmp(p + at, &word, std::min(sizeof word, bytes - at)) != 0) return false;
    }
    return true;
}

}  // namespace fmpl::bench
