// The hardware broadcast: the root writes once, all receivers read (paper, sections 3.2 and 4.2).
//
// The manner is chosen by the root alone and written in the slot: a payload of a few bytes lies in the slot's line; a
// longer one goes through the root's library buffers in turn, so that its copy of one piece overlaps the receivers'
// copies of those before and the root need not wait for the last; a large one in remote-DMA memory is read from the
// root's own buffer by all receivers at once, and the root waits until they have. It helps while it waits for a single
// receiver. Where ranks share CPUs, whoever waits, the root among them, copies chunks of a large one for all receivers
// that wait by then (docs/decisions/0016-whoever-runs-copies.md).
//
// Cost with p ranks and n bytes: one flag latency + n / copy bandwidth (twice through the library buffers), whatever p;
// where c CPUs are shared (p - 1) n / c / copy bandwidth.
#include "coll/collectives.hpp"
#include "coll/nearest_first.hpp"

#include "p2p/shared_copy.hpp"

#include <algorithm>
#include <cstring>
#include <exception>
#include <utility>

namespace fmpl {
namespace {

// Of a broadcast that the root and its only receiver copy together.
constexpr std::size_t kLeastChunk = 512;
// Of a partitioned broadcast: how many chunks, how long at least, and what of one is copied to one receiver after the
// other, from a near cache.
constexpr std::size_t kMostChunks = 8;
constexpr std::size_t kPartitionChunk = 16 * 1024;
constexpr std::size_t kBlockBytes = 8 * 1024;
// Where ranks share CPUs, a root waits until all have left the broadcast so many before its own, if that is read from
// its own buffer: a rank then finds in the cache what the one before it on that CPU has read. 16 ranks on two CPUs, 64
// KiB when that was read so, roots in turn: 64 before 24 us, 8 22 us, 4 21 us.
constexpr std::size_t kWholeAhead = 4;

// The chunks of a partitioned broadcast.
struct Chunks {
    explicit Chunks(std::size_t size)
        : count(std::clamp<std::size_t>(size / kPartitionChunk, 1, kMostChunks)),
          each((size / count + kLine) / kLine * kLine)
    {
    }
    std::uint64_t all() const { return (std::uint64_t{1} << count) - 1; }

    std::size_t count;
    std::size_t each;  // the last one is shorter
};

// Holds the serialized crossbar, which carries one broadcast at a time, for the root's transfer of a piece.
class SerializedCrossbar {
public:
    SerializedCrossbar(Node& node, bool needed, const WaitFor& what)
        : word_(needed ? &node.crossbar.control().serialized_crossbar : nullptr)
    {
        if (word_ == nullptr) return;
        node.wait(
            [&] {
                std::uint32_t free = 0;
                // acquire: pairs with the release in the destructor
                return word_->compare_exchange_strong(free, static_cast<std::uint32_t>(node.rank()) + 1,
                    std::memory_order_acquire, std::memory_order_relaxed);
            },
            what);
        node_ = &node;
    }
    ~SerializedCrossbar()
    {
        if (node_ == nullptr) return;
        word_->store(0, std::memory_order_release);  // pairs with the acquire in the constructor
        for (int r = 0; r < node_->crossbar.nodes(); ++r) node_->crossbar.wake(r);
    }
    SerializedCrossbar(const SerializedCrossbar&) = delete;
    SerializedCrossbar& operator=(const SerializedCrossbar&) = delete;

private:
    std::atomic<std::uint32_t>* word_;
    Node* node_ = nullptr;
};

}  // namespace

void Collectives::bcast_hardware(Communicator& comm, void* buffer, const Columns* columns, std::size_t bytes, int root)
{
    if (is_partitioned(comm, bytes)) {  // before others count on this rank
        served_.reserve(static_cast<std::size_t>(comm.size()));
        results_.reserve(static_cast<std::size_t>(comm.size()));
    }
    if (comm.cpu_mates.cpus > 0) comm.broadcast_roots.begins(root, comm.size());
    if (comm.rank() == root) {
        bcast_from_root(comm, static_cast<const std::byte*>(buffer), columns, bytes);
    } else {
        bcast_to_receiver(comm, static_cast<std::byte*>(buffer), columns, bytes, root);
    }
}

void Collectives::bcast_from_root(
    Communicator& comm, const std::byte* buffer, const Columns* columns, std::size_t bytes)
{
    const Crossbar& crossbar = node_->crossbar;
    const auto receivers = static_cast<std::uint64_t>(comm.size() - 1);
    const WaitFor what = waiting_for(comm, -1, bytes);
    const bool whole = columns == nullptr && comm.hardware.any_source_buffer && bytes >= whole_bytes() &&
                       crossbar.contains(buffer, bytes);
    const bool partitioned = whole && is_partitioned(comm, bytes);
    const auto copy_out = [&](std::size_t begin, std::size_t n, std::byte* to) {
        if (columns != nullptr) {
            columns->gather(buffer, begin, n, to);
        } else {
            copy_across(to, buffer + begin, n);
        }
    };
    std::exception_ptr no_memory;
    const std::size_t piece_bytes = whole ? bytes : kBroadcastBufferBytes;
    if (!whole && bytes > kBroadcastInlineBytes && comm.broadcasts.buffers == kNoOffset) {
        try {
            comm.broadcasts.buffers = node_->arena.allocate(BroadcastState::kBuffers * kBroadcastBufferBytes);
        } catch (const Error&) {
            no_memory = std::current_exception();  // thrown when the receivers know
        }
    }

    const auto publish = [&](BroadcastSlot& slot, std::uint64_t use, Offset in_arena) {
        slot.total_bytes = no_memory ? kBroadcastFailed : bytes;
        slot.root = static_cast<std::uint32_t>(comm.rank());
        slot.manner = partitioned ? BroadcastManner::partitioned
                      : whole     ? BroadcastManner::whole
                                  : BroadcastManner::in_pieces;
        slot.at = whole ? crossbar.offset_of(buffer) : in_arena;
        if (whole) {
            if (receivers > 1) slot.taken.store(0, std::memory_order_relaxed);
        } else if (in_arena == kNoOffset && !no_memory && bytes > 0) {
            copy_out(0, bytes, reinterpret_cast<std::byte*>(slot.payload));
        }
        slot.stamp.store(use + 1, std::memory_order_release);  // pairs with the receivers' acquire
    };

    // So many uses after the last one that not all have left this rank may begin one: there are no more slots.
    const std::size_t ahead = whole && !node_->helps() ? kWholeAhead : kBroadcastSlots;
    std::size_t sent = 0;
    do {
        const std::uint64_t use = comm.broadcasts.uses++;
        BroadcastSlot& slot = comm.station->broadcast[use % kBroadcastSlots];
        if (use >= ahead) await_left(comm, use + 1 - ahead, use + 1 - ahead / 2, what);

        const std::size_t piece = std::min(piece_bytes, bytes - sent);
        const bool in_buffer = !whole && !no_memory && bytes > kBroadcastInlineBytes;
        const Offset in_arena = in_buffer ? broadcast_buffer(comm, use, what) : kNoOffset;
        bool is_only_root = true;
        {
            const SerializedCrossbar serialized(*node_, comm.hardware.serialized, what);
            // Before the copy: the line of the slot comes meanwhile.
            is_only_root = sent > 0 || slot.claim(use);
            if (is_only_root && in_buffer) copy_out(sent, piece, crossbar.local(in_arena));
            if (is_only_root) publish(slot, use, in_arena);
        }
        if (!is_only_root) [[unlikely]] {
            // Another root has been here. Its broadcast is received and dropped, so that the next one begins in step.
            --comm.broadcasts.uses;
            bcast_to_receiver(comm, nullptr, nullptr, bytes, comm.rank());
        }
        wake_members(comm);
        sent += piece;
        if (whole) {
            // The receivers read the caller's buffer.
            const bool may_help = receivers == 1 && node_->helps() && bytes >= kBroadcastSharedBytes;
            bool has_helped = false;
            node_->wait(
                [&] {
                    if (may_help && !has_helped) has_helped = help_to_receive(comm, use, buffer, bytes);
                    // Nobody reads the buffer any more, though the receiver may not have left yet.
                    if (has_helped && shared_copy(comm, slot, bytes).done()) return true;
                    if (partitioned) copy_for_all(comm, use, buffer, bytes);
                    if (receivers == 1) return all_have_left(comm, use + 1);
                    return slot.taken.load(std::memory_order_acquire) == receivers;  // pairs with bcast_to_receiver
                },
                what);
            // All have come to this use.
            comm.broadcasts.left = std::max(comm.broadcasts.left, use);
        }
        leave_broadcast(comm, use);
        if (no_memory) std::rethrow_exception(no_memory);
    } while (sent < bytes);
}

// Whether all other members have left the first `uses` uses: they read and write nothing of these any more. What was
// seen last mostly tells.
bool Collectives::all_have_left(Communicator& comm, std::uint64_t uses)
{
    BroadcastState& state = comm.broadcasts;
    if (state.left >= uses) return true;
    std::uint64_t least = ~std::uint64_t{0};
    int member = state.behind;
    for (int i = 0; i < comm.size(); ++i, ++member) {
        if (member == comm.size()) member = 0;
        if (member == comm.rank()) continue;
        // acquire: pairs with leave_broadcast
        const std::uint64_t left = comm.station->broadcasts_left(member).load(std::memory_order_acquire);
        if (left < uses) {
            state.behind = member;
            return false;
        }
        least = std::min(least, left);
    }
    state.left = least;
    return true;
}

// If not all have left so many uses, waits until they have left `enough`, which is more: one wait in place of one for
// each use from now on.
void Collectives::await_left(Communicator& comm, std::uint64_t uses, std::uint64_t enough, const WaitFor& what)
{
    if (all_have_left(comm, uses)) return;
    struct Waiting {
        explicit Waiting(std::atomic<std::uint32_t>& roots) : count(roots)
        {
            count.fetch_add(1, std::memory_order_relaxed);
        }
        ~Waiting() { count.fetch_sub(1, std::memory_order_relaxed); }
        std::atomic<std::uint32_t>& count;
    } const waiting(comm.station->waiting_roots);
    node_->wait([&] { return all_have_left(comm, enough); }, what);
}

// A root that waits for this is woken: it has counted itself before its last look, or sees this member's word in it, as
// with the flag and `sleeping` in Crossbar::wake.
void Collectives::leave_broadcast(Communicator& comm, std::uint64_t use)
{
    comm.station->broadcasts_left(comm.rank()).store(use + 1, std::memory_order_release);  // pairs with all_have_left
    node_->crossbar.order_before_wake();
    if (comm.station->waiting_roots.load(std::memory_order_relaxed) != 0) [[unlikely]]
        wake_members(comm);
}

// A library buffer of this rank's that nobody reads any more, for this use.
Offset Collectives::broadcast_buffer(Communicator& comm, std::uint64_t use, const WaitFor& what)
{
    BroadcastState& state = comm.broadcasts;
    constexpr std::size_t kHalf = BroadcastState::kBuffers / 2;
    const std::size_t buffer = state.next_buffer++ % BroadcastState::kBuffers;
    const std::uint64_t last_use = std::exchange(state.buffer_uses[buffer], use + 1);
    const std::uint64_t of_half = state.buffer_uses[(buffer + kHalf - 1) % BroadcastState::kBuffers];
    await_left(comm, last_use, std::max(last_use, of_half), what);
    return state.buffers + buffer * kBroadcastBufferBytes;
}

// Of a whole broadcast between two members, which both copy.
SharedCopy Collectives::shared_copy(const Communicator& comm, BroadcastSlot& slot, std::size_t bytes) const
{
    const int other = comm.members()[static_cast<std::size_t>(1 - comm.rank())];
    return {slot.shared, bytes, SharedCopy::end_of(node_->rank(), other), kLeastChunk};
}

// The only receiver says where it wants the broadcast and opens the copy, with a chunk kept for the root. When this is
// before the root has come, that must have left the slot's last use, which had the same words.
void Collectives::ask_for_help(const Communicator& comm, std::uint64_t use, const std::byte* buffer, std::size_t bytes)
{
    BroadcastSlot& slot = comm.station->broadcast[use % kBroadcastSlots];
    slot.shared.bytes = bytes;
    slot.shared.at = node_->crossbar.offset_of(buffer);
    shared_copy(comm, slot, bytes).open_for_both();
    slot.helped.store(use + 1, std::memory_order_release);  // pairs with help_to_receive
}

// The only receiver has asked for help, and the root has come: this rank copies from one end, the root from the other.
void Collectives::receive_with_help(Communicator& comm, BroadcastSlot& slot, std::byte* buffer, std::size_t bytes)
{
    const int root = comm.members()[slot.root];
    SharedCopy copy = shared_copy(comm, slot, bytes);
    node_->crossbar.wake(root);  // its chunk is left for it
    const bool last = copy.copy(
        [&](std::size_t begin, std::size_t n) { node_->crossbar.read(root, slot.at + begin, buffer + begin, n); },
        true);
    if (!last) node_->wait([&] { return copy.done(); }, waiting_for(comm, static_cast<int>(slot.root), bytes));
}

// Whether the root has: once the receiver has asked for it. Not where that expects another number of bytes.
bool Collectives::help_to_receive(Communicator& comm, std::uint64_t use, const std::byte* buffer, std::size_t bytes)
{
    BroadcastSlot& slot = comm.station->broadcast[use % kBroadcastSlots];
    // acquire: pairs with ask_for_help
    if (slot.helped.load(std::memory_order_acquire) != use + 1 || slot.shared.bytes != bytes) return false;
    const int receiver = comm.members()[static_cast<std::size_t>(1 - comm.rank())];
    SharedCopy copy = shared_copy(comm, slot, bytes);
    const bool last =
        copy.copy([&](std::size_t begin,
                      std::size_t n) { node_->crossbar.write(receiver, slot.shared.at + begin, buffer + begin, n); },
            copy.has_kept_chunk());
    if (last) node_->crossbar.wake(receiver);
    return true;
}

// Whether whoever runs copies a whole broadcast of so many bytes for all.
bool Collectives::is_partitioned(const Communicator& comm, std::size_t bytes) const
{
    const int most = kBroadcastPartitionRanksOfCpu * static_cast<int>(node_->crossbar.control().cpus);
    return comm.size() > 2 && bytes >= kBroadcastPartitionBytes && !node_->helps() && node_->crossbar.nodes() <= most;
}

// This rank waits for a broadcast from now on: if it is partitioned, others may write to its buffer.
void Collectives::open_reception(Communicator& comm, std::uint64_t use, const std::byte* buffer, std::size_t bytes)
{
    Reception& own = comm.station->reception(comm.rank());
    own.at = node_->crossbar.offset_of(buffer);
    own.bytes.store(bytes, std::memory_order_release);  // after what close_reception did; pairs with copy_for_all
    own.done.store(0, std::memory_order_relaxed);
    own.left.store(Reception::tag(use) | Chunks(bytes).all(), std::memory_order_release);  // pairs with copy_for_all
}

// Nobody has taken the offer, and nobody will.
void Collectives::close_reception(Communicator& comm)
{
    comm.station->reception(comm.rank()).left.store(0, std::memory_order_relaxed);
}

void Collectives::await_reception(
    Communicator& comm, std::uint64_t use, const std::byte* from, std::size_t bytes, int root)
{
    const Reception& own = comm.station->reception(comm.rank());
    const Chunks chunks(bytes);
    node_->wait(
        [&] {
            copy_for_all(comm, use, from, bytes);
            return own.done.load(std::memory_order_acquire) == chunks.count;  // pairs with copy_for_all
        },
        waiting_for(comm, root, bytes));
}

// Copies chunks of a partitioned broadcast to the receivers that wait for them, until there is none left. This rank has
// not left the use, so its slot and the root's buffer stay; and who is not in it is told by the tag.
void Collectives::copy_for_all(Communicator& comm, std::uint64_t use, const std::byte* from, std::size_t bytes)
{
    const Chunks chunks(bytes);
    const std::uint64_t tag = Reception::tag(use);
    Station& station = *comm.station;
    // What the receiver still wants; 0 when it does not wait for this broadcast. acquire: pairs with open_reception.
    const auto wanted = [&](const Reception& of, std::uint64_t left) {
        return (left ^ tag) >> 32 == 0 && of.bytes.load(std::memory_order_acquire) == bytes ? left & chunks.all() : 0;
    };
    std::uint64_t left = 0;
    for (int member = 0; member < comm.size(); ++member) {
        const Reception& of = station.reception(member);
        left |= wanted(of, of.left.load(std::memory_order_acquire));  // pairs with open_reception
    }
    const auto copy = [&](std::size_t chunk) {
        const std::uint64_t bit = std::uint64_t{1} << chunk;
        if ((left & bit) == 0) return;
        served_.clear();
        results_.clear();
        for (int member = 0; member < comm.size(); ++member) {
            Reception& of = station.reception(member);
            std::uint64_t seen = of.left.load(std::memory_order_acquire);  // pairs with open_reception
            while ((wanted(of, seen) & bit) != 0) {
                // acquire: pairs with open_reception
                if (!of.left.compare_exchange_weak(
                        seen, seen & ~bit, std::memory_order_acquire, std::memory_order_acquire))
                    continue;
                served_.push_back(member);
                results_.push_back(node_->crossbar.mapped(comm.members()[static_cast<std::size_t>(member)], of.at));
                break;
            }
        }
        if (results_.empty()) return;  // others were faster
        const std::size_t first = chunk * chunks.each, end = std::min(first + chunks.each, bytes);
        node_->crossbar.map_pages(from + first, end - first);
        for (std::byte* const to : results_) node_->crossbar.map_pages(to + first, end - first);
        for (std::size_t begin = first; begin < end; begin += kBlockBytes) {
            const std::size_t n = std::min(kBlockBytes, end - begin);
            for (std::byte* const to : results_) copy_across(to + begin, from + begin, n);
        }
        for (const int member : served_) {
            Reception& of = station.reception(member);
            // release: pairs with await_reception
            if (of.done.fetch_add(1, std::memory_order_acq_rel) + 1 == chunks.count && member != comm.rank())
                node_->crossbar.wake(comm.members()[static_cast<std::size_t>(member)]);
        }
    };
    if (left == 0) return;
    nearest_first(comm.rank(), comm.size(), chunks.count, copy);
}

void Collectives::bcast_to_receiver(
    Communicator& comm, std::byte* buffer, const Columns* columns, std::size_t bytes, int root)
{
    const Crossbar& crossbar = node_->crossbar;
    const auto receivers = static_cast<std::uint64_t>(comm.size() - 1);
    const WaitFor what = waiting_for(comm, root == comm.rank() ? -1 : root, bytes);
    const auto leave = [&](BroadcastSlot& slot, std::uint64_t use) {
        const int from = comm.members()[slot.root];
        // The last one wakes a root whose own buffer was read. release: pairs with bcast_from_root
        const bool is_awaited = slot.manner != BroadcastManner::in_pieces &&
                                (receivers == 1 || slot.taken.fetch_add(1, std::memory_order_acq_rel) + 1 == receivers);
        leave_broadcast(comm, use);
        if (is_awaited) crossbar.wake(from);
    };
    const bool addressable = columns == nullptr && crossbar.contains(buffer, bytes);
    bool offers_reception = addressable && root != comm.rank() && is_partitioned(comm, bytes);
    std::uint64_t& uses = comm.broadcasts.uses;
    if (offers_reception) open_reception(comm, uses, buffer, bytes);
    const bool wants_help = addressable && root != comm.rank() && receivers == 1 && bytes >= kBroadcastSharedBytes &&
                            node_->helps() && comm.hardware.any_source_buffer;
    // Before the root has come, if that has left the slot's last use.
    const bool asks_first = wants_help && (uses < kBroadcastSlots || all_have_left(comm, uses + 1 - kBroadcastSlots));
    if (asks_first) ask_for_help(comm, uses, buffer, bytes);
    std::size_t total = 0;
    std::size_t done = 0;
    int came_from = root;
    do {
        const std::uint64_t use = uses++;
        BroadcastSlot& slot = comm.station->broadcast[use % kBroadcastSlots];
        // acquire: pairs with the root
        const auto has_come = [&] { return slot.stamp.load(std::memory_order_acquire) == use + 1; };
        if (!has_come() && !keep_cpu_until(comm, has_come)) wait_in_turn(comm, &comm.broadcast_roots, has_come, what);
        if (receivers == 1) comm.broadcasts.left = std::max(comm.broadcasts.left, use);  // the root has come to it
        total = slot.total_bytes;
        came_from = static_cast<int>(slot.root);
        if (total == kBroadcastFailed) {
            if (offers_reception) close_reception(comm);
            leave(slot, use);
            fail(FMPL_ERR_MEMORY,
                "the root, rank {}, has no remote-DMA memory left for its broadcast; give the ranks larger arenas with "
                "FMPL_ARENA_SIZE",
                came_from);
        }
        const bool whole = slot.manner != BroadcastManner::in_pieces;
        const std::size_t piece = whole ? total : std::min(kBroadcastBufferBytes, total - done);
        const std::byte* const from =
            slot.at == kNoOffset ? reinterpret_cast<const std::byte*>(slot.payload)
                                 : crossbar.mapped(comm.members()[static_cast<std::size_t>(came_from)], slot.at);
        if (offers_reception && (slot.manner != BroadcastManner::partitioned || total != bytes)) {
            close_reception(comm);
            offers_reception = false;
        }
        if (root == comm.rank()) {
            // Two roots: nothing of the other's is wanted.
        } else if (offers_reception) {
            await_reception(comm, use, from, bytes, came_from);
        } else if (total == bytes && whole && wants_help) {
            if (!asks_first) ask_for_help(comm, use, buffer, bytes);
            receive_with_help(comm, slot, buffer, bytes);
        } else if (total == bytes && piece > 0) {
            crossbar.map_pages(from, piece);
            if (columns != nullptr) {
                columns->scatter(buffer, done, piece, from);
            } else {
                copy_across(buffer + done, from, piece);
            }
        }
        done += piece;
        leave(slot, use);
    } while (done < total);
    // A difference is reported when all pieces are through, so that the next broadcast begins in step.
    if (root == comm.rank()) {
        fail(FMPL_ERR_MISMATCH, "rank {} broadcasts as root, and so does this rank; give the same root on all ranks",
            came_from);
    }
    if (total != bytes) {
        fail(FMPL_ERR_MISMATCH,
            "the root, rank {}, broadcasts {} bytes, this rank expects {}; give the same size on all ranks", came_from,
            total, bytes);
    }
    if (came_from != root) {
        fail(FMPL_ERR_MISMATCH, "rank {} broadcasts as root, this rank names rank {}; give the same root on all ranks",
            came_from, root);
    }
}

}  // namespace fmpl
