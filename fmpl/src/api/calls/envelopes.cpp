// Envelopes, and how layers wait. Each call is one of the calling thread's rank.
#include "api/binding.hpp"
#include "api/boundary.hpp"
#include "api/calls/checks.hpp"
#include "p2p/envelopes/ring_room.hpp"

#include <fmpl/envelope_lending.h>
#include <fmpl/envelope_steps.h>
#include <fmpl/envelopes.h>
#include <fmpl/job.h>
#include <fmpl/waiting.h>

#include <algorithm>
#include <string>
#include <vector>

using namespace fmpl;

namespace {

// Rank 0 gathers where each rank has put its rings, and whether all could, and sends that to all. What is wrong on
// one rank is reported after that, lest the others wait for it.
void open_envelopes(Rank& own, std::size_t body_bytes)
{
    struct Own {
        std::uint64_t body_bytes;
        EnvelopeBlock block;
    };
    if (own.envelopes.is_open()) fail(FMPL_ERR_ALREADY_INITIALIZED, "called a second time; the rings are open");
    const bool too_large = body_bytes > Envelopes::kMaxBodyBytes;
    constexpr std::size_t kUnit = Envelopes::kBodyUnit;
    const std::size_t rounded = too_large ? body_bytes : std::max(kUnit, (body_bytes + kUnit - 1) / kUnit * kUnit);

    std::string shortage;
    Own mine{rounded, {kNoOffset, 0}};
    try {
        if (!too_large) mine.block = own.envelopes.make(rounded);
    } catch (const Error& error) {
        shortage = error.what();
    }
    const std::vector<Own> all = own.communicators.gather_to_all(mine);

    const auto wrong = [&](auto&& is_wrong) {
        const auto found = std::find_if(all.begin(), all.end(), is_wrong);
        return found == all.end() ? -1 : static_cast<int>(found - all.begin());
    };
    const int other = wrong([&](const Own& theirs) { return theirs.body_bytes != rounded; });
    const int poor = wrong([](const Own& theirs) { return theirs.block.at == kNoOffset; });
    if (other >= 0 || poor >= 0) own.envelopes.unmake();
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
    own.envelopes.connect(std::move(blocks));
}

// A layer's handler, in the form in which Envelopes calls one.
auto taking(Rank& own, fmpl_envelope_handler_t handler, void* context)
{
    return [&own, handler, context](int source, const void* head, const void* body, std::size_t bytes) {
        const CallbackScope scope(own.node);
        return handler(context, source, head, body, bytes) == 0;
    };
}

int take_envelopes(Rank& own, fmpl_envelope_handler_t handler, void* context)
{
    return own.envelopes.poll(taking(own, handler, context));
}

// In the statistics a poll counts each envelope that it takes, and is none when it takes none.
int poll_envelopes(Rank& own, fmpl_envelope_handler_t handler, void* context)
{
    if (!own.observer.on()) [[likely]]
        return take_envelopes(own, handler, context);
    const ObservedCall observed(own.observer, call_name(Call::envelopes_poll));
    const int taken = take_envelopes(own, handler, context);
    if (observed.counts()) own.observer.set_calls(static_cast<std::uint64_t>(taken));
    return taken;
}

int send_envelope(int world_rank, const void* head, int* sent, bool wakes)
{
    const auto facts = [&](const Rank&) -> CallFacts { return {.peer = world_rank, .bytes = FMPL_ENVELOPE_HEAD}; };
    return boundary(Call::envelope_send, facts, [&](Rank& own) {
        if (head == nullptr || sent == nullptr) [[unlikely]]
            fail(FMPL_ERR_ARGUMENT, "{} is a null pointer; give the {}", head == nullptr ? "head" : "sent",
                head == nullptr ? "bytes of the head" : "address of an int");
        *sent = own.envelopes.send(world_rank, head, wakes) ? 1 : 0;
    });
}

// send(envelopes): whether the envelope has gone.
template <class Send>
int send_with_body(
    Call call, int world_rank, const void* head, const void* body, std::size_t body_bytes, int* sent, Send&& send)
{
    const auto facts = [=](const Rank&) -> CallFacts {
        return {.peer = world_rank, .bytes = FMPL_ENVELOPE_HEAD + body_bytes};
    };
    return boundary(call, facts, [&](Rank& own) {
        if (head == nullptr || sent == nullptr || (body == nullptr && body_bytes > 0)) [[unlikely]]
            fail(FMPL_ERR_ARGUMENT, "{} is a null pointer; give the {}",
                head == nullptr   ? "head"
                : sent == nullptr ? "sent"
                                  : "body",
                sent == nullptr && head != nullptr ? "address of an int" : "bytes to send");
        check_buffer(body, body_bytes);
        *sent = send(own.envelopes) ? 1 : 0;
    });
}

}  // namespace

extern "C" {

int fmpl_envelopes_open(size_t body_bytes)
{
    return boundary(Call::envelopes_open, 0, [&](Rank& own) { open_envelopes(own, body_bytes); });
}

size_t fmpl_envelopes_best_room(void)
{
    const Binding& b = binding();
    if (!b.own || !b.own->initialized()) return 0;
    const Crossbar& crossbar = b.own->node.crossbar;
    return best_ring_room(crossbar.nodes(), fmpl_ranks_of_cpu(), crossbar.memory().constants().tables_bytes);
}

size_t fmpl_envelopes_most_room(void)
{
    const Binding& b = binding();
    if (!b.own || !b.own->initialized()) return 0;
    const Crossbar& crossbar = b.own->node.crossbar;
    return most_ring_room(crossbar.nodes(), crossbar.memory().constants().tables_bytes);
}

size_t fmpl_envelope_body_limit(void)
{
    const Binding& b = binding();
    return b.own ? b.own->envelopes.body_limit() : 0;
}

int fmpl_envelope_reserve(int world_rank, size_t body_bytes, void** body)
{
    Rank* const own = binding().own.get();
    return own != nullptr && own->envelopes.reserve(world_rank, body_bytes, body) ? 1 : 0;
}

int fmpl_envelope_send_body(int world_rank, const void* head, const void* body, size_t body_bytes, int* sent)
{
    return send_with_body(Call::envelope_send_body, world_rank, head, body, body_bytes, sent,
        [&](Envelopes& envelopes) { return envelopes.send_body(world_rank, head, body, body_bytes); });
}

int fmpl_envelope_await_body(size_t bytes, size_t* there)
{
    return query("fmpl_envelope_await_body", [&](Rank& own) {
        if (there == nullptr) [[unlikely]]
            fail(FMPL_ERR_ARGUMENT, "there is a null pointer; give the address of a size_t");
        *there = own.envelopes.await_body(bytes);
    });
}

int fmpl_envelope_commit(int world_rank, const void* head)
{
    const auto facts = [&](const Rank& own) -> CallFacts {
        return {.peer = world_rank, .bytes = FMPL_ENVELOPE_HEAD + own.envelopes.reserved_bytes(world_rank)};
    };
    return boundary(Call::envelope_commit, facts, [&](Rank& own) {
        if (head == nullptr) [[unlikely]]
            fail(FMPL_ERR_ARGUMENT, "head is a null pointer; give the {} bytes of the head", FMPL_ENVELOPE_HEAD);
        own.envelopes.commit(world_rank, head);
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
    return send_with_body(Call::envelope_lend, world_rank, head, body, body_bytes, sent,
        [&](Envelopes& envelopes) { return envelopes.lend(world_rank, head, body, body_bytes, waits_anyway != 0); });
}

int fmpl_envelopes_poll(fmpl_envelope_handler_t handler, void* context)
{
    Rank* const own = binding().own.get();
    if (own == nullptr || handler == nullptr) [[unlikely]]
        return 0;
    const int handled = poll_envelopes(*own, handler, context);
    if (handled == 0 && !own->node.in_callback) own->node.waiter.give_way();
    return handled;
}

int fmpl_wait_until(int (*ready)(void* context), void* context, const struct fmpl_wait_words* what)
{
    return boundary(Call::wait_until, what == nullptr ? 0 : what->bytes,
        [&](Rank& own) { own.layer_calls.wait_until(ready, context, what); });
}

int fmpl_envelopes_wait(fmpl_envelope_handler_t handler, void* context, const struct fmpl_wait_words* what)
{
    return boundary(Call::envelopes_wait, what == nullptr ? 0 : what->bytes, [&](Rank& own) {
        if (handler == nullptr) [[unlikely]]
            fail(FMPL_ERR_ARGUMENT, "handler is a null pointer; give the function that takes the envelopes");
        Envelopes::Looks looks(own.envelopes, what == nullptr || what->others_too != 0 ? -1 : what->peer);
        const auto take = taking(own, handler, context);
        own.layer_calls.wait([&] { return looks.poll(take) > 0; }, Call::envelopes_wait, what);
    });
}

int fmpl_envelopes_look(fmpl_envelope_handler_t handler, void* context, int* taken)
{
    return query("fmpl_envelopes_look", [&](Rank& own) {
        if (handler == nullptr || taken == nullptr) [[unlikely]]
            fail(FMPL_ERR_ARGUMENT, "{} is a null pointer; give the {}", handler == nullptr ? "handler" : "taken",
                handler == nullptr ? "function that takes the envelopes" : "address of an int");
        *taken = poll_envelopes(own, handler, context);
        if (*taken == 0) own.node.progress_in_passing();
    });
}

int fmpl_nothing_has_come(void)
{
    Rank* const own = binding().own.get();
    return own != nullptr && own->envelopes.none_has_come() && own->node.passes_by() ? 1 : 0;
}

int fmpl_look(int (*ready)(void* context), void* context, int* is_ready)
{
    return boundary(Call::look, 0, [&](Rank& own) {
        if (is_ready == nullptr) [[unlikely]]
            fail(FMPL_ERR_ARGUMENT, "is_ready is a null pointer; give the address of an int");
        *is_ready = 0;
        *is_ready = own.layer_calls.look(ready, context) ? 1 : 0;
    });
}

int fmpl_is_last_look(void)
{
    const Binding& b = binding();
    return b.own && b.own->node.waiter.is_last_look() ? 1 : 0;
}

int fmpl_layer_progress_set(void (*progress)(void* context), void* context)
{
    return query("fmpl_layer_progress_set", [&](Rank& own) { own.layer_calls.set_progress(progress, context); });
}

}  // extern "C"
