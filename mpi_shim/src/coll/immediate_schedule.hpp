// The steps of a blocking collective call, done as they are added. Short messages then need no request: one that may go
// eagerly is sent, and if a round waits for nothing but short receives, they are blocking ones when it ends.
#pragma once

#include "coll/fast_path.hpp"
#include "coll/schedule.hpp"

#include <memory>
#include <utility>
#include <vector>

namespace fmpl::mpi {

class ImmediateSchedule final : public Schedule {
public:
    // Ends the last round. Throws Error when a step failed.
    void conclude()
    {
        end_round();
        if (error_ != 0) [[unlikely]]
            throw_error();
    }

    void end_round() override
    {
        if (!pending_.empty() || !deferred_.empty()) receive_and_wait();
    }
    void withdraw_receive(int peer) override;

private:
    friend class ImmediateCall;

    // The call has failed before its end: messages that are under way go on, and memory stays theirs until they are
    // through.
    void abandon();

    [[noreturn]] void throw_error();
    void receive_and_wait();
    void add_send(const Members& members, const MessageBuffer& buffer, int peer, SendMode mode) override;
    void add_receive(const Members& members, const MessageBuffer& buffer, int peer, std::uint64_t expected) override;
    void add_copy(const MessageBuffer& from, const MessageBuffer& to) override;
    void add_reduce(const void* in, void* inout, std::int64_t count) override;
    void begin_deferred();

    // A receive of this round, not begun.
    struct Deferred {
        Members members;
        MessageBuffer buffer;
        int peer;
        std::uint64_t expected;
    };
    std::vector<Deferred> deferred_;
};

// The call that has such a schedule, for its lifetime.
class ImmediateCall {
public:
    // For the next collective operation on `comm`. This, `state` and `messenger`, the rank's, live longer.
    [[gnu::always_inline]] ImmediateCall(CollectiveState& state, Messenger& messenger, Communicator& comm)
        : state_(state),
          schedule_(state.immediate != nullptr ? std::move(state.immediate) : std::make_unique<ImmediateSchedule>())
    {
        schedule_->open(state, messenger, comm);
        // Each call goes through one, whether it uses it or not, and also if its arguments turn out to be wrong: so the
        // members' counts agree.
        schedule_->begin_exchange(comm.is_inter() ? nullptr : exchanges_of_blocking(state, comm), true);
    }
    [[gnu::always_inline]] ~ImmediateCall()
    {
        if (!schedule_->pending_.empty()) [[unlikely]]
            schedule_->abandon();
        if (!schedule_->deferred_.empty()) [[unlikely]]
            schedule_->deferred_.clear();
        schedule_->close();
        schedule_->end_exchange();
        state_.immediate = std::move(schedule_);
    }
    ImmediateCall(const ImmediateCall&) = delete;
    ImmediateCall& operator=(const ImmediateCall&) = delete;

    ImmediateSchedule& schedule() const { return *schedule_; }

private:
    CollectiveState& state_;
    std::unique_ptr<ImmediateSchedule> schedule_;
};

}  // namespace fmpl::mpi
