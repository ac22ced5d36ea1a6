#include "coll/exchange.hpp"

#include "coll/algorithms.hpp"

#include <fmpl/small_copy.hpp>

#include <algorithm>
#include <array>
#include <climits>
#include <cstring>
#include <numeric>
#include <optional>
#include <vector>

namespace fmpl::mpi {
namespace {

// What has come for a message buffer.
void put(Schedule& schedule, std::span<const std::byte> given, const MessageBuffer& to)
{
    schedule.note_arrival(given.size(), to.bytes);
    if (given.size() <= to.bytes) to.unpack(0, given.size(), given.data());
}

// The member's part of what another one, `giver`, gives to all others in equal parts.
std::span<const std::byte> part_of(const Schedule::Given& given, const Members& members, int giver)
{
    const std::size_t each = given.bytes / static_cast<std::size_t>(members.size() - 1);
    const int before = members.rank() < giver ? members.rank() : members.rank() - 1;
    return given.span().subspan(static_cast<std::size_t>(before) * each, each);
}

// With a member that does this call by messages, since its lengths are others: one each way, but for blocks of varying
// lengths without bytes.
void trade_messages(Schedule& schedule, const Schedule::Given& given, const MessageBuffer& mine, int peer,
    const MessageBuffer& incoming, Lengths lengths)
{
    if (given.bytes > 0 || lengths == Lengths::equal) schedule.receive_up_to(schedule.members(), incoming, peer);
    schedule.send(schedule.members(), mine, peer);
}

// Each begins behind itself, so that not all look at the same one.
template <class Step>
void for_each_other(const Members& members, Step&& step)
{
    for (int r = members.rank() + 1; r < members.size(); ++r) step(r);
    for (int r = 0; r < members.rank(); ++r) step(r);
}

int next_of(const Members& members)
{
    return (members.rank() + 1) % members.size();
}

// The blocks for the other members, in the order of their ranks.
void give_blocks(Schedule& schedule, const Blocks& blocks, std::uint64_t block_bytes)
{
    const int ranks = schedule.members().size();
    const int own = schedule.members().rank();
    schedule.give(block_bytes * static_cast<std::uint64_t>(ranks - 1), Schedule::kToAll, [&](std::byte* room) {
        if (const DenseBlocks& dense = blocks.dense(); dense.is_row(block_bytes)) {
            const std::size_t before = block_bytes * static_cast<std::uint64_t>(own);
            small_copy(room, dense.buffer, before);
            small_copy(room + before, dense.buffer + before + block_bytes,
                block_bytes * static_cast<std::uint64_t>(ranks - 1 - own));
            return;
        }
        for (int r = 0; r < ranks; ++r) {
            if (r == own) continue;
            const MessageBuffer block = blocks(r);
            block.pack(0, std::min(block.bytes, block_bytes), room);
            room += block_bytes;
        }
    });
}

// Blocks of any lengths: a table of these, and then those that are not too long, each from a multiple of 8 bytes on. Of
// two members, one block without a table, which is declined if it is too long.
class VaryingBlocks {
public:
    explicit VaryingBlocks(const Members& members) : ranks_(members.size()), most_(most_of_varying(ranks_)) {}

    bool fits(const MessageBuffer& block) const { return block.bytes <= most_; }
    // For the other members. Whether they are on their way.
    bool give(Schedule& schedule, const Blocks& blocks) const
    {
        const int own = schedule.members().rank();
        if (is_pair()) {
            const MessageBuffer block = blocks(1 - own);
            if (fits(block)) return schedule.give(block, Schedule::kToAll);
            schedule.decline(block.bytes, Schedule::kToAll);
            return true;
        }
        const auto given = [&](int r) {
            MessageBuffer block = r == own ? MessageBuffer() : blocks(r);
            if (!fits(block)) block.bytes = kTooLong;
            return block;
        };
        std::size_t end = data_begin();
        for (int r = 0; r < ranks_; ++r) end += room_of(given(r).bytes);
        return schedule.give(end, Schedule::kToAll, [&](std::byte* room) {
            std::byte* at = room + data_begin();
            for (int r = 0; r < ranks_; ++r) {
                const MessageBuffer block = given(r);
                const auto length = static_cast<std::uint16_t>(block.bytes);
                std::memcpy(room + sizeof length * static_cast<std::size_t>(r), &length, sizeof length);
                if (length == kTooLong) continue;
                block.pack(0, length, at);
                at += room_of(length);
            }
        });
    }
    // This rank's block of what another one has given. None: it is too long, and comes as a message.
    std::optional<std::span<const std::byte>> own(const Schedule::Given& by_exchange, int rank) const
    {
        if (by_exchange.comes_as_messages()) return std::nullopt;
        const std::span<const std::byte> given = by_exchange.span();
        if (is_pair()) return given;
        if (given.size() < table_bytes()) return given.first(0);
        const auto length_of = [&](int r) {
            std::uint16_t length = 0;
            std::memcpy(&length, given.data() + sizeof length * static_cast<std::size_t>(r), sizeof length);
            return std::size_t{length};
        };
        std::size_t begin = data_begin();
        for (int r = 0; r < rank; ++r) begin += room_of(length_of(r));
        const std::size_t bytes = length_of(rank);
        if (bytes == kTooLong || begin + bytes > given.size()) return std::nullopt;
        return given.subspan(begin, bytes);
    }

    // Of the blocks, those that go as messages.
    auto rest_of(const Blocks& blocks) const
    {
        return [this, blocks](int r) {
            const MessageBuffer block = blocks(r);
            return fits(block) ? MessageBuffer() : block;
        };
    }

private:
    static constexpr std::uint16_t kTooLong = 0xffff;
    bool is_pair() const { return ranks_ == 2; }
    static std::size_t room_of(std::size_t bytes) { return bytes == kTooLong ? 0 : (bytes + 7) / 8 * 8; }
    std::size_t table_bytes() const { return sizeof(std::uint16_t) * static_cast<std::size_t>(ranks_); }
    std::size_t data_begin() const { return (table_bytes() + 7) / 8 * 8; }

    int ranks_;
    std::uint64_t most_;
};

// A member's block for this rank. part_of(given): that of what the member gives, or none where it goes as a message.
// The receive of what probably comes as a message is posted before: a member whose room is larger than the block has it
// taken back, and so has one from whom nothing comes for want of memory.
template <class PartOf>
void take_block(Schedule& schedule, int from, bool is_posted, const MessageBuffer& to, PartOf part_of)
{
    schedule.take(from, [&schedule, from, is_posted, to = KeptBuffer(to), part_of](const Schedule::Given& given) {
        bool comes_as_message = false;
        if (!given.has_failed) {
            const std::optional<std::span<const std::byte>> part = part_of(given);
            comes_as_message = !part;
            if (part) put(schedule, *part, to);
        }
        if (is_posted && !comes_as_message) schedule.withdraw_receive(from);
        if (!is_posted && comes_as_message) schedule.receive_up_to(schedule.members(), to, from);
    });
}

std::optional<std::span<const std::byte>> unless_declined(const Schedule::Given& given)
{
    return given.comes_as_messages() ? std::nullopt : std::optional(given.span());
}

// What a rank gives along its edges: a table of them, and then the blocks that are short and fit, each from a multiple
// of 8 bytes on. The table's first entry says how many follow: none, where there are too many.
class EdgeBlocks {
public:
    // neighbours, outgoing: live longer.
    EdgeBlocks(const Members& members, const Neighbours& neighbours, const Blocks& outgoing)
        : rank_(members.rank()),
          destinations_(neighbours.destinations),
          outgoing_(outgoing)
    {
        const bool fit = members.size() <= kNobody &&
                         (destinations_.size() + 1) * sizeof(Edge) <= std::size_t{FMPL_EXCHANGE_BYTES / 2};
        edges_ = fit ? static_cast<int>(destinations_.size()) : 0;
        bytes_ = data_begin(edges_);
        for (int i = 0; i < edges_; ++i) has_messages_ |= !take_room(i, bytes_) && destination(i) >= 0;
        has_messages_ |= !fit;
    }

    // Whether something goes as messages.
    bool has_messages() const { return has_messages_; }
    // Whether they are on their way. is_message[i]: the block of edge i goes as a message.
    bool give(Schedule& schedule, std::vector<bool>& is_message) const
    {
        if (has_messages_) is_message.assign(destinations_.size(), true);
        return schedule.give(bytes_, Schedule::kToAll, [&](std::byte* room) {
            write(room, 0, {static_cast<std::uint16_t>(edges_), 0});
            std::size_t end = data_begin(edges_);
            for (int i = 0; i < edges_; ++i) {
                const std::size_t begin = end;
                Edge edge{kNobody, kMessage};
                if (take_room(i, end)) {
                    const MessageBuffer block = outgoing_(i);
                    edge = {static_cast<std::uint16_t>(destination(i)), static_cast<std::uint16_t>(block.bytes)};
                    block.pack(0, block.bytes, room + begin);
                    if (has_messages_) is_message[static_cast<std::size_t>(i)] = false;
                } else if (destination(i) >= 0) {
                    edge.destination = static_cast<std::uint16_t>(destination(i));
                }
                write(room, i + 1, edge);
            }
        });
    }
    // Of what another rank has given, the block of its edge to `rank` that comes after so many others to it. None where
    // it goes as a message.
    static std::optional<std::span<const std::byte>> find(std::span<const std::byte> given, int rank, int before)
    {
        const auto entry = [&](std::size_t i) {
            Edge edge{};
            std::memcpy(&edge, given.data() + i * sizeof(Edge), sizeof edge);
            return edge;
        };
        const std::size_t entries = given.size() / sizeof(Edge);  // what the table says may not be more
        if (entries == 0) return std::nullopt;
        const std::size_t edges = std::min<std::size_t>(entry(0).destination, entries - 1);
        std::size_t begin = data_begin(static_cast<int>(edges));
        for (std::size_t i = 1; i <= edges; ++i) {
            const Edge edge = entry(i);
            const std::size_t bytes = edge.bytes == kMessage ? 0 : edge.bytes;
            if (edge.destination == rank && before-- == 0) {
                if (edge.bytes == kMessage || begin + bytes > given.size()) return std::nullopt;
                return given.subspan(begin, bytes);
            }
            begin += room_of(bytes);
        }
        return std::nullopt;
    }

private:
    // Few bytes: with those of two edges, two words fit into the line that says they are there.
    struct Edge {
        std::uint16_t destination;  // of the first entry: how many edges there are
        std::uint16_t bytes;
    };
    static constexpr std::uint16_t kMessage = 0xffff;
    static constexpr std::uint16_t kNobody = 0xffff;
    static std::size_t room_of(std::uint64_t bytes) { return (static_cast<std::size_t>(bytes) + 7) / 8 * 8; }
    static std::size_t data_begin(int edges) { return room_of((static_cast<std::size_t>(edges) + 1) * sizeof(Edge)); }
    static void write(std::byte* room, int entry, Edge edge)
    {
        std::memcpy(room + static_cast<std::size_t>(entry) * sizeof edge, &edge, sizeof edge);
    }

    int destination(int i) const { return destinations_[static_cast<std::size_t>(i)]; }
    // Whether the block of edge i is laid down; then `end` comes behind it. From a rank to itself go messages.
    bool take_room(int i, std::size_t& end) const
    {
        const int to = destination(i);
        const std::uint64_t bytes = to < 0 || to == rank_ ? kMostOfNeighbour + 1 : outgoing_(i).bytes;
        if (bytes > kMostOfNeighbour || end + room_of(bytes) > std::size_t{FMPL_EXCHANGE_BYTES}) return false;
        end += room_of(bytes);
        return true;
    }

    int rank_;
    const std::vector<int>& destinations_;
    const Blocks& outgoing_;
    int edges_ = 0;
    bool has_messages_ = false;
    std::size_t bytes_ = 0;
};

}  // namespace

void exchanged_barrier(Schedule& schedule)
{
    schedule.give({}, Schedule::kToAll);
    for_each_other(schedule.members(), [&](int r) { schedule.take(r, [](const Schedule::Given&) {}); });
    schedule.end_round();
}

void exchanged_bcast(Schedule& schedule, const MessageBuffer& buffer, int root)
{
    const auto as_messages = [&schedule, buffer = KeptBuffer(buffer), root] {
        binomial_bcast(schedule, schedule.members(), buffer, root);
    };
    if (schedule.members().rank() != root) {
        return schedule.take(root, [&schedule, buffer = KeptBuffer(buffer), as_messages](const Schedule::Given& given) {
            if (given.comes_as_messages()) return as_messages();
            if (given.has_failed) return;
            schedule.note_arrival(given.bytes, buffer.bytes, buffer.bytes);
            if (given.bytes <= buffer.bytes) buffer.unpack(0, given.bytes, given.data);
        });
    }
    if (buffer.bytes <= FMPL_EXCHANGE_BYTES) {
        schedule.give(buffer, Schedule::kToAll);
    } else {
        schedule.decline(buffer.bytes, Schedule::kToAll);
        as_messages();
    }
}

void exchanged_gather(Schedule& schedule, const MessageBuffer& mine, const Blocks& blocks, int root)
{
    const Members& members = schedule.members();
    const auto fits = [](const MessageBuffer& block) { return block.bytes <= FMPL_EXCHANGE_BYTES; };
    if (members.rank() != root) {
        if (fits(mine)) {
            schedule.give(mine, root);
        } else {
            schedule.decline(mine.bytes, root);
            linear_gather(schedule, members, mine, blocks, root);
        }
        return;
    }
    const auto post = [&](int r) {
        if (const MessageBuffer block = blocks(r); !fits(block)) schedule.receive_up_to(members, block, r);
    };
    const bool all_first = !fits(blocks(next_of(members)));  // so are the others, mostly
    if (all_first) for_each_other(members, post);
    for_each_other(members, [&](int r) {
        const MessageBuffer block = blocks(r);
        if (block.bytes == 0) return;
        if (!all_first) post(r);
        take_block(schedule, r, !fits(block), block, unless_declined);
    });
    schedule.end_round();
}

void exchanged_scatter(
    Schedule& schedule, const Blocks& blocks, std::uint64_t block_bytes, const MessageBuffer& mine, int root)
{
    const Members& members = schedule.members();
    const auto fits = [&](std::uint64_t bytes) {
        return bytes <= FMPL_EXCHANGE_BYTES / static_cast<std::uint64_t>(members.size());
    };
    if (members.rank() == root) {
        if (fits(block_bytes)) {
            give_blocks(schedule, blocks, block_bytes);
        } else {
            schedule.decline(block_bytes, Schedule::kToAll);
            linear_scatter(schedule, members, blocks, mine, root);
        }
    } else if (mine.bytes > 0) {
        const bool is_posted = !fits(mine.bytes);
        if (is_posted) schedule.receive_up_to(members, mine, root);
        take_block(schedule, root, is_posted, mine, [members, root](const Schedule::Given& given) {
            return given.comes_as_messages() ? std::nullopt : std::optional(part_of(given, members, root));
        });
        schedule.end_round();
    }
}

void exchanged_allgather(Schedule& schedule, const MessageBuffer& mine, const Blocks& incoming, Lengths lengths)
{
    schedule.give(mine, Schedule::kToAll);
    for_each_other(schedule.members(), [&](int r) {
        schedule.take(r, [&schedule, r, mine = KeptBuffer(mine), block = KeptBuffer(incoming(r)), lengths](
                             const Schedule::Given& given) {
            if (given.comes_as_messages()) [[unlikely]]
                return trade_messages(schedule, given, mine, r, block, lengths);
            if (!given.has_failed) put(schedule, given.span(), block);
        });
    });
    schedule.end_round();
}

void exchanged_alltoall(Schedule& schedule, const Blocks& outgoing, std::uint64_t block_bytes, const Blocks& incoming)
{
    const Members& members = schedule.members();
    // Where the call sends less than it receives, or more, which is its error already.
    const std::uint64_t each = std::min(outgoing(next_of(members)).bytes, block_bytes);
    give_blocks(schedule, outgoing, each);
    for_each_other(members, [&](int r) {
        schedule.take(r, [&schedule, r, sent = KeptBuffer(outgoing(r)), block = KeptBuffer(incoming(r))](
                             const Schedule::Given& given) {
            if (given.comes_as_messages()) [[unlikely]]
                return trade_messages(schedule, given, sent, r, block, Lengths::equal);
            if (!given.has_failed) put(schedule, part_of(given, schedule.members(), r), block);
        });
    });
    schedule.end_round();
}

void exchanged_scatterv(Schedule& schedule, const Blocks& blocks, const MessageBuffer& mine, int root)
{
    const Members& members = schedule.members();
    const VaryingBlocks varying(members);
    if (members.rank() == root) {
        if (varying.give(schedule, blocks)) linear_scatter(schedule, members, varying.rest_of(blocks), {}, root);
    } else if (mine.bytes > 0) {
        const bool is_posted = !varying.fits(mine);
        if (is_posted) schedule.receive_up_to(members, mine, root);
        take_block(schedule, root, is_posted, mine,
            [varying, rank = members.rank()](const Schedule::Given& given) { return varying.own(given, rank); });
        schedule.end_round();
    }
}

void exchanged_alltoallv(Schedule& schedule, const Blocks& outgoing, const Blocks& incoming)
{
    const Members& members = schedule.members();
    const VaryingBlocks varying(members);
    const bool has_given = varying.give(schedule, outgoing);
    const auto sent = [&](int r) {
        const MessageBuffer block = outgoing(r);
        return has_given && !varying.fits(block) ? block : MessageBuffer();
    };
    bool all_fit = true;
    for (int r = 0; r < members.size(); ++r) all_fit &= varying.fits(outgoing(r)) && varying.fits(incoming(r));
    if (!all_fit) begin_posted_exchange(schedule, members, sent, varying.rest_of(incoming));
    for_each_other(members, [&](int r) {
        const MessageBuffer block = incoming(r);
        if (block.bytes == 0) return;
        take_block(schedule, r, !varying.fits(block), block,
            [varying, rank = members.rank()](const Schedule::Given& given) { return varying.own(given, rank); });
    });
    schedule.end_round();
}

void exchanged_with_neighbours(
    Schedule& schedule, const Neighbours& neighbours, const Blocks& outgoing, const Blocks& incoming)
{
    const Members& members = schedule.members();
    const EdgeBlocks own(members, neighbours, outgoing);
    std::vector<bool> is_message;
    const bool has_given = own.give(schedule, is_message);
    const auto is_own = [&](int rank) { return rank == members.rank(); };  // from itself, a rank gets messages
    const auto sent = [&](int i) {
        const bool is_sent = has_given || is_own(neighbours.destinations[static_cast<std::size_t>(i)]);
        return is_sent && is_message[static_cast<std::size_t>(i)] ? outgoing(i) : MessageBuffer();
    };
    const auto received = [&](int i) {
        return is_own(neighbours.sources[static_cast<std::size_t>(i)]) ? incoming(i) : MessageBuffer();
    };
    if (own.has_messages()) begin_neighbour_exchange(schedule, members, neighbours, sent, received);
    for (std::size_t n = 0; n < neighbours.by_arrival.size(); ++n) {
        const int i = neighbours.by_arrival[n];
        const int source = neighbours.sources[static_cast<std::size_t>(i)];
        const MessageBuffer block = incoming(i);
        if (source < 0 || is_own(source) || block.bytes == 0) continue;
        const auto find = [rank = members.rank(), before = neighbours.before[n]](const Schedule::Given& given) {
            return given.comes_as_messages() ? std::nullopt : EdgeBlocks::find(given.span(), rank, before);
        };
        take_block(schedule, source, false, block, find);
    }
    schedule.end_round();
}

namespace {

// An int of the longest predefined type.
constexpr std::uint64_t kMostOfScan = std::uint64_t{INT_MAX} * sizeof(long double[2]);

// The rank before this one has another length, and so have, perhaps, those behind: what it sends as messages is
// received, and what the next rank waits for is sent.
void refuse_scan(Schedule& schedule, const Schedule::Given& before, std::uint64_t bytes, bool inclusive)
{
    const Members& members = schedule.members();
    const bool is_last = members.rank() == members.size() - 1;
    if (before.comes_as_messages() && before.bytes <= kMostOfScan) {  // else nobody has sent them
        for (std::uint64_t n = messages_of_scan(schedule, before.bytes, inclusive); n > 0; --n) {
            schedule.receive_up_to(members, {}, members.rank() - 1);
            schedule.end_round();
        }
    }
    if (bytes <= FMPL_EXCHANGE_BYTES) {
        if (!is_last) schedule.give({}, members.rank() + 1);
    } else {
        for (std::uint64_t n = is_last ? 0 : messages_of_scan(schedule, bytes, inclusive); n > 0; --n)
            schedule.send(members, {}, members.rank() + 1);
    }
    schedule.end_round();
}

// Memory for operands that others give, where they are not read in place: elements with gaps are given without them,
// and a user's function, which might write them, gets no memory of others'.
void* memory_aside(Schedule& schedule, std::int64_t count)
{
    const bool is_read_there = schedule.reduction().is_predefined() && schedule.type().dense_bytes != 0;
    return is_read_there ? nullptr : schedule.element_memory(count);
}
// Combines operands of others with these. aside: memory_aside().
void reduce_given(Schedule& schedule, const MessageBuffer& given, void* aside, void* inout, std::int64_t count)
{
    if (aside != nullptr) schedule.copy(given, schedule.elements(aside, count));
    schedule.reduce(aside != nullptr ? aside : given.data, inout, count);
}

// before: the reduction over the ranks before this one, which has as many elements.
void scan_behind(Schedule& schedule, const Schedule::Given& before, const void* contribution, void* result,
    std::int64_t count, bool inclusive)
{
    const int rank = schedule.members().rank();
    const std::uint64_t bytes = schedule.dense_bytes(count);
    if (rank < schedule.members().size() - 1) {  // first, since the others wait for it
        const std::byte* total = nullptr;
        const bool is_given = schedule.give(bytes, rank + 1, [&](std::byte* room) {
            small_copy(room, contribution, bytes);
            if (rank > 0) schedule.reduce(before.data, room, count);
            total = room;
        });
        if (inclusive && is_given) small_copy(result, total, bytes);
    } else if (inclusive) {
        if (contribution != result) small_copy(result, contribution, bytes);
        if (rank > 0) schedule.reduce(before.data, result, count);
    }
    if (!inclusive && rank > 0) small_copy(result, before.data, bytes);
}

// The same where operands are not read in place. total: memory for as many elements.
void scan_behind_aside(Schedule& schedule, const Schedule::Given& before, void* aside, void* total,
    const void* contribution, void* result, std::int64_t count, bool inclusive)
{
    const int rank = schedule.members().rank();
    const MessageBuffer sum = schedule.elements(total, count);
    const MessageBuffer given = MessageBuffer::piece(before.data, before.bytes);
    schedule.copy(schedule.elements(contribution, count), sum);
    if (rank > 0) reduce_given(schedule, given, aside, total, count);
    if (rank < schedule.members().size() - 1) schedule.give(sum, rank + 1);
    if (inclusive || rank > 0) schedule.copy(inclusive ? sum : given, schedule.elements(result, count));
}

}  // namespace

void exchanged_scan(Schedule& schedule, const void* contribution, void* result, std::int64_t count, bool inclusive)
{
    const int rank = schedule.members().rank();
    const std::uint64_t bytes = schedule.elements(contribution, count).bytes;
    const bool is_given = bytes <= FMPL_EXCHANGE_BYTES;
    if (!is_given && rank < schedule.members().size() - 1) schedule.decline(bytes, rank + 1);
    void* const aside = is_given ? memory_aside(schedule, count) : nullptr;
    void* const total = aside != nullptr ? schedule.element_memory(count) : nullptr;
    const auto go_on = [=, &schedule](const Schedule::Given& before) {
        if (rank > 0) {
            schedule.note_arrival(before.bytes, bytes, bytes);
            if (before.bytes != bytes || before.comes_as_messages() == is_given) [[unlikely]]
                return refuse_scan(schedule, before, bytes, inclusive);
        }
        if (!is_given) return linear_scan(schedule, schedule.members(), contribution, result, count, inclusive);
        if (total != nullptr)
            return scan_behind_aside(schedule, before, aside, total, contribution, result, count, inclusive);
        scan_behind(schedule, before, contribution, result, count, inclusive);
    };
    rank > 0 ? schedule.take(rank - 1, go_on) : go_on({});
    schedule.end_round();
}

void exchanged_reduce_scatter(
    Schedule& schedule, const void* contribution, void* result, std::span<const std::int64_t> counts, Lengths lengths)
{
    const Members& members = schedule.members();
    const auto rank = static_cast<std::ptrdiff_t>(members.rank());
    const std::int64_t first = std::accumulate(counts.begin(), counts.begin() + rank, std::int64_t{0});
    const std::int64_t count = counts[static_cast<std::size_t>(rank)];
    const MessageBuffer whole =
        schedule.elements(contribution, std::accumulate(counts.begin() + rank, counts.end(), first));
    schedule.give(whole, Schedule::kToAll);
    if (count == 0 && whole.bytes > 0) return;

    // In place, the result may lie over operands that are still to be read.
    void* const sum = contribution == result ? schedule.element_memory(count) : result;
    const MessageBuffer own_result = schedule.elements(sum, count);
    void* const aside = memory_aside(schedule, count);
    const std::uint64_t size = schedule.elements(contribution, 1).bytes;
    // This one's part of what member r has given; the operation commutes.
    const auto add_given = [=, &schedule](int r, const std::byte* operands) {
        const auto part = MessageBuffer::piece(
            operands + static_cast<std::uint64_t>(first) * size, static_cast<std::uint64_t>(count) * size);
        r == 0 ? schedule.copy(part, own_result) : reduce_given(schedule, part, aside, sum, count);
    };
    std::int64_t before = 0;
    for (int r = 0; r < members.size(); ++r) {
        const std::int64_t their_count = counts[static_cast<std::size_t>(r)];
        if (r == members.rank()) {
            const void* const operand = schedule.element(contribution, first);
            r == 0 ? schedule.copy(schedule.elements(operand, count), own_result)
                   : schedule.reduce(operand, sum, count);
        } else {
            const MessageBuffer part = schedule.elements(schedule.element(contribution, before), their_count);
            schedule.take(r, [=, &schedule, bytes = whole.bytes](const Schedule::Given& given) {
                if (given.has_failed) return;
                schedule.note_arrival(given.bytes, bytes, bytes);
                if (given.comes_as_messages()) [[unlikely]]
                    return trade_messages(schedule, given, part, r, {}, lengths);
                if (given.bytes == bytes) add_given(r, given.data);
            });
        }
        before += their_count;
    }
    if (sum != result) schedule.copy(own_result, schedule.elements(result, count));
    schedule.end_round();
}

void exchanged_reduce(Schedule& schedule, const void* contribution, void* result, std::int64_t count, int root)
{
    const Members& members = schedule.members();
    const MessageBuffer own = schedule.elements(contribution, count);
    if (members.rank() != root) {
        schedule.give(own, root);
        return;
    }
    if (contribution != result) schedule.copy(own, schedule.elements(result, count));
    void* const aside = memory_aside(schedule, count);
    for_each_other(members, [&](int r) {
        schedule.take(r, [=, &schedule, bytes = own.bytes](const Schedule::Given& given) {
            if (given.has_failed) return;
            schedule.note_arrival(given.bytes, bytes, bytes);
            if (given.comes_as_messages()) {
                if (sends_to_root(members, r, root)) schedule.receive_up_to(members, {}, r);
            } else if (given.bytes == bytes) {
                reduce_given(schedule, MessageBuffer::piece(given.data, given.bytes), aside, result, count);
            }
        });
    });
    schedule.end_round();
}

void exchanged_allreduce(Schedule& schedule, const void* contribution, void* result, std::int64_t count)
{
    const Members& members = schedule.members();
    const MessageBuffer own = schedule.elements(contribution, count);
    schedule.give(own, Schedule::kToAll);
    const void* operand = contribution;
    if (contribution == result && members.rank() > 0) {  // the operands of the ranks before come there first
        void* const kept = schedule.element_memory(count);
        schedule.copy(own, schedule.elements(kept, count));
        operand = kept;
    }
    void* const aside = memory_aside(schedule, count);
    const bool is_predefined = schedule.reduction().is_predefined();
    const auto add_given = [=, &schedule](int r, const MessageBuffer& given) {
        r == 0 ? schedule.copy(given, schedule.elements(result, count))
               : reduce_given(schedule, given, aside, result, count);
    };
    for (int r = 0; r < members.size(); ++r) {  // the same order on all
        if (r == members.rank()) {
            if (r > 0) {
                schedule.reduce(operand, result, count);
            } else if (operand != result) {
                schedule.copy(own, schedule.elements(result, count));
            }
            continue;
        }
        schedule.take(r, [=, &schedule, bytes = own.bytes](const Schedule::Given& given) {
            if (given.has_failed) return;
            schedule.note_arrival(given.bytes, bytes, bytes);
            if (given.comes_as_messages()) {
                for (int n = messages_of_allreduce(members, r, given.bytes, is_predefined); n > 0; --n) {
                    schedule.send(members, {}, r);
                    schedule.receive_up_to(members, {}, r);
                }
            } else if (given.bytes == bytes) {
                add_given(r, MessageBuffer::piece(given.data, given.bytes));
            }
        });
    }
    schedule.end_round();
}

}  // namespace fmpl::mpi
