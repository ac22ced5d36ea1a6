// The source publishes where the message lies in remote-DMA memory, and whichever side claims it first moves it: the
// destination when it comes (as a spooled message, or a shared one), or the source when a receive is posted meanwhile.
// So no transfer waits for the other side to call the library again. Of a short message of a blocking send from private
// memory it is a copy: to make that takes less time than to ask for a posted receive, and than the kernel takes to
// write to a private buffer.
#include "crossbar/rewritten_bytes.hpp"
#include "p2p/thresholds.hpp"
#include "p2p/ways/ways.hpp"

namespace fmpl::offered {

bool CopiedAway::make_room(Node& node)
{
    if (node.each_has_a_cpu()) {
        room_ = rewritten_bytes();
        longest_in_one_place_ = longest_in_one_place();
    } else {
        room_ = kCopiedBytes;
        longest_in_one_place_ = kCopiedBytes;
    }
    at_ = node.arena.try_allocate(room_);
    return at_ != kNoOffset;
}

Offset CopiedAway::copy(Node& node, const Message& message)
{
    if (at_ == kNoOffset && !make_room(node)) return kNoOffset;
    Offset at = at_;
    if (message.bytes() > longest_in_one_place_) {
        if (message.bytes() > room_ - next_) next_ = 0;
        at += next_;
        next_ += (message.bytes() + kLine - 1) / kLine * kLine;
    }
    std::byte* const to = node.crossbar.local(at);
    if (message.in_one_piece()) {
        copies_.copy(to, message.data(), message.bytes());
    } else {
        message.gather(0, message.bytes(), to);
    }
    return at;
}

void publish(const SendEnd& end, SendOperation& op, Offset at)
{
    end.publish_head(op, MessageKind::offered, at);
    op.state = SendOperation::State::offered;
}

}  // namespace fmpl::offered
