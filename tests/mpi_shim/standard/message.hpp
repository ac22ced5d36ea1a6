// Messages whose every byte tells which message it is of, between guard bytes.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace mpi_test {

// Byte i of the message `key`; different keys give unrelated bytes.
inline unsigned char pattern_byte(std::uint64_t key, std::size_t i)
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
        for (std::size_t i = 0; i < bytes(); ++i) data()[i] = pattern_byte(key, i);
    }
    void clear() { bytes_.assign(bytes_.size(), kUntouched); }

    // The first `length` bytes are the message `key`'s; what follows and the guards are untouched.
    ::testing::AssertionResult begins_with(std::uint64_t key, std::size_t length) const
    {
        for (std::size_t i = 0; i < bytes_.size(); ++i) {
            const bool inside = i >= kGuard && i < kGuard + length;
            const unsigned char expected = inside ? pattern_byte(key, i - kGuard) : kUntouched;
            if (bytes_[i] != expected) {
                return ::testing::AssertionFailure()
                       << "byte " << static_cast<std::ptrdiff_t>(i) - static_cast<std::ptrdiff_t>(kGuard) << " of "
                       << bytes() << " is " << int{bytes_[i]} << " instead of " << int{expected};
            }
        }
        return ::testing::AssertionSuccess();
    }
    ::testing::AssertionResult holds(std::uint64_t key) const { return begins_with(key, bytes()); }
    ::testing::AssertionResult is_untouched() const { return begins_with(0, 0); }

private:
    std::vector<unsigned char> bytes_;
};

}  // namespace mpi_test
