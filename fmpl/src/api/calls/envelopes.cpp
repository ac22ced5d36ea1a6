// Envelopes, and how layers wait. Each call is translated to the endpoint of the calling thread.
#include "api/binding.hpp"
#include "api/boundary.hpp"

#include <fmpl/envelope_lending.h>
#include <fmpl/envelopes.h>
#include <fmpl/waiting.h>

using namespace fmpl;

namespace {

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

}  // namespace

extern "C" {

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

int fmpl_layer_progress_set(void (*progress)(void* context), void* context)
{
    return query("fmpl_layer_progress_set", [&](Endpoint& e) { e.layer_calls.set_progress(progress, context); });
}

}  // extern "C"
