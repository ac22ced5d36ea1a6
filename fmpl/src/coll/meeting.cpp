#include "coll/meeting.hpp"

#include <cstring>
#include <utility>

namespace fmpl {

Meeting::Meeting(Node& node, Communicator& comm)
    : hardware(node.crossbar.hardware_support(comm.members())),
      exchanges{ExchangeState(*this, 0), ExchangeState(*this, 1)},
      node_(&node),
      comm_(&comm),
      rank_(comm.rank()),
      size_(comm.size())
{
}

StationPlace Meeting::found()
{
    if (size() == 1 || !hardware.broadcast) return {};
    const std::size_t bytes = Station::bytes(size(), most_cpus());
    founded_ = node_->arena.allocate(bytes);
    std::memset(node_->crossbar.local(founded_), 0, bytes);
    const StationPlace place{founded_, node_->crossbar.allocate_colour()};
    join(place);
    return place;
}

void Meeting::join(const StationPlace& place)
{
    colour = place.colour;
    // Only an engine that maps the peers allows hardware collectives: see Crossbar::hardware_support.
    if (place.at != kNoOffset) station = reinterpret_cast<Station*>(node_->crossbar.local(place.at));
}

void Meeting::find_cpu_mates()
{
    std::vector<int> cpus;
    for (int r = 0; r < node_->crossbar.nodes(); ++r) cpus.push_back(node_->crossbar.record(r).cpu);
    cpu_mates = fmpl::cpu_mates(cpus, members(), rank());
    if (cpu_mates.cpus > most_cpus()) cpu_mates = {};  // more than the station has records for
    std::size_t most = 1;
    for (const std::vector<int>& of_cpu : cpu_mates.members_of_cpus) most = std::max(most, of_cpu.size());
    // Of more than two members it has not been measured.
    const std::size_t arena_bytes = size() == 2 ? node_->crossbar.memory().constants().arena_bytes : 0;
    reductions.ring = DepositRing(static_cast<int>(most), arena_bytes);
}

void Meeting::count_reach()
{
    has_told_reach_ = true;
    if (!node_->each_has_a_cpu() && !shares_cpus_by_twos()) return;
    for (const int member : members()) {
        if (!node_->private_memory.reaches(member)) return;
    }
    station->reaching.fetch_add(1, std::memory_order_release);  // pairs with members_reach_each_other
}

void Meeting::dissolve()
{
    const auto free = [this](Offset& block) {
        if (block != kNoOffset) node_->arena.free(std::exchange(block, kNoOffset));
    };
    for (Offset* const block :
        {&broadcasts.of_short.at, &broadcasts.of_long.at, &reductions.short_deposits, &reductions.long_deposits}) {
        free(*block);
    }
    for (ExchangeState& series : exchanges) {
        free(series.short_buffers);
        free(series.long_buffers);
    }
    if (founded_ == kNoOffset) return;
    node_->arena.free(founded_);
    founded_ = kNoOffset;
    if (colour >= 0) node_->crossbar.free_colour(colour);
}

}  // namespace fmpl
