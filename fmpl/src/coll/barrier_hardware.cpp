// The hardware barrier: one counter of arrivals and one epoch for each colour.
//
// Cost with p ranks: p atomic adds on one line, then one store that all read; where ranks share CPUs each rank runs
// twice, which no barrier can undercut.
#include "coll/collectives.hpp"

namespace fmpl {

void Collectives::barrier_hardware(Communicator& comm, BarrierRecord& record)
{
    // The epoch cannot change before this rank arrives.
    const std::uint32_t epoch = record.epoch.load(std::memory_order_relaxed);
    const auto all = static_cast<std::uint32_t>(comm.size());
    // acq_rel: what every rank wrote before its arrival reaches the last to arrive, and by its release all others.
    if (record.arrived.fetch_add(1, std::memory_order_acq_rel) + 1 == all) {
        record.arrived.store(0, std::memory_order_relaxed);
        record.epoch.store(epoch + 1, std::memory_order_release);  // pairs with the acquire below
        wake_members(comm);
        return;
    }
    node_->wait([&] { return record.epoch.load(std::memory_order_acquire) != epoch; }, waiting_for(comm, -1, 0));
}

}  // namespace fmpl
