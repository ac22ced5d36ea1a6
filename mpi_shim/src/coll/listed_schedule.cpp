#include "coll/listed_schedule.hpp"

#include "coll/fast_path.hpp"
#include "error.hpp"

#include <cstddef>
#include <iterator>
#include <utility>

namespace fmpl::mpi {

Ref<ListedSchedule> ListedSchedule::on(CollectiveState& state, Messenger& messenger, const CommunicatorPtr& comm)
{
    Ref<ListedSchedule> schedule = state.schedules.take();
    schedule->comm_ = comm;
    schedule->open(state, messenger, *comm);
    schedule->begin_exchange(comm->is_inter() ? nullptr : exchanges_of_nonblocking(state, *comm), false);
    return schedule;
}

Ref<ListedSchedule> ListedSchedule::of_rest(
    CollectiveState& state, Messenger& messenger, const CommunicatorPtr& comm, Schedule& failed)
{
    Ref<ListedSchedule> schedule = state.schedules.take();
    schedule->comm_ = comm;
    schedule->take_over(failed);
    schedule->state_ = &state;
    schedule->messenger_ = &messenger;
    schedule->error_ = 0;
    return schedule;
}

void ListedSchedule::end_round()
{
    const std::vector<Step>& steps = taking_ ? added_ : steps_;
    if (!steps.empty() && steps.back().kind != Step::Kind::end_round) add({.kind = Step::Kind::end_round});
}

void ListedSchedule::advance()
{
    // The messenger and the user's functions that steps call may come back here.
    if (advancing_ || complete) return;
    advancing_ = true;
    while (go_on()) {
    }
    advancing_ = false;
}

// Begins what of a round can be begun; whether another one may be.
bool ListedSchedule::go_on()
{
    while (!pending_.empty() && pending_.back().request->complete) {
        note_status(pending_.back().request->status, pending_.back().expected);
        pending_.pop_back();
    }
    if (!in_round_) {
        if (!pending_.empty()) return false;
        if (next_ == steps_.size()) {
            release();
            return false;
        }
    }
    in_round_ = true;
    while (next_ < steps_.size()) {
        const std::size_t step = next_;
        bool is_begun = true;
        keep_error([&] { is_begun = begin(steps_[step]); });
        if (!is_begun) return false;
        ++next_;
        if (steps_[step].kind == Step::Kind::end_round) break;
    }
    in_round_ = false;
    return true;
}

void ListedSchedule::cancel(Messenger&)
{
    fail(ErrorClass::request, "request is of a collective operation, which cannot be cancelled; wait for it");
}

void ListedSchedule::add_send(const Members& members, const MessageBuffer& buffer, int peer, SendMode mode)
{
    add({.kind = Step::Kind::send, .mode = mode, .peer = peer, .members = members, .buffer = buffer});
}

void ListedSchedule::add_receive(const Members& members, const MessageBuffer& buffer, int peer, std::uint64_t expected)
{
    add({.kind = Step::Kind::receive, .peer = peer, .bytes = expected, .members = members, .buffer = buffer});
}

void ListedSchedule::add_copy(const MessageBuffer& from, const MessageBuffer& to)
{
    if (is_done_now()) return keep_error([&] { copy_message(from, to, from.bytes); });
    add({.kind = Step::Kind::copy, .buffer = from, .target = to});
}

void ListedSchedule::add_reduce(const void* in, void* inout, std::int64_t count)
{
    if (is_done_now()) return keep_error([&] { reduce_now(in, inout, count); });
    Step step{
        .kind = Step::Kind::reduce, .buffer = MessageBuffer::piece(in, 0), .target = MessageBuffer::piece(inout, 0)};
    step.buffer.count = count;
    add(std::move(step));
}

void ListedSchedule::add_give(const MessageBuffer& kept, int to)
{
    add({.kind = Step::Kind::give, .peer = to, .buffer = kept});
}

void ListedSchedule::add_decline(std::uint64_t bytes, int to)
{
    add({.kind = Step::Kind::decline, .peer = to, .bytes = bytes});
}

void ListedSchedule::add_take(int from, std::function<void(const Given&)> then)
{
    add({.kind = Step::Kind::take, .peer = from, .bytes = takes_.size()});
    takes_.push_back(std::move(then));
}

// Whether it is: it may have to wait for others. It may add steps.
bool ListedSchedule::begin(const Step& step)
{
    switch (step.kind) {
        case Step::Kind::send:
            begin_send(step.members, step.buffer, step.peer, step.mode);
            return true;
        case Step::Kind::receive:
            begin_receive(step.members, step.buffer, step.peer, step.bytes);
            return true;
        case Step::Kind::copy:
            copy_message(step.buffer, step.target, step.buffer.bytes);
            return true;
        case Step::Kind::reduce:
            reduce_now(step.buffer.data, step.target.data, step.buffer.count);
            return true;
        case Step::Kind::give:
            try {
                return give_now(step.buffer, step.peer);
            } catch (...) {
                drop_messages_of_round();
                throw;
            }
        case Step::Kind::decline:
            return decline_now(step.bytes, step.peer);
        case Step::Kind::take: {
            Given given;
            if (!take_now(step.peer, given)) return false;
            const std::function<void(const Given&)> then = std::move(takes_[step.bytes]);
            taking_ = true;
            keep_error([&] { then(given); });
            taking_ = false;
            // Into the present round: a message that comes so is received while others are sent.
            steps_.insert(steps_.begin() + static_cast<std::ptrdiff_t>(next_) + 1,
                std::make_move_iterator(added_.begin()), std::make_move_iterator(added_.end()));
            added_.clear();
            return true;
        }
        case Step::Kind::end_round:
            return true;
    }
    return true;
}

// This rank had no memory to say which blocks go as messages: nobody receives them.
void ListedSchedule::drop_messages_of_round()
{
    for (std::size_t i = next_ + 1; i < steps_.size() && steps_[i].kind != Step::Kind::end_round; ++i) {
        Step& step = steps_[i];
        if (step.kind == Step::Kind::send && step.peer != members().rank()) step = {.kind = Step::Kind::copy};
    }
}

void ListedSchedule::release()
{
    status = Status::empty();
    status.error = error_;
    complete = true;
    steps_.clear();
    takes_.clear();
    added_.clear();
    next_ = 0;
    in_round_ = false;
    end_exchange();
    close();
    comm_.reset();
}

void ListedSchedule::dispose()
{
    // Not complete where the call failed before it was started.
    if (!complete) release();
    pending_.clear();
    error_words_.clear();
    pool->give_back(*this);
}

}  // namespace fmpl::mpi
