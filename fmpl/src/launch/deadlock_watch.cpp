#include "launch/deadlock_watch.hpp"

#include <algorithm>
#include <utility>

namespace fmpl {

std::optional<std::vector<std::uint64_t>> DeadlockWatch::sleeps(const std::vector<bool>& gone) const
{
    std::vector<std::uint64_t> found(gone.size(), 0);
    // First who sleeps, of all ranks ...
    for (std::size_t rank = 0; rank < found.size(); ++rank) {
        if (gone[rank]) continue;
        const NodeRecord& node = control_.nodes[rank];
        // acquire: pairs with the release in Rank::finalize
        const auto state = static_cast<RankState>(node.state.load(std::memory_order_acquire));
        if (state == RankState::finalized) continue;
        if (state != RankState::ready) return std::nullopt;
        // acquire: pairs with the release in Waiter::sleep
        found[rank] = node.sleep.load(std::memory_order_acquire);
        if (found[rank] == 0) return std::nullopt;
    }
    // ... and then who has been rung. A ring that one of them made before its sleep is seen here, thanks to the
    // acquires.
    for (std::size_t rank = 0; rank < found.size(); ++rank) {
        if (found[rank] == 0) continue;
        const NodeRecord& node = control_.nodes[rank];
        if (node.doorbell.load(std::memory_order_relaxed) != slept_on(found[rank])) return std::nullopt;
        // A signal may have ended the sleep, and the program's handler may have done what nobody can know here.
        if (node.sleep.load(std::memory_order_relaxed) != found[rank]) return std::nullopt;
    }
    const bool anybody = std::any_of(found.begin(), found.end(), [](std::uint64_t sleep) { return sleep != 0; });
    return anybody ? std::optional(std::move(found)) : std::nullopt;
}

bool DeadlockWatch::look(const std::vector<bool>& gone, Clock::time_point now)
{
    if (now < next_look_) return false;
    next_look_ = now + kBetweenLooks;
    auto found = sleeps(gone);
    if (!found || found != standing_) {
        standing_ = std::move(found);
        since_ = now;
        told_ = false;
        return false;
    }
    if (told_ || now - since_ < kStands) return false;
    told_ = true;
    return true;
}

}  // namespace fmpl
