// Messages whose every byte tells which message it is of, between guard bytes.
#pragma once

#include "support/uninstrumented.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace mpi_test {

// Byte i of the message `key`; different keys give unrelated bytes.
FMPL_TEST_UNINSTRUMENTED inline unsigned char pattern_byte(std::uint64_t key, std::size_t i)
{
    const std::uint64_t x = (key + 1) * 0x9e3779b97f4a7c15ULL ^ (i + 1) * 0xc2b2ae3d27d4eb4fULL;
    return static_cast<unsigned char>((x ^ x >> 29) >> 24);
}

class Message {
public:
    static constexpr std::size_t kGuard = 64;
    static constexpr unsigned char kUntouched = 0x5a;

    // `size` bytes of kUntouched.
    explicit Message(std::size_t size) : bytes_(size + 2 * kGuard, kUntouched) {}
    // Those of the message `key`.
    Message(std::size_t size, std::uint64_t key) : Message(size) { fill(key); }

    unsigned char* data() { return bytes_.data() + kGuard; }
    const unsigned char* data() const { return bytes_.data() + kGuard; }
    std::size_t bytes() const { return bytes_.size() - 2 * kGuard; }
    int count() const { return static_cast<int>(bytes()); }

    void fill(std::uint64_t key)
    {
        for (std::size_t begin = 0; begin < bytes(); begin += kBlock) {
            const std::size_t n = std::min(kBlock, bytes() - begin);
            const Block block = expected_block(key, bytes(), kGuard + begin, n);
            std::memcpy(data() + begin, block.data(), n);
        }
    }
    void clear() { bytes_.assign(bytes_.size(), kUntouched); }

    // The first `length` bytes are the message `key`'s; what follows and the guards are untouched.
    ::testing::AssertionResult begins_with(std::uint64_t key, std::size_t length) const
    {
        for (std::size_t begin = 0; begin < bytes_.size(); begin += kBlock) {
            const std::size_t n = std::min(kBlock, bytes_.size() - begin);
            const Block block = expected_block(key, length, begin, n);
            if (std::memcmp(bytes_.data() + begin, block.data(), n) == 0) continue;
            const auto wrong = static_cast<std::size_t>(
                std::mismatch(block.begin(), block.begin() + n, bytes_.data() + begin).first - block.begin());
            return ::testing::AssertionFailure()
                   << "byte " << static_cast<std::ptrdiff_t>(begin + wrong) - static_cast<std::ptrdiff_t>(kGuard)
                   << " of " << bytes() << " is " << int{bytes_[begin + wrong]} << " instead of " << int{block[wrong]};
        }
        return ::testing::AssertionSuccess();
    }
    ::testing::AssertionResult holds(std::uint64_t key) const { return begins_with(key, bytes()); }
    ::testing::AssertionResult is_untouched() const { return begins_with(0, 0); }

private:
    static constexpr std::size_t kBlock = 4096;
    using Block = std::array<unsigned char, kBlock>;

    // The `size` bytes that bytes_ has from `begin` on with the message `key` of `length` bytes in it.
    FMPL_TEST_UNINSTRUMENTED static Block expected_block(
        std::uint64_t key, std::size_t length, std::size_t begin, std::size_t size)
    {
        Block block;
        unsigned char* const out = block.data();
        for (std::size_t i = 0; i < size; ++i) {
            const std::size_t at = begin + i;
            out[i] = at >= kGuard && at < kGuard + length ? pattern_byte(key, at - kGuard) : kUntouched;
        }
        return block;
    }

    std::vector<unsigned char> bytes_;
};

}  // namespace mpi_test
