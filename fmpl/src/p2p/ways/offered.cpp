// The source publishes where the message lies in remote-DMA memory, and whichever side claims it first moves it: the
// destination when it comes (as a spooled message, or a shared one), or the source when a receive is posted meanwhile.
// So no transfer waits for the other side to call the library again. Of a short message of a blocking send from private
// memory it is a copy: to make that takes less time than to ask for a posted receive, and than the kernel takes to
// write to a private buffer.
#include "crossbar/copy_across.hpp"
#include "p2p/thresholds.hpp"
#include "p2p/ways/ways.hpp"

namespace fmpl::offered {

Offset CopiedAway::copy(Node& node, const Message& message)
{
    if (at_ == kNoOffset) at_ = node.arena.try_allocate(kCopiedBytes);
    if (at_ == kNoOffset) return kNoOffset;
    std::byte* const to = node.crossbar.local(at_);
    if (message.in_one_piece()) {
        copy_across(to, message.data(), message.bytes());
    } else {
        message.gather(0, message.bytes(), to);
    }
    return at_;
}

void publish(const SendEnd& end, SendOperation& op, Offset at)
{
    end.publish_head(op, MessageKind::offered, at);
    op.state = SendOperation::State::offered;
}

}  // namespace fmpl::offered
