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
// This member is through with the use.
void leave_broadcast(Meeting& m, std::uint64_t use);

}  // namespace fmpl
