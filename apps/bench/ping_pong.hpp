// The ping-pong of a pair of ranks: the even one sends, the odd one answers (paper, section 5.1).
//
// With several buffers the answer is not the message that has just come but the one that came half the buffers before,
// so that either way finds its data in the same state: no longer in the caches of the core that last touched it.
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

    // The buffer that comes back in round trip i.
    static std::uint64_t answer(const BufferPool& pool, std::uint64_t i) { return i + pool.buffers() / 2; }

    // Whether every message came from the right rank in its whole length and all buffers hold the pattern.
    bool verify() const;

private:
    bool is_from_peer() const;
    std::uint64_t seed(std::uint64_t buffer) const;

    const Pairing& pairing_;
    BufferPool pool_;
    std::byte* memory_;
    bool delivered_ = true;  // all of the first exchange came as it was sent
};

}  // namespace fmpl::bench
