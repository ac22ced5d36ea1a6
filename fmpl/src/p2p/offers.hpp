// Offers: the next message of a channel in the lane, the next envelope to a rank with a body that is lent. The source
// waits until the destination has taken it. One that waits for the message does so at once; one that is busy elsewhere
// lets the source wait in vain, so that after each such offer more messages go another way first.
#pragma once

#include <fmpl/back_off.hpp>

#include <cstdint>

namespace fmpl {

using OfferBackOff = BackOff<8>;

// A destination that waits for a message has claimed it after so long, also between far cores.
inline constexpr std::uint64_t kClaimedSoonNs = 800;

}  // namespace fmpl
