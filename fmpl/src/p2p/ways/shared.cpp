// Both ranks copy the message at the same time, each from its end (SharedCopy), straight between the two buffers; where
// one is private, by the kernel. Either begins it: the source when it finds the receive posted, the destination when it
// has claimed an offer and asks for help. Neither depends on the other, which may be busy elsewhere.
//
// The source opens the copy with the stamp `shared`; the destination by a release of its first chunk into `work`, which
// until then leaves nothing to take. The source reads MatchingSlot::buffer_at before it takes a chunk: while chunks are
// left, the destination cannot have posted its next receive.
#include "p2p/shared_copy.hpp"
#include "p2p/ways/ways.hpp"

namespace fmpl::shared {
namespace {

SharedCopy state(const Node& node, HeadBody& body, std::size_t bytes, int other)
{
    return {body, bytes, SharedCopy::end_of(node.rank(), other)};
}

// Copies what can be taken of the message, by copy(begin, bytes). opened: this rank has just begun it.
template <class Copy>
void copy_share(Node& node, SharedCopy& shared, int other, Copy&& copy, bool opened)
{
    if (shared.copy(copy, opened)) node.crossbar.wake(other);
}

// Whether all of the message is there.
bool write_share(const SendEnd& end, const SendOperation& op, Offset to, bool opened)
{
    Node& node = *end.node;
    std::byte* const flag = node.crossbar.mapped(op.node(), op.flag_at());
    SharedCopy shared = state(node, reinterpret_cast<CompletionFlag*>(flag)->body, op.message.bytes(), op.node());
    const auto write = [&](std::size_t begin, std::size_t bytes) {
        node.private_memory.write(op.node(), to + begin, op.message.data() + begin, bytes);
    };
    copy_share(node, shared, op.node(), write, opened);
    return shared.done();
}

}  // namespace

bool begin(const SendEnd& end, SendOperation& op, Offset to)
{
    const std::byte* const data = op.message.data();
    end.publish_head(
        op, MessageKind::shared, op.addressable ? end.crossbar().offset_of(data) : PrivateMemory::address(data));
    op.state = SendOperation::State::sharing;
    op.shared_to = to;
    return write_share(end, op, to, true);
}

bool go_on(const SendEnd& end, SendOperation& op)
{
    return write_share(end, op, op.shared_to, false) || end.consumed(op) >= op.number;
}

// `to` was read before a chunk is taken, and while chunks are left, the posted receive is still the one for this
// message.
bool help(const SendEnd& end, const SendOperation& op, Offset to)
{
    if (to == kNoOffset || !end.node->each_has_a_cpu() || !end.crossbar().maps(op.node())) return false;
    if (PrivateMemory::is_private(to) && !end.node->private_memory.reaches(op.node())) return false;
    return write_share(end, op, to, false);
}

bool ask_for_help(ReceiveEnd& end, ReceiveOperation& op)
{
    HeadBody& body = op.flag().body;
    op.sharing = true;
    state(*end.node, body, body.bytes, op.peer().node).open();
    posted::post(end, op);
    return take(end, op, true);
}

bool take(const ReceiveEnd& end, ReceiveOperation& op, bool opened)
{
    HeadBody& body = op.flag().body;
    const int source = op.peer().node;
    const Offset from = body.at;
    const std::size_t bytes = body.bytes;
    const PrivateMemory& memory = end.node->private_memory;
    SharedCopy shared = state(*end.node, body, bytes, source);
    if (end.node->each_has_a_cpu() && (!PrivateMemory::is_private(from) || memory.reaches(source))) {
        const auto read = [&](std::size_t begin, std::size_t n) {
            memory.read(source, from + begin, op.room.data() + begin, n);
        };
        copy_share(*end.node, shared, source, read, opened);
    }
    if (!shared.done()) return false;
    end.finish(op, bytes);
    return true;
}

}  // namespace fmpl::shared
