#include "messenger/messenger_parts.hpp"
#include "messenger/thread_turns.hpp"
#include "p2p/crowded.hpp"

#include <fmpl/envelopes.h>
#include <fmpl/layer_calls.h>
#include <fmpl/remote.h>
#include <fmpl/waiting.h>

#include <algorithm>
#include <atomic>

namespace fmpl::mpi {
namespace {

// A flag that is true as long as this lives.
struct Raised {
    explicit Raised(bool& flag) : flag_(flag), before_(std::exchange(flag, true)) {}
    ~Raised() { flag_ = before_; }
    Raised(const Raised&) = delete;
    Raised& operator=(const Raised&) = delete;
    bool& flag_;
    bool before_;
};

// Calls a function of FMPL's that calls back: call(condition, context), which returns FMPL's code. What ready()
// throws, which must not pass through FMPL, is thrown then.
template <class Ready, class Call>
void with_condition(Ready& ready, Call&& call)
{
    struct Guarded {
        Ready& ready;
        std::exception_ptr failure;
    } guarded{ready, nullptr};
    const int code = call(
        [](void* g) {
            Guarded& self = *static_cast<Guarded*>(g);
            try {
                return self.ready() ? 1 : 0;
            } catch (...) {
                self.failure = std::current_exception();
                return 1;
            }
        },
        &guarded);
    if (guarded.failure) [[unlikely]]
        std::rethrow_exception(guarded.failure);
    check_fmpl(code);
}

}  // namespace

Messenger::Messenger(int ranks, int world_rank)
    : settings_(settings_from_environment({ranks, is_crowded(), fmpl_is_private_read_preferred() == 0,
          fmpl_envelopes_best_room(), fmpl_envelopes_most_room()})),
      parts_(std::make_unique<Parts>(ranks, settings_)),
      world_rank_(world_rank),
      cpus_suffice_(fmpl_cpus_suffice() != 0),
      call_(fmpl_layer_call())
{
    const int code = fmpl_envelopes_open(settings_.ring_bytes);
    if (code == FMPL_ERR_MISMATCH) {
        fail(ErrorClass::other,
            "the rings of messages are to have {} bytes here, and not on all ranks: set FMPL_MPI_EAGER "
            "and FMPL_PRIVATE_COPY alike on all of them",
            settings_.ring_bytes);
    }
    check_fmpl(code);
    check_fmpl(fmpl_layer_progress_set(
        [](void* messenger) {
            Messenger& self = *static_cast<Messenger*>(messenger);
            try {
                self.progress_until([] { return false; });
            } catch (...) {
                self.parts_->failure_in_fmpl = std::current_exception();
            }
        },
        this));
}

Messenger::~Messenger() = default;

void Messenger::activate(const Ref<ActiveRequest>& request)
{
    request->advance();
    if (!request->complete) parts_->active.push_back(request);
}

// Takes what has come (Parts::Taking), and sends what has waited for room; whether anything had come.
template <class Over, class Take>
bool Messenger::take(Over& over, Take&& take)
{
    Parts& parts = *parts_;
    Parts::Taking taking{parts, [](const void* o) -> bool { return (*static_cast<const Over*>(o))(); }, &over};
    const bool any = take(&Parts::Taking::handle, &taking);
    parts.outbox.flush();  // at each look, also where the next thing that has come ends the wait
    parts.raise_failure();
    return any;
}

template <class Over>
bool Messenger::poll(Over& over)
{
    return take(
        over, [](fmpl_envelope_handler_t handler, void* context) { return fmpl_envelopes_poll(handler, context) > 0; });
}

// One look at everything else that is under way; whether it has changed anything.
bool Messenger::look()
{
    Parts& parts = *parts_;
    for (std::size_t i = 0; i < parts.active.size();) {
        const Ref<ActiveRequest> request = parts.active[i];
        request->advance();
        if (!request->complete) {
            ++i;
        } else {
            parts.active.erase(parts.active.begin() + static_cast<std::ptrdiff_t>(i));
        }
    }
    const bool packed = parts.negotiation.progress(!parts.leaves_copies, !parts.in_passing);
    return parts.channels.progress() || packed;
}

void Messenger::raise_failure_in_fmpl()
{
    if (parts_->failure_in_fmpl) [[unlikely]]
        std::rethrow_exception(std::exchange(parts_->failure_in_fmpl, nullptr));
}

void Messenger::progress()
{
    const Raised raised(parts_->in_passing);
    look_once([this] {
        progress_until([] { return false; });
        return true;
    });
}

// While nothing is under way here, seldom: messages that the program has not asked for yet would be put aside.
void Messenger::progress_if_due()
{
    constexpr unsigned kSeldom = 1024;
    if (parts_->awaits_nothing() && passes_ % kSeldom != 0) return;
    try {
        progress();
    } catch (const JobEnding&) {
        throw;
    } catch (...) {
        // The other members count on the call that this one is about to make: a later one fails.
        parts_->failure_in_fmpl = std::current_exception();
    }
}

void Messenger::progress_without_copies()
{
    raise_failure_in_fmpl();
    const auto over = [] { return false; };
    // Where nothing but an envelope can change anything, a look at the rings is all: one, since a message in pieces may
    // come for long. Where ranks share CPUs that would let the others run, which fmpl_look() does not do here.
    if (cpus_suffice_ && parts_->goes_on_by_envelopes() && !parts_->progressing) {
        poll(over);
        if (parts_->goes_on_by_envelopes()) return;
    }
    const Raised raised(parts_->leaves_copies);
    progress();
}

bool Messenger::nothing_has_come() const
{
    return parts_->goes_on_by_envelopes() && !parts_->progressing && !parts_->failure_in_fmpl &&
           fmpl_nothing_has_come() != 0;
}

bool Messenger::look_for(Condition done, void* context)
{
    raise_failure_in_fmpl();
    const auto over = [&] { return done(context) != 0; };
    // As in a wait: where nothing but an envelope can change anything, a look is one at the rings alone.
    while (parts_->goes_on_by_envelopes() && !parts_->progressing) {
        const bool arrived = take(over, [](fmpl_envelope_handler_t handler, void* taking) {
            int taken = 0;
            check_fmpl(fmpl_envelopes_look(handler, taking, &taken));
            return taken > 0;
        });
        if (over()) return true;
        if (!arrived) return false;
    }
    return look_once([&] { return progress_until(over); });
}

// What ready() returns, called once; false after the ranks that share the CPU have had it.
template <class Ready>
bool Messenger::look_once(Ready&& ready)
{
    raise_failure_in_fmpl();
    int is_ready = 0;
    with_condition(ready, [&](Condition condition, void* context) { return fmpl_look(condition, context, &is_ready); });
    return is_ready != 0;
}

// Until a look has changed nothing, or over() is true: after a look that leaves a wait unfinished the rank may sleep,
// and nothing that is complete already would wake it.
template <class Over>
bool Messenger::progress_until(Over&& over)
{
    if (parts_->progressing) return over();  // a function of the user's, called from here, has made an MPI call
    const Raised progressing(parts_->progressing);
    for (;;) {
        const bool arrived = poll(over);
        if (arrived && over()) return true;
        const bool changed = look();
        if (over()) return true;
        // A call that leaves copies to waits goes on, and is no wait.
        if ((!arrived && !changed) || parts_->leaves_copies) return false;
    }
}

void Messenger::wait_for(Condition ready, void* context, int peer, int tag, std::size_t bytes)
{
    const fmpl_wait_words words{nullptr, peer, tag, 0, bytes, generalized_requests > 0, 0};
    const auto is_ready = [&] { return ready(context) != 0; };
    with_condition(is_ready, [&](Condition guarded, void* guard) { return fmpl_wait_until(guarded, guard, &words); });
}

void Messenger::wait(Request& request, int peer, int tag, std::size_t bytes)
{
    // What completing it touches, of thousands of requests that lie in no core's first cache.
    for (const std::size_t at : {64, 128}) __builtin_prefetch(reinterpret_cast<const std::byte*>(&request) + at, 1);
    const auto over = [&] { return request.complete; };
    const bool others_too = peer < 0;
    if (others_too && !request.complete) peer = request.awaited();
    wait_over(over, peer, tag, bytes, others_too);
}

void Messenger::wait_until_done(Condition done, void* context, int peer, int tag, std::size_t bytes)
{
    const auto over = [&] { return done(context) != 0; };
    wait_over(over, peer, tag, bytes, false);
}

template <class Over>
void Messenger::wait_over(Over& over, int peer, int tag, std::size_t bytes, bool others_too)
{
    if (turns_ != nullptr) [[unlikely]]
        return wait_among_threads(over);
    raise_failure_in_fmpl();
    // Where nothing but an envelope can change anything, FMPL waits for it. A generalized request is completed from
    // outside, perhaps by a signal handler between two of these lines: first it is complete, then it does not count
    // any more.
    const bool none_is_generalized = generalized_requests == 0;
    std::atomic_signal_fence(std::memory_order_seq_cst);
    const fmpl_wait_words words{nullptr, peer, tag, 0, bytes, 0, others_too ? 1 : 0};
    while (none_is_generalized && !over() && parts_->goes_on_by_envelopes() && !parts_->progressing) {
        take(over, [&](fmpl_envelope_handler_t handler, void* context) {
            check_fmpl(fmpl_envelopes_wait(handler, context, &words));
            return true;
        });
    }
    if (!over()) wait_until([&] { return progress_until(over); }, peer, tag, bytes);
}

// A thread that slept would keep the others out, whose calls may be what this one waits for.
template <class Over>
void Messenger::wait_among_threads(Over& over)
{
    while (!over()) {
        const auto done = [&] { return over(); };
        if (look(done)) return;
        turns_->let_others_in();
    }
}

void Messenger::settle(const Communicator& comm)
{
    const auto is_of_comm = [&](Context context) {
        const auto is_of = [&](const Communicator& of) {
            return context == of.context(Traffic::point_to_point) || context == of.context(Traffic::collective);
        };
        return is_of(comm) || (comm.local != nullptr && is_of(*comm.local));
    };
    const auto is_quiet = [&] {
        const auto is_active = [&](const Ref<ActiveRequest>& request) { return request->waits_for_members_of(comm); };
        return std::none_of(parts_->active.begin(), parts_->active.end(), is_active) &&
               !parts_->sends.any_under_way([&](const auto& send) { return is_of_comm(send.envelope.context); }) &&
               !parts_->receives.any_under_way([&](const auto& receive) { return is_of_comm(receive.key.context); });
    };
    raise_failure_in_fmpl();
    if (turns_ != nullptr) return wait_among_threads(is_quiet);
    wait_until([&] { return progress_until(is_quiet); });
}

void Messenger::close()
{
    // What is to be read where it lies is there only until its source leaves the barrier.
    const auto has_read_all = [&] { return !parts_->negotiation.reads(); };
    if (!has_read_all()) wait_until([&] { return progress_until(has_read_all); });
    // In the barrier the messages of ranks that still wait for some go on. After it no rank receives any more: what
    // was matched has arrived, and what was not never will be.
    check_fmpl(fmpl_barrier(FMPL_COMM_WORLD));
    progress_without_copies();  // sees that sends are over whose messages were received last
    parts_->invitations.close();
    check_fmpl(fmpl_layer_progress_set(nullptr, nullptr));
}

}  // namespace fmpl::mpi
