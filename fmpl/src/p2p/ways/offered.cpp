// The source publishes where the message lies in remote-DMA memory, and whichever side claims it first moves it: the
// destination when it comes (as a spooled message, or a shared one), or the source when a receive is posted meanwhile.
// So no transfer waits for the other side to call the library again. Of a short message of a blocking send from private
// memory it is a copy: to make that takes less time than to ask for a posted receive, and than the kernel takes to
// write to a private buffer.
#include "crossbar/copy_across.hpp"
#include "p2p/thresholds.hpp"
#include "p2p/ways/ways.hpp"

namespace fmpl::offered {
namespace {

// Where each rank has a CPU, one longer copy lies behind the other: what is written has then left the nearest cache of
// the core that has read it (docs/decisions/0047-rings-longer-than-the-nearest-cache.md).
constexpr std::size_t kPlacesBytes = 256 * 1024;
constexpr std::size_t kLongerBytes = 1024;

}  // namespace

Offset CopiedAway::copy(Node& node, const Message& message)
{
    const bool has_places = node.each_has_a_cpu();
    const std::size_t room = has_places ? kPlacesBytes : kCopiedBytes;
    if (at_ == kNoOffset) at_ = node.arena.try_allocate(room);
    if (at_ == kNoOffset) return kNoOffset;
    Offset at = at_;
    if (has_places && message.bytes() > kLongerBytes) {
        if (message.bytes() > room - next_) next_ = 0;
        at += next_;
        next_ += (message.bytes() + kLine - 1) / kLine * kLine;
    }
    std::byte* const to = node.crossbar.local(at);
    if (message.in_one_piece()) {
        copy_across(to, message.data(), message.bytes());
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
