#include "p2p/ways/private_reading.hpp"

#include "p2p/fmpl_call.hpp"

#include <fmpl.h>
#include <fmpl/remote.h>

#include <algorithm>
#include <new>

namespace fmpl::mpi {
namespace {

// Of a message that the kernel copies and the receiver unpacks, so much is in the cache between.
constexpr std::uint64_t kUnpackedBytes = 128 * 1024;

Scratch scratch_or_none(std::uint64_t bytes)
{
    try {
        return Scratch(bytes);
    } catch (const std::bad_alloc&) {
        return {};
    }
}

}  // namespace

bool PrivateReading::is_for(const MessageBuffer& buffer, int destination)
{
    return buffer.in_one_piece() && buffer.bytes > 0 && fmpl_is_addressable(destination) != 0 &&
           fmpl_is_remote_dma(buffer.data, buffer.bytes) == 0;
}

bool PrivateReading::read(const ReceiveOperation& operation, OwnCopy& copy)
{
    const Envelope& envelope = operation.envelope;
    const MessageBuffer& buffer = operation.buffer;
    const std::uint64_t bytes = std::min(envelope.bytes, buffer.bytes);
    const bool straight = buffer.in_one_piece();
    const std::uint64_t most = straight ? bytes : std::min(bytes, kUnpackedBytes);
    const Scratch scratch = straight ? Scratch() : scratch_or_none(most);
    if (!straight && !scratch) return false;
    const double begin = fmpl_wtime();
    std::uint64_t at = 0;
    do {
        const std::uint64_t end = std::min(at + most, bytes);
        std::byte* const to = straight ? buffer.data : scratch.data();
        int copied = 0;
        check_fmpl(fmpl_private_read(operation.source, envelope.place + at, to, end - at, &copied));
        if (copied == 0) return false;
        if (!straight) buffer.unpack(at, end, scratch.data());
        at = end;
    } while (at < bytes);
    if (straight) copy.add(bytes, 1, begin);
    return true;
}

void PrivateReading::finish(ReceiveOperation& operation, const OwnCopy& copy)
{
    Envelope taken{};
    taken.kind = EnvelopeKind::taken;
    taken.send_id = operation.envelope.send_id;
    const bool is_whole = operation.envelope.bytes <= operation.buffer.bytes;
    if (is_whole && operation.envelope.bytes <= CopyRates::longest() && copy.bytes >= kTimedFrom) {
        const double calls_ns = operation.envelope.bytes > CopyRates::kShort ? 0 : copy.calls * kCallNs;
        taken.bytes = copy.bytes;
        taken.place = static_cast<std::uint64_t>(std::max(copy.seconds * 1e9 - calls_ns, 0.0));
    }
    was_taken(operation.source, taken);
    operation.finish_with(operation.envelope);
    outbox_->post(operation.source, taken);
}

}  // namespace fmpl::mpi
