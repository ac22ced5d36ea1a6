#include "messenger/buffered_sends.hpp"

#include "error.hpp"

#include <cstdint>

namespace fmpl::mpi {
namespace {

// The overhead leaves room to begin the copy at a cache line.
constexpr std::size_t kAlignment = 64;
static_assert(kAlignment <= kBsendOverhead);

}  // namespace

// From there on, where messages that follow have gone.
std::optional<std::size_t> BufferedSends::room_behind(std::size_t begin, std::size_t bytes)
{
    auto next = messages_.lower_bound(begin);
    while (next != messages_.end() && next->first - begin < bytes && next->second.request->complete) {
        next = messages_.erase(next);
    }
    const std::size_t end = next == messages_.end() ? size_ : next->first;
    return end - begin >= bytes ? std::optional(begin) : std::nullopt;
}

std::optional<std::size_t> BufferedSends::first_fit(std::size_t bytes) const
{
    std::size_t begin = 0;
    for (const auto& [next, message] : messages_) {
        if (next - begin >= bytes) return begin;
        begin = message.end;
    }
    return size_ - begin >= bytes ? std::optional(begin) : std::nullopt;
}

std::size_t BufferedSends::find_room(Messenger& messenger, std::size_t bytes)
{
    for (const std::size_t begin : {end_of_last_, std::size_t{0}}) {
        if (const auto room = room_behind(begin, bytes)) return *room;
    }
    messenger.progress();
    std::erase_if(messages_, [](const auto& message) { return message.second.request->complete; });
    const std::optional<std::size_t> begin = first_fit(bytes);
    if (!begin) {
        std::size_t in_use = 0;
        for (const auto& [first, message] : messages_) in_use += message.end - first;
        fail(ErrorClass::buffer,
            "the attached buffer of {} bytes has no room for a message that takes {} with MPI_BSEND_OVERHEAD; {} "
            "messages that are not received yet take {}; attach a larger buffer",
            size_, bytes, messages_.size(), in_use);
    }
    return *begin;
}

void BufferedSends::send(
    Messenger& messenger, const MessageBuffer& message, Communicator& comm, int destination, int tag)
{
    const std::size_t bytes = message.bytes + kBsendOverhead;
    const std::size_t begin = find_room(messenger, bytes);
    const std::uintptr_t address = reinterpret_cast<std::uintptr_t>(buffer_) + begin;
    std::byte* const copy = buffer_ + begin + (kAlignment - address % kAlignment) % kAlignment;
    message.pack(0, message.bytes, copy);
    RequestRef request =
        messenger.isend(MessageBuffer::piece(copy, message.bytes), comm, Traffic::point_to_point, destination, tag);
    if (request->complete) return;
    end_of_last_ = begin + bytes;
    messages_.emplace(begin, Message{end_of_last_, std::move(request)});
}

void BufferedSends::wait_until_empty(Messenger& messenger)
{
    for (const auto& [begin, message] : messages_) {
        if (!message.request->complete) messenger.wait(*message.request);
    }
    messages_.clear();
    end_of_last_ = 0;
}

void send_buffered(const AttachedBuffer& attached, Messenger& messenger, const MessageBuffer& message,
    Communicator& comm, int destination, int tag)
{
    if (destination == kProcNull) return;
    if (attached == nullptr) {
        fail(ErrorClass::buffer, "no buffer is attached for a send of the buffered mode; call MPI_Buffer_attach first");
    }
    // One that the buffer does not hold is refused, whether it could go at once or not.
    const bool is_held = message.bytes + kBsendOverhead <= attached->size();
    const auto has_gone = [&] {
        return is_held && messenger.send_eagerly(message, comm, Traffic::point_to_point, destination, tag);
    };
    if (has_gone()) return;
    // A sender that is faster than the receiver would fill the buffer. A look in vain takes about as long as the
    // receiver needs for a few messages; where the two share a CPU, it has that then.
    if (is_held) messenger.look([] { return false; });
    if (!has_gone()) attached->send(messenger, message, comm, destination, tag);
}

}  // namespace fmpl::mpi
