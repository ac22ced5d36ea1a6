// Whether the next message of a channel is worth an offer in the lane, or the next envelope to a rank a body that is
// lent. The source of one waits until the destination has taken it. A destination that waits for the message does so at
// once; one that is busy elsewhere lets the source wait in vain, so after each such offer more messages go another way
// first. In the same way it tells whether it is worth it to keep a CPU (coll/root_succession.hpp).
#pragma once

#include <algorithm>
#include <cstdint>

namespace fmpl {

class OfferChance {
public:
    // A destination that waits for a message has claimed it after so long, also between far cores.
    static constexpr std::uint64_t kClaimedSoonNs = 800;
    static constexpr std::uint32_t kLongest = 8;  // at most 2^8 messages go another way before the next offer

    // Asked once for each message for which the way is free.
    bool is_worth_it()
    {
        if (passes_ == 0) return true;
        --passes_;
        return false;
    }
    // How the last offer ended.
    void was_taken() { level_ -= level_ > 0 ? 1 : 0; }
    void was_left()
    {
        level_ = std::min(level_ + 1, kLongest);
        passes_ = std::uint32_t{1} << level_;
    }

private:
    std::uint32_t passes_ = 0;  // messages that go another way before the next offer
    std::uint32_t level_ = 0;   // offers left, less those taken
};

}  // namespace fmpl
