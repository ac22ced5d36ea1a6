#include "api/endpoint.hpp"

#include "api/admission.hpp"
#include "crossbar/host.hpp"
#include "error.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string_view>
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

// What a member tells the keeper of a new communicator, its member of the lowest rank in FMPL_COMM_WORLD, and what that
// answers before the tables of all.
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

CollectiveForm collective_form_from_environment()
{
    const char* text = std::getenv("FMPL_COLLECTIVES");
    const std::string_view form = text == nullptr ? "auto" : text;
    if (form == "auto") return CollectiveForm::automatic;
    if (form == "hardware") return CollectiveForm::hardware;
    if (form == "tree") return CollectiveForm::tree;
    fail(FMPL_ERR_ARGUMENT, "FMPL_COLLECTIVES={}: auto, hardware or tree is needed", form);
}

}  // namespace

Endpoint::Endpoint(const JobSeat& seat)
    : node(seat.memory, seat.rank, seat.is_thread,
          waiting_policy(seat.memory->ranks(), static_cast<int>(seat.memory->control().cpus)), seat.shared_thread),
      send_buffer(node),
      sender(node, send_buffer),
      receiver(node),
      any_domain(node, send_buffer, sender, receiver),
      envelopes(node),
      layer_calls(node, receiver),
      collectives(node, sender, receiver, collective_form_from_environment()),
      observer(*seat.memory, seat.rank),
      is_thread_(seat.is_thread)
{
    NodeRecord& record = node.crossbar.record(seat.rank);
    std::int32_t taken_by = 0;
    if (!record.pid.compare_exchange_strong(taken_by, static_cast<std::int32_t>(getpid()), std::memory_order_relaxed)) {
        fail(FMPL_ERR_ALREADY_INITIALIZED, "rank {} of this job is taken by process {}; a rank joins its job once",
            seat.rank, taken_by);
    }
    // release: pairs with fmplrun
    record.state.store(static_cast<std::uint32_t>(RankState::attached), std::memory_order_release);
}

void Endpoint::init(fmpl_match_t* slots, fmpl_flag_t* flags, int count)
{
    if (count < 1 || count > kMaxCount) {
        fail(FMPL_ERR_ARGUMENT, "count = {}: the number of indices must be 1 .. {}", count, kMaxCount);
    }
    admit_job(node, rank(), is_thread_);
    std::vector<int> everybody(static_cast<std::size_t>(job_size()));
    for (int r = 0; r < job_size(); ++r) everybody[static_cast<std::size_t>(r)] = r;
    auto world = std::make_unique<Communicator>(std::move(everybody), rank(), count);

    // The user's areas serve when other ranks can reach both.
    const std::size_t elements = FMPL_AREA_ELEMENTS(count, job_size());
    if ((slots == nullptr) != (flags == nullptr)) {
        fail(FMPL_ERR_ARGUMENT, "one of the areas ma and fa is a null pointer; give both, or neither");
    }
    // Areas in the program's heap do not: nobody knows how large they are.
    const auto in_arena = [&](const void* area) {
        return is_remote_dma(area, 1) && !node.crossbar.memory().is_apart(node.crossbar.offset_of(area));
    };
    if (in_arena(slots) && in_arena(flags)) {
        const auto room = [&](const void* area) { return node.arena.bytes_from(node.crossbar.offset_of(area)); };
        if (room(slots) < elements * sizeof *slots || room(flags) < elements * sizeof *flags) {
            fail(FMPL_ERR_ARGUMENT, "the areas ma and fa need {} elements each for count = {} and {} ranks", elements,
                count, job_size());
        }
        world->owns_areas = false;
        world->own_tables.slots = node.crossbar.offset_of(slots);
        world->own_tables.flags = node.crossbar.offset_of(flags);
    }
    Bootstrap own{};
    own.tables = allocate_tables(*world);
    own.count = static_cast<std::uint32_t>(count);
    world->meeting = std::make_shared<Meeting>(node, *world);
    if (rank() == 0) {
        const StationPlace place = world->meeting->found();
        own.station = place.at;
        own.colour = place.colour;
    }
    std::memcpy(node.crossbar.record(rank()).bootstrap, &own, sizeof own);
    node.private_memory.publish();
    const std::vector<int> cpus = affinity_cpus();
    node.crossbar.record(rank()).cpu = cpus.size() == 1 ? cpus.front() : -1;
    // release: pairs with the acquire loads of all ranks below
    node.crossbar.record(rank()).state.store(static_cast<std::uint32_t>(RankState::ready), std::memory_order_release);
    node.crossbar.wake(world->members());

    int next = 0;
    node.wait(
        [&] {
            // acquire, both: pair with the store of `ready` above, and with that of fmplrun or run_ranks
            while (next < job_size() && node.crossbar.record(next).state.load(std::memory_order_acquire) >=
                                            static_cast<std::uint32_t>(RankState::ready)) {
                ++next;
            }
            if (next < job_size() && node.crossbar.record(next).exited.load(std::memory_order_acquire) != 0) {
                fail(FMPL_ERR_ABORTED, "rank {} has ended without calling {}", next,
                    calls_of(node.crossbar.record(rank()).speaks).joins);
            }
            return next == job_size();
        },
        {Call::init, -1, -1, job_size(), 0});

    std::vector<TableOffsets> tables;
    for (int r = 0; r < job_size(); ++r) {
        Bootstrap theirs{};
        std::memcpy(&theirs, node.crossbar.record(r).bootstrap, sizeof theirs);
        if (theirs.count != own.count) {
            fail(FMPL_ERR_MISMATCH, "count is {} here and {} on rank {}; give the same count on all ranks", count,
                theirs.count, r);
        }
        if (r == 0 && rank() != 0) world->meeting->join({theirs.station, theirs.colour});
        tables.push_back(theirs.tables);
    }
    world->connect(node.crossbar, tables);
    world->meeting->find_cpu_mates();
    any_domain.watch(*world);
    comms_.push_back({FMPL_COMM_WORLD, std::move(world)});
    initialized_ = true;
    observer.begin_session();
}

void Endpoint::finalize()
{
    // After this barrier nobody sends or receives.
    collectives.barrier(*comms_.front().comm);
    const std::string pending = pending_words();
    NodeRecord& record = node.crossbar.record(rank());
    observer.end_session();
    initialized_ = false;
    finalized_ = true;
    envelopes.close();
    // release: pairs with fmplrun and DeadlockWatch::sleeps
    record.state.store(static_cast<std::uint32_t>(RankState::finalized), std::memory_order_release);
    if (!is_thread_) node.crossbar.memory().leave();
    if (!pending.empty()) fail(FMPL_ERR_PENDING, "{}", pending);
}

// What is left over at the end, in words; empty when nothing is.
std::string Endpoint::pending_words()
{
    constexpr int kShown = 8;
    std::string words;
    int found = 0;
    const auto add = [&](const std::string& item) {
        if (found < kShown) words += (found == 0 ? "" : "; ") + item;
        ++found;
    };
    for (CommSlot& slot : comms_) {
        if (!slot.comm) continue;
        Communicator& comm = *slot.comm;
        const auto message = [&](int source, int index, std::size_t bytes) {
            add(fmt::format(
                "a message of {} bytes from rank {} over index {} was never received", bytes, source, index));
        };
        receiver.for_each_unreceived(comm, message);
        any_domain.for_each_pending(comm, message, [&](int destination, int index, std::size_t bytes) {
            add(fmt::format("a message of {} bytes to rank {} over index {} in the any domain never left", bytes,
                destination, index));
        });
        for (int peer = 0; peer < comm.size(); ++peer) {
            for (int index = 0; index < comm.indices(); ++index) {
                if (comm.send_channel(peer, index).request != nullptr) {
                    add(fmt::format("fmpl_isend to rank {} over index {} was never waited for", peer, index));
                }
                if (comm.receive_channel(peer, index).request != nullptr) {
                    add(fmt::format("fmpl_irecv from rank {} over index {} was never waited for", peer, index));
                }
            }
            if (comm.pair(peer).any_index_request != nullptr) {
                add(fmt::format("fmpl_irecv from rank {} with FMPL_ANY_TAG was never waited for", peer));
            }
        }
    }
    if (found > kShown) words += fmt::format("; and {} more", found - kShown);
    return words;
}

int Endpoint::world_rank(fmpl_comm_t comm, int rank) const noexcept
{
    const auto slot = static_cast<std::size_t>(comm) & (kSlots - 1);
    if (comm < 0 || slot >= comms_.size() || comms_[slot].handle != comm || !comms_[slot].comm) return -1;
    const std::span<const int> members = comms_[slot].comm->members();
    return rank >= 0 && static_cast<std::size_t>(rank) < members.size() ? members[static_cast<std::size_t>(rank)] : -1;
}

Columns Endpoint::checked_columns(const void* base, const fmpl_columns* columns)
{
    if (columns == nullptr) fail(FMPL_ERR_ARGUMENT, "columns is a null pointer; give what the message is made of");
    check_columns(*columns);
    const Columns checked(*columns);
    check_buffer(base, checked.bytes());
    return checked;
}

void Endpoint::send_columns(const void* base, const fmpl_columns* columns, int dst, int mai, fmpl_comm_t comm)
{
    Communicator& c = checked(comm, "dst", dst);
    c.check_index(mai);
    sender.send(c, dst, mai, static_cast<const std::byte*>(base), checked_columns(base, columns));
}

void Endpoint::recv_columns(void* base, const fmpl_columns* columns, int src, int mai, fmpl_comm_t comm)
{
    Communicator& c = checked(comm, "src", src);
    if (mai != FMPL_ANY_TAG) c.check_index(mai);
    receiver.recv(c, src, mai, static_cast<std::byte*>(base), checked_columns(base, columns));
}

void Endpoint::isend(const void* buf, std::size_t size, int dst, int mai, fmpl_comm_t comm)
{
    Communicator& c = checked(comm, "dst", dst);
    c.check_index(mai);
    check_buffer(buf, size);
    sender.isend(c, dst, mai, buf, size);
}

void Endpoint::irecv(void* buf, std::size_t size, int src, int mai, fmpl_comm_t comm)
{
    Communicator& c = checked(comm, "src", src);
    if (mai != FMPL_ANY_TAG) c.check_index(mai);
    check_buffer(buf, size);
    receiver.irecv(c, src, mai, buf, size);
}

void Endpoint::isend_wait(int dst, int mai, fmpl_comm_t comm)
{
    Communicator& c = checked(comm, "dst", dst);
    c.check_index(mai);
    sender.isend_wait(c, dst, mai);
}

void Endpoint::irecv_wait(int src, int mai, fmpl_comm_t comm)
{
    Communicator& c = checked(comm, "src", src);
    if (mai != FMPL_ANY_TAG) c.check_index(mai);
    receiver.irecv_wait(c, src, mai);
}

bool Endpoint::isend_test(int dst, int mai, fmpl_comm_t comm)
{
    Communicator& c = checked(comm, "dst", dst);
    c.check_index(mai);
    return sender.isend_test(c, dst, mai);
}

void Endpoint::irecv_discard(int src, int mai, fmpl_comm_t comm)
{
    Communicator& c = checked(comm, "src", src);
    c.check_index(mai);
    receiver.irecv(c, src, mai, nullptr, 0, Receiver::Manner::discards);
}

void Endpoint::irecv_ahead(void* buf, std::size_t size, int src, int mai, fmpl_comm_t comm)
{
    Communicator& c = checked(comm, "src", src);
    c.check_index(mai);
    check_buffer(buf, size);
    receiver.irecv(c, src, mai, buf, size, Receiver::Manner::ahead);
}

void Endpoint::irecv_withdraw(int src, int mai, fmpl_comm_t comm)
{
    Communicator& c = checked(comm, "src", src);
    c.check_index(mai);
    receiver.irecv_withdraw(c, src, mai);
}

void Endpoint::irecv_test(int src, int mai, fmpl_comm_t comm, int& done)
{
    Communicator& c = checked(comm, "src", src);
    if (mai != FMPL_ANY_TAG) c.check_index(mai);
    receiver.irecv_test(c, src, mai, done);
}

void Endpoint::sendbuf_check(int* nsend, int* nspool)
{
    node.waiter.give_way();
    node.waiter.check_abort();  // for who asks until it is empty
    any_domain.reclaim();
    sender.check_buffer(nsend, nspool);
}

void Endpoint::send_any(const void* buf, std::size_t size, int dst, int mai, fmpl_comm_t comm)
{
    Communicator& c = checked(comm, "dst", dst);
    if (mai < 0) fail(FMPL_ERR_INDEX, "index {} is negative; the any domain has the indices 0 and up", mai);
    check_buffer(buf, size);
    any_domain.send(c, dst, mai, buf, size);
}

void Endpoint::recv_any(void* buf, std::size_t size, int mai, fmpl_comm_t comm)
{
    Communicator& c = communicator(comm);
    if (mai < 0 && mai != FMPL_ANY_TAG) {
        fail(FMPL_ERR_INDEX, "index {} is negative; the any domain has the indices 0 and up, and FMPL_ANY_TAG", mai);
    }
    check_buffer(buf, size);
    any_domain.recv(c, mai, buf, size);
}

void Endpoint::bcast_columns(void* base, const fmpl_columns* columns, int root, fmpl_comm_t comm)
{
    Communicator& c = checked(comm, "root", root);
    collectives.bcast(c, static_cast<std::byte*>(base), checked_columns(base, columns), root);
}

void Endpoint::bcast(void* buf, std::size_t size, int root, fmpl_comm_t comm)
{
    Communicator& c = checked(comm, "root", root);
    check_buffer(buf, size);
    collectives.bcast(c, buf, size, root);
}

void Endpoint::check_operation(const void* buf, std::size_t count, fmpl_op_t op)
{
    if (op == nullptr || op->function == nullptr || op->element_size == 0) {
        fail(FMPL_ERR_ARGUMENT, "func is not an operation: it needs a function and an element size");
    }
    if (count > kMostBytes / op->element_size) {
        fail(FMPL_ERR_ARGUMENT, "count = {} elements of {} bytes exceed the address space", count, op->element_size);
    }
    check_buffer(buf, count);
}

void Endpoint::check_result(const void* operand, const void* result, std::size_t bytes)
{
    if (result == operand) return;
    check_buffer(result, bytes);
    const auto from = reinterpret_cast<std::uintptr_t>(operand);
    const auto to = reinterpret_cast<std::uintptr_t>(result);
    if (from < to + bytes && to < from + bytes) {
        fail(FMPL_ERR_ARGUMENT, "result overlaps operand; give the same pointer, or memory apart");
    }
}

void Endpoint::reduce(void* buf, std::size_t count, fmpl_op_t op, int root, fmpl_comm_t comm, void* work)
{
    Communicator& c = checked(comm, "root", root);
    check_operation(buf, count, op);
    auto* const buffer = static_cast<std::byte*>(buf);
    collectives.reduce(c, {buffer, buffer}, {count, op, root}, work);
}

void Endpoint::reduce_to(const void* operand, void* result, std::size_t count, fmpl_op_t op, int root, fmpl_comm_t comm)
{
    Communicator& c = checked(comm, "root", root);
    check_operation(operand, count, op);
    const bool is_root = c.rank() == root;
    if (is_root) check_result(operand, result, count * op->element_size);
    collectives.reduce(c, {static_cast<const std::byte*>(operand), is_root ? static_cast<std::byte*>(result) : nullptr},
        {count, op, root}, nullptr);
}

void Endpoint::allreduce(
    const void* operand, void* result, std::size_t count, fmpl_op_t op, fmpl_comm_t comm, void* work)
{
    Communicator& c = communicator(comm);
    check_operation(operand, count, op);
    check_result(operand, result, count * op->element_size);
    collectives.reduce(
        c, {static_cast<const std::byte*>(operand), static_cast<std::byte*>(result)}, {count, op, kAllMembers}, work);
}

void* Endpoint::allocate(std::size_t bytes)
{
    Offset block = node.arena.try_allocate(bytes);
    if (block == kNoOffset) {
        // Messages that have been taken may still hold memory.
        any_domain.reclaim();
        sender.reclaim();
        block = node.arena.allocate(bytes);
    }
    return node.crossbar.local(block);
}

void Endpoint::free(void* p)
{
    if (p == nullptr) return;
    if (!node.crossbar.contains(p, 1) || !node.arena.free(node.crossbar.offset_of(p))) {
        fail(FMPL_ERR_ARGUMENT, "{} does not come from fmpl_malloc of this rank, or was freed before", p);
    }
}

bool Endpoint::is_remote_dma(const void* p, std::size_t bytes) const
{
    return node.crossbar.contains(p, bytes);
}

bool Endpoint::is_addressable(int world_rank) const
{
    return world_rank >= 0 && world_rank < node.crossbar.nodes() && node.crossbar.maps(world_rank);
}

Offset Endpoint::remote_place(const void* p, std::size_t bytes) const
{
    if (!is_remote_dma(p, bytes)) {
        fail(FMPL_ERR_ARGUMENT,
            "{} bytes at {} are not in this rank's remote-DMA memory; take them from fmpl_malloc, or start the job "
            "with "
            "fmplrun --rdma heap",
            bytes, p);
    }
    return node.crossbar.offset_of(p);
}

const void* Endpoint::remote_view(int world_rank, Offset place, std::size_t bytes) const
{
    const Crossbar& crossbar = node.crossbar;
    if (!is_addressable(world_rank)) return nullptr;
    const Offset arena = crossbar.memory().arena_offset(world_rank);
    const std::size_t arena_bytes = crossbar.control().arena_bytes;
    if (place < arena || place - arena > arena_bytes || bytes > arena_bytes - (place - arena)) return nullptr;
    return crossbar.mapped(world_rank, place);
}

bool Endpoint::private_read(int world_rank, std::uint64_t address, std::byte* to, std::size_t bytes) const
{
    if (world_rank < 0 || world_rank >= job_size()) {
        fail(FMPL_ERR_RANK, "world_rank = {}: the job has the ranks 0 to {}", world_rank, job_size() - 1);
    }
    if (!node.private_memory.reaches(world_rank)) return false;
    node.private_memory.read(world_rank, PrivateMemory::address(address), to, bytes);
    return true;
}

TableOffsets Endpoint::allocate_tables(Communicator& comm)
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
    Offset at = comm.own_block = node.tables.take(bytes);
    for (const Table& table : tables) {
        if (table.is_users) {
            std::memset(node.crossbar.local(*table.at), 0, table.bytes);
        } else {
            *table.at = at;
            at += table.bytes;
        }
    }
    return own;
}

void Endpoint::free_tables(Communicator& comm)
{
    node.tables.give_back(std::exchange(comm.own_block, kNoOffset));
    comm.own_tables = {};
}

fmpl_comm_t Endpoint::add(std::unique_ptr<Communicator> comm)
{
    std::size_t slot = 1;
    while (slot < comms_.size() && comms_[slot].comm) ++slot;
    if (slot == kSlots) fail(FMPL_ERR_MEMORY, "{} communicators exist; free some", kSlots);
    if (slot == comms_.size()) comms_.emplace_back().handle = static_cast<fmpl_comm_t>(slot);
    comms_[slot].comm = std::move(comm);
    return comms_[slot].handle;
}

void Endpoint::comm_create(fmpl_comm_t* comm, int key)
{
    if (comm == nullptr) fail(FMPL_ERR_ARGUMENT, "comm is a null pointer");
    *comm = FMPL_COMM_NULL;
    // All keys to rank 0 and from there to all. A wrong key must not keep the others waiting: it is reported
    // afterwards.
    std::vector<std::uint8_t> keys(static_cast<std::size_t>(job_size()));
    keys[static_cast<std::size_t>(rank())] = key == 1 ? 1 : 0;
    if (rank() == 0) {
        for (int r = 1; r < job_size(); ++r) hear(r, &keys[static_cast<std::size_t>(r)], 1);
        for (int r = 1; r < job_size(); ++r) tell(r, keys.data(), keys.size());
    } else {
        tell(0, &keys[static_cast<std::size_t>(rank())], 1);
        hear(0, keys.data(), keys.size());
    }
    if (key != 0 && key != 1) fail(FMPL_ERR_ARGUMENT, "key = {}: 1 joins the new communicator, 0 stays outside", key);
    if (key == 0) return;
    std::vector<int> members;
    for (int r = 0; r < job_size(); ++r) {
        if (keys[static_cast<std::size_t>(r)] == 1) members.push_back(r);
    }
    comm_create_group(comm, members);
}

void Endpoint::comm_create_group(fmpl_comm_t* comm, std::span<const int> world_ranks)
{
    if (comm == nullptr) fail(FMPL_ERR_ARGUMENT, "comm is a null pointer");
    *comm = FMPL_COMM_NULL;
    if (world_ranks.empty()) fail(FMPL_ERR_ARGUMENT, "the list of ranks is empty");
    Communicator& world = *comms_.front().comm;
    for (const int r : world_ranks) world.check_rank(r, "the listed rank");
    std::vector<int> sorted(world_ranks.begin(), world_ranks.end());
    std::sort(sorted.begin(), sorted.end());
    const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
    if (twice != sorted.end()) fail(FMPL_ERR_ARGUMENT, "rank {} is listed twice", *twice);
    const auto self = std::find(world_ranks.begin(), world_ranks.end(), rank());
    if (self == world_ranks.end()) {
        fail(FMPL_ERR_ARGUMENT, "the calling rank {} is not in the list; only its ranks make the call", rank());
    }

    auto made = std::make_unique<Communicator>(std::vector<int>(world_ranks.begin(), world_ranks.end()),
        static_cast<int>(self - world_ranks.begin()), world.indices());
    made->meeting = std::make_shared<Meeting>(node, *made);
    const auto size = static_cast<std::size_t>(made->size());

    // Who gathers is the same whatever the order of the list, so that ranks with different orders meet and are told so.
    const int keeper = sorted.front();

    // Own tables. A rank that has no memory for them tells so, lest the others wait for it.
    Membership own{};
    own.fingerprint = fingerprint(world_ranks);
    StationPlace station;
    std::string shortage;
    try {
        own.tables = allocate_tables(*made);
        own.has_memory = 1;
        if (rank() == keeper) station = made->meeting->found();
    } catch (const Error& error) {
        own.has_memory = 0;
        shortage = error.what();
    }

    // The keeper gathers the tables and sends all to all.
    std::vector<std::byte> answer(sizeof(Foundation) + size * sizeof(TableOffsets));
    Foundation foundation{};
    if (rank() == keeper) {
        foundation = {station.at, station.colour, own.has_memory, 1, 0};
        std::vector<TableOffsets> tables;
        bool same = true;  // the lists of ranks
        for (const int member : world_ranks) {
            Membership theirs = own;
            if (member != keeper) hear(member, &theirs, sizeof theirs);
            if (theirs.has_memory == 0) foundation.complete = 0;
            same = same && theirs.fingerprint == own.fingerprint;
            tables.push_back(theirs.tables);
        }
        if (!same) foundation.same = foundation.complete = 0;
        std::memcpy(answer.data(), &foundation, sizeof foundation);
        std::memcpy(answer.data() + sizeof foundation, tables.data(), size * sizeof(TableOffsets));
        for (const int member : world_ranks) {
            if (member != keeper) tell(member, answer.data(), answer.size());
        }
    } else {
        tell(keeper, &own, sizeof own);
        hear(keeper, answer.data(), answer.size());
        std::memcpy(&foundation, answer.data(), sizeof foundation);
        made->meeting->join({foundation.station, foundation.colour});
    }
    if (foundation.complete == 0) {
        made->meeting->dissolve();
        free_tables(*made);
        if (!shortage.empty()) fail(FMPL_ERR_MEMORY, "{}", shortage);
        if (foundation.same == 0) {
            fail(FMPL_ERR_MISMATCH,
                "the ranks of the new communicator give different lists of ranks; give the same one");
        }
        fail(FMPL_ERR_MEMORY, "the communicator was not made: another of its ranks has no memory for it");
    }
    std::vector<TableOffsets> tables(size);
    std::memcpy(tables.data(), answer.data() + sizeof foundation, size * sizeof(TableOffsets));
    made->connect(node.crossbar, tables);
    made->meeting->find_cpu_mates();
    any_domain.watch(*made);
    *comm = add(std::move(made));
}

// Rank 0 gathers where each rank has put its rings, and whether all could, and sends that to all. What is wrong on one rank
// is reported after that, lest the others wait for it.
void Endpoint::envelopes_open(std::size_t body_bytes)
{
    struct Own {
        std::uint64_t body_bytes;
        Envelopes::Block block;
    };
    if (envelopes.is_open()) fail(FMPL_ERR_ALREADY_INITIALIZED, "called a second time; the rings are open");
    const bool too_large = body_bytes > Envelopes::kMaxBodyBytes;
    constexpr std::size_t kUnit = Envelopes::kBodyUnit;
    const std::size_t rounded = too_large ? body_bytes : std::max(kUnit, (body_bytes + kUnit - 1) / kUnit * kUnit);

    std::string shortage;
    Own own{rounded, {kNoOffset, 0}};
    try {
        if (!too_large) own.block = envelopes.make(rounded);
    } catch (const Error& error) {
        shortage = error.what();
    }
    std::vector<Own> all(static_cast<std::size_t>(job_size()), own);
    const std::size_t bytes = all.size() * sizeof(Own);
    if (rank() == 0) {
        for (int r = 1; r < job_size(); ++r) hear(r, &all[static_cast<std::size_t>(r)], sizeof(Own));
        for (int r = 1; r < job_size(); ++r) tell(r, all.data(), bytes);
    } else {
        tell(0, &own, sizeof own);
        hear(0, all.data(), bytes);
    }

    const auto wrong = [&](auto&& is_wrong) {
        const auto found = std::find_if(all.begin(), all.end(), is_wrong);
        return found == all.end() ? -1 : static_cast<int>(found - all.begin());
    };
    const int other = wrong([&](const Own& theirs) { return theirs.body_bytes != rounded; });
    const int poor = wrong([](const Own& theirs) { return theirs.block.at == kNoOffset; });
    if (other >= 0 || poor >= 0) envelopes.unmake();
    if (other >= 0) {
        fail(FMPL_ERR_MISMATCH, "body_bytes is {} here and {} on rank {}; give the same on all ranks", body_bytes,
            all[static_cast<std::size_t>(other)].body_bytes, other);
    }
    if (too_large) {
        fail(FMPL_ERR_ARGUMENT, "body_bytes = {}: a ring of bodies has at most {} bytes", body_bytes,
            Envelopes::kMaxBodyBytes);
    }
    if (!shortage.empty()) fail(FMPL_ERR_MEMORY, "{}", shortage);
    if (poor >= 0) fail(FMPL_ERR_MEMORY, "rank {} has no memory for the rings of envelopes", poor);
    std::vector<Envelopes::Block> blocks;
    for (const Own& theirs : all) blocks.push_back(theirs.block);
    envelopes.connect(std::move(blocks));
}

// Messages among ranks of FMPL_COMM_WORLD about communicators, whose tables outlive those of all others.
void Endpoint::tell(int world_rank, const void* data, std::size_t bytes)
{
    Communicator& world = *comms_.front().comm;
    sender.send(world, world_rank, world.internal(InternalIndex::creation), data, bytes, false);
}

void Endpoint::hear(int world_rank, void* data, std::size_t bytes)
{
    Communicator& world = *comms_.front().comm;
    const Matched before = receiver.matched;  // fmpl_received speaks of the user's receives only
    receiver.recv(world, world_rank, world.internal(InternalIndex::creation), data, bytes);
    receiver.matched = before;
}

// Returns when all the ranks have come here.
void Endpoint::meet(std::span<const int> world_ranks)
{
    std::byte here{1};
    const int first = world_ranks.front();
    if (rank() == first) {
        for (const int r : world_ranks.subspan(1)) hear(r, &here, sizeof here);
        for (const int r : world_ranks.subspan(1)) tell(r, &here, sizeof here);
    } else {
        tell(first, &here, sizeof here);
        hear(first, &here, sizeof here);
    }
}

void Endpoint::comm_free(fmpl_comm_t* comm)
{
    if (comm == nullptr) fail(FMPL_ERR_ARGUMENT, "comm is a null pointer");
    if (*comm == FMPL_COMM_WORLD) fail(FMPL_ERR_COMM, "FMPL_COMM_WORLD cannot be freed; fmpl_finalize does that");
    Communicator& c = communicator(*comm);
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
    any_domain.withdraw(c);
    meet(c.members());
    sender.abandon(c);
    any_domain.abandon(c);
    c.meeting->dissolve();
    free_tables(c);
    CommSlot& slot = comms_[static_cast<std::size_t>(*comm) & (kSlots - 1)];
    slot.comm.reset();
    // The next communicator in this slot has another handle, so that a stale one is noticed.
    slot.handle = static_cast<fmpl_comm_t>((static_cast<std::uint32_t>(slot.handle) + kSlots) & (kHandles - 1));
    *comm = FMPL_COMM_NULL;
}

void Endpoint::bad_comm(fmpl_comm_t comm) const
{
    if (comm == FMPL_COMM_NULL) fail(FMPL_ERR_COMM, "the communicator is FMPL_COMM_NULL: this rank is not a member");
    fail(FMPL_ERR_COMM, "communicator {} does not exist, or was freed", comm);
}

void Endpoint::bad_buffer(std::size_t size)
{
    if (size > kMostBytes) {
        fail(FMPL_ERR_ARGUMENT,
            "size = {}, which is {} as a signed number, exceeds the address space; give buf's bytes", size,
            static_cast<std::ptrdiff_t>(size));
    }
    fail(FMPL_ERR_ARGUMENT, "buf is a null pointer, with size {}", size);
}

}  // namespace fmpl
