// The ping-pong of a pair of ranks: the first one sends, the other one answers (paper, section 5.1).
//
// As is usual, either way has its own buffers: the message that comes is not the one that goes back.
#pragma once

#include "job.hpp"
#include "message_memory.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace fmpl::bench {

// Round trips of a batch, where the user has not said how many: fewer of long messages.
inline int latency_reps(std::size_t bytes)
{
    constexpr std::size_t bytes_of_a_batch = std::size_t{16} << 20;
    return static_cast<int>(std::clamp<std::size_t>(bytes_of_a_batch / std::max<std::size_t>(bytes, 1), 20, 10'000));
}

// Message says what of a buffer travels, and how:
//   send(buffer, peer), receive(buffer, peer)
//   clear(buffer)        leaves nothing of a pattern in it
//   fill(buffer, seed)   puts the pattern of the seed where the message takes it from
//   holds(buffer, seed)  whether it is there, and all else as clear or fill left it
template <class Message>
class PingPong {
public:
    // memory: pool.total_bytes() of this rank's own. The first rank fills it with a pattern and sends all of it to the
    // other one once.
    PingPong(const Pairing& pairing, const Message& message, const BufferPool& pool, std::byte* memory);

    // Round trips first .. first + count - 1, each through the buffers whose turn it is.
    void operator()(std::uint64_t first, std::uint64_t count) const;

    // Whether all buffers hold the pattern, and hold it again after each rank has cleared those that it receives into
    // and all messages were exchanged once more.
    bool verify() const;

private:
    bool has_all_patterns() const;
    std::uint64_t seed(std::uint64_t buffer) const;

    const Pairing& pairing_;
    Message message_;
    BufferPool pool_;
    std::byte* memory_;
    bool delivered_ = true;  // all of the first exchange came as it was sent
};

// The buffers of round trip i: there and back.
inline std::uint64_t there(std::uint64_t i)
{
    return 2 * i;
}
inline std::uint64_t back(std::uint64_t i)
{
    return 2 * i + 1;
}

template <class Message>
PingPong<Message>::PingPong(const Pairing& pairing, const Message& message, const BufferPool& pool, std::byte* memory)
    : pairing_(pairing),
      message_(message),
      pool_(pool),
      memory_(memory)
{
    if (!pairing_.takes_part()) return;
    for (std::uint64_t i = 0; i < pool_.buffers(); ++i) {
        std::byte* buffer = pool_.at(memory_, i);
        if (pairing_.first()) {
            message_.fill(buffer, seed(i));
            message_.send(buffer, pairing_.peer());
        } else {
            message_.clear(buffer);
            message_.receive(buffer, pairing_.peer());
            delivered_ = delivered_ && message_.holds(buffer, seed(i));
        }
    }
}

template <class Message>
void PingPong<Message>::operator()(std::uint64_t first, std::uint64_t count) const
{
    const int peer = pairing_.peer();
    const bool sends_first = pairing_.first();
    for (std::uint64_t i = first; i < first + count; ++i) {
        std::byte* of_there = pool_.at(memory_, there(i));
        std::byte* of_back = pool_.at(memory_, back(i));
        if (sends_first) {
            message_.send(of_there, peer);
            message_.receive(of_back, peer);
        } else {
            message_.receive(of_there, peer);
            message_.send(of_back, peer);
        }
    }
}

template <class Message>
bool PingPong<Message>::verify() const
{
    if (!pairing_.takes_part()) return true;
    if (!delivered_ || !has_all_patterns()) return false;
    for (std::uint64_t i = pairing_.first() ? 1 : 0; i < pool_.buffers(); i += 2) {
        message_.clear(pool_.at(memory_, i));
    }
    (*this)(0, pool_.buffers() / 2);
    return has_all_patterns();
}

template <class Message>
bool PingPong<Message>::has_all_patterns() const
{
    for (std::uint64_t i = 0; i < pool_.buffers(); ++i) {
        if (!message_.holds(pool_.at(memory_, i), seed(i))) return false;
    }
    return true;
}

template <class Message>
std::uint64_t PingPong<Message>::seed(std::uint64_t buffer) const
{
    return buffer * 65536 + static_cast<std::uint64_t>(pairing_.first_rank());  // the same at both ends
}

}  // namespace fmpl::bench
