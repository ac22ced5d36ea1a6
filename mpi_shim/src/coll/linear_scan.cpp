// Scan from rank to rank: each receives the reduction over those before it, adds its own contribution and passes the
// result on, the pieces of a long one overlapping. One message in and one out at each rank, (n - 1) (L + B) until the
// last one has its result; scans in a row overlap. What comes goes to where the rank's result will be. If the
// operation commutes, an inclusive one that is not in place adds the contribution there, and copies nothing.
#include "coll/algorithms.hpp"
#include "p2p/crowded.hpp"

#include <algorithm>

namespace fmpl::mpi {
namespace {

// What goes with its envelope from any memory.
std::int64_t scan_piece_bytes_crowded()
{
    return static_cast<std::int64_t>(fmpl_job_size() > kManyRanks ? kEagerBytesOfMany : kEagerAnywhereCrowded);
}

// Of a scan of so many elements, each message but the last one.
std::int64_t elements_of_message(const Schedule& schedule, std::int64_t count, bool inclusive)
{
    const auto element_bytes = static_cast<std::int64_t>(schedule.elements(nullptr, 1).bytes);
    const bool nobody_adds = !inclusive && schedule.members().size() == 2;  // or passes on
    const std::int64_t most = is_crowded() ? scan_piece_bytes_crowded() : kScanPieceBytes;
    if (nobody_adds || (element_bytes <= most && count * element_bytes <= most)) return count;
    return std::max<std::int64_t>(most / element_bytes, 1);
}

}  // namespace

std::uint64_t messages_of_scan(const Schedule& schedule, std::uint64_t bytes, bool inclusive)
{
    const std::uint64_t element_bytes = schedule.elements(nullptr, 1).bytes;
    const std::uint64_t count = bytes / element_bytes;
    if (count == 0) return 0;
    const auto each =
        static_cast<std::uint64_t>(elements_of_message(schedule, static_cast<std::int64_t>(count), inclusive));
    return (count + each - 1) / each;
}

void linear_scan(Schedule& schedule, const Members& members, const void* contribution, void* result, std::int64_t count,
    bool inclusive)
{
    const bool is_first = members.rank() == 0;
    const bool is_last = members.rank() == members.size() - 1;
    const std::int64_t piece = elements_of_message(schedule, count, inclusive);

    const auto elements = [&](auto* of, std::int64_t begin, std::int64_t n) {
        return schedule.elements(schedule.element(of, begin), n);
    };

    // incoming: over the ranks before this one. total: over those up to this one, which an inclusive scan has in its
    // result.
    const bool adds = !is_first && (inclusive || !is_last);
    const bool adds_to_incoming = adds && inclusive && contribution != result && schedule.reduction().commutes();
    const bool keeps_piece = adds && inclusive && !adds_to_incoming;
    void* const incoming = keeps_piece ? schedule.element_memory(std::min(piece, count)) : result;
    void* const sum = adds && !inclusive ? schedule.element_memory(count) : result;
    const void* const total = is_first ? contribution : sum;
    const auto add = [&](std::int64_t begin, std::int64_t n) {
        void* const to = schedule.element(sum, begin);
        if (adds_to_incoming) return schedule.reduce(schedule.element(contribution, begin), to, n);
        schedule.reduce(keeps_piece ? incoming : schedule.element(incoming, begin), to, n);
    };
    const auto send = [&](std::int64_t begin) {
        if (!is_last)
            schedule.send(members, elements(total, begin, std::min(piece, count - begin)), members.rank() + 1);
    };
    for (std::int64_t begin = 0; begin < count; begin += piece) {
        const std::int64_t n = std::min(piece, count - begin);
        // Before what comes, which overwrites it if the call is in place.
        if (adds && !adds_to_incoming && contribution != sum)
            schedule.copy(elements(contribution, begin, n), elements(sum, begin, n));
        if (!is_first) {
            const MessageBuffer room = keeps_piece ? schedule.elements(incoming, n) : elements(incoming, begin, n);
            schedule.receive(members, room, members.rank() - 1);
        }
        if (begin > 0) send(begin - piece);
        schedule.end_round();
        if (adds) add(begin, n);
    }
    send((count - 1) / piece * piece);
    if (is_first && inclusive && contribution != result)
        schedule.copy(schedule.elements(contribution, count), schedule.elements(result, count));
    schedule.end_round();
}

}  // namespace fmpl::mpi
