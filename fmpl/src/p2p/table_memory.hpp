// Memory for tables of records of pairs of ranks: zero when it is taken, and there from the first touch of each page
// on, since most pairs never talk. Part of the job's memory like the arena, and apart from it: what an arena hands
// out is backed beforehand.
//
// Used by one thread at a time. Not for hot paths.
#pragma once

#include "p2p/arena_allocator.hpp"

#include <cstddef>
#include <span>

namespace fmpl {

class TableMemory {
public:
    TableMemory(const JobMemory& memory, int rank);

    // Whole pages of zeros. Throws Error(MEMORY) when no address space is left.
    Offset take(std::size_t bytes);
    // Gives the pages back to the system. kNoOffset: does nothing.
    void give_back(Offset at);

    // Backs [at, at + bytes) of any rank's tables, which this rank is about to write: whole pages, at once, where the
    // system would otherwise find out in the middle of a store that it has none. Throws Error(MEMORY).
    void back(Offset at, std::size_t bytes);
    // Calls visit(offset, bytes) for the parts of [at, at + bytes) that may hold anything but zeros. Touches none.
    template <class Visit>
    void for_each_touched(Offset at, std::size_t bytes, Visit&& visit) const
    {
        const Offset end = at + bytes;
        for (Offset from = at; from < end;) {
            const auto [begin, behind] = memory_->next_touched(from, end);
            if (begin < end) visit(begin, behind - begin);
            from = behind;
        }
    }
    bool is_touched(Offset at, std::size_t bytes) const
    {
        return memory_->next_touched(at, at + bytes).first < at + bytes;
    }

private:
    const JobMemory* memory_;
    ArenaAllocator addresses_;
    std::size_t unchecked_bytes_;  // backed since the memory that is left was looked at
};

}  // namespace fmpl
