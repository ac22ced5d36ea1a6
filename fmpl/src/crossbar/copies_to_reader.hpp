// Copies of one writer into memory that another core reads, again and again; mostly one and the same.
//
// On AMD's cores, a store takes its line from the reader's cache at 10 to 40 bytes a nanosecond if both cores are
// behind one third-level cache, else at 2.5. Stores past the caches take no line: they go to memory at 30, and the
// reader gets them from there at 16, wherever it is. Which of the two is faster only a copy tells, since in a virtual
// machine nobody knows where the cores are, and they change: one of some is timed
// (docs/decisions/0053-stores-past-the-caches.md).
#pragma once

#include "crossbar/copy_across.hpp"
#include "crossbar/cycle_clock.hpp"
#include "crossbar/rewritten_bytes.hpp"

#include <cstddef>
#include <cstdint>

namespace fmpl {

// memcpy by stores past the caches, visible to others before every later store.
void copy_past_caches(void* to, const void* from, std::size_t bytes);

// Whether the reader is so far away that copies had better go past the caches, from the rates of those that did not.
class ReaderDistance {
public:
    // Of so many copies one is timed; after a slow one, each.
    static constexpr std::uint16_t kOneOf = 32;
    // So many slow ones, one after the other, tell that it is far. A fast one weighs as two.
    static constexpr std::uint8_t kFar = 4;
    static constexpr std::uint8_t kWeightOfFast = 2;
    // While it is far, one of so many does not go past the caches.
    static constexpr std::uint16_t kProbed = 256;
    // Bytes a tick of the processor's counter: near ones have 3 and more, far ones mostly 0.9 to 1.3.
    static constexpr std::uint64_t kSlow = 2;

    enum class Next : std::uint8_t { through_caches, timed, past_caches };
    Next next()
    {
        ++copies_;
        if (is_far()) return copies_ % kProbed == 0 ? Next::timed : Next::past_caches;
        return slow_ > 0 || copies_ % kOneOf == 0 ? Next::timed : Next::through_caches;
    }
    void was_copied(std::size_t bytes, std::uint64_t ticks)
    {
        if (bytes < kSlow * ticks) {
            if (slow_ < kFar) ++slow_;
            far_ = far_ || slow_ == kFar;
        } else {
            slow_ = slow_ > kWeightOfFast ? static_cast<std::uint8_t>(slow_ - kWeightOfFast) : std::uint8_t{0};
            far_ = far_ && slow_ > 0;
        }
    }
    bool is_far() const { return far_; }

private:
    std::uint16_t copies_ = 0;
    std::uint8_t slow_ = 0;
    bool far_ = false;
};

// The writer's end.
class CopiesToReader {
public:
    // Of shorter ones the rates do not tell: once they have gone past the caches, the lines are as slow from memory.
    static constexpr std::size_t kLeastBytes = 4 * 1024;

    // As copy_across().
    void copy(void* to, const void* from, std::size_t bytes)
    {
        if (bytes < kLeastBytes || !has_victim_cache()) return copy_across(to, from, bytes);
        copy_by_distance(to, from, bytes);
    }

private:
    void copy_by_distance(void* to, const void* from, std::size_t bytes);

    ReaderDistance distance_;
};

}  // namespace fmpl
