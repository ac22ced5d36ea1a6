// The steps of a blocking collective call, done as they are added. Short messages then need no request: one that may go
// eagerly is sent, and one receive that a round waits for, and for nothing else, is a blocking one when the round ends.
#pragma once

#include "coll/schedule.hpp"

#include <memory>
#include <utility>

namespace fmpl::mpi {

class ImmediateSchedule final : public Schedule {
public:
    // Ends the last round. Throws Error when a step failed.
    void conclude();

    void end_round() override;

private:
    friend class ImmediateCall;

    // The call has failed before its end: messages that are under way go on, and memory stays theirs until they are
    // through.
    void abandon(const CommunicatorPtr& comm);

    void add_send(const Channel& channel, const MessageBuffer& buffer, int peer) override;
    void add_receive(const Channel& channel, const MessageBuffer& buffer, int peer, std::uint64_t expected) override;
    void add_copy(const MessageBuffer& from, const MessageBuffer& to) override;
    void add_reduce(const void* in, void* inout, std::int64_t count) override;
    void begin_deferred();

    // A short receive of this round, not begun: it is to be a blocking one, if nothing else is waited for.
    struct Deferred {
        Channel channel{};
        MessageBuffer buffer;
        int peer = 0;
        std::uint64_t expected = 0;
    };
    Deferred deferred_;
    bool has_deferred_ = false;
};

// The call that has such a schedule, for its lifetime.
class ImmediateCall {
public:
    // For the next collective operation on `comm`. `state` and `engine`, the rank's, live longer.
    ImmediateCall(CollectiveState& state, Engine& engine, const CommunicatorPtr& comm)
        : state_(state),
          comm_(comm),
          schedule_(state.immediate != nullptr ? std::move(state.immediate) : std::make_unique<ImmediateSchedule>())
    {
        schedule_->open(state, engine, *comm);
    }
    ~ImmediateCall()
    {
        if (!schedule_->pending_.empty()) [[unlikely]]
            schedule_->abandon(comm_);
        schedule_->has_deferred_ = false;
        schedule_->close();
        state_.immediate = std::move(schedule_);
    }
    ImmediateCall(const ImmediateCall&) = delete;
    ImmediateCall& operator=(const ImmediateCall&) = delete;

    ImmediateSchedule& schedule() const { return *schedule_; }

private:
    CollectiveState& state_;
    CommunicatorPtr comm_;
    std::unique_ptr<ImmediateSchedule> schedule_;
};

}  // namespace fmpl::mpi
