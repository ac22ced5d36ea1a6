#include "comm/exchange.hpp"

#include "error.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

namespace fmpl::mpi {
namespace {

std::vector<int> everybody(const Communicator& comm)
{
    std::vector<int> ranks(static_cast<std::size_t>(comm.size()));
    std::iota(ranks.begin(), ranks.end(), 0);
    return ranks;
}

}  // namespace

BinomialPlace BinomialPlace::of(int position, int participants)
{
    BinomialPlace place;
    int bit = 1;
    while (bit < participants && (position & bit) == 0) bit <<= 1;
    if (position != 0) place.parent = position - bit;
    for (bit >>= 1; bit > 0; bit >>= 1) {
        if (position + bit < participants) place.children.push_back(position + bit);
    }
    return place;
}

void check_transfer(const Status& status)
{
    if (status.error != 0) {
        fail_with_code(status.error,
            "a message between the members of the communicator failed; do all of them make the same call?");
    }
}

void wait_for(Messenger& messenger, const RequestRef& request)
{
    messenger.wait(*request);
    check_transfer(request->status);
}

Exchange::Exchange(Messenger& messenger, Communicator& comm)
    : Exchange(messenger, comm, everybody(comm), comm.next_collective_tag())
{
}

Exchange::Exchange(Messenger& messenger, Communicator& comm, std::vector<int> members, int tag)
    : messenger_(messenger),
      comm_(comm),
      members_(std::move(members)),
      position_(static_cast<int>(std::find(members_.begin(), members_.end(), comm.rank()) - members_.begin())),
      tag_(tag)
{
}

RequestRef Exchange::start_send(const void* data, std::size_t bytes, int to)
{
    return messenger_.isend(
        MessageBuffer::piece(data, bytes), comm_, Traffic::collective, members_[static_cast<std::size_t>(to)], tag_);
}

void Exchange::receive(void* data, std::size_t bytes, int from)
{
    check_transfer(messenger_.recv(
        MessageBuffer::piece(data, bytes), comm_, Traffic::collective, members_[static_cast<std::size_t>(from)], tag_));
}

BinomialPlace Exchange::place_below(int root) const
{
    const int n = participants();
    BinomialPlace place = BinomialPlace::of((position_ - root + n) % n, n);
    if (place.parent >= 0) place.parent = (place.parent + root) % n;
    for (int& child : place.children) child = (child + root) % n;
    return place;
}

void Exchange::broadcast(void* data, std::size_t bytes, int root)
{
    if (bytes == 0) return;
    const BinomialPlace place = place_below(root);
    if (place.parent >= 0) receive(data, bytes, place.parent);
    std::vector<RequestRef> sends;
    for (const int child : place.children) sends.push_back(start_send(data, bytes, child));
    for (const RequestRef& send : sends) wait_for(messenger_, send);
}

bool Exchange::all_give(bool mine, int root)
{
    const BinomialPlace place = place_below(root);
    bool all = mine;
    for (const int child : place.children) {
        bool theirs = false;
        receive(&theirs, sizeof theirs, child);
        all = all && theirs;
    }
    if (place.parent >= 0) wait_for(messenger_, start_send(&all, sizeof all, place.parent));
    return all;
}

void Exchange::gather_to_first(const void* mine, void* all, const std::vector<std::size_t>& bytes)
{
    if (position_ != 0) {
        const std::size_t my_bytes = bytes[static_cast<std::size_t>(position_)];
        if (my_bytes > 0) wait_for(messenger_, start_send(mine, my_bytes, 0));
        return;
    }
    auto* at = static_cast<std::byte*>(all);
    std::vector<RequestRef> receives;
    for (int i = 0; i < participants(); ++i) {
        const std::size_t b = bytes[static_cast<std::size_t>(i)];
        if (b > 0 && i == 0) std::memcpy(at, mine, b);
        if (b > 0 && i > 0) {
            receives.push_back(messenger_.irecv(
                MessageBuffer::piece(at, b), comm_, Traffic::collective, members_[static_cast<std::size_t>(i)], tag_));
        }
        at += b;
    }
    for (const RequestRef& receive : receives) wait_for(messenger_, receive);
}

void PairExchange::swap(const void* mine, std::size_t my_bytes, void* theirs, std::size_t their_bytes)
{
    RequestRef send;
    if (my_bytes > 0) {
        send = messenger_.isend(MessageBuffer::piece(mine, my_bytes), comm_, Traffic::collective, peer_, tag_);
    }
    if (their_bytes > 0) {
        check_transfer(
            messenger_.recv(MessageBuffer::piece(theirs, their_bytes), comm_, Traffic::collective, peer_, tag_));
    }
    if (send) wait_for(messenger_, send);
}

}  // namespace fmpl::mpi
