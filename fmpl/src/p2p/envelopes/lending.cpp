#include "p2p/envelopes/lending.hpp"

#include "p2p/offers.hpp"

namespace fmpl {

// Looks for as long as a destination that waits needs to claim it.
bool Loan::is_returned_soon() const
{
    constexpr std::uint32_t kLooksBetweenClocks = 8;
    std::uint64_t deadline_ns = 0;
    for (std::uint32_t looks = 1; !is_returned(); ++looks) {
        cpu_relax();
        if (looks % kLooksBetweenClocks != 0) continue;
        const std::uint64_t ns = monotonic_ns();
        if (deadline_ns == 0) {
            deadline_ns = ns + kClaimedSoonNs;
        } else if (ns >= deadline_ns) {
            return false;
        }
    }
    return true;
}

bool Loan::await_return(
    Node& node, EnvelopeClaim& claim, std::uint64_t number, int destination, std::size_t bytes) const
{
    if (is_returned_soon()) return true;
    if (claim.take(number)) return false;
    // It is being copied.
    node.waiter.wait([&] { return is_returned(); }, {.call = Call::envelope_lend, .peer = destination, .bytes = bytes});
    return true;
}

}  // namespace fmpl
