#include "messenger/buffered_sends.hpp"

#include "error.hpp"

#include <mpi.h>

#include <algorithm>
#include <cstdint>

namespace fmpl::mpi {
namespace {

// The overhead leaves room to begin the copy at a cache line.
constexpr std::size_t kAlignment = 64;
static_assert(kAlignment <= MPI_BSEND_OVERHEAD);

}  // namespace

std::optional<std::size_t> BufferedSends::first_fit(std::size_t bytes) const
{
    std::size_t begin = 0;
    for (const Message& message : messages_) {
        if (message.begin - begin >= bytes) return begin;
        begin = message.end;
    }
    return size_ - begin >= bytes ? std::optional(begin) : std::nullopt;
}

std::size_t BufferedSends::find_room(Messenger& messenger, std::size_t bytes)
{
    const std::size_t end = messages_.empty() ? 0 : messages_.back().end;
    if (size_ - end >= bytes) return end;
    messenger.progress();
    std::erase_if(messages_, [](const Message& message) { return message.request->complete; });
    const std::optional<std::size_t> begin = first_fit(bytes);
    if (!begin) {
        std::size_t in_use = 0;
        for (const Message& message : messages_) in_use += message.end - message.begin;
        fail(MPI_ERR_BUFFER,
            "the attached buffer of {} bytes has no room for a message that takes {} with MPI_BSEND_OVERHEAD; {} "
            "messages that "
            "are not received yet take {}; attach a larger buffer",
            size_, bytes, messages_.size(), in_use);
    }
    return *begin;
}

void BufferedSends::send(
    Messenger& messenger, const MessageBuffer& message, Communicator& comm, int destination, int tag)
{
    const std::size_t bytes = message.bytes + MPI_BSEND_OVERHEAD;
    const std::size_t begin = find_room(messenger, bytes);
    const std::uintptr_t address = reinterpret_cast<std::uintptr_t>(buffer_) + begin;
    std::byte* const copy = buffer_ + begin + (kAlignment - address % kAlignment) % kAlignment;
    message.pack(0, message.bytes, copy);
    RequestRef request =
        messenger.isend(MessageBuffer::piece(copy, message.bytes), comm, Traffic::point_to_point, destination, tag);
    if (request->complete) return;
    const auto place =
        std::find_if(messages_.begin(), messages_.end(), [&](const Message& other) { return other.begin >= begin; });
    messages_.insert(place, {begin, begin + bytes, std::move(request)});
}

void BufferedSends::wait_until_empty(Messenger& messenger)
{
    for (const Message& message : messages_) {
        if (!message.request->complete) messenger.wait(*message.request);
    }
    messages_.clear();
}

RequestRef start_buffered_send(const AttachedBuffer& attached, Messenger& messenger, const MessageBuffer& message,
    Communicator& comm, int destination, int tag)
{
    if (destination != MPI_PROC_NULL) {
        if (attached == nullptr) {
            fail(MPI_ERR_BUFFER, "no buffer is attached for a send of the buffered mode; call MPI_Buffer_attach first");
        }
        attached->send(messenger, message, comm, destination, tag);
    }
    RequestRef request(new Request());
    request->complete_with(Status::empty());
    return request;
}

}  // namespace fmpl::mpi
