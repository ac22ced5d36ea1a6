#include "coll/exchange.hpp"

#include "coll/algorithms.hpp"

#include <array>
#include <cstring>
#include <numeric>

namespace fmpl::mpi {
namespace {

// What has come for a message buffer.
void put(Schedule& schedule, std::span<const std::byte> given, const MessageBuffer& to)
{
    schedule.note_arrival(given.size(), to.bytes);
    if (given.size() <= to.bytes) to.unpack(0, given.size(), given.data());
}

// The member's part of what another one gives to all in equal parts.
std::span<const std::byte> part_of(std::span<const std::byte> given, const Channel& channel)
{
    const std::size_t each = given.size() / static_cast<std::size_t>(channel.size());
    return given.subspan(static_cast<std::size_t>(channel.rank()) * each, each);
}

// Each begins behind itself, so that not all look at the same one.
template <class Step>
void for_each_other(const Channel& channel, Step&& step)
{
    for (int r = channel.rank() + 1; r < channel.size(); ++r) step(r);
    for (int r = 0; r < channel.rank(); ++r) step(r);
}

// The blocks for the other members, at their places among those for all.
void give_blocks(const Exchange& exchange, const Channel& channel, const Blocks& blocks, std::uint64_t block_bytes)
{
    std::byte* const room = exchange.room(block_bytes * static_cast<std::uint64_t>(channel.size()));
    for_each_other(channel, [&](int r) {
        const MessageBuffer block = blocks(r);
        block.pack(0, block.bytes, room + static_cast<std::uint64_t>(r) * block_bytes);
    });
    exchange.show(Exchange::kToAll);
}

// Blocks of any lengths: a table of these, and then those that are not too long, each from a multiple of 8 bytes on.
class VaryingBlocks {
public:
    explicit VaryingBlocks(const Channel& channel) : members_(channel.size()), most_(most_of_varying(members_)) {}

    bool fits(const MessageBuffer& block) const { return block.bytes <= most_; }
    // For the other members.
    void give(const Exchange& exchange, const Channel& channel, const Blocks& blocks) const
    {
        std::array<std::uint16_t, kMostOfVarying> lengths{};
        std::size_t end = data_begin();
        for (int r = 0; r < members_; ++r) {
            if (r == channel.rank()) continue;
            const MessageBuffer block = blocks(r);
            lengths[static_cast<std::size_t>(r)] =
                fits(block) ? static_cast<std::uint16_t>(block.bytes) : std::uint16_t{kTooLong};
            end += room_of(lengths[static_cast<std::size_t>(r)]);
        }
        std::byte* const room = exchange.room(end);
        std::byte* at = room + data_begin();
        for (int r = 0; r < members_; ++r) {
            const std::size_t bytes = lengths[static_cast<std::size_t>(r)];
            if (room_of(bytes) == 0) continue;
            blocks(r).pack(0, bytes, at);
            at += room_of(bytes);
        }
        std::memcpy(room, lengths.data(), table_bytes());
        exchange.show(Exchange::kToAll);
    }
    // This rank's block of what another one has given.
    std::span<const std::byte> own(std::span<const std::byte> given, int rank) const
    {
        std::array<std::uint16_t, kMostOfVarying> lengths{};
        if (given.size() < table_bytes()) return {};
        std::memcpy(lengths.data(), given.data(), table_bytes());
        std::size_t begin = data_begin();
        for (int r = 0; r < rank; ++r) begin += room_of(lengths[static_cast<std::size_t>(r)]);
        const std::size_t bytes = lengths[static_cast<std::size_t>(rank)];
        return bytes <= most_ && begin + bytes <= given.size() ? given.subspan(begin, bytes) : given.first(0);
    }

private:
    static constexpr std::uint16_t kTooLong = 0xffff;
    static std::size_t room_of(std::size_t bytes) { return bytes == kTooLong ? 0 : (bytes + 7) / 8 * 8; }
    std::size_t table_bytes() const { return sizeof(std::uint16_t) * static_cast<std::size_t>(members_); }
    std::size_t data_begin() const { return (table_bytes() + 7) / 8 * 8; }

    int members_;
    std::uint64_t most_;
};

}  // namespace

void exchanged_gather(Schedule& schedule, fmpl_exchange* of, const MessageBuffer& mine, const Blocks& blocks, int root)
{
    const Channel& channel = schedule.channel();
    const auto fits = [](const MessageBuffer& block) { return block.bytes <= FMPL_EXCHANGE_BYTES; };
    const Exchange exchange(of);
    if (channel.rank() != root) {
        exchange.give(fits(mine) ? mine : MessageBuffer(), root);
        if (!fits(mine)) linear_gather(schedule, channel, mine, blocks, root);
        return;
    }
    bool all_fit = true;
    for_each_other(channel, [&](int r) {
        const MessageBuffer block = blocks(r);
        if (fits(block)) {
            put(schedule, exchange.take(r), block);
        } else {
            all_fit = false;
        }
    });
    const auto rest = [&](int r) { return fits(blocks(r)) ? MessageBuffer() : blocks(r); };
    if (!all_fit) linear_gather(schedule, channel, {}, rest, root);
}

void exchanged_scatter(Schedule& schedule, fmpl_exchange* of, const Blocks& blocks, std::uint64_t block_bytes,
    const MessageBuffer& mine, int root)
{
    const Channel& channel = schedule.channel();
    const Exchange exchange(of);
    if (channel.rank() == root) return give_blocks(exchange, channel, blocks, block_bytes);
    put(schedule, part_of(exchange.take(root), channel), mine);
}

void exchanged_allgather(Schedule& schedule, fmpl_exchange* of, const MessageBuffer& mine, const Blocks& incoming)
{
    const Exchange exchange(of);
    exchange.give(mine, Exchange::kToAll);
    for_each_other(schedule.channel(), [&](int r) { put(schedule, exchange.take(r), incoming(r)); });
}

void exchanged_alltoall(
    Schedule& schedule, fmpl_exchange* of, const Blocks& outgoing, std::uint64_t block_bytes, const Blocks& incoming)
{
    const Channel& channel = schedule.channel();
    const Exchange exchange(of);
    give_blocks(exchange, channel, outgoing, block_bytes);
    for_each_other(channel, [&](int r) { put(schedule, part_of(exchange.take(r), channel), incoming(r)); });
}

void exchanged_scatterv(
    Schedule& schedule, fmpl_exchange* of, const Blocks& blocks, const MessageBuffer& mine, int root)
{
    const Channel& channel = schedule.channel();
    const VaryingBlocks varying(channel);
    const Exchange exchange(of);
    if (channel.rank() == root) {
        varying.give(exchange, channel, blocks);
        linear_scatter(
            schedule, channel, [&](int r) { return varying.fits(blocks(r)) ? MessageBuffer() : blocks(r); }, {}, root);
    } else if (!varying.fits(mine)) {
        linear_scatter(
            schedule, channel, [](int) { return MessageBuffer(); }, mine, root);
    } else if (mine.bytes > 0) {
        put(schedule, varying.own(exchange.take(root), channel.rank()), mine);
    }
}

void exchanged_alltoallv(Schedule& schedule, fmpl_exchange* of, const Blocks& outgoing, const Blocks& incoming)
{
    const Channel& channel = schedule.channel();
    const VaryingBlocks varying(channel);
    const auto rest_of = [&](const Blocks& blocks) {
        return [&varying, blocks](int r) {
            const MessageBuffer block = blocks(r);
            return varying.fits(block) ? MessageBuffer() : block;
        };
    };
    const Exchange exchange(of);
    varying.give(exchange, channel, outgoing);
    begin_posted_exchange(schedule, channel, rest_of(outgoing), rest_of(incoming));
    for_each_other(channel, [&](int r) {
        const MessageBuffer block = incoming(r);
        if (block.bytes > 0 && varying.fits(block)) put(schedule, varying.own(exchange.take(r), channel.rank()), block);
    });
    schedule.end_round();
}

void exchanged_scan(
    Schedule& schedule, fmpl_exchange* of, const void* contribution, void* result, std::int64_t count, bool inclusive)
{
    const int rank = schedule.channel().rank();
    const bool is_last = rank == schedule.channel().size() - 1;
    const MessageBuffer mine = schedule.elements(contribution, count);
    const MessageBuffer own_result = schedule.elements(result, count);
    const Exchange exchange(of);
    std::span<const std::byte> before;  // over the ranks before this one; empty: there is none
    if (rank > 0) {
        before = exchange.take(rank - 1);
        schedule.note_arrival(before.size(), mine.bytes, mine.bytes);
        if (before.size() != mine.bytes) before = {};
    }
    if (!is_last) {  // first, since the others wait for it
        std::byte* const total = exchange.room(mine.bytes);
        mine.pack(0, mine.bytes, total);
        if (!before.empty()) schedule.reduce(before.data(), total, count);
        exchange.show(rank + 1);
        if (inclusive) return own_result.unpack(0, mine.bytes, total);
    } else if (inclusive) {
        if (contribution != result) schedule.copy(mine, own_result);
        if (!before.empty()) schedule.reduce(before.data(), result, count);
        return;
    }
    own_result.unpack(0, before.size(), before.data());
}

void exchanged_reduce_scatter(
    Schedule& schedule, fmpl_exchange* of, const void* contribution, void* result, std::span<const std::int64_t> counts)
{
    const Channel& channel = schedule.channel();
    const auto rank = static_cast<std::ptrdiff_t>(channel.rank());
    const std::int64_t first = std::accumulate(counts.begin(), counts.begin() + rank, std::int64_t{0});
    const std::int64_t count = counts[static_cast<std::size_t>(rank)];
    const MessageBuffer whole =
        schedule.elements(contribution, std::accumulate(counts.begin() + rank, counts.end(), first));
    const Exchange exchange(of);
    exchange.give(whole, Exchange::kToAll);
    if (count == 0) return;

    // In place, the result may lie over operands that are still to be read.
    void* const sum = contribution == result ? schedule.element_memory(count) : result;
    const MessageBuffer own_result = schedule.elements(sum, count);
    for (int r = 0; r < channel.size(); ++r) {
        const void* operands = contribution;
        if (r != channel.rank()) {
            const std::span<const std::byte> given = exchange.take(r);
            schedule.note_arrival(given.size(), whole.bytes, whole.bytes);
            if (given.size() != whole.bytes) continue;
            operands = given.data();
        }
        const void* const operand = schedule.element(operands, first);
        if (r == 0) {
            schedule.copy(schedule.elements(operand, count), own_result);
        } else {
            schedule.reduce(operand, sum, count);  // the operation commutes
        }
    }
    if (sum != result) schedule.copy(own_result, schedule.elements(result, count));
}

}  // namespace fmpl::mpi
