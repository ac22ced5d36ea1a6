// The communicators of a rank: how they are founded, found by their handles, and freed.
//
// Messages about communicators go over an index of FMPL_COMM_WORLD's own, which outlives all others.
#pragma once

#include "coll/meeting.hpp"
#include "p2p/any_domain.hpp"
#include "p2p/communicator.hpp"
#include "p2p/node.hpp"
#include "p2p/receiver.hpp"
#include "p2p/sender.hpp"

#include <fmpl.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

namespace fmpl {

class Communicators {
public:
    Communicators(Node& node, Sender& sender, Receiver& receiver, AnyDomain& any_domain)
        : node_(&node),
          sender_(&sender),
          receiver_(&receiver),
          any_domain_(&any_domain)
    {
    }

    // Throws Error(ARGUMENT) where fmpl_init may not be given so many indices.
    static void check_count(int count);
    // FMPL_COMM_WORLD, in fmpl_init: blocks until all ranks have come. Throws Error (ARGUMENT, MEMORY, MISMATCH,
    // ABORTED).
    void found_world(fmpl_match_t* slots, fmpl_flag_t* flags, int count);
    // fmpl_comm_create, fmpl_comm_create_group and fmpl_comm_free: block until their members have come.
    void create(fmpl_comm_t* comm, int key);
    void create_group(fmpl_comm_t* comm, std::span<const int> world_ranks);
    void free(fmpl_comm_t* comm);

    Communicator& world() { return *comms_.front().comm; }
    Communicator& find(fmpl_comm_t comm)
    {
        const auto slot = static_cast<std::size_t>(comm) & (kSlots - 1);
        if (comm < 0 || slot >= comms_.size() || comms_[slot].handle != comm || !comms_[slot].comm) [[unlikely]] {
            bad_handle(comm);
        }
        return *comms_[slot].comm;
    }
    // The rank in FMPL_COMM_WORLD of `rank` of the communicator; -1 where one of the two does not exist.
    [[gnu::cold]] int world_rank(fmpl_comm_t comm, int rank) const noexcept;
    template <class Visit>
    void for_each(Visit&& visit)
    {
        for (CommSlot& slot : comms_) {
            if (slot.comm) visit(*slot.comm);
        }
    }

    // What each rank of the job gives, to all, by rank: through rank 0.
    template <class T>
    std::vector<T> gather_to_all(const T& own) requires std::is_trivially_copyable_v<T>
    {
        std::vector<T> all(static_cast<std::size_t>(ranks()), own);
        if (node_->rank() == 0) {
            for (int r = 1; r < ranks(); ++r) hear(r, &all[static_cast<std::size_t>(r)], sizeof(T));
            for (int r = 1; r < ranks(); ++r) tell(r, all.data(), all.size() * sizeof(T));
        } else {
            tell(0, &own, sizeof own);
            hear(0, all.data(), all.size() * sizeof(T));
        }
        return all;
    }

private:
    static constexpr std::size_t kSlots = 65536;  // communicators at a time; a handle is generation * kSlots + slot
    static constexpr std::uint32_t kHandles = 1u << 26;  // below: an MPI's handles of communicators (MPICH's) are not

    struct CommSlot {
        fmpl_comm_t handle = FMPL_COMM_NULL;
        std::unique_ptr<Communicator> comm;
    };

    // What a member tells the keeper of a new communicator, its member of the lowest rank in FMPL_COMM_WORLD, and what
    // that answers before the tables of all.
    struct Membership {
        TableOffsets tables;
        std::uint32_t has_memory;
        std::uint32_t fingerprint;  // of the list of ranks
    };
    struct Foundation {
        Offset station;
        std::int32_t colour;
        std::uint32_t complete;
        std::uint32_t same;
        std::uint32_t pad;
    };
    struct Founding {
        Foundation foundation;
        std::vector<TableOffsets> tables;  // by member
    };

    int ranks() const { return node_->crossbar.nodes(); }
    [[noreturn]] void bad_handle(fmpl_comm_t comm) const;
    void take_users_areas(Communicator& world, fmpl_match_t* slots, fmpl_flag_t* flags, int count) const;
    void await_all_ready() const;
    TableOffsets allocate_tables(Communicator& comm);
    void free_tables(Communicator& comm);
    int place_in(std::span<const int> world_ranks);
    Founding gather_members(std::span<const int> world_ranks, const Membership& own, const StationPlace& station);
    Founding ask_keeper(int keeper, const Membership& own, std::size_t members);
    fmpl_comm_t add(std::unique_ptr<Communicator> comm);
    [[gnu::noinline]] void tell(int world_rank, const void* data, std::size_t bytes);
    [[gnu::noinline]] void hear(int world_rank, void* data, std::size_t bytes);
    void meet(std::span<const int> world_ranks);

    Node* node_;
    Sender* sender_;
    Receiver* receiver_;
    AnyDomain* any_domain_;
    std::vector<CommSlot> comms_;
};

}  // namespace fmpl
