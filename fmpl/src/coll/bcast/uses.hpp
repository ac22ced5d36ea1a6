// The uses of a station's broadcast slots.
#pragma once

#include "coll/uses.hpp"

#include <cstddef>
#include <cstdint>

namespace fmpl {

inline BroadcastSlot& slot_of(Meeting& m, std::uint64_t use)
{
    return m.station->broadcast[use % kBroadcastSlots];
}

inline bool all_have_left(Meeting& m, std::uint64_t uses)
{
    return all_have_left(m, broadcasts_of(m), uses);
}
inline void await_left(Meeting& m, std::uint64_t uses, std::uint64_t enough, const WaitFor& what)
{
    await_left(m, broadcasts_of(m), uses, enough, [&] { return what; });
}
inline void leave_broadcast(Meeting& m, std::uint64_t use)
{
    leave_use(m, broadcasts_of(m), use);
}
// By the root: the next use, once all members have left the one so many before, at most kBroadcastSlots. Waits for
// that.
inline std::uint64_t begin_use(Meeting& m, std::size_t ahead, const WaitFor& what)
{
    const std::uint64_t use = m.broadcasts.uses++;
    if (use >= ahead) await_left(m, use + 1 - ahead, use + 1 - ahead / 2, what);
    return use;
}

}  // namespace fmpl
