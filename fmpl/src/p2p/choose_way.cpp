#include "p2p/choose_way.hpp"

namespace fmpl {
namespace {

using State = SendOperation::State;

// Whether both ranks may copy the message, straight to the posted buffer; else this rank moves it alone.
bool may_share(const SendEnd& end, const SendOperation& op, Offset to)
{
    const Node& node = *end.node;
    if (!op.message.in_one_piece() || !node.crossbar.maps(op.node())) return false;
    const bool to_private = PrivateMemory::is_private(to);
    if (op.addressable && !to_private) return node.each_has_a_cpu() && op.message.bytes() >= kSharedBytes;
    if (op.message.bytes() < kSharedPrivateBytes || !node.private_memory.reaches(op.node())) return false;
    return node.each_has_a_cpu() || (!op.addressable && to_private);
}

// Whether the destination's private buffer is left to it for a while, since it may take the copy, or a spooled one,
// sooner.
bool is_patient(const SendEnd& end, SendOperation& op)
{
    if (op.state == State::queued) return true;
    if (op.patient_until_ns == 0) op.patient_until_ns = monotonic_ns() + kPatienceNs;
    return monotonic_ns() < op.patient_until_ns && !end.node->waiter.is_last_look();
}

}  // namespace

bool prefers_copy(const SendOperation& op, bool is_in_use)
{
    // Of columns there is a copy only if the lane offers it.
    return !op.addressable && op.message.bytes() <= kCopiedBytes && !is_in_use &&
           (op.message.in_one_piece() || op.in_lane);
}

Way choose_way_to(const SendEnd& end, SendOperation& op, const posted::Receive& receive)
{
    const bool is_private = PrivateMemory::is_private(receive.at);
    if (op.prefers_copy && is_private && is_patient(end, op)) return Way::none;
    // One that it has claimed in the lane the destination copies alone.
    if (op.claim_lost) return op.in_lane ? Way::none : Way::helped;
    if (op.message.bytes() > receive.capacity) return Way::moved;  // not written: its length tells the receive so
    if (receive.at == kNoOffset) return Way::none;
    if (receive.columns == kNoOffset && may_share(end, op, receive.at)) return Way::shared;
    return is_private ? Way::none : Way::moved;
}

Way choose_way(const SendOperation& op, bool is_posted)
{
    if (op.state == State::held) return is_posted && op.may_pipe ? Way::piped : Way::none;
    if (op.state != State::queued) return Way::none;
    if (op.addressable) return Way::offered;
    return op.prefers_copy ? Way::copied : Way::held;
}

Way choose_unattended_way(const SendOperation& op)
{
    if (op.state == State::queued && op.addressable) return Way::chained;
    const bool may_still = op.state == State::queued || op.state == State::held;
    return may_still && may_stage(op.message) ? Way::staged : Way::none;
}

bool may_stage(const Message& message)
{
    return message.bytes() <= kStageBytes;
}

std::uint64_t worth_waiting_ns(const SendEnd& end, const SendOperation& op)
{
    const bool worth_it = op.state == State::queued && op.message.bytes() >= kPushSoonBytes &&
                          end.node->each_has_a_cpu() && op.node() != end.node->rank();
    return worth_it ? op.message.bytes() / kSpoolBytesPerNs : 0;
}

bool waits_in_vain(const SendEnd& end, SendOperation& op)
{
    const bool is_copied = op.state == State::offered && (op.prefers_copy || !op.message.in_one_piece());
    if ((op.state != State::held && !is_copied) || !op.is_posted()) return false;
    return !is_copied || !is_patient(end, op);
}

bool wants_help(const ReceiveEnd& end, const ReceiveOperation& op)
{
    const std::size_t bytes = op.flag().body.bytes;
    return op.room.in_one_piece() && bytes >= kSharedBytes && bytes <= op.room.bytes() && end.node->each_has_a_cpu() &&
           end.crossbar().maps(op.peer().node);
}

}  // namespace fmpl
