// Where a rank meets the other members of a communicator in collective calls: the station that they share, what this
// rank remembers of the calls so far, and how it arrives and waits there.
#pragma once

#include "coll/place_in_lap.hpp"
#include "coll/reduce/deposit_ring.hpp"
#include "coll/reduce/expected_root.hpp"
#include "coll/reduce/faster_of_two.hpp"
#include "coll/root_succession.hpp"
#include "coll/station.hpp"
#include "p2p/communicator.hpp"
#include "p2p/node.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <utility>
#include <vector>

namespace fmpl {

// The members that are bound to the CPU of this rank.
struct CpuMates {
    int cpus = 0;          // that the members are bound to; 0: some are not bound to one, or each has its own
    int cpu = 0;           // theirs, numbered from 0
    int first = 0;         // the lowest of these members
    int count = 1;         // of them, this rank included
    bool are_all = false;  // no other rank of the job may run on this CPU
    // Of all members; empty where cpus is 0.
    std::vector<char> of_members{};  // 1 for each that is one
    std::vector<int> cpu_of_members{};
    std::vector<std::vector<int>> members_of_cpus{};
};

// Who of the members shares the CPU of the one that has this rank among them. cpus: of all ranks of the job
// (NodeRecord::cpu).
CpuMates cpu_mates(std::span<const int> cpus, std::span<const int> members, int rank);

// A buffer of a member's: where it is in this process, or out of its reach but for the kernel (PrivateMemory).
struct Place {
    int node;
    Offset at;        // or a private address
    std::byte* here;  // or nullptr
};

// Library buffers of a rank for broadcasts from it, made when first needed.
struct BroadcastBuffers {
    static constexpr std::size_t kMost = 32;

    Offset at = kNoOffset;
    std::size_t next = 0;
    std::array<std::uint64_t, kMost> uses{};  // by buffer: the last use that had it, + 1
};

// Of the station's slots for broadcasts or exchanges (coll/uses.hpp).
struct UseCount {
    std::uint64_t uses = 0;  // so far, the same at all members
    std::uint64_t left = 0;  // so many of them all other members are known to be through with
    int behind = 0;          // a member that was not, when last looked at
};

struct BroadcastState : UseCount {
    std::uint64_t own = ~std::uint64_t{0};  // the last of them that this rank was root of, + 1
    BroadcastBuffers of_short;
    BroadcastBuffers of_long;
    int ahead_of = -1;             // whose next library buffer probably is
    Offset ahead = kNoOffset;      // here
    std::vector<int> served;       // whom a chunk of a partitioned broadcast goes to
    std::vector<Place> served_at;  // and where
};

class Meeting;

// A series of exchanges. `uses` of them have begun.
struct ExchangeState : UseCount {
    static constexpr int kNobody = -2;
    static constexpr int kAll = -1;

    ExchangeState(Meeting& of, std::size_t series)
        : meeting(of),
          records_at(offsetof(MemberRecords, exchanges) + series * sizeof(ExchangeRecords))
    {
        readers.fill(kNobody);
    }

    // For the number of one more, apart from those who mostly do not need it.
    [[gnu::noinline]] void make_room_to_end() { ended.reserve(2 * (uses - open_from)); }
    // Those that were ended before open_from was.
    [[gnu::noinline]] void pass_ended()
    {
        while (std::erase(ended, open_from) != 0) ++open_from;
    }
    [[gnu::noinline]] void end_later(std::uint64_t use) { ended.push_back(use); }

    Meeting& meeting;
    const std::size_t records_at;  // in MemberRecords

    std::uint64_t open_from = 0;       // the first that this rank has not ended
    std::vector<std::uint64_t> ended;  // later ones that it has; with room for all that are open
    bool waits_for_room = false;       // counted in Station::waiting_givers until it has had room

    // By slot of this rank's: who takes what it gave in the slot's last use, a member, kAll or kNobody.
    std::array<int, kExchangeSlots> readers;
    int reader = kNobody;           // a member among them
    std::uint64_t reader_left = 0;  // so many uses it is known to be through with

    // This rank's buffers, one for each slot, made when first needed.
    Offset short_buffers = kNoOffset;
    Offset long_buffers = kNoOffset;
    std::size_t given_bytes = 0;  // by this rank, last
    int shown_to = kNobody;       // by this rank, since one was ended

    // Of exchanges that have a root, where members share CPUs.
    RootSuccession roots;
    std::uint64_t rooted = UINT64_MAX;  // the last of them
};

// Memory for a block of elements. It can begin at the same place of a page as what it is combined with: a load takes
// longer behind a store whose address has the same place in its page, and so the two go along side by side. There is a
// page more than asked for, since that place may be the page's last byte.
class BlockMemory {
public:
    void reserve(std::size_t bytes)
    {
        if (bytes > bytes_) [[unlikely]]
            *this = BlockMemory(bytes);
    }
    std::byte* data() const { return memory_.get(); }
    std::byte* beside(const std::byte* operand) const
    {
        return memory_.get() + reinterpret_cast<std::uintptr_t>(operand) % kPage;
    }

    BlockMemory() = default;

private:
    static constexpr std::size_t kPage = 4096;
    struct Free {
        void operator()(std::byte* p) const { ::operator delete (p, std::align_val_t{kPage}); }
    };
    explicit BlockMemory(std::size_t bytes)
        : memory_(static_cast<std::byte*>(::operator new (bytes + kPage, std::align_val_t{kPage}))),
          bytes_(bytes)
    {
    }

    std::unique_ptr<std::byte, Free> memory_;
    std::size_t bytes_ = 0;
};

struct ReductionState {
    std::uint64_t uses = 0;             // of the station's reduce slots so far, the same at all members
    std::uint64_t over = 0;             // so many of them are known to be
    int root = kNoRoot;                 // of the last one
    Offset short_deposits = kNoOffset;  // this rank's library buffers (reduce/deposit.hpp), each made when first needed
    Offset long_deposits = kNoOffset;
    DepositRing ring;                 // in the long ones
    Offset others_short = kNoOffset;  // of two members: the other's short ones, when it has shown one
    ExpectedRoot expected_root;       // of two members
    FasterOfTwo asking_ahead;         // likewise: without, or with
    bool root_stays = false;          // the present one has the root of the last

    // The next one begins; whether it has the root of the last.
    bool keeps_root(int next) { return root_stays = std::exchange(root, next) == next; }

    static constexpr int kNoRoot = -2;
};

// Where this rank combines operands.
struct CombineScratch {
    BlockMemory block;                // a partial result
    BlockMemory part;                 // that of a group
    BlockMemory fetched;              // larger ones, and an operand beside them, where the kernel reads
    std::vector<Place> operands;      // of the present reduction
    std::vector<std::size_t> groups;  // of them
    std::vector<Place> results;       // where a share of it goes
};

// What the keeper, the member of the lowest rank in FMPL_COMM_WORLD, tells the others of the station that it has
// founded.
struct StationPlace {
    Offset at = kNoOffset;  // in its arena; kNoOffset: there is none
    int colour = -1;        // of the hardware barrier; -1: none
};

// From this size on a call of the kernel that copies private memory costs less than the second copy that it saves.
inline constexpr std::size_t kReachBytes = 4 * 1024;

class Meeting {
public:
    Meeting(Node& node, Communicator& comm);

    // By the keeper: makes the station, where the machine profile allows one. Throws Error(MEMORY).
    StationPlace found();
    // By all others, when the keeper has told them.
    void join(const StationPlace& place);
    // When all ranks of the job are ready.
    void find_cpu_mates();
    // Frees what this rank has made. No member meets here any more.
    void dissolve();

    Node& node() const { return *node_; }
    Communicator& comm() const { return *comm_; }
    int rank() const { return rank_; }
    int size() const { return size_; }
    std::span<const int> members() const { return comm_->members(); }

    WaitFor waiting_for(int peer, std::size_t bytes) const
    {
        if (peer < 0 && size_ == 2) peer = 1 - rank_;
        return {node_->call, peer < 0 ? -1 : members()[static_cast<std::size_t>(peer)], -1, size(), bytes};
    }
    void wake_members() const { node_->crossbar.wake_only(members()); }

    // By every member at the start of a call of so many bytes, the same on all: a long one may go from private memory
    // to private memory by the kernel, and the first such call tells the others whether this rank reaches them all.
    void tell_reach(std::size_t bytes)
    {
        if (bytes >= kReachBytes && !has_told_reach_) [[unlikely]]
            count_reach();
    }
    // Whether more than two members share CPUs, but no more than two ranks of the job one: then those that run may
    // copy for those that do not.
    bool shares_cpus_by_twos() const
    {
        constexpr int kRanksOfCpu = 2;
        const int cpus = static_cast<int>(node_->crossbar.memory().constants().cpus);
        return size() > 2 && !node_->each_has_a_cpu() && node_->crossbar.nodes() <= kRanksOfCpu * cpus;
    }
    // Whether they all do, as far as they have told.
    bool members_reach_each_other() const
    {
        // acquire: pairs with count_reach, before which the member's memory was ready
        return station->reaching.load(std::memory_order_acquire) == static_cast<std::uint32_t>(size());
    }
    // Whether the other members can read and write a buffer where it lies, and where that is for them.
    bool is_reachable(const void* p, std::size_t bytes) const
    {
        return node_->crossbar.contains(p, bytes) || (bytes >= kReachBytes && members_reach_each_other());
    }
    Offset place_of(const void* p, std::size_t bytes) const
    {
        return node_->crossbar.contains(p, bytes) ? node_->crossbar.offset_of(p) : PrivateMemory::address(p);
    }

    Place place(int member, Offset at) const
    {
        const int node = members()[static_cast<std::size_t>(member)];
        return {node, at, node_->private_memory.here(node, at)};
    }
    Place own_place(const std::byte* p) const { return {node_->rank(), kNoOffset, const_cast<std::byte*>(p)}; }

    // Whether the members are bound to CPUs that they share.
    bool members_share_cpus() const { return cpu_mates.cpus > 0; }
    CpuRecords& records_of_cpu(int cpu) const { return station->cpu(size(), cpu); }
    CpuRecords& records_of_own_cpu() const { return records_of_cpu(cpu_mates.cpu); }
    // Whether this rank is the last of its CPU to arrive; where they do not share CPUs, it always is.
    struct CpuArrival {
        bool last;
        bool alone;  // and none of the others there has anything to do until the other CPUs have come
    };
    CpuArrival arrive_at_cpu(std::atomic<std::uint32_t>& of_cpu) const;
    // By that rank; whether it is the last of all.
    bool arrive_for_cpu(std::atomic<std::uint32_t>& arrived) const;

    // Waits. Where the ranks of a CPU are root in turn, this one among them, they come to run in that order. roots:
    // of the operation; nullptr: it has none.
    template <class Ready>
    void wait_in_turn(RootSuccession* roots, Ready&& ready, const WaitFor& what)
    {
        if (roots == nullptr || !is_ordered()) {
            node_->wait(ready, what);
        } else {
            node_->wait(ready, what, [&] { leave_cpu_in_turn(*roots); });
        }
    }
    bool is_ordered() const { return cpu_mates.cpus > 0 && cpu_mates.count > 2; }
    // Whether it may be better to wait without leaving the CPU to its other ranks.
    bool may_keep_cpu() const { return cpu_mates.cpus != 0 && !node_->has_busy(); }
    bool is_mate(int member) const { return cpu_mates.of_members[static_cast<std::size_t>(member)] != 0; }
    // Whether this rank is to be the next root of its CPU.
    bool is_next_of_cpu(const RootSuccession& roots) const { return roots.is_next(rank(), cpu_mates.of_members); }
    // Waits so, for no longer than a few changes of a process take, unless that was in vain before; whether it has
    // come.
    template <class HasCome>
    bool keep_cpu_until(RootSuccession& roots, HasCome&& has_come)
    {
        constexpr std::uint64_t kMostUs = 5;
        const WaitingPolicy& policy = node_->waiter.policy();
        if (policy.alone_spins == 0 || !roots.keeping.is_worth_it()) return false;
        const std::uint64_t until = read_clock(policy.clock) + kMostUs * policy.ticks_per_us;
        bool came = has_come();
        while (!came && read_clock(policy.clock) < until) {
            for (std::uint32_t p = 0; p < policy.alone_pauses; ++p) cpu_relax();
            came = has_come();
        }
        came ? roots.keeping.has_succeeded() : roots.keeping.was_in_vain();
        return came;
    }

    const HardwareSupport hardware;
    int colour = -1;             // of the hardware barrier; -1: none
    Station* station = nullptr;  // in the keeper's arena; nullptr: none
    CpuMates cpu_mates;
    // Of this rank among those of its CPU; used where cpu_mates.cpus > 0, the last one where more than two share it.
    RootSuccession broadcast_roots;
    RootSuccession reduce_roots;
    BroadcastState broadcasts;
    std::array<ExchangeState, kExchangeSeries> exchanges;
    ReductionState reductions;
    CombineScratch scratch;

private:
    void leave_cpu_in_turn(RootSuccession& roots);
    void count_reach();
    int most_cpus() const { return std::min(size(), static_cast<int>(node_->crossbar.memory().constants().cpus)); }

    Node* node_;
    Communicator* comm_;
    int rank_;  // of the communicator
    int size_;
    Offset founded_ = kNoOffset;  // the station, at the keeper
    bool has_told_reach_ = false;
    PlaceInLap place_in_lap_;
};

}  // namespace fmpl
