#include "p2p/envelopes/ring.hpp"

namespace fmpl {

void OutgoingRing::write_remotely(
    const Crossbar& crossbar, int destination, Offset at, const void* head, std::uint64_t stamp) const
{
    if (body_bytes != 0) crossbar.write(destination, body_offset(), staging, body_bytes);
    const std::uint32_t words[2] = {body_at, body_bytes};
    crossbar.write(destination, at + offsetof(EnvelopeCell, body_at), words, sizeof words);
    crossbar.write(destination, at + offsetof(EnvelopeCell, head), head, FMPL_ENVELOPE_HEAD);
    crossbar.write_flag(destination, at + offsetof(EnvelopeCell, stamp), stamp);  // pairs with EnvelopeCell::holds()
}

void IncomingRing::return_credit(const Crossbar& crossbar, int source, std::uint32_t number)
{
    returned = number;
    lines_returned = lines_taken;
    // Pairs with OutgoingRing::has_room().
    crossbar.write_flag(source, credit + offsetof(EnvelopeCredit, taken), EnvelopeCount::make(number, lines_taken));
    crossbar.wake(source);
}

}  // namespace fmpl
