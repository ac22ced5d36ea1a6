#include "api/communicators.hpp"

#include "crossbar/host.hpp"
#include "error.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace fmpl {
namespace {

constexpr int kMaxCount = 1048576;
static_assert(kMaxCount + kInternalIndices <= kMaxLaneIndex + 1);

// What ranks tell each other in fmpl_init, in NodeRecord::bootstrap.
struct Bootstrap {
    TableOffsets tables;
    Offset station;  // rank 0's word for all
    std::int32_t colour;
    std::uint32_t count;
};
static_assert(sizeof(Bootstrap) <= kBootstrapBytes);

// Tells lists of ranks apart (FNV-1a): all members of a communicator must give the same one.
std::uint32_t fingerprint(std::span<const int> ranks)
{
    std::uint32_t hash = 2166136261u;
    for (const int rank : ranks) {
        for (int shift = 0; shift < 32; shift += 8) {
            hash = (hash ^ (static_cast<std::uint32_t>(rank) >> shift & 0xffu)) * 16777619u;
        }
    }
    return hash;
}

}  // namespace

void Communicators::check_count(int count)
{
    if (count < 1 || count > kMaxCount) {
        fail(FMPL_ERR_ARGUMENT, "count = {}: the number of indices must be 1 .. {}", count, kMaxCount);
    }
}

// The user's areas serve when other ranks can reach both.
void Communicators::take_users_areas(Communicator& world, fmpl_match_t* slots, fmpl_flag_t* flags, int count) const
{
    const std::size_t elements = FMPL_AREA_ELEMENTS(count, ranks());
    if ((slots == nullptr) != (flags == nullptr)) {
        fail(FMPL_ERR_ARGUMENT, "one of the areas ma and fa is a null pointer; give both, or neither");
    }
    // Areas in the program's heap do not: nobody knows how large they are.
    const auto in_arena = [&](const void* area) {
        return node_->crossbar.contains(area, 1) && !node_->crossbar.memory().is_apart(node_->crossbar.offset_of(area));
    };
    if (in_arena(slots) && in_arena(flags)) {
        const auto room = [&](const void* area) { return node_->arena.bytes_from(node_->crossbar.offset_of(area)); };
        if (room(slots) < elements * sizeof *slots || room(flags) < elements * sizeof *flags) {
            fail(FMPL_ERR_ARGUMENT, "the areas ma and fa need {} elements each for count = {} and {} ranks", elements,
                count, ranks());
        }
        world.owns_areas = false;
        world.own_tables.slots = node_->crossbar.offset_of(slots);
        world.own_tables.flags = node_->crossbar.offset_of(flags);
    }
}

void Communicators::await_all_ready() const
{
    int next = 0;
    node_->wait(
        [&] {
            // acquire, both: pair with the store of `ready` above, and with that of fmplrun or run_ranks
            while (next < ranks() && node_->crossbar.record(next).state.load(std::memory_order_acquire) >=
                                         static_cast<std::uint32_t>(RankState::ready)) {
                ++next;
            }
            if (next < ranks() && node_->crossbar.record(next).exited.load(std::memory_order_acquire) != 0) {
                fail(FMPL_ERR_ABORTED, "rank {} has ended without calling {}", next,
                    calls_of(node_->crossbar.record(node_->rank()).speaks).joins);
            }
            return next == ranks();
        },
        {Call::init, -1, -1, ranks(), 0});
}

void Communicators::found_world(fmpl_match_t* slots, fmpl_flag_t* flags, int count)
{
    std::vector<int> everybody(static_cast<std::size_t>(ranks()));
    for (int r = 0; r < ranks(); ++r) everybody[static_cast<std::size_t>(r)] = r;
    auto world = std::make_unique<Communicator>(std::move(everybody), node_->rank(), count);

    take_users_areas(*world, slots, flags, count);
    Bootstrap own{};
    own.tables = allocate_tables(*world);
    own.count = static_cast<std::uint32_t>(count);
    world->meeting = std::make_shared<Meeting>(*node_, *world);
    if (node_->rank() == 0) {
        const StationPlace place = world->meeting->found();
        own.station = place.at;
        own.colour = place.colour;
    }
    std::memcpy(node_->crossbar.record(node_->rank()).bootstrap, &own, sizeof own);
    node_->private_memory.publish();
    node_->crossbar.record(node_->rank()).cpu = only_cpu();
    node_->lending.publish();
    // release: pairs with the acquire loads of all ranks below
    node_->crossbar.record(node_->rank())
        .state.store(static_cast<std::uint32_t>(RankState::ready), std::memory_order_release);
    node_->crossbar.wake_only(world->members());

    await_all_ready();
    node_->lending.begin(node_->waiter.policy().clock, node_->waiter.policy().ticks_per_us);
    std::vector<TableOffsets> tables;
    for (int r = 0; r < ranks(); ++r) {
        Bootstrap theirs{};
        std::memcpy(&theirs, node_->crossbar.record(r).bootstrap, sizeof theirs);
        if (theirs.count != own.count) {
            fail(FMPL_ERR_MISMATCH, "count is {} here and {} on rank {}; give the same count on all ranks", count,
                theirs.count, r);
        }
        if (r == 0 && node_->rank() != 0) world->meeting->join({theirs.station, theirs.colour});
        tables.push_back(theirs.tables);
    }
    world->connect(node_->crossbar, tables);
    world->meeting->find_cpu_mates();
    any_domain_->watch(*world);
    comms_.push_back({FMPL_COMM_WORLD, std::move(world)});
}

int Communicators::world_rank(fmpl_comm_t comm, int rank) const noexcept
{
    const auto slot = static_cast<std::size_t>(comm) & (kSlots - 1);
    if (comm < 0 || slot >= comms_.size() || comms_[slot].handle != comm || !comms_[slot].comm) return -1;
    const std::span<const int> members = comms_[slot].comm->members();
    return rank >= 0 && static_cast<std::size_t>(rank) < members.size() ? members[static_cast<std::size_t>(rank)] : -1;
}

TableOffsets Communicators::allocate_tables(Communicator& comm)
{
    struct Table {
        Offset* at;
        std::size_t bytes;
        bool is_users;
    };
    TableOffsets& own = comm.own_tables;
    const bool areas_are_users = !comm.owns_areas;
    const Table tables[] = {{&own.slots, Communicator::slots_bytes(comm.size(), comm.row()), areas_are_users},
        {&own.flags, Communicator::flags_bytes(comm.size(), comm.row()), areas_are_users},
        {&own.pairs, Communicator::pairs_bytes(comm.size()), false},
        {&own.any, Communicator::any_bytes(comm.size()), false},
        {&own.lanes, Communicator::lanes_bytes(comm.size()), false},
        {&own.any_doors, Communicator::any_doors_bytes(comm.size()), false}};
    std::size_t bytes = 0;
    for (const Table& table : tables) bytes += table.is_users ? 0 : table.bytes;
    Offset at = comm.own_block = node_->tables.take(bytes);
    for (const Table& table : tables) {
        if (table.is_users) {
            std::memset(node_->crossbar.local(*table.at), 0, table.bytes);
        } else {
            *table.at = at;
            at += table.bytes;
        }
    }
    return own;
}

void Communicators::free_tables(Communicator& comm)
{
    node_->tables.give_back(std::exchange(comm.own_block, kNoOffset));
    comm.own_tables = {};
}

fmpl_comm_t Communicators::add(std::unique_ptr<Communicator> comm)
{
    std::size_t slot = 1;
    while (slot < comms_.size() && comms_[slot].comm) ++slot;
    if (slot == kSlots) fail(FMPL_ERR_MEMORY, "{} communicators exist; free some", kSlots);
    if (slot == comms_.size()) comms_.emplace_back().handle = static_cast<fmpl_comm_t>(slot);
    comms_[slot].comm = std::move(comm);
    return comms_[slot].handle;
}

void Communicators::create(fmpl_comm_t* comm, int key)
{
    if (comm == nullptr) fail(FMPL_ERR_ARGUMENT, "comm is a null pointer");
    *comm = FMPL_COMM_NULL;
    // All keys to rank 0 and from there to all. A wrong key must not keep the others waiting: it is reported
    // afterwards.
    const std::vector<std::uint8_t> keys = gather_to_all(static_cast<std::uint8_t>(key == 1 ? 1 : 0));
    if (key != 0 && key != 1) fail(FMPL_ERR_ARGUMENT, "key = {}: 1 joins the new communicator, 0 stays outside", key);
    if (key == 0) return;
    std::vector<int> members;
    for (int r = 0; r < ranks(); ++r) {
        if (keys[static_cast<std::size_t>(r)] == 1) members.push_back(r);
    }
    create_group(comm, members);
}

// The calling rank's place in the list of a new communicator's ranks. Throws Error(ARGUMENT).
int Communicators::place_in(std::span<const int> world_ranks)
{
    if (world_ranks.empty()) fail(FMPL_ERR_ARGUMENT, "the list of ranks is empty");
    for (const int r : world_ranks) world().check_rank(r, "the listed rank");
    std::vector<int> sorted(world_ranks.begin(), world_ranks.end());
    std::sort(sorted.begin(), sorted.end());
    const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
    if (twice != sorted.end()) fail(FMPL_ERR_ARGUMENT, "rank {} is listed twice", *twice);
    const auto self = std::find(world_ranks.begin(), world_ranks.end(), node_->rank());
    if (self == world_ranks.end()) {
        fail(FMPL_ERR_ARGUMENT, "the calling rank {} is not in the list; only its ranks make the call", node_->rank());
    }
    return static_cast<int>(self - world_ranks.begin());
}

// By the keeper: gathers the tables of all members, and sends all to all. station: what it has founded.
Communicators::Founding Communicators::gather_members(
    std::span<const int> world_ranks, const Membership& own, const StationPlace& station)
{
    Founding founding{{station.at, station.colour, own.has_memory, 1, 0}, {}};
    Foundation& foundation = founding.foundation;
    for (const int member : world_ranks) {
        Membership theirs = own;
        if (member != node_->rank()) hear(member, &theirs, sizeof theirs);
        if (theirs.has_memory == 0) foundation.complete = 0;
        if (theirs.fingerprint != own.fingerprint) foundation.same = 0;
        founding.tables.push_back(theirs.tables);
    }
    if (foundation.same == 0) foundation.complete = 0;
    std::vector<std::byte> answer(sizeof foundation + founding.tables.size() * sizeof(TableOffsets));
    std::memcpy(answer.data(), &foundation, sizeof foundation);
    std::memcpy(
        answer.data() + sizeof foundation, founding.tables.data(), founding.tables.size() * sizeof(TableOffsets));
    for (const int member : world_ranks) {
        if (member != node_->rank()) tell(member, answer.data(), answer.size());
    }
    return founding;
}

// By the other members: gives the keeper theirs, and gets all.
Communicators::Founding Communicators::ask_keeper(int keeper, const Membership& own, std::size_t members)
{
    tell(keeper, &own, sizeof own);
    std::vector<std::byte> answer(sizeof(Foundation) + members * sizeof(TableOffsets));
    hear(keeper, answer.data(), answer.size());
    Founding founding{{}, std::vector<TableOffsets>(members)};
    std::memcpy(&founding.foundation, answer.data(), sizeof founding.foundation);
    std::memcpy(founding.tables.data(), answer.data() + sizeof(Foundation), members * sizeof(TableOffsets));
    return founding;
}

void Communicators::create_group(fmpl_comm_t* comm, std::span<const int> world_ranks)
{
    if (comm == nullptr) fail(FMPL_ERR_ARGUMENT, "comm is a null pointer");
    *comm = FMPL_COMM_NULL;
    const int place = place_in(world_ranks);
    auto made = std::make_unique<Communicator>(
        std::vector<int>(world_ranks.begin(), world_ranks.end()), place, world().indices());
    made->meeting = std::make_shared<Meeting>(*node_, *made);

    // The keeper is the same whatever the order of the list, so that ranks with different orders meet and are told so.
    const int keeper = *std::min_element(world_ranks.begin(), world_ranks.end());
    // Own tables. A rank that has no memory for them tells so, lest the others wait for it.
    Membership own{};
    own.fingerprint = fingerprint(world_ranks);
    StationPlace station;
    std::string shortage;
    try {
        own.tables = allocate_tables(*made);
        own.has_memory = 1;
        if (node_->rank() == keeper) station = made->meeting->found();
    } catch (const Error& error) {
        own.has_memory = 0;
        shortage = error.what();
    }

    const bool keeps = node_->rank() == keeper;
    const Founding founding =
        keeps ? gather_members(world_ranks, own, station) : ask_keeper(keeper, own, world_ranks.size());
    if (!keeps) made->meeting->join({founding.foundation.station, founding.foundation.colour});
    if (founding.foundation.complete == 0) {
        made->meeting->dissolve();
        free_tables(*made);
        if (!shortage.empty()) fail(FMPL_ERR_MEMORY, "{}", shortage);
        if (founding.foundation.same == 0) {
            fail(FMPL_ERR_MISMATCH,
                "the ranks of the new communicator give different lists of ranks; give the same one");
        }
        fail(FMPL_ERR_MEMORY, "the communicator was not made: another of its ranks has no memory for it");
    }
    made->connect(node_->crossbar, founding.tables);
    made->meeting->find_cpu_mates();
    any_domain_->watch(*made);
    *comm = add(std::move(made));
}

// Messages among ranks of FMPL_COMM_WORLD about communicators, whose tables outlive those of all others.
void Communicators::tell(int world_rank, const void* data, std::size_t bytes)
{
    Communicator& world = *comms_.front().comm;
    sender_->send(world, world_rank, world.internal(InternalIndex::creation), data, bytes, false);
}

void Communicators::hear(int world_rank, void* data, std::size_t bytes)
{
    Communicator& world = *comms_.front().comm;
    const Matched before = receiver_->matched;  // fmpl_received speaks of the user's receives only
    receiver_->recv(world, world_rank, world.internal(InternalIndex::creation), data, bytes);
    receiver_->matched = before;
}

// Returns when all the ranks have come here.
void Communicators::meet(std::span<const int> world_ranks)
{
    std::byte here{1};
    const int first = world_ranks.front();
    if (node_->rank() == first) {
        for (const int r : world_ranks.subspan(1)) hear(r, &here, sizeof here);
        for (const int r : world_ranks.subspan(1)) tell(r, &here, sizeof here);
    } else {
        tell(first, &here, sizeof here);
        hear(first, &here, sizeof here);
    }
}

void Communicators::free(fmpl_comm_t* comm)
{
    if (comm == nullptr) fail(FMPL_ERR_ARGUMENT, "comm is a null pointer");
    if (*comm == FMPL_COMM_WORLD) fail(FMPL_ERR_COMM, "FMPL_COMM_WORLD cannot be freed; fmpl_finalize does that");
    Communicator& c = find(*comm);
    for (int peer = 0; peer < c.size(); ++peer) {
        bool busy = c.pair(peer).any_index_request != nullptr;
        for (int index = 0; index < c.indices() && !busy; ++index) {
            busy = c.send_channel(peer, index).request != nullptr || c.receive_channel(peer, index).request != nullptr;
        }
        if (busy) {
            fail(FMPL_ERR_BUSY, "a nonblocking call with rank {} is outstanding on the communicator; wait for it first",
                peer);
        }
    }
    // A rank that waits in a meeting goes on to put messages of the any domain into rings that have become free. When
    // all have come, nobody receives them any more; when all have dropped them, the memory can be freed.
    meet(c.members());
    any_domain_->withdraw(c);
    meet(c.members());
    sender_->abandon(c);
    any_domain_->abandon(c);
    c.meeting->dissolve();
    free_tables(c);
    CommSlot& slot = comms_[static_cast<std::size_t>(*comm) & (kSlots - 1)];
    slot.comm.reset();
    // The next communicator in this slot has another handle, so that a stale one is noticed.
    slot.handle = static_cast<fmpl_comm_t>((static_cast<std::uint32_t>(slot.handle) + kSlots) & (kHandles - 1));
    *comm = FMPL_COMM_NULL;
}

void Communicators::bad_handle(fmpl_comm_t comm) const
{
    if (comm == FMPL_COMM_NULL) fail(FMPL_ERR_COMM, "the communicator is FMPL_COMM_NULL: this rank is not a member");
    fail(FMPL_ERR_COMM, "communicator {} does not exist, or was freed", comm);
}

}  // namespace fmpl
