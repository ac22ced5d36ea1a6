// What makes a send locally blocking whatever its number and size: each message is sent from a copy, by MPI_Isend, and
// the copy's memory is used again once MPI is done with it.
//
// Messages in progress are looked after in every later call of take, and go on whenever this process waits in MPI.
// Memory of finished ones is kept up to a limit and given back beyond it.
#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>
#include <deque>
#include <vector>

namespace fmpl::blacs {

class SendBuffers {
public:
    SendBuffers() = default;
    SendBuffers(const SendBuffers&) = delete;
    SendBuffers& operator=(const SendBuffers&) = delete;

    // Memory of at least `bytes`, at most kMostBytes, the caller's until start. Throws Error when there is none.
    struct Buffer {
        std::byte* memory;
        std::size_t size_class;
    };
    static constexpr std::size_t kMostBytes = std::size_t{1} << 30;
    Buffer take(std::size_t bytes);

    // The request that the caller's MPI_Isend of the buffer fills at once.
    MPI_Request* start(const Buffer& buffer)
    {
        in_progress_.push_back({MPI_REQUEST_NULL, buffer});
        return &in_progress_.back().request;
    }

    // Gives back the memory of messages that are finished.
    void release_finished();
    // Blocks until the receiver of every message has received it, and gives back all memory.
    void wait_and_release();
    // To be called by all processes of the job when they will receive nothing more: blocks until all have called. A
    // message that nobody received is left to MPI, with its memory. Returns the number of such messages.
    std::size_t abandon_and_release();

private:
    struct Message {
        MPI_Request request;
        Buffer buffer;
    };
    static bool finished(Message& message);
    void recycle(const Buffer& buffer);
    void recycle_finished();
    void release_kept();

    // Size class c has 2^c bytes.
    static constexpr std::size_t kSmallestClass = 6;
    static constexpr std::size_t kClasses = 31;

    std::deque<Message> in_progress_;  // oldest first
    std::size_t look_at_all_from_ = kLookAtAll;
    std::array<std::vector<std::byte*>, kClasses> kept_;
    std::size_t kept_bytes_ = 0;

    static constexpr std::size_t kLookAtAll = 16;
    static constexpr std::size_t kKeptBytes = std::size_t{128} << 20;
};

}  // namespace fmpl::blacs
