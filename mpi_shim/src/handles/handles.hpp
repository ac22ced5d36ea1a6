// How a handle of mpi.h is represented: the one file that knows. MPICH 4.0's form: a handle is an int whose upper two
// bits say what is meant by the rest (0: no handle, 1: predefined, 2: made by a call), the next four bits the kind of
// object.
//
//   made by a call: 10 | kind (4 bits) | generation | slot of the table
//
// The generation counts how often the slot was used before, so that a handle that was freed is recognised, mostly.
#pragma once

#include "datatype/predefined.hpp"
#include "standard.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace fmpl::mpi {

enum class HandleKind : std::uint32_t {
    communicator = 1,
    group = 2,
    datatype = 3,
    file = 4,
    errhandler = 5,
    operation = 6,
    info = 7,
    window = 8,
    keyval = 9,
    request = 11,
    message = 12,  // matched by a probe; the null handle is that of requests, as in MPICH
};

inline constexpr std::uint32_t kMadeByCall = 2u << 30;
inline constexpr int kKindShift = 26;

// Whether the integer has the form of a handle of that kind, of whatever object; the null handle has, too.
inline constexpr bool is_handle_of(HandleKind kind, int handle)
{
    const auto bits = static_cast<std::uint32_t>(handle);
    return bits >> 30 != 3 && (bits >> kKindShift & 0xf) == static_cast<std::uint32_t>(kind);
}

// The objects of one kind that calls have made, by handle. Object: what a default-made one of owns
// nothing, as a pointer (smart or not); that stands for none.
template <class Object, HandleKind kind, int slot_bits = 16>
class HandleTable {
public:
    struct Entry {
        explicit Entry(std::uint32_t first) : handle(first) {}
        Object object{};
        std::uint32_t handle;
        std::uint32_t next_free = kNone;
    };

    // 0: there are as many as can be. The handle is told to `named`, too, if there is such, before the object is kept.
    int add(Object object, int* named = nullptr)
    {
        std::uint32_t slot = first_free_;
        if (slot == kNone) {
            if (entries_.size() > kSlotMask) return 0;
            slot = static_cast<std::uint32_t>(entries_.size());
            entries_.emplace_back((kFirst | slot) ^ kFree);
        } else {
            first_free_ = entries_[slot].next_free;
        }
        Entry& entry = entries_[slot];
        entry.handle ^= kFree;
        const int handle = static_cast<int>(entry.handle);
        if (named != nullptr) *named = handle;
        std::construct_at(&entry.object, std::move(object));  // in the place of none
        ++in_use_;
        return handle;
    }

    // Null when the handle is none of this table's.
    Object* find(int handle)
    {
        Entry* const entry = find_entry(handle);
        return entry != nullptr ? &entry->object : nullptr;
    }
    // The same; until the next add().
    Entry* find_entry(int handle)
    {
        const auto bits = static_cast<std::uint32_t>(handle);
        const std::uint32_t slot = bits & kSlotMask;
        return slot < entries_.size() && entries_[slot].handle == bits ? &entries_[slot] : nullptr;
    }

    // Requires that find(handle) is not null. Returns what was there.
    Object remove(int handle) { return remove(entries_[static_cast<std::uint32_t>(handle) & kSlotMask]); }
    // What find_entry() has found.
    Object remove(Entry& entry)
    {
        const std::uint32_t slot = entry.handle & kSlotMask;
        Object object = std::exchange(entry.object, Object());
        const std::uint32_t next_generation = (entry.handle + kGeneration) & kGenerationMask;
        entry.handle = ((entry.handle & ~kGenerationMask) | next_generation) ^ kFree;
        entry.next_free = first_free_;
        first_free_ = slot;
        --in_use_;
        return object;
    }

    std::size_t in_use() const { return in_use_; }
    // Whether add() would give a handle.
    bool has_room() const { return first_free_ != kNone || entries_.size() <= kSlotMask; }

    template <class Visit>
    void for_each(Visit&& visit)
    {
        for (std::size_t slot = 0; slot < entries_.size(); ++slot) {
            if ((entries_[slot].handle & kSlotMask) == slot) visit(entries_[slot].object);
        }
    }

private:
    static constexpr std::uint32_t kNone = UINT32_MAX;
    static constexpr std::uint32_t kSlotMask = (1u << slot_bits) - 1;
    static constexpr std::uint32_t kGeneration = 1u << slot_bits;  // one more
    static constexpr std::uint32_t kGenerationMask = ((1u << (kKindShift - slot_bits)) - 1) << slot_bits;
    static constexpr std::uint32_t kFirst = kMadeByCall | static_cast<std::uint32_t>(kind) << kKindShift;
    // Flipped in the entry of a free slot, whose handle, the next one, so names another slot: one comparison finds an
    // object.
    static constexpr std::uint32_t kFree = 1;

    std::vector<Entry> entries_;
    std::uint32_t first_free_ = kNone;
    std::size_t in_use_ = 0;
};

// What HandleTable::add gave, unless that is 0: then throws Error of this class, in words about `what` ("requests").
int checked_handle(int handle, ErrorClass error_class, const char* what);

// Handles of predefined types hold size and number of the type: 0x4c00 | size (8 bits) | number (8 bits). The pairs
// of a value and an index whose entries do not follow each other without a gap are the first entries of the table of
// types instead.
inline constexpr int kBuiltinTypeSlots = 256;
inline int builtin_type_slot(HandleNumber handle)
{
    const auto bits = static_cast<std::uint32_t>(handle);
    return bits >> 16 == 0x4c00 ? static_cast<int>(bits & 0xff) : -1;
}

// The predefined type of a handle; none when it is no handle of a predefined type (MPI_DATATYPE_NULL, one made by a
// call).
std::optional<Predefined> predefined_of(HandleNumber handle);
// The handle of a predefined type.
HandleNumber handle_of(Predefined type);

// Predefined operations, MPI_MAX ... MPI_NO_OP: 1 .. kPredefinedOperations; 0 when the handle is none of them.
inline constexpr int kPredefinedOperations = 14;
inline int predefined_operation(HandleNumber handle)
{
    const std::uint32_t number = static_cast<std::uint32_t>(handle) - static_cast<std::uint32_t>(kOpMax - 1);
    return number >= 1 && number <= kPredefinedOperations ? static_cast<int>(number) : 0;
}

}  // namespace fmpl::mpi
