// Message buffers with a pattern to check byte by byte and guard bytes at both ends.
#pragma once

#include "ranks_test.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace fmpl_test {

// Where a buffer lies: in remote-DMA memory or in the ordinary heap.
enum class Place { rdma, heap };
inline constexpr std::array<Place, 2> kPlaces = {Place::rdma, Place::heap};
const char* place_name(Place place);

// Every size around the limits of a protocol.
inline constexpr std::size_t kMiB = std::size_t{1} << 20;
inline constexpr std::array<std::size_t, 36> kSizes = {0, 1, 2, 7, 8, 40, 47, 48, 49, 56, 63, 64, 65, 71, 72, 73, 87,
    88, 89, 111, 112, 113, 127, 128, 129, 4095, 4096, 4097, 65535, 65536, 65537, 99991, kMiB - 1, kMiB, kMiB + 1,
    3 * kMiB};

// The longest message that travels inside the completion line: fmpl_send returns at once.
inline constexpr std::size_t kInlineLimit = 72;

// The key of the pattern of one message; different arguments give unrelated patterns.
std::uint64_t message_key(std::uint64_t a, std::uint64_t b = 0, std::uint64_t c = 0, std::uint64_t d = 0);

void fill_pattern(void* bytes, std::size_t size, std::uint64_t key);

// Success when the bytes are the pattern of `key`; else says where the first wrong byte is.
::testing::AssertionResult has_pattern(const void* bytes, std::size_t size, std::uint64_t key);

// `size` bytes at an address that is `shift` bytes past a multiple of 64, between two guards.
class GuardedBuffer {
public:
    GuardedBuffer(Place place, std::size_t size, std::size_t shift = 0);
    ~GuardedBuffer();
    GuardedBuffer(GuardedBuffer&& other) noexcept;
    GuardedBuffer& operator=(GuardedBuffer&&) = delete;

    unsigned char* data() { return data_; }
    const unsigned char* data() const { return data_; }
    std::size_t size() const { return size_; }

    void fill(std::uint64_t key) { fill_pattern(data_, size_, key); }
    void fill_byte(unsigned char value);

    // The first `length` bytes are the pattern of `key`, everything after them is `rest`, and the guards are intact.
    ::testing::AssertionResult holds(std::uint64_t key, std::size_t length, unsigned char rest) const;
    ::testing::AssertionResult holds(std::uint64_t key) const { return holds(key, size_, 0); }
    // Every byte is `value`, and the guards are intact.
    ::testing::AssertionResult is_all(unsigned char value) const { return holds(0, 0, value); }

private:
    Place place_;
    std::size_t size_;
    unsigned char* block_;
    unsigned char* data_;
    std::size_t block_bytes_;
};

}  // namespace fmpl_test
