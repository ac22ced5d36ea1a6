// Scan from rank to rank: each receives the reduction over those before it, adds its own contribution and passes the
// result on, the pieces of a long one overlapping. One message in and one out at each rank, (n - 1) (L + B) until the
// last one has its result; scans in a row overlap.
#include "coll/algorithms.hpp"

#include <algorithm>

namespace fmpl::mpi {

void linear_scan(Schedule& schedule, const Channel& channel, const void* contribution, void* result, std::int64_t count,
    bool inclusive)
{
    const bool is_first = channel.rank() == 0;
    const bool is_last = channel.rank() == channel.size() - 1;
    const auto element_bytes = static_cast<std::int64_t>(schedule.elements(contribution, 1).bytes);
    const bool is_message = !inclusive && channel.size() == 2;  // which nobody adds to or passes on
    const bool is_short = element_bytes <= kScanPieceBytes && count * element_bytes <= kScanPieceBytes;
    const bool is_whole = is_message || is_short;
    const std::int64_t piece = is_whole ? count : std::max<std::int64_t>(kScanPieceBytes / element_bytes, 1);

    // Over the ranks up to this one, and over those before it. An exclusive one needs memory for the former, an
    // inclusive one for a piece of the latter.
    const void* total = inclusive ? result : contribution;
    void* sum = result;
    void* before = result;
    if (inclusive) {
        if (contribution != result)
            schedule.copy(schedule.elements(contribution, count), schedule.elements(result, count));
        if (!is_first) before = schedule.element_memory(std::min(piece, count));
    } else if (!is_first && !is_last) {
        sum = schedule.element_memory(count);
        schedule.copy(schedule.elements(contribution, count), schedule.elements(sum, count));
        total = sum;
    }
    const bool adds = !is_first && (inclusive || !is_last);
    const auto send = [&](std::int64_t begin) {
        if (is_last) return;
        const MessageBuffer buffer = schedule.elements(schedule.element(total, begin), std::min(piece, count - begin));
        schedule.send(channel, buffer, channel.rank() + 1);
    };
    for (std::int64_t begin = 0; begin < count; begin += piece) {
        const std::int64_t n = std::min(piece, count - begin);
        void* const incoming = inclusive ? before : schedule.element(before, begin);
        if (!is_first) schedule.receive(channel, schedule.elements(incoming, n), channel.rank() - 1);
        if (begin > 0) send(begin - piece);
        schedule.end_round();
        if (adds) schedule.reduce(incoming, schedule.element(sum, begin), n);
    }
    send(is_whole ? 0 : (count - 1) / piece * piece);
    schedule.end_round();
}

}  // namespace fmpl::mpi
