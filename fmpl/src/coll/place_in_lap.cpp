#include "coll/place_in_lap.hpp"

#include <cstdlib>

namespace fmpl {

int PlaceInLap::count(CpuLap& lap, std::uint32_t name, const Turn& turn)
{
    lap.last.store(name, std::memory_order_relaxed);
    const std::uint32_t number = lap.leaves.load(std::memory_order_relaxed) + 1;
    lap.leaves.store(number, std::memory_order_relaxed);
    if (turn.place < 0) return 0;
    if (turn.place > 0) return move_from(number - lap.begun.load(std::memory_order_relaxed), turn);
    lap.begun.store(number, std::memory_order_relaxed);
    return 0;
}

// The farther a rank is from its place, the sooner it moves: whoever is near it may be so only because another is far
// from its own. Did all move at the same time, they might go on for ever in a wrong order.
int PlaceInLap::move_from(std::uint32_t found, const Turn& turn)
{
    if (++laps_ % kLapsForMove == 0 && moves_ < kMostMoves) ++moves_;
    const bool is_as_before = found == found_;
    found_ = found;
    if (found >= static_cast<std::uint32_t>(turn.places) || found == static_cast<std::uint32_t>(turn.place)) {
        alike_ = 0;
        return 0;
    }
    alike_ = is_as_before ? alike_ + 1 : 1;
    int distance = turn.place - static_cast<int>(found);  // the shorter way round
    if (distance > turn.places / 2) distance -= turn.places;
    if (distance < -(turn.places / 2)) distance += turn.places;
    // At least two laps alike: a move is seen only in the second after it.
    const int patience = 1 + turn.places / 2 - std::abs(distance);
    if (alike_ <= patience || moves_ == 0) return 0;
    --moves_;
    alike_ = 0;
    return std::abs(distance) == 1 ? distance : 2 * distance;  // of two neighbours that are to change places both move
}

}  // namespace fmpl
