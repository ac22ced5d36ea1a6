#include "guarded_buffer.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <stdexcept>

namespace fmpl_test {
namespace {

constexpr std::size_t kGuard = 128;
constexpr unsigned char kGuardByte = 0xA5;

// The finalizer of splitmix64: a bijection whose output bits all depend on all input bits.
constexpr std::uint64_t mix(std::uint64_t x)
{
    x ^= x >> 30;
    x *= 0xbf58476d1ce4e5b9u;
    x ^= x >> 27;
    x *= 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

constexpr std::uint64_t pattern_word(std::uint64_t key, std::uint64_t i)
{
    return mix(key + i * 0x9e3779b97f4a7c15u);
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
    for (std::size_t at = 0; at < size; at += 8) {
        const std::uint64_t word = pattern_word(key, at / 8);
        std::memcpy(out + at, &word, std::min<std::size_t>(8, size - at));
    }
}

::testing::AssertionResult has_pattern(const void* bytes, std::size_t size, std::uint64_t key)
{
    const auto* in = static_cast<const unsigned char*>(bytes);
    for (std::size_t at = 0; at < size; at += 8) {
        const std::uint64_t word = pattern_word(key, at / 8);
        if (std::memcmp(in + at, &word, std::min<std::size_t>(8, size - at)) == 0) continue;
        unsigned char expected[8];
        std::memcpy(expected, &word, 8);
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
    for (std::size_t i = length; i < size_; ++i) {
        if (data_[i] != rest) {
            return ::testing::AssertionFailure() << "byte " << i << " of " << size_ << ", past the message of "
                                                 << length << " bytes, was overwritten with " << int{data_[i]};
        }
    }
    for (const unsigned char* p = block_; p != block_ + block_bytes_; ++p) {
        if (p == data_) p += size_;
        if (p == block_ + block_bytes_) break;
        if (*p != kGuardByte) {
            return ::testing::AssertionFailure() << "the guard byte at offset " << p - data_ << " of a buffer of "
                                                 << size_ << " bytes was overwritten with " << int{*p};
        }
    }
    return ::testing::AssertionSuccess();
}

}  // namespace fmpl_test
