// A communicator as one of its ranks sees it: the members, where their tables lie, and the private state of each
// channel.
#pragma once

#include "crossbar/crossbar.hpp"
#include "crossbar/transmission_control_word.hpp"
#include "error.hpp"
#include "p2p/offers.hpp"
#include "p2p/records.hpp"
#include "p2p/zeroed_table.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace fmpl {

struct SendOperation;
struct ReceiveOperation;
struct ChainEntry;

// Indices beyond the user's, for FMPL's own messages.
enum class InternalIndex : int { collective = 0, creation = 1, count_ = 2 };
inline constexpr int kInternalIndices = static_cast<int>(InternalIndex::count_);

// Where a member keeps its tables, which lie in one block; exchanged when the communicator is made.
struct TableOffsets {
    Offset slots;      // MatchingSlot [peer][index]: this member as source
    Offset flags;      // CompletionFlag [peer][index]: this member as destination
    Offset pairs;      // PairRecord [peer]: this member as source
    Offset any;        // AnyCell [peer][kAnyCells]: this member as destination
    Offset lanes;      // Lane [peer], for the peers of higher rank
    Offset any_doors;  // AnyDoor [peer]: this member as destination
};

// What one member must know of another to reach the records that stand for the pair.
struct Peer {
    int node;             // rank in FMPL_COMM_WORLD
    Offset slots;         // row of MatchingSlots at the peer that this rank writes as destination
    Offset flags;         // row of CompletionFlags at the peer that this rank writes as source
    Offset pair;          // PairRecord at the peer that this rank writes as destination
    Offset any;           // ring at the peer that this rank writes as source
    Offset any_door;      // and its door
    std::byte* mapped;    // base of the job's memory when the peer is mapped, else nullptr
    LaneHalf* lane_to;    // half of the pair's lane that this rank writes; nullptr: not mapped, or this rank itself
    LaneHalf* lane_from;  // half that the peer writes

    // The completion flag of the messages over an index to the peer, and the matching slot of those from it.
    Offset flag_at(int index) const { return flags + static_cast<Offset>(index) * sizeof(CompletionFlag); }
    Offset slot_at(int index) const { return slots + static_cast<Offset>(index) * sizeof(MatchingSlot); }
};

struct SendChannel {
    std::uint64_t sent = 0;             // number of the last message given to the channel
    std::uint64_t consumed = 0;         // number up to which it is known to have been consumed
    SendOperation* request = nullptr;   // the isend not yet waited for
    ChainEntry* first_entry = nullptr;  // memory of messages not yet known to be consumed, oldest first
    ChainEntry* last_entry = nullptr;
    OfferBackOff offers;
    bool touched = false;  // in the sender's list of channels with such memory
    bool sending = false;  // a blocking send waits; a layer's function that it calls may not send before it
};

struct ReceiveChannel {
    std::uint64_t received = 0;             // number of the last message consumed
    std::uint64_t posted = 0;               // number of the last message for which a receive was posted
    Offset cursor = kNoOffset;              // the ChainLink of the last message consumed; kNoOffset: it was a head
    ReceiveOperation* request = nullptr;    // the irecv not yet waited for
    ReceiveOperation* receiving = nullptr;  // the operation that message received + 1 belongs to
    std::size_t offered_bytes = 0;  // of the longest since all came as offers in the lane; 0: the last one did not
    TransmissionControlWord<3> post;
};

struct PairState {
    std::uint64_t order = 0;        // messages sent to the peer
    std::uint64_t received = 0;     // messages consumed from the peer
    std::uint64_t lane_number = 0;  // of the message in the lane on its channel; 0: known to have been consumed
    int lane_index = 0;             // its index
    std::uint32_t lane_sent = 0;    // messages put into the lane
    std::uint32_t lane_taken = 0;   // messages taken from it
    std::uint32_t lane_hint = 0;    // LaneHalf::reverse_taken of the opposite half when last looked at
    ReceiveOperation* any_index_request = nullptr;  // the irecv with FMPL_ANY_TAG not yet waited for
    std::uint64_t any_sent = 0;                     // any domain: messages put into the ring at the peer
    std::uint64_t any_received = 0;                 // any domain: messages taken from the ring of the peer
};

class Meeting;  // coll/meeting.hpp

class Communicator {
public:
    Communicator(std::vector<int> members, int rank, int indices)
        : members_(std::move(members)),
          rank_(rank),
          indices_(indices),
          row_(indices + kInternalIndices),
          sends_(members_.size() * static_cast<std::size_t>(row_)),
          receives_(members_.size() * static_cast<std::size_t>(row_)),
          pairs_(members_.size())
    {
    }

    int rank() const { return rank_; }
    int size() const { return static_cast<int>(members_.size()); }
    int indices() const { return indices_; }  // of the user
    int row() const { return row_; }          // with FMPL's own
    int internal(InternalIndex index) const { return indices_ + static_cast<int>(index); }
    std::span<const int> members() const { return members_; }

    static std::size_t slots_bytes(int members, int row)
    {
        return sizeof(MatchingSlot) * static_cast<std::size_t>(members) * static_cast<std::size_t>(row);
    }
    static std::size_t flags_bytes(int members, int row)
    {
        return sizeof(CompletionFlag) * static_cast<std::size_t>(members) * static_cast<std::size_t>(row);
    }
    static std::size_t lanes_bytes(int members) { return sizeof(Lane) * static_cast<std::size_t>(members); }
    static std::size_t pairs_bytes(int members) { return sizeof(PairRecord) * static_cast<std::size_t>(members); }
    static std::size_t any_bytes(int members)
    {
        return sizeof(AnyCell) * kAnyCells * static_cast<std::size_t>(members);
    }

    static std::size_t any_doors_bytes(int members)
    {
        return (sizeof(AnyDoor) * static_cast<std::size_t>(members) + kLine - 1) / kLine * kLine;
    }

    // Own tables and those of all members, in the order of the members.
    void connect(const Crossbar& crossbar, std::span<const TableOffsets> tables)
    {
        const TableOffsets& own = tables[static_cast<std::size_t>(rank_)];
        own_tables = own;
        slots_ = reinterpret_cast<MatchingSlot*>(crossbar.local(own.slots));
        flags_ = reinterpret_cast<CompletionFlag*>(crossbar.local(own.flags));
        pair_records_ = reinterpret_cast<PairRecord*>(crossbar.local(own.pairs));
        any_cells_ = reinterpret_cast<AnyCell*>(crossbar.local(own.any));
        any_doors_ = reinterpret_cast<AnyDoor*>(crossbar.local(own.any_doors));
        const auto me = static_cast<Offset>(rank_);
        const auto row = static_cast<Offset>(row_);
        peers_.clear();
        for (std::size_t p = 0; p < members_.size(); ++p) {
            const TableOffsets& theirs = tables[p];
            std::byte* const mapped = crossbar.mapped(members_[p], 0);
            const int peer = static_cast<int>(p);
            LaneHalf* lane_to = nullptr;
            LaneHalf* lane_from = nullptr;
            if (mapped != nullptr && peer != rank_) {
                const Offset at = rank_ < peer ? own.lanes + p * sizeof(Lane) : theirs.lanes + me * sizeof(Lane);
                auto& lane = *reinterpret_cast<Lane*>(mapped + at);
                lane_to = &lane.half[rank_ < peer ? 0 : 1];
                lane_from = &lane.half[rank_ < peer ? 1 : 0];
            }
            peers_.push_back({members_[p], theirs.slots + me * row * sizeof(MatchingSlot),
                theirs.flags + me * row * sizeof(CompletionFlag), theirs.pairs + me * sizeof(PairRecord),
                theirs.any + me * kAnyCells * sizeof(AnyCell), theirs.any_doors + me * sizeof(AnyDoor), mapped, lane_to,
                lane_from});
        }
    }

    std::size_t channel(int peer, int index) const
    {
        return static_cast<std::size_t>(peer) * static_cast<std::size_t>(row_) + static_cast<std::size_t>(index);
    }
    SendChannel& send_channel(int peer, int index) { return sends_[channel(peer, index)]; }
    ReceiveChannel& receive_channel(int peer, int index) { return receives_[channel(peer, index)]; }
    const PairState& pair(int peer) const { return pairs_[static_cast<std::size_t>(peer)]; }
    PairState& pair(int peer) { return pairs_[static_cast<std::size_t>(peer)]; }
    const Peer& peer(int rank) const { return peers_[static_cast<std::size_t>(rank)]; }

    // This rank's own records, which the peer writes.
    MatchingSlot& slot(int peer, int index) { return slots_[channel(peer, index)]; }
    CompletionFlag& flag(int peer, int index) { return flags_[channel(peer, index)]; }
    PairRecord& pair_record(int peer) { return pair_records_[peer]; }
    // Whether the peer has ever put a message into its ring. acquire: pairs with AnyDomain::put()
    bool any_door_is_open(int peer) const { return any_doors_[peer].opened.load(std::memory_order_acquire) != 0; }
    AnyCell* any_ring(int peer) { return any_cells_ + static_cast<std::size_t>(peer) * kAnyCells; }

    void check_rank(int rank, const char* what) const
    {
        if (rank < 0 || rank >= size()) [[unlikely]]
            bad_rank(rank, what);
    }
    void check_index(int index) const
    {
        if (index < 0 || index >= indices_) [[unlikely]]
            bad_index(index);
    }

    // What the rank keeps for collective calls; made and used by coll alone.
    std::shared_ptr<Meeting> meeting;

    TableOffsets own_tables{};
    bool owns_areas = true;        // false: slots and flags are the user's areas (fmpl_init)
    Offset own_block = kNoOffset;  // of all other tables of own_tables

private:
    [[noreturn]] void bad_rank(int rank, const char* what) const
    {
        fail(FMPL_ERR_RANK, "{} {} is not a rank of the communicator; its ranks are 0 .. {}", what, rank, size() - 1);
    }
    [[noreturn]] void bad_index(int index) const
    {
        fail(FMPL_ERR_INDEX, "index {} is outside 0 .. {}; fmpl_init was called with count = {}", index, indices_ - 1,
            indices_);
    }

    std::vector<int> members_;
    int rank_;
    int indices_;
    int row_;
    ZeroedTable<SendChannel> sends_;
    ZeroedTable<ReceiveChannel> receives_;
    ZeroedTable<PairState> pairs_;
    std::vector<Peer> peers_;
    MatchingSlot* slots_ = nullptr;
    CompletionFlag* flags_ = nullptr;
    PairRecord* pair_records_ = nullptr;
    AnyCell* any_cells_ = nullptr;
    AnyDoor* any_doors_ = nullptr;
};

}  // namespace fmpl
