// The hardware barrier: one counter of arrivals and one epoch for each colour; two ranks count their own arrivals each.
//
// Cost with p ranks: their arrivals (arrival.cpp), then one store that all read; where ranks share CPUs each rank runs
// once. With two ranks: one line back and forth, for both counts lie in it
// (docs/decisions/0001-one-line-for-both-directions.md).
#include "coll/barrier.hpp"

namespace fmpl {

void barrier_hardware(Meeting& m, BarrierRecord& record)
{
    if (m.size() == 2) return barrier_of_two(m, record);
    // The epoch cannot change before this rank arrives.
    const std::uint32_t epoch = record.epoch.load(std::memory_order_relaxed);
    const Meeting::CpuArrival arrival = m.arrive_at_cpu(m.records_of_own_cpu().arrivals.barrier);
    if (arrival.last && m.arrive_for_cpu(record.arrived)) {
        record.epoch.store(epoch + 1, std::memory_order_release);  // pairs with the acquire below
        m.wake_members();
        return;
    }
    WaitFor what = m.waiting_for(-1, 0);
    what.alone = arrival.alone;
    // acquire: pairs with the last to arrive, above
    m.node().wait([&] { return record.epoch.load(std::memory_order_acquire) != epoch; }, what);
}

void barrier_of_two(Meeting& m, BarrierRecord& record)
{
    const int rank = m.rank();
    std::atomic<std::uint32_t>& own = record.times[rank];
    const std::atomic<std::uint32_t>& other = record.times[1 - rank];
    const std::uint32_t times = own.load(std::memory_order_relaxed) + 1;
    own.store(times, std::memory_order_release);  // pairs with the other's acquire below
    m.node().crossbar.wake_only(m.members()[static_cast<std::size_t>(1 - rank)]);
    // acquire: pairs with the other's store above. It may be in the next barrier already.
    m.node().wait([&] { return static_cast<std::int32_t>(other.load(std::memory_order_acquire) - times) >= 0; },
        m.waiting_for(1 - rank, 0));
}

}  // namespace fmpl
