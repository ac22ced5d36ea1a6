#include "coll/listed_schedule.hpp"

#include "error.hpp"

#include <utility>

namespace fmpl::mpi {

Ref<ListedSchedule> ListedSchedule::on(CollectiveState& state, Messenger& messenger, const CommunicatorPtr& comm)
{
    Ref<ListedSchedule> schedule = state.schedules.take();
    schedule->comm_ = comm;
    schedule->open(state, messenger, *comm);
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
    if (!steps_.empty() && steps_.back().kind != Step::Kind::end_round) {
        steps_.push_back({Step::Kind::end_round, 0, 0, {}, {}, {}});
    }
}

void ListedSchedule::advance()
{
    // The messenger and the user's functions that steps call may come back here.
    if (advancing_ || complete) return;
    advancing_ = true;
    for (;;) {
        while (!pending_.empty() && pending_.back().request->complete) {
            note_status(pending_.back().request->status, pending_.back().expected);
            pending_.pop_back();
        }
        if (!pending_.empty()) break;
        if (next_ == steps_.size()) {
            release();
            break;
        }
        while (next_ < steps_.size()) {
            const Step& step = steps_[next_++];
            if (step.kind == Step::Kind::end_round) break;
            keep_error([&] { begin(step); });
        }
    }
    advancing_ = false;
}

void ListedSchedule::cancel(Messenger&)
{
    fail(MPI_ERR_REQUEST, "request is of a collective operation, which cannot be cancelled; wait for it");
}

void ListedSchedule::add_send(const Members& members, const MessageBuffer& buffer, int peer)
{
    steps_.push_back({Step::Kind::send, peer, 0, members, buffer, {}});
}

void ListedSchedule::add_receive(const Members& members, const MessageBuffer& buffer, int peer, std::uint64_t expected)
{
    steps_.push_back({Step::Kind::receive, peer, expected, members, buffer, {}});
}

void ListedSchedule::add_copy(const MessageBuffer& from, const MessageBuffer& to)
{
    steps_.push_back({Step::Kind::copy, 0, 0, {}, from, to});
}

void ListedSchedule::add_reduce(const void* in, void* inout, std::int64_t count)
{
    Step step{Step::Kind::reduce, 0, 0, {}, MessageBuffer::piece(in, 0), MessageBuffer::piece(inout, 0)};
    step.buffer.count = count;
    steps_.push_back(std::move(step));
}

void ListedSchedule::begin(const Step& step)
{
    switch (step.kind) {
        case Step::Kind::send:
            return begin_send(step.members, step.buffer, step.peer);
        case Step::Kind::receive:
            return begin_receive(step.members, step.buffer, step.peer, step.expected);
        case Step::Kind::copy:
            return copy_message(step.buffer, step.target, step.buffer.bytes);
        case Step::Kind::reduce:
            return reduce_now(step.buffer.data, step.target.data, step.buffer.count);
        case Step::Kind::end_round:
            return;
    }
}

void ListedSchedule::release()
{
    status = Status::empty();
    status.error = error_;
    complete = true;
    steps_.clear();
    next_ = 0;
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
