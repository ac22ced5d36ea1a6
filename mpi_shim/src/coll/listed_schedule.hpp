// The steps of a nonblocking collective call, in a list that the messenger goes through. It keeps communicator, types,
// operation and temporary memory alive until the last step.
#pragma once

#include "coll/schedule.hpp"
#include "p2p/request_pool.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace fmpl::mpi {

class ListedSchedule final : public ActiveRequest, public Schedule {
public:
    // For the next collective operation on `comm`. `state` and `messenger`, the rank's, live longer.
    static Ref<ListedSchedule> on(CollectiveState& state, Messenger& messenger, const CommunicatorPtr& comm);
    // Of what is under way of a call that has failed.
    static Ref<ListedSchedule> of_rest(
        CollectiveState& state, Messenger& messenger, const CommunicatorPtr& comm, Schedule& failed);

    void end_round() override;

    void advance() override;
    bool waits_for_members_of(const Communicator& comm) const override { return !complete && comm_.get() == &comm; }
    // Throws Error: a collective operation cannot be cancelled (MPI-3.1, section 5.12).
    void cancel(Messenger& messenger) override;
    const char* error_words() const override { return error_words_.c_str(); }

    RequestPool<ListedSchedule>* pool = nullptr;
    ListedSchedule* next_free = nullptr;

private:
    struct Step {
        enum class Kind : std::uint8_t { send, receive, copy, reduce, give, decline, take, end_round };
        Kind kind;
        SendMode mode = SendMode::standard;
        int peer = 0;
        std::uint64_t bytes = 0;  // of receive, that are expected; of decline; of take, the number of what is done then
        Members members{};
        KeptBuffer buffer{};  // of reduce: `data` is `in`, `count` the count
        KeptBuffer target{};  // of copy; of reduce: `data` is `inout`
    };

    void add_send(const Members& members, const MessageBuffer& buffer, int peer, SendMode mode) override;
    void add_receive(const Members& members, const MessageBuffer& buffer, int peer, std::uint64_t expected) override;
    void add_copy(const MessageBuffer& from, const MessageBuffer& to) override;
    void add_reduce(const void* in, void* inout, std::int64_t count) override;
    void add_give(const MessageBuffer& kept, int to) override;
    void add_decline(std::uint64_t bytes, int to) override;
    void add_take(int from, std::function<void(const Given&)> then) override;
    void add(Step&& step) { (taking_ ? added_ : steps_).push_back(std::move(step)); }
    void drop_messages_of_round();
    bool nothing_is_before() const override { return steps_.empty() && pending_.empty(); }
    // Nothing has to be done before what is added.
    bool is_done_now() const { return taking_ ? added_.empty() : nothing_is_before(); }
    bool go_on();
    bool begin(const Step& step);
    void release();
    void dispose() override;

    CommunicatorPtr comm_;
    std::vector<Step> steps_;
    std::vector<std::function<void(const Given&)>> takes_;  // what is done with what is taken
    std::size_t next_ = 0;
    bool advancing_ = false;
    bool in_round_ = false;    // a step of the present round waits for what others give, or for room
    bool taking_ = false;      // within what a step does with that
    std::vector<Step> added_;  // by that
};

}  // namespace fmpl::mpi
