// The doors of a rank, by which it knows at whose ring to look: a word for each other rank, which that one writes.
//
// A destination that has a CPU of its own looks, from a source's first envelope on, at the source's ring. One that
// shares its CPU looks at the doors alone, in which the sources count what they have sent: a look at each ring would
// cost more than what it finds.
#pragma once

#include "crossbar/crossbar.hpp"
#include "p2p/zeroed_table.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace fmpl {

// At the destination. Writer: the source.
struct EnvelopeDoor {
    // Where the destination counts, the number of the source's last envelope; else 1 with its first one.
    // Ordering: release, after the envelope's `stamp`; acquire in Doors::has_more.
    std::atomic<std::uint64_t> word;
};
static_assert(sizeof(EnvelopeDoor) == 8);

// After the envelope's stamp, so that a destination that sees the number finds the envelope. door: kNoOffset where the
// destination does not count.
inline void count_at_door(const Crossbar& crossbar, int destination, Offset door, std::uint64_t number)
{
    if (door != kNoOffset) crossbar.write_flag(destination, door, number);  // pairs with Doors::has_more()
}

class Doors {
public:
    // counts: the sources count.
    void open(EnvelopeDoor* doors, std::size_t ranks, bool counts)
    {
        doors_ = doors;
        taken_ = ZeroedTable<std::uint64_t>(ranks);
        counts_ = counts;
    }
    void close()
    {
        taken_ = {};
        counts_ = false;
    }

    bool are_counted() const { return counts_; }

    // Whether the source has sent what has not been taken; where none counts, whether its door is found open.
    bool has_more(std::size_t source) const
    {
        // acquire: pairs with count_at_door(), EnvelopePeers::open()
        return doors_[source].word.load(std::memory_order_acquire) != taken_[source];
    }
    // Whether the source is known to have sent something, which may have been taken.
    bool has_sent(std::size_t source) const { return taken_[source] != 0 || has_more(source); }
    void took(int source, std::uint64_t number)
    {
        if (counts_) taken_[static_cast<std::size_t>(source)] = number;
    }
    bool any_has_more() const
    {
        for (std::size_t source = 0; source < taken_.size(); ++source) {
            if (has_more(source)) return true;
        }
        return false;
    }
    // Calls found(source) for each that has opened its door since the last look. Requires that none counts.
    template <class Found>
    void for_each_new(Found&& found)
    {
        for (std::size_t source = 0; source < taken_.size(); ++source) {
            if (!has_more(source)) continue;
            found(static_cast<int>(source));
            taken_[source] = 1;
        }
    }

private:
    EnvelopeDoor* doors_ = nullptr;
    ZeroedTable<std::uint64_t> taken_;  // number of the last envelope taken; where none counts, 1 of each that is known
    bool counts_ = false;
};

}  // namespace fmpl
