// The source publishes where the message lies in remote-DMA memory, and whichever side claims it first moves it: the
// destination when it comes (as a spooled message, or a shared one), or the source when a receive is posted meanwhile.
// So no transfer waits for the other side to call the library again. Of a short message of a blocking send from private
// memory it is a copy: to make that takes less time than to ask for a posted receive, and than the kernel takes to
// write to a private buffer.
#include "crossbar/rewritten_bytes.hpp"
#include "p2p/thresholds.hpp"
#include "p2p/ways/ways.hpp"

#include <algorithm>

namespace fmpl::offered {

namespace {

// Where each rank has a CPU: as rewritten_bytes() has it, but only a part of a small arena.
std::size_t longest_room(const Node& node)
{
    return std::max(kCopiedBytes, std::min(rewritten_bytes(), node.arena.bytes() / 16));
}

}  // namespace

// The second block is for those who send more than the first one holds: new pages take long.
bool CopiedAway::add_block(Node& node)
{
    const bool is_first = blocks_[0].at == kNoOffset;
    Block& block = blocks_[is_first ? 0 : 1];
    const std::size_t longest = longest_room(node);
    const std::size_t first = std::min(kRewrittenBytes, longest);
    if (is_first) {
        block.bytes = node.each_has_a_cpu() ? first : kCopiedBytes;
    } else if (block.bytes == 0 && longest >= first + kCopiedBytes) {
        block.bytes = longest - first;  // also if there is no memory for it: no second try
    } else {
        return false;
    }
    block.at = node.arena.try_allocate(block.bytes);
    return block.at != kNoOffset;
}

Offset CopiedAway::place_for(Node& node, std::size_t bytes)
{
    if (blocks_[0].at == kNoOffset) {
        if (!add_block(node)) return kNoOffset;
        in_one_place_ = node.each_has_a_cpu() ? longest_in_one_place() : kCopiedBytes;
        if (bytes <= in_one_place_) return blocks_[0].at;
    }
    if (bytes > blocks_[block_].bytes - next_) {
        next_ = 0;
        const bool has_next = block_ == 0 && (blocks_[1].at != kNoOffset || add_block(node));
        block_ = has_next ? 1 : 0;
    }
    const Offset at = blocks_[block_].at + next_;
    next_ += (bytes + kLine - 1) / kLine * kLine;
    return at;
}

Offset CopiedAway::copy(Node& node, const Message& message)
{
    const Offset at = message.bytes() <= in_one_place_ ? blocks_[0].at : place_for(node, message.bytes());
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
