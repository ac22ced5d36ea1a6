// The places of predefined objects in an array, by a key of 64 bits: a hash table that is made once.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace fmpl::mpi {

// Of at most `count` objects.
template <std::size_t count>
class PredefinedIndex {
public:
    static constexpr std::uint32_t kNone = UINT32_MAX;

    // The first of two with the same key stays.
    void add(std::uint64_t key, std::size_t place)
    {
        Slot& slot = find(key);
        if (slot.place == kNone) slot = {key, static_cast<std::uint32_t>(place)};
    }
    // kNone where there is none.
    std::size_t operator[](std::uint64_t key) const { return const_cast<PredefinedIndex*>(this)->find(key).place; }

private:
    struct Slot {
        std::uint64_t key = 0;
        std::uint32_t place = kNone;
    };
    static constexpr int kBits = 9;
    static constexpr std::size_t kSlots = std::size_t{1} << kBits;
    static_assert(kSlots > 4 * count);

    Slot& find(std::uint64_t key)
    {
        constexpr std::uint64_t kSpread = 0x9e37'79b9'7f4a'7c15;
        std::size_t at = key * kSpread >> (64 - kBits);
        while (slots_[at].place != kNone && slots_[at].key != key) at = (at + 1) % kSlots;
        return slots_[at];
    }

    std::array<Slot, kSlots> slots_;
};

}  // namespace fmpl::mpi
