// fmpl.h and fmpl/layers.h: each call translated to the endpoint of the calling thread.
#include "api/binding.hpp"
#include "api/boundary.hpp"
#include "crossbar/abort.hpp"

#include <fmpl/layers.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <unistd.h>

using namespace fmpl;

namespace {

// 0 for what is no message.
[[gnu::cold, gnu::noinline]] std::size_t bytes_of(const fmpl_columns* columns) noexcept
try {
    if (columns == nullptr) return 0;
    check_columns(*columns);
    return Columns(*columns).bytes();
} catch (...) {
    return 0;
}

std::size_t bytes_of(std::size_t bytes)
{
    return bytes;
}

// For the statistics. size: bytes, or columns.
template <class Size>
[[gnu::always_inline]] inline auto message_to(int dst, int mai, fmpl_comm_t comm, Size size)
{
    return [=](const Endpoint& e) __attribute__((always_inline))->CallFacts
    {
        const int peer = e.world_rank(comm, dst);
        return {.peer = peer, .index = mai, .bytes = bytes_of(size), .sends = peer >= 0};
    };
}
// A receive, a wait, a call with a root: what sends no message, but has to do with one rank.
template <class Size>
[[gnu::always_inline]] inline auto with_peer(int rank, int mai, fmpl_comm_t comm, Size size)
{
    return [=](const Endpoint& e) __attribute__((always_inline))->CallFacts
    {
        return {.peer = e.world_rank(comm, rank), .index = mai < 0 ? -1 : mai, .bytes = bytes_of(size)};
    };
}
constexpr int kNoIndex = -1;
constexpr std::size_t kNoBytes = 0;

int take_envelopes(Endpoint& endpoint, fmpl_envelope_handler_t handler, void* context)
{
    return endpoint.envelopes.poll([&](int source, const void* head, const void* body, std::size_t bytes) {
        const CallbackScope scope(endpoint.node);
        return handler(context, source, head, body, bytes) == 0;
    });
}

// In the statistics a poll counts each envelope that it takes, and is none when it takes none.
int poll_envelopes(Endpoint& endpoint, fmpl_envelope_handler_t handler, void* context)
{
    if (!endpoint.observer.on()) [[likely]]
        return take_envelopes(endpoint, handler, context);
    const ObservedCall observed(endpoint.observer, call_name(Call::envelopes_poll));
    const int taken = take_envelopes(endpoint, handler, context);
    if (observed.counts()) endpoint.observer.set_calls(static_cast<std::uint64_t>(taken));
    return taken;
}

int send_envelope(int world_rank, const void* head, int* sent, bool wakes)
{
    const auto facts = [&](const Endpoint&) -> CallFacts { return {.peer = world_rank, .bytes = FMPL_ENVELOPE_HEAD}; };
    return boundary(Call::envelope_send, facts, [&](Endpoint& e) {
        if (head == nullptr || sent == nullptr) [[unlikely]]
            fail(FMPL_ERR_ARGUMENT, "{} is a null pointer; give the {}", head == nullptr ? "head" : "sent",
                head == nullptr ? "bytes of the head" : "address of an int");
        *sent = e.envelopes.send(world_rank, head, wakes) ? 1 : 0;
    });
}

void check_done(int* done)
{
    if (done == nullptr) fail(FMPL_ERR_ARGUMENT, "done is a null pointer; give the address of an int");
    *done = 0;
}

}  // namespace

extern "C" {

int fmpl_init(fmpl_match_t* ma, fmpl_flag_t* fa, int count)
{
    Binding& b = binding();
    try {
        if (b.endpoint && b.endpoint->initialized()) {
            fail(FMPL_ERR_ALREADY_INITIALIZED, "called a second time; a rank joins its job once");
        }
        if (b.endpoint && b.endpoint->finalized()) {
            fail(FMPL_ERR_ALREADY_INITIALIZED, "called after fmpl_finalize; a rank joins its job once");
        }
        Endpoint& endpoint = b.attach();
        endpoint.node.call = Call::init;
        endpoint.init(ma, fa, count);
        return FMPL_SUCCESS;
    } catch (...) {
        return b.report_current_exception("fmpl_init");
    }
}

int fmpl_finalize(void)
{
    return boundary(Call::finalize, 0, [](Endpoint& e) { e.finalize(); });
}

int fmpl_initialized(int* flag)
{
    Binding& b = binding();
    if (flag == nullptr) return b.report("fmpl_initialized", Error(FMPL_ERR_ARGUMENT, "flag is a null pointer"));
    *flag = b.endpoint && b.endpoint->initialized() ? 1 : 0;
    return FMPL_SUCCESS;
}

void fmpl_abort(int code, const char* reason)
{
    Binding& b = binding();
    const int status = code >= 1 && code <= 255 ? code : 1;
    const std::string words = reason == nullptr ? "no reason given" : reason;
    const bool has_seat = b.seat.has_value();
    if (has_seat) abort_job(b.seat->memory->control(), b.seat->rank, status, words);
    const bool has_launcher = has_seat && b.seat->memory->control().has_launcher != 0;
    if (has_seat && b.seat->is_thread && !has_launcher) throw AbortRequest(words);  // run_ranks ends the job
    if (!has_launcher)
        std::fprintf(stderr, "%s%s\n", b.speaks == SpokenLibrary::fmpl ? "fmpl_abort: " : "", words.c_str());
    // Not all streams where other ranks live here: one of them may hold a stream's lock while it waits for input.
    if (has_seat && b.seat->is_thread) {
        std::fflush(stdout);
        std::fflush(stderr);
    } else {
        std::fflush(nullptr);
    }
    _exit(status);
}

int fmpl_send(const void* buf, size_t size, int dst, int mai, fmpl_comm_t comm)
{
    return boundary(
        Call::send, message_to(dst, mai, comm, size), [&](Endpoint& e) { e.send(buf, size, dst, mai, comm); });
}

int fmpl_recv(void* buf, size_t size, int src, int mai, fmpl_comm_t comm)
{
    return boundary(
        Call::recv, with_peer(src, mai, comm, size), [&](Endpoint& e) { e.recv(buf, size, src, mai, comm); });
}

int fmpl_send_columns(const void* base, const fmpl_columns* columns, int dst, int mai, fmpl_comm_t comm)
{
    return boundary(Call::send, message_to(dst, mai, comm, columns),
        [&](Endpoint& e) { e.send_columns(base, columns, dst, mai, comm); });
}

int fmpl_recv_columns(void* base, const fmpl_columns* columns, int src, int mai, fmpl_comm_t comm)
{
    return boundary(Call::recv, with_peer(src, mai, comm, columns),
        [&](Endpoint& e) { e.recv_columns(base, columns, src, mai, comm); });
}

int fmpl_isend(const void* buf, size_t size, int dst, int mai, fmpl_comm_t comm)
{
    return boundary(
        Call::isend, message_to(dst, mai, comm, size), [&](Endpoint& e) { e.isend(buf, size, dst, mai, comm); });
}

int fmpl_issend(const void* buf, size_t size, int dst, int mai, fmpl_comm_t comm)
{
    return fmpl_isend(buf, size, dst, mai, comm);
}

int fmpl_irecv(void* buf, size_t size, int src, int mai, fmpl_comm_t comm)
{
    return boundary(
        Call::irecv, with_peer(src, mai, comm, size), [&](Endpoint& e) { e.irecv(buf, size, src, mai, comm); });
}

int fmpl_isend_wait(int dst, int mai, fmpl_comm_t comm)
{
    return boundary(
        Call::isend_wait, with_peer(dst, mai, comm, kNoBytes), [&](Endpoint& e) { e.isend_wait(dst, mai, comm); });
}

int fmpl_issend_wait(int dst, int mai, fmpl_comm_t comm)
{
    return fmpl_isend_wait(dst, mai, comm);
}

int fmpl_irecv_wait(int src, int mai, fmpl_comm_t comm)
{
    return boundary(
        Call::irecv_wait, with_peer(src, mai, comm, kNoBytes), [&](Endpoint& e) { e.irecv_wait(src, mai, comm); });
}

int fmpl_isend_test(int dst, int mai, fmpl_comm_t comm, int* done)
{
    return boundary(Call::isend_test, with_peer(dst, mai, comm, kNoBytes), [&](Endpoint& e) {
        check_done(done);
        *done = e.isend_test(dst, mai, comm) ? 1 : 0;
    });
}

int fmpl_irecv_discard(int src, int mai, fmpl_comm_t comm)
{
    return boundary(
        Call::irecv, with_peer(src, mai, comm, kNoBytes), [&](Endpoint& e) { e.irecv_discard(src, mai, comm); });
}

int fmpl_irecv_ahead(void* buf, size_t size, int src, int mai, fmpl_comm_t comm)
{
    return boundary(
        Call::irecv, with_peer(src, mai, comm, size), [&](Endpoint& e) { e.irecv_ahead(buf, size, src, mai, comm); });
}

int fmpl_irecv_withdraw(int src, int mai, fmpl_comm_t comm)
{
    return boundary(
        Call::irecv, with_peer(src, mai, comm, kNoBytes), [&](Endpoint& e) { e.irecv_withdraw(src, mai, comm); });
}

int fmpl_irecv_test(int src, int mai, fmpl_comm_t comm, int* done)
{
    return boundary(Call::irecv_test, with_peer(src, mai, comm, kNoBytes), [&](Endpoint& e) {
        check_done(done);
        e.irecv_test(src, mai, comm, *done);
    });
}

int fmpl_received(int* source, int* index, size_t* bytes)
{
    return query("fmpl_received", [&](Endpoint& e) {
        const Matched& m = e.receiver.matched;
        if (source != nullptr) *source = m.source;
        if (index != nullptr) *index = m.index;
        if (bytes != nullptr) *bytes = m.bytes;
    });
}

int fmpl_sendbuf_set(void* buf, size_t size, int timeout_ms)
{
    return boundary(Call::sendbuf_set, 0, [&](Endpoint& e) { e.sendbuf_set(buf, size, timeout_ms); });
}

int fmpl_sendbuf_check(int* nsend, int* nspool)
{
    return boundary(Call::sendbuf_check, 0, [&](Endpoint& e) { e.sendbuf_check(nsend, nspool); });
}

int fmpl_send_any(const void* buf, size_t size, int dst, int mai, fmpl_comm_t comm)
{
    return boundary(
        Call::send_any, message_to(dst, mai, comm, size), [&](Endpoint& e) { e.send_any(buf, size, dst, mai, comm); });
}

int fmpl_recv_any(void* buf, size_t size, int mai, fmpl_comm_t comm)
{
    return boundary(
        Call::recv_any, with_peer(-1, mai, comm, size), [&](Endpoint& e) { e.recv_any(buf, size, mai, comm); });
}

int fmpl_comm_create(fmpl_comm_t* comm, int key)
{
    return boundary(Call::comm_create, 0, [&](Endpoint& e) { e.comm_create(comm, key); });
}

int fmpl_comm_create_group(fmpl_comm_t* comm, const int* world_ranks, int n)
{
    return boundary(Call::comm_create_group, 0, [&](Endpoint& e) {
        if (world_ranks == nullptr || n < 1)
            fail(FMPL_ERR_ARGUMENT, "n = {}: a list of at least one rank is needed", n);
        e.comm_create_group(comm, {world_ranks, static_cast<std::size_t>(n)});
    });
}

int fmpl_comm_free(fmpl_comm_t* comm)
{
    return boundary(Call::comm_free, 0, [&](Endpoint& e) { e.comm_free(comm); });
}

int fmpl_comm_rank(fmpl_comm_t comm, int* rank)
{
    return query("fmpl_comm_rank", [&](Endpoint& e) {
        if (rank == nullptr) fail(FMPL_ERR_ARGUMENT, "rank is a null pointer");
        *rank = e.communicator(comm).rank();
    });
}

int fmpl_comm_size(fmpl_comm_t comm, int* size)
{
    return query("fmpl_comm_size", [&](Endpoint& e) {
        if (size == nullptr) fail(FMPL_ERR_ARGUMENT, "size is a null pointer");
        *size = e.communicator(comm).size();
    });
}

int fmpl_comm_world_rank(fmpl_comm_t comm, int rank, int* world_rank)
{
    return query("fmpl_comm_world_rank", [&](Endpoint& e) {
        const Communicator& c = e.communicator(comm);
        c.check_rank(rank, "rank");
        if (world_rank == nullptr) fail(FMPL_ERR_ARGUMENT, "world_rank is a null pointer");
        *world_rank = c.members()[static_cast<std::size_t>(rank)];
    });
}

int fmpl_bcast(void* buf, size_t size, int root, fmpl_comm_t comm)
{
    return boundary(
        Call::bcast, with_peer(root, kNoIndex, comm, size), [&](Endpoint& e) { e.bcast(buf, size, root, comm); });
}

int fmpl_bcast_columns(void* base, const fmpl_columns* columns, int root, fmpl_comm_t comm)
{
    return boundary(Call::bcast, with_peer(root, kNoIndex, comm, columns),
        [&](Endpoint& e) { e.bcast_columns(base, columns, root, comm); });
}

int fmpl_reduce(void* buf, size_t count, fmpl_op_t func, int root, fmpl_comm_t comm, void* work)
{
    const size_t bytes = func == nullptr ? 0 : count * func->element_size;
    return boundary(Call::reduce, with_peer(root, kNoIndex, comm, bytes),
        [&](Endpoint& e) { e.reduce(buf, count, func, root, comm, work); });
}

int fmpl_reduce_to(const void* operand, void* result, size_t count, fmpl_op_t func, int root, fmpl_comm_t comm)
{
    const size_t bytes = func == nullptr ? 0 : count * func->element_size;
    return boundary(Call::reduce, with_peer(root, kNoIndex, comm, bytes),
        [&](Endpoint& e) { e.reduce_to(operand, result, count, func, root, comm); });
}

int fmpl_allreduce(void* buf, size_t count, fmpl_op_t func, fmpl_comm_t comm, void* work)
{
    const size_t bytes = func == nullptr ? 0 : count * func->element_size;
    return boundary(Call::allreduce, bytes, [&](Endpoint& e) { e.allreduce(buf, buf, count, func, comm, work); });
}

int fmpl_allreduce_to(const void* operand, void* result, size_t count, fmpl_op_t func, fmpl_comm_t comm)
{
    const size_t bytes = func == nullptr ? 0 : count * func->element_size;
    return boundary(
        Call::allreduce, bytes, [&](Endpoint& e) { e.allreduce(operand, result, count, func, comm, nullptr); });
}

int fmpl_barrier(fmpl_comm_t comm)
{
    return boundary(Call::barrier, 0, [&](Endpoint& e) { e.barrier(comm); });
}

void* fmpl_malloc(size_t size)
{
    Binding& b = binding();
    try {
        if (b.endpoint && b.endpoint->finalized()) fail(FMPL_ERR_NOT_INITIALIZED, "called after fmpl_finalize");
        return b.attach().allocate(size);
    } catch (...) {
        b.report_current_exception("fmpl_malloc");
        return nullptr;
    }
}

void* fmpl_try_malloc(size_t size)
{
    Binding& b = binding();
    if (b.endpoint && b.endpoint->finalized()) return nullptr;
    try {
        return b.attach().allocate(size);
    } catch (const Error& error) {
        if (error.code() != FMPL_ERR_MEMORY) b.report_current_exception("fmpl_try_malloc");
    } catch (...) {
        b.report_current_exception("fmpl_try_malloc");
    }
    return nullptr;
}

void fmpl_free(void* p)
{
    Binding& b = binding();
    try {
        if (p == nullptr || (b.endpoint && b.endpoint->finalized())) return;  // finalizing freed everything
        if (b.forked_from != 0) return;  // a destructor in a forked child: the block is the rank's
        b.attach().free(p);
    } catch (...) {
        b.report_current_exception("fmpl_free");
    }
}

int fmpl_is_remote_dma(const void* p, size_t size)
{
    const Binding& b = binding();
    return b.endpoint && b.endpoint->is_remote_dma(p, size) ? 1 : 0;
}

int fmpl_is_addressable(int world_rank)
{
    const Binding& b = binding();
    return b.endpoint && b.endpoint->initialized() && b.endpoint->is_addressable(world_rank) ? 1 : 0;
}

int fmpl_remote_place(const void* p, size_t size, uint64_t* place)
{
    return query("fmpl_remote_place", [&](Endpoint& e) {
        if (place == nullptr) fail(FMPL_ERR_ARGUMENT, "place is NULL; give the address of a uint64_t");
        *place = e.remote_place(p, size);
    });
}

const void* fmpl_remote_view(int world_rank, uint64_t place, size_t size)
{
    const Binding& b = binding();
    return b.endpoint && b.endpoint->initialized() ? b.endpoint->remote_view(world_rank, place, size) : nullptr;
}

void* fmpl_remote_room(int world_rank, uint64_t place, size_t size)
{
    return const_cast<void*>(fmpl_remote_view(world_rank, place, size));
}

int fmpl_private_read(int world_rank, uint64_t address, void* to, size_t size, int* copied)
{
    return query("fmpl_private_read", [&](Endpoint& e) {
        if (copied == nullptr || (to == nullptr && size > 0)) {
            fail(FMPL_ERR_ARGUMENT, "{} is a null pointer; give {}", copied == nullptr ? "copied" : "to",
                copied == nullptr ? "the address of an int" : "room for the bytes");
        }
        *copied = 0;
        *copied = e.private_read(world_rank, address, static_cast<std::byte*>(to), size) ? 1 : 0;
    });
}

int fmpl_cpus_suffice(void)
{
    const Binding& b = binding();
    return b.endpoint && b.endpoint->initialized() && b.endpoint->node.waiter.policy().cpus_suffice ? 1 : 0;
}

int fmpl_envelopes_open(size_t body_bytes)
{
    return boundary(Call::envelopes_open, 0, [&](Endpoint& e) { e.envelopes_open(body_bytes); });
}

size_t fmpl_envelope_body_limit(void)
{
    const Binding& b = binding();
    return b.endpoint ? b.endpoint->envelopes.body_limit() : 0;
}

int fmpl_envelope_reserve(int world_rank, size_t body_bytes, void** body)
{
    Endpoint* const endpoint = binding().endpoint.get();
    return endpoint != nullptr && endpoint->envelopes.reserve(world_rank, body_bytes, body) ? 1 : 0;
}

int fmpl_envelope_commit(int world_rank, const void* head)
{
    const auto facts = [&](const Endpoint& e) -> CallFacts {
        return {.peer = world_rank, .bytes = FMPL_ENVELOPE_HEAD + e.envelopes.reserved_bytes(world_rank)};
    };
    return boundary(Call::envelope_commit, facts, [&](Endpoint& e) {
        if (head == nullptr) [[unlikely]]
            fail(FMPL_ERR_ARGUMENT, "head is a null pointer; give the {} bytes of the head", FMPL_ENVELOPE_HEAD);
        e.envelopes.commit(world_rank, head);
    });
}

int fmpl_envelope_send(int world_rank, const void* head, int* sent)
{
    return send_envelope(world_rank, head, sent, true);
}

int fmpl_envelope_send_quietly(int world_rank, const void* head, int* sent)
{
    return send_envelope(world_rank, head, sent, false);
}

int fmpl_envelope_lend(
    int world_rank, const void* head, const void* body, size_t body_bytes, int waits_anyway, int* sent)
{
    const auto facts = [=](const Endpoint&) -> CallFacts {
        return {.peer = world_rank, .bytes = FMPL_ENVELOPE_HEAD + body_bytes};
    };
    return boundary(Call::envelope_lend, facts, [&](Endpoint& e) {
        if (head == nullptr || sent == nullptr || (body == nullptr && body_bytes > 0)) [[unlikely]]
            fail(FMPL_ERR_ARGUMENT, "{} is a null pointer; give the {}",
                head == nullptr   ? "head"
                : sent == nullptr ? "sent"
                                  : "body",
                sent == nullptr && head != nullptr ? "address of an int" : "bytes to send");
        *sent = e.envelopes.lend(world_rank, head, body, body_bytes, waits_anyway != 0) ? 1 : 0;
    });
}

int fmpl_envelopes_poll(fmpl_envelope_handler_t handler, void* context)
{
    Endpoint* const endpoint = binding().endpoint.get();
    if (endpoint == nullptr || handler == nullptr) [[unlikely]]
        return 0;
    const int handled = poll_envelopes(*endpoint, handler, context);
    if (handled == 0 && !endpoint->node.in_callback) endpoint->node.waiter.give_way();
    return handled;
}

int fmpl_wait_until(int (*ready)(void* context), void* context, const struct fmpl_wait_words* what)
{
    return boundary(Call::wait_until, what == nullptr ? 0 : what->bytes,
        [&](Endpoint& e) { e.layer_calls.wait_until(ready, context, what); });
}

int fmpl_envelopes_wait(fmpl_envelope_handler_t handler, void* context, const struct fmpl_wait_words* what)
{
    return boundary(Call::envelopes_wait, what == nullptr ? 0 : what->bytes, [&](Endpoint& e) {
        if (handler == nullptr) [[unlikely]]
            fail(FMPL_ERR_ARGUMENT, "handler is a null pointer; give the function that takes the envelopes");
        e.layer_calls.wait([&] { return take_envelopes(e, handler, context) > 0; }, Call::envelopes_wait, what);
    });
}

int fmpl_look(int (*ready)(void* context), void* context, int* is_ready)
{
    return boundary(Call::look, 0, [&](Endpoint& e) {
        if (is_ready == nullptr) [[unlikely]]
            fail(FMPL_ERR_ARGUMENT, "is_ready is a null pointer; give the address of an int");
        *is_ready = 0;
        *is_ready = e.layer_calls.look(ready, context) ? 1 : 0;
    });
}

void fmpl_layer_speaks(enum fmpl_spoken_library library)
{
    Binding& b = binding();
    if (b.endpoint == nullptr && b.speaks == SpokenLibrary::fmpl) b.speaks = static_cast<SpokenLibrary>(library);
}

const char** fmpl_layer_call(void)
{
    const Binding& b = binding();
    return b.endpoint == nullptr ? nullptr : &b.endpoint->node.waiter.layer_call();
}

int fmpl_layer_progress_set(void (*progress)(void* context), void* context)
{
    return query("fmpl_layer_progress_set", [&](Endpoint& e) { e.layer_calls.set_progress(progress, context); });
}

int fmpl_heap_range(void** begin, size_t* size)
{
    if (begin == nullptr || size == nullptr) return FMPL_ERR_ARGUMENT;
    try {
        const std::span<std::byte> range = process_binding().claim_heap().range();
        *begin = range.data();
        *size = range.size();
        return FMPL_SUCCESS;
    } catch (const Error& error) {
        return error.code();
    } catch (const std::bad_alloc&) {
        return FMPL_ERR_MEMORY;
    }
}

int fmpl_heap_commit(void* at, size_t size)
{
    const Binding& b = process_binding();
    return b.heap && b.heap->commit(static_cast<std::byte*>(at), size) ? FMPL_SUCCESS : FMPL_ERR_MEMORY;
}

int fmpl_heap_release(void* at, size_t size)
{
    const Binding& b = process_binding();
    return b.heap && b.heap->release(static_cast<std::byte*>(at), size) ? FMPL_SUCCESS : FMPL_ERR_SYSTEM;
}

double fmpl_wtime(void)
{
    return static_cast<double>(monotonic_ns()) * 1e-9;
}

const char* fmpl_error_message(void)
{
    return binding().error_message.c_str();
}

const char* fmpl_strerror(int code)
{
    static constexpr const char* phrases[] = {"success", "FMPL is not initialized", "FMPL is initialized already",
        "invalid argument", "rank out of range", "index out of range", "no such communicator",
        "message longer than the receive buffer", "a nonblocking call is outstanding", "no such nonblocking call",
        "out of memory", "the ranks gave different arguments", "messages were never received", "the job is ending",
        "the system refused", "internal error"};
    static_assert(sizeof phrases / sizeof phrases[0] == FMPL_ERR_INTERNAL + 1);
    return code >= 0 && code <= FMPL_ERR_INTERNAL ? phrases[code] : "unknown error code";
}

int fmpl_stats_enable(int on)
{
    return query("fmpl_stats_enable", [&](Endpoint& e) { e.observer.enable(on != 0); });
}

int fmpl_stats_get(struct fmpl_call_stats* stats, int room, int* n)
{
    return query("fmpl_stats_get", [&](Endpoint& e) {
        if (n == nullptr || (stats == nullptr && room > 0)) {
            fail(FMPL_ERR_ARGUMENT, "stats or n is a null pointer");
        }
        *n = 0;
        e.observer.for_each_call([&](const char* name, std::uint64_t calls, std::uint64_t bytes, double seconds) {
            if (*n < room) stats[*n] = {name, calls, bytes, seconds};
            ++*n;
        });
    });
}

double fmpl_stats_seconds(void)
{
    const Binding& b = binding();
    return b.endpoint ? b.endpoint->observer.seconds() : 0;
}

const int* fmpl_layer_observed(void)
{
    static constexpr int kNever = 0;
    const Binding& b = binding();
    return b.endpoint ? b.endpoint->observer.flag() : &kNever;
}

int fmpl_layer_call_begin(const char* name)
{
    const Binding& b = binding();
    return b.endpoint && b.endpoint->observer.begin(name) ? 1 : 0;
}

void fmpl_layer_call_about(int world_rank, int index, size_t bytes, int sends)
{
    const Binding& b = binding();
    if (!b.endpoint) return;
    const bool exists = world_rank >= 0 && world_rank < b.endpoint->job_size();
    b.endpoint->observer.say({.peer = world_rank, .index = index, .bytes = bytes, .sends = sends != 0 && exists});
}

void fmpl_layer_call_sent(int world_rank, size_t bytes)
{
    const Binding& b = binding();
    if (b.endpoint && world_rank >= 0 && world_rank < b.endpoint->job_size())
        b.endpoint->observer.sent(world_rank, bytes);
}

void fmpl_layer_call_end(int succeeded)
{
    const Binding& b = binding();
    if (b.endpoint) b.endpoint->observer.end(succeeded != 0);
}

int fmpl_job_size(void)
{
    Binding& b = binding();
    try {
        return b.seat ? b.seat->memory->ranks() : size_from_environment();
    } catch (...) {
        b.report_current_exception("fmpl_job_size");
        return 1;
    }
}

int fmpl_rank_is_thread(void)
{
    const Binding& b = binding();
    return b.seat && b.seat->is_thread ? 1 : 0;
}

int fmpl_rank_shares_thread(void)
{
    const Binding& b = binding();
    return b.seat && b.seat->shared_thread != nullptr ? 1 : 0;
}

int fmpl_job_rank(void)
{
    Binding& b = binding();
    try {
        return b.seat ? b.seat->rank : rank_from_environment();
    } catch (...) {
        b.report_current_exception("fmpl_job_rank");
        return 0;
    }
}

}  // extern "C"
