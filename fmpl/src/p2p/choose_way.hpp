// Which way a message takes: all conditions of that choice, which turn on the thresholds beside them (thresholds.hpp).
// A message takes the first of these ways that is open; what each does, and why, stands in its file in ways/.
//   lane        up to kLaneBytes, between mapped peers; nothing unconsumed on the channel, and nothing in the lane
//   inlined     up to kInlineBytes; nothing unconsumed on the channel
//   lane_offer  of a blocking send, below kSharedBytes, between mapped ranks that have a CPU each; as for the lane
//   posted      the receive is posted, and its buffer can be addressed (`moved`)
//   shared      the same with a long message; also between private buffers where the kernel lets a rank copy to another
//   offered     the source's buffer can be addressed, or there is a copy of a short message that can
//   spooled     after the time-out of a blocking send, and where a nonblocking one needs this rank no more by that
//   piped       neither buffer can be addressed, and the receive is posted
// A message in a private buffer whose receive is not posted yet is announced and held until it is, which saves a copy.
#pragma once

#include "p2p/thresholds.hpp"
#include "p2p/ways/ways.hpp"

#include <cstddef>
#include <cstdint>

namespace fmpl {

// What the source does next. none: it waits. helped: it copies a part of what the destination has claimed. copied: it
// offers a copy. chained, staged: as a spooled message, from where it lies or from a copy.
enum class Way { none, moved, shared, helped, offered, copied, held, piped, chained, staged };

// ---- The source ----

// Whether a message up to kInlineBytes whose turn it is goes by the lane, else inlined.
inline bool goes_by_lane(const SendEnd& end, Communicator& comm, int destination, std::size_t bytes)
{
    return bytes <= kLaneBytes && comm.peer(destination).lane_to != nullptr && end.lane_is_free(comm, destination);
}
// Whether a message of a blocking send, not written yet, may be offered in the lane, and that promises something.
inline bool may_offer_in_lane(const SendEnd& end, Communicator& comm, int destination, int index, std::size_t bytes)
{
    // A short message, which no receive needs to be ready for, was only not first just now.
    if (bytes <= kInlineBytes || bytes >= kSharedBytes) return false;
    if (comm.peer(destination).lane_to == nullptr || !end.node->each_has_a_cpu() || end.node->has_busy()) return false;
    SendChannel& channel = comm.send_channel(destination, index);
    if (channel.request != nullptr || !end.idle(comm, destination, index, channel)) return false;
    return end.lane_is_free(comm, destination) && channel.offers.is_worth_it();
}
// Whether a copy of the message of a blocking send is to be offered where the message itself cannot be. is_in_use: the
// memory for it.
bool prefers_copy(const SendOperation& op, bool is_in_use);
// A message whose turn has come, or that is held or on offer: to the receive that is posted for it; and without, or
// where that is not to be reached.
Way choose_way_to(const SendEnd& end, SendOperation& op, const posted::Receive& receive);
Way choose_way(const SendOperation& op, bool is_posted);
// A message of a nonblocking send that has not found its receive: so that it needs no further call by this rank. And
// whether it is short enough to be copied for that.
Way choose_unattended_way(const SendOperation& op);
bool may_stage(const Message& message);
// How long a send with time-out 0 waits for a receive that may be posted soon. A copy to the send buffer takes the time
// as well, and another copy then, so it waits as long as the one would take.
std::uint64_t worth_waiting_ns(const SendEnd& end, const SendOperation& op);
// Whether a receive is posted to which this rank moves nothing itself, so that a send with a time-out waits in vain.
bool waits_in_vain(const SendEnd& end, SendOperation& op);

// ---- The destination ----

// Whether the source shall help to copy a message that it has offered and that this rank has claimed.
bool wants_help(const ReceiveEnd& end, const ReceiveOperation& op);

}  // namespace fmpl
