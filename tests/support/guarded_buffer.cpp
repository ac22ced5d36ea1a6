#include "guarded_buffer.hpp"
#include "uninstrumented.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <new>
#include <stdexcept>

namespace fmpl_test {
namespace {

constexpr std::size_t kGuard = 128;
constexpr unsigned char kGuardByte = 0xA5;

// The finalizer of splitmix64: a bijection whose output bits all depend on all input bits.
FMPL_TEST_UNINSTRUMENTED constexpr std::uint64_t mix(std::uint64_t x)
{
    x ^= x >> 30;
    x *= 0xbf58476d1ce4e5b9u;
    x ^= x >> 27;
    x *= 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

// A block of the pattern, or its first `size` bytes, of the bytes from `begin` on, which is a multiple of 8.
constexpr std::size_t kBlock = 4096;
using Block = std::array<std::uint64_t, kBlock / 8>;

FMPL_TEST_UNINSTRUMENTED Block pattern_block(std::uint64_t key, std::size_t begin, std::size_t size)
{
    Block block;
    std::uint64_t* const out = block.data();
    for (std::size_t i = 0; i < block.size() && 8 * i < size; ++i) {
        out[i] = mix(key + (begin / 8 + i) * 0x9e3779b97f4a7c15u);
    }
    return block;
}

// Where one of `size` bytes is not `value`; size: nowhere.
std::size_t other_than(unsigned char value, const unsigned char* bytes, std::size_t size)
{
    std::array<unsigned char, kBlock> expected;
    expected.fill(value);
    for (std::size_t begin = 0; begin < size; begin += kBlock) {
        const std::size_t n = std::min(kBlock, size - begin);
        if (std::memcmp(bytes + begin, expected.data(), n) == 0) continue;
        return static_cast<std::size_t>(
            std::find_if(bytes + begin, bytes + size, [&](unsigned char byte) { return byte != value; }) - bytes);
    }
    return size;
}

}  // namespace

const char* place_name(Place place)
{
    return place == Place::rdma ? "remote-DMA memory" : "heap";
}

std::uint64_t message_key(std::uint64_t a, std::uint64_t b, std::uint64_t c, std::uint64_t d)
{
    return mix(mix(mix(mix(a + 1) + b) + c) + d);
}

void fill_pattern(void* bytes, std::size_t size, std::uint64_t key)
{
    auto* out = static_cast<unsigned char*>(bytes);
    for (std::size_t at = 0; at < size; at += kBlock) {
        const std::size_t n = std::min(kBlock, size - at);
        const Block block = pattern_block(key, at, n);
        std::memcpy(out + at, block.data(), n);
    }
}

::testing::AssertionResult has_pattern(const void* bytes, std::size_t size, std::uint64_t key)
{
    const auto* in = static_cast<const unsigned char*>(bytes);
    for (std::size_t at = 0; at < size; at += kBlock) {
        const std::size_t n = std::min(kBlock, size - at);
        const Block block = pattern_block(key, at, n);
        if (std::memcmp(in + at, block.data(), n) == 0) continue;
        const auto* const expected = reinterpret_cast<const unsigned char*>(block.data());
        std::size_t i = 0;
        while (in[at + i] == expected[i]) ++i;
        return ::testing::AssertionFailure()
               << "byte " << at + i << " of " << size << " is " << int{in[at + i]} << ", not " << int{expected[i]};
    }
    return ::testing::AssertionSuccess();
}

GuardedBuffer::GuardedBuffer(Place place, std::size_t size, std::size_t shift)
    : place_(place),
      size_(size),
      block_bytes_((size + shift + 2 * kGuard + 63) / 64 * 64)
{
    block_ = static_cast<unsigned char*>(
        place == Place::rdma ? fmpl_malloc(block_bytes_) : std::aligned_alloc(64, block_bytes_));
    if (block_ == nullptr) {
        throw std::runtime_error(
            "no memory for a test buffer in " + std::string(place_name(place)) + ": " + fmpl_error_message());
    }
    data_ = block_ + kGuard + shift;
    std::memset(block_, kGuardByte, block_bytes_);
}

GuardedBuffer::~GuardedBuffer()
{
    if (place_ == Place::rdma) {
        fmpl_free(block_);
    } else {
        std::free(block_);
    }
}

GuardedBuffer::GuardedBuffer(GuardedBuffer&& other) noexcept
    : place_(other.place_),
      size_(other.size_),
      block_(other.block_),
      data_(other.data_),
      block_bytes_(other.block_bytes_)
{
    other.place_ = Place::heap;
    other.block_ = nullptr;
}

void GuardedBuffer::fill_byte(unsigned char value)
{
    if (size_ > 0) std::memset(data_, value, size_);
}

::testing::AssertionResult GuardedBuffer::holds(std::uint64_t key, std::size_t length, unsigned char rest) const
{
    if (const auto result = has_pattern(data_, length, key); !result) return result;
    if (const std::size_t i = length + other_than(rest, data_ + length, size_ - length); i != size_) {
        return ::testing::AssertionFailure() << "byte " << i << " of " << size_ << ", past the message of " << length
                                             << " bytes, was overwritten with " << int{data_[i]};
    }
    const unsigned char* const behind = data_ + size_;
    const unsigned char* const end = block_ + block_bytes_;
    const unsigned char* wrong = block_ + other_than(kGuardByte, block_, static_cast<std::size_t>(data_ - block_));
    if (wrong == data_) wrong = behind + other_than(kGuardByte, behind, static_cast<std::size_t>(end - behind));
    if (wrong != end) {
        return ::testing::AssertionFailure() << "the guard byte at offset " << wrong - data_ << " of a buffer of "
                                             << size_ << " bytes was overwritten with " << int{*wrong};
    }
    return ::testing::AssertionSuccess();
}

}  // namespace fmpl_test
