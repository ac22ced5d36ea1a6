// The uses of a station's broadcast slots: which is next, and how far the other members are (coll/station.hpp).
#pragma once

#include "coll/meeting.hpp"

#include <cstddef>
#include <cstdint>

namespace fmpl {

inline BroadcastSlot& slot_of(Meeting& m, std::uint64_t use)
{
    return m.station->broadcast[use % kBroadcastSlots];
}

// By the root: the next use, once all members have left the one so many before, at most kBroadcastSlots. Waits for
// that.
std::uint64_t begin_use(Meeting& m, std::size_t ahead, const WaitFor& what);
// Whether all other members have left the first `uses` uses: they read and write nothing of these any more.
bool all_have_left(Meeting& m, std::uint64_t uses);
// If not all have left so many uses, waits until they have left `enough`, which is more: one wait in place of one for
// each use from now on.
void await_left(Meeting& m, std::uint64_t uses, std::uint64_t enough, const WaitFor& what);
// This member is through with the use. A root that waits for this is woken: it has counted itself before its last look,
// or sees this member's word in it, as with the flag and `sleeping` in Crossbar::wake.
inline void leave_broadcast(Meeting& m, std::uint64_t use)
{
    m.station->broadcasts_left(m.rank()).store(use + 1, std::memory_order_release);  // pairs with all_have_left
    m.node().crossbar.order_before_wake();
    if (m.station->waiting_roots.load(std::memory_order_relaxed) != 0) [[unlikely]]
        m.wake_members();
}

}  // namespace fmpl
