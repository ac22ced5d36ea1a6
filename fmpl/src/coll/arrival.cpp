// How members arrive where they meet, in a barrier or a reduction. Where they share CPUs and are bound to them, first
// those of one CPU among themselves, in a line that stays in its core's cache; the last of these arrives for all of
// them. It also knows that none of them can go on before the others have come, and looks for that instead of making
// room for them.
//
// Cost with p ranks on c CPUs: p atomic adds in the cores' own caches, c on a line that all have; each CPU changes
// its process p / c - 1 times, which is the least (docs/decisions/0018-arrive-by-cpu.md).
#include "coll/meeting.hpp"

#include <algorithm>
#include <iterator>

namespace fmpl {

CpuMates cpu_mates(std::span<const int> cpus, std::span<const int> members, int rank)
{
    const auto cpu_of = [&](int node) { return cpus[static_cast<std::size_t>(node)]; };
    std::vector<int> distinct;
    std::ranges::transform(members, std::back_inserter(distinct), cpu_of);
    std::ranges::sort(distinct);
    distinct.erase(std::ranges::unique(distinct).begin(), distinct.end());
    if (distinct.front() < 0 || distinct.size() == members.size()) return {};
    const int own = cpu_of(members[static_cast<std::size_t>(rank)]);
    const auto is_mate = [&](int node) { return cpu_of(node) == own; };
    CpuMates mates;
    mates.cpus = static_cast<int>(distinct.size());
    mates.first = static_cast<int>(std::find_if(members.begin(), members.end(), is_mate) - members.begin());
    mates.count = static_cast<int>(std::count_if(members.begin(), members.end(), is_mate));
    std::ranges::transform(members, std::back_inserter(mates.of_members), is_mate);
    std::ranges::transform(members, std::back_inserter(mates.cpu_of_members), [&](int node) {
        return static_cast<int>(std::ranges::lower_bound(distinct, cpu_of(node)) - distinct.begin());
    });
    mates.cpu = mates.cpu_of_members[static_cast<std::size_t>(rank)];
    mates.members_of_cpus.resize(distinct.size());
    for (int member = 0; const int cpu : mates.cpu_of_members) {
        mates.members_of_cpus[static_cast<std::size_t>(cpu)].push_back(member++);
    }
    mates.are_all =
        std::count_if(cpus.begin(), cpus.end(), [&](int cpu) { return cpu == own || cpu < 0; }) == mates.count;
    return mates;
}

// acq_rel, both: what every member wrote before its own arrival reaches the last of its CPU, and through that the
// last of all.
Meeting::CpuArrival Meeting::arrive_at_cpu(std::atomic<std::uint32_t>& of_cpu) const
{
    if (!members_share_cpus()) return {.last = true, .alone = false};
    const auto count = static_cast<std::uint32_t>(cpu_mates.count);
    const std::uint32_t own = node_->has_busy() ? 1 + CpuArrivals::kUnsettled : 1;
    const std::uint32_t so_far = of_cpu.fetch_add(own, std::memory_order_acq_rel) + own;
    if (so_far % CpuArrivals::kUnsettled != count) return {.last = false, .alone = false};
    of_cpu.store(0, std::memory_order_relaxed);  // nobody comes again before this meeting is over
    return {.last = true, .alone = cpu_mates.are_all && so_far == count};
}

bool Meeting::arrive_for_cpu(std::atomic<std::uint32_t>& arrived) const
{
    const auto expected = static_cast<std::uint32_t>(members_share_cpus() ? cpu_mates.cpus : size());
    if (arrived.fetch_add(1, std::memory_order_acq_rel) + 1 != expected) return false;
    arrived.store(0, std::memory_order_relaxed);
    return true;
}

// This rank waits and is about to yield: if it is to move in the order of its CPU, its slice is another for this yield.
void Meeting::leave_cpu_in_turn(RootSuccession& roots)
{
    const CpuMates& mates = cpu_mates;
    TimeSlice& slice = node_->slice;
    if (slice.usual_ns() == 0) return;
    const Turn& turn = roots.turn(rank(), mates.first, mates.count, mates.of_members);
    const int halves = place_in_lap_.leaves(records_of_own_cpu().arrivals.lap, rank(), turn);
    if (halves == 0) return;
    const auto usual = static_cast<std::int64_t>(slice.usual_ns());
    slice.set(static_cast<std::uint64_t>(usual + halves * usual / (2 * turn.places)));
}

}  // namespace fmpl
