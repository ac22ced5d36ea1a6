#include "p2p/send_end.hpp"

#include "p2p/shared_copy.hpp"

namespace fmpl {

bool SendEnd::claim(const SendOperation& op) const
{
    const Offset claim = op.flag_at() + offsetof(CompletionFlag, claim);
    return node->crossbar.exchange(op.node(), claim, op.number) != op.number;  // pairs with ReceiveEnd::claim
}

void SendEnd::publish_head(SendOperation& op, MessageKind kind, Offset at) const
{
    const Crossbar& crossbar = node->crossbar;
    const int peer = op.node();
    const Offset flag = op.flag_at();
    if (op.state == SendOperation::State::queued || op.in_lane) {
        crossbar.write(peer, flag + offsetof(CompletionFlag, order), &op.order, sizeof op.order);
    }
    op.in_lane = false;
    const HeadBody body{op.message.bytes(), at,
        kind == MessageKind::offered ? SharedCopy::kClosed
                                     : SharedCopy::opened_at(SharedCopy::end_of(node->rank(), peer)),
        0};
    crossbar.write(peer, flag + offsetof(CompletionFlag, body), &body, sizeof body);
    // Pairs with ReceiveEnd::arrival.
    crossbar.write_flag(peer, flag + offsetof(CompletionFlag, stamp), Stamp::make(op.number, kind));
    crossbar.wake(peer);
}

void SendEnd::finish(SendOperation& op) const
{
    op.state = SendOperation::State::done;
    if (op.ring != kNoOffset) {
        node->return_ring(op.ring);
        op.ring = kNoOffset;
    }
    if (op.under_way) {
        op.under_way = false;
        node->remove_busy(op);
    }
}

void SendEnd::keep(const SendOperation& op, Offset block, bool chained, bool in_send_buffer)
{
    ChainEntry* entry = entries_.take();
    entry->number = op.number;
    entry->block = block;
    entry->chained = chained;
    entry->in_send_buffer = in_send_buffer;
    SendChannel& channel = *op.channel;
    if (!channel.touched) {
        channel.touched = true;
        touched_.push_back({op.comm, op.destination, op.index});
    }
    if (channel.first_entry == nullptr) {
        channel.first_entry = entry;
    } else {
        channel.last_entry->next = entry;
    }
    channel.last_entry = entry;
}

void SendEnd::free_entry(ChainEntry& entry)
{
    if (entry.in_send_buffer) {
        send_buffer->give_back(entry.block);
    } else {
        node->arena.free(entry.block);
    }
    entries_.give_back(&entry);
}

void SendEnd::reclaim(SendChannel& channel, std::uint64_t consumed)
{
    while (ChainEntry* entry = channel.first_entry) {
        if (entry->number > consumed) return;
        // The destination goes on from this node to the next one (invariant 4).
        const ChainEntry* next = entry->next;
        const bool leads_on = entry->chained && next != nullptr && next->chained && next->number == entry->number + 1;
        if (leads_on && next->number > consumed) return;
        channel.first_entry = entry->next;
        if (channel.first_entry == nullptr) channel.last_entry = nullptr;
        free_entry(*entry);
    }
}

void SendEnd::reclaim()
{
    std::erase_if(touched_, [&](const Touched& t) {
        SendChannel& channel = t.comm->send_channel(t.destination, t.index);
        reclaim(channel, known_consumed(*t.comm, t.destination, t.index, channel));
        channel.touched = channel.first_entry != nullptr;
        return !channel.touched;
    });
}

void SendEnd::abandon(Communicator& comm)
{
    std::erase_if(touched_, [&](const Touched& t) {
        if (t.comm != &comm) return false;
        SendChannel& channel = comm.send_channel(t.destination, t.index);
        while (ChainEntry* entry = channel.first_entry) {
            channel.first_entry = entry->next;
            free_entry(*entry);
        }
        channel.last_entry = nullptr;
        channel.touched = false;
        return true;
    });
}

}  // namespace fmpl
