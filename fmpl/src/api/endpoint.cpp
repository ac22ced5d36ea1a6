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
      communicators(node, sender, receiver, any_domain),
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
    Communicators::check_count(count);
    admit_job(node, rank(), is_thread_);
    communicators.found_world(slots, flags, count);
    initialized_ = true;
    observer.begin_session();
}

void Endpoint::finalize()
{
    // After this barrier nobody sends or receives.
    collectives.barrier(communicators.world());
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
    communicators.for_each([&](Communicator& comm) {
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
    });
    if (found > kShown) words += fmt::format("; and {} more", found - kShown);
    return words;
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

// Rank 0 gathers where each rank has put its rings, and whether all could, and sends that to all. What is wrong on
// one rank is reported after that, lest the others wait for it.
void Endpoint::envelopes_open(std::size_t body_bytes)
{
    struct Own {
        std::uint64_t body_bytes;
        EnvelopeBlock block;
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
    const std::vector<Own> all = communicators.gather_to_all(own);

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
    std::vector<EnvelopeBlock> blocks;
    for (const Own& theirs : all) blocks.push_back(theirs.block);
    envelopes.connect(std::move(blocks));
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
