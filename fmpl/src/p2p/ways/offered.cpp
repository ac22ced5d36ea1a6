// The source publishes where the message lies in remote-DMA memory, and whichever side claims it first moves it: the
// destination when it comes (as a spooled message, or a shared one), or the source when a receive is posted meanwhile.
// So no transfer waits for the other side to call the library again. Of a short message of a blocking send from private
// memory it is a copy: to make that takes less time than to ask for a posted receive, and than the kernel takes to
// write to a private buffer.
#include "crossbar/rewritten_bytes.hpp"
#include "p2p/thresholds.hpp"
#include "p2p/ways/ways.hpp"

namespace fmpl::offered {

namespace {

// Where each rank has a CPU.
constexpr std::size_t kBlockBytes = 64 * 1024;
static_assert(kBlockBytes >= kCopiedBytes);

}  // namespace

Offset CopiedAway::place_for(Node& node, std::size_t bytes)
{
    const bool one_place = !node.each_has_a_cpu() || bytes <= longest_in_one_place();
    if (blocks_.empty()) {
        const Offset first = node.arena.try_allocate(node.each_has_a_cpu() ? kBlockBytes : kCopiedBytes);
        if (first == kNoOffset) return kNoOffset;
        blocks_.push_back(first);
    }
    if (one_place) return blocks_.front();
    if (bytes > kBlockBytes - next_) {
        next_ = 0;
        ++block_;
        if (block_ == blocks_.size() && block_ * kBlockBytes < rewritten_bytes()) {
            const Offset more = node.arena.try_allocate(kBlockBytes);
            if (more != kNoOffset) blocks_.push_back(more);
        }
        if (block_ >= blocks_.size()) block_ = 0;
    }
    const Offset at = blocks_[block_] + next_;
    next_ += (bytes + kLine - 1) / kLine * kLine;
    return at;
}

Offset CopiedAway::copy(Node& node, const Message& message)
{
    const Offset at = place_for(node, message.bytes());
    if (at == kNoOffset) return kNoOffset;
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
