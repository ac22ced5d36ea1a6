// The ping-pong of a pair of ranks: the even one sends, the odd one answers (paper, section 5.1).
//
// As is usual, either way has its own buffers: the message that comes is not the one that goes back.
#pragma once

#include "job.hpp"
#include "message_memory.hpp"

#include <cstddef>
#include <cstdint>

namespace fmpl::bench {

class PingPong {
public:
    // memory: pool.total_bytes() of this rank's own. The even rank fills it with a pattern and sends all of it to the
    // odd rank once.
    PingPong(const Pairing& pairing, const BufferPool& pool, std::byte* memory);

    // Round trips first .. first + count - 1, each through the buffers whose turn it is.
    void operator()(std::uint64_t first, std::uint64_t count) const;

    // The buffers of round trip i: there and back.
    static std::uint64_t there(std::uint64_t i) { return 2 * i; }
    static std::uint64_t back(std::uint64_t i) { return 2 * i + 1; }

    // Whether all buffers hold the pattern, and hold it again after each rank has cleared those that it receives into and
    // all messages were exchanged once more.
    bool verify() const;

private:
    bool has_all_patterns() const;
    std::uint64_t seed(std::uint64_t buffer) const;

    const Pairing& pairing_;
    BufferPool pool_;
    std::byte* memory_;
    bool delivered_ = true;  // all of the first exchange came as it was sent
};

}  // namespace fmpl::bench
