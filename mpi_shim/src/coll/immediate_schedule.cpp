#include "coll/immediate_schedule.hpp"

#include "coll/listed_schedule.hpp"
#include "error.hpp"

#include <utility>

namespace fmpl::mpi {
namespace {

// A longer message is better off if its receive is posted early.
constexpr std::uint64_t kDeferredBytes = 4096;

}  // namespace

void ImmediateSchedule::throw_error()
{
    throw Error(error_, std::exchange(error_words_, {}));
}

void ImmediateSchedule::receive_and_wait()
{
    if (pending_.empty()) {
        for (const Deferred& receive : deferred_) {
            const Members& members = receive.members;
            keep_error([&] {
                note_status(
                    messenger_->recv(receive.buffer, *members.comm, Traffic::collective, receive.peer, members.tag),
                    receive.expected);
            });
        }
        deferred_.clear();
        return;
    }
    begin_deferred();
    while (!pending_.empty()) {
        if (Request& request = *pending_.back().request; !request.complete) messenger_->wait(request);
        note_status(pending_.back().request->status, pending_.back().expected);
        pending_.pop_back();
    }
}

void ImmediateSchedule::withdraw_receive(int peer)
{
    std::erase_if(deferred_, [&](const Deferred& receive) { return receive.peer == peer; });
    Schedule::withdraw_receive(peer);
}

void ImmediateSchedule::abandon()
{
    const CommunicatorPtr comm = members().comm->shared_from_this();
    const Ref<ListedSchedule> rest = ListedSchedule::of_rest(*state_, *messenger_, comm, *this);
    messenger_->activate(rest);
}

void ImmediateSchedule::add_send(const Members& members, const MessageBuffer& buffer, int peer, SendMode mode)
{
    keep_error([&] {
        const bool may_be_eager = mode == SendMode::standard || !messenger_->is_long_of_many(buffer.bytes);
        if (may_be_eager && messenger_->send_eagerly(buffer, *members.comm, Traffic::collective, peer, members.tag)) {
            return;
        }
        begin_send(members, buffer, peer, mode);
    });
}

void ImmediateSchedule::add_receive(
    const Members& members, const MessageBuffer& buffer, int peer, std::uint64_t expected)
{
    if (buffer.bytes <= kDeferredBytes) {
        deferred_.push_back({members, buffer, peer, expected});
        return;
    }
    begin_deferred();  // several messages of one rank match in the order of their receives
    keep_error([&] { begin_receive(members, buffer, peer, expected); });
}

void ImmediateSchedule::add_copy(const MessageBuffer& from, const MessageBuffer& to)
{
    keep_error([&] { copy_message(from, to, from.bytes); });
}

void ImmediateSchedule::add_reduce(const void* in, void* inout, std::int64_t count)
{
    keep_error([&] { reduce_now(in, inout, count); });
}

void ImmediateSchedule::begin_deferred()
{
    for (const Deferred& receive : deferred_) {
        keep_error([&] { begin_receive(receive.members, receive.buffer, receive.peer, receive.expected); });
    }
    deferred_.clear();
}

}  // namespace fmpl::mpi
