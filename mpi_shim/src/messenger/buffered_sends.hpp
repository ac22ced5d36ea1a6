// The buffer of MPI_Buffer_attach, and the messages of the buffered mode in it (MPI-3.1, section 3.6).
//
// Each message takes its packed bytes and MPI_BSEND_OVERHEAD, so that a buffer of the size that the standard
// prescribes holds what it is to hold. Room is given out behind the last message, at the end from the beginning again,
// where messages have gone; if one has not, at the first place that has enough. What is known of the messages lies
// outside of the buffer.
#pragma once

#include "group/communicator.hpp"
#include "messenger/messenger.hpp"
#include "p2p/message_buffer.hpp"
#include "p2p/request.hpp"

#include <cstddef>
#include <map>
#include <memory>
#include <optional>

namespace fmpl::mpi {

class BufferedSends {
public:
    // Requires bytes of memory at `buffer`, until this is destroyed.
    BufferedSends(void* buffer, std::size_t bytes) : buffer_(static_cast<std::byte*>(buffer)), size_(bytes) {}

    void* buffer() const { return buffer_; }
    std::size_t size() const { return size_; }

    // Copies the message and sends the copy; does not block. Throws Error (MPI_ERR_BUFFER) when there is no room.
    void send(Messenger& messenger, const MessageBuffer& message, Communicator& comm, int destination, int tag);
    // Blocks until nothing of the buffer is in use.
    void wait_until_empty(Messenger& messenger);

private:
    struct Message {
        std::size_t end;
        RequestRef request;
    };

    std::size_t find_room(Messenger& messenger, std::size_t bytes);
    std::optional<std::size_t> room_behind(std::size_t begin, std::size_t bytes);
    std::optional<std::size_t> first_fit(std::size_t bytes) const;

    std::byte* buffer_;
    std::size_t size_;
    std::map<std::size_t, Message> messages_;  // by where they begin
    std::size_t end_of_last_ = 0;
};
// The one that a rank has; null: none is attached.
using AttachedBuffer = std::unique_ptr<BufferedSends>;

// A buffered send with the buffer that the rank has attached, over when it returns: a message that can go at once needs
// no room there. Throws Error (MPI_ERR_BUFFER) without a buffer or room in it. MPI_PROC_NULL needs none.
void send_buffered(const AttachedBuffer& attached, Messenger& messenger, const MessageBuffer& message,
    Communicator& comm, int destination, int tag);

}  // namespace fmpl::mpi
