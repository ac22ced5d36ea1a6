// Who broadcasts next, judged by who did after the same root last time; and what follows from that for a rank that waits
// where ranks share CPUs: the one of a CPU that is to be root next keeps the CPU for a while, the others leave it at once.
//
// Programs whose roots take turns are a chain: each root has to run after the one before it. A rank that waits and always
// leaves the CPU to others is seldom there when its turn comes, and each CPU changes its process several times for each
// root. Where the next root of a CPU stays, that CPU is handed from root to root
// (docs/decisions/0021-next-root-keeps-the-cpu.md).
//
// A rank's own knowledge, about one communicator. A wrong guess keeps the CPU from others for a short wait; after each the
// rank does so less often (p2p/offer_chance.hpp).
#pragma once

#include "p2p/offer_chance.hpp"
#include "p2p/place_in_lap.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace fmpl {

class RootSuccession {
public:
    // A broadcast begins. members: of the communicator.
    void begins(int root, int members)
    {
        if (next_.empty()) next_.assign(static_cast<std::size_t>(members), kUnknown);
        const int before = std::exchange(root_, root);
        if (before == kUnknown || next_[static_cast<std::size_t>(before)] == root) return;
        next_[static_cast<std::size_t>(before)] = root;
        turn_is_known_ = false;
    }

    // Whether, of the members that is_mate marks, `rank` is to be the next root from the broadcast that has begun on.
    bool is_next(int rank, const std::vector<char>& is_mate) const
    {
        int root = root_;
        for (std::size_t steps = std::min(next_.size(), kFarthest); steps > 0 && root != kUnknown; --steps) {
            if (is_mate[static_cast<std::size_t>(root)] != 0) return root == rank;
            root = next_[static_cast<std::size_t>(root)];
        }
        return false;
    }

    // The turn of `rank` among the `mates` members that is_mate marks, in the order in which they are root, from `first`, one of them,
    // on; not known unless each of them is root once before that one is again.
    const Turn& turn(int rank, int first, int mates, const std::vector<char>& is_mate)
    {
        if (!turn_is_known_) turn_ = find_turn(rank, first, mates, is_mate);
        turn_is_known_ = true;
        return turn_;
    }

    OfferChance keeping;  // whether it is worth it to keep the CPU

private:
    static constexpr int kUnknown = -1;
    static constexpr std::size_t kFarthest = 256;

    Turn find_turn(int rank, int first, int mates, const std::vector<char>& is_mate) const
    {
        int root = first;
        int place = kUnknown;
        int so_far = 0;
        for (std::size_t steps = std::min(next_.size(), kFarthest); steps > 0; --steps) {
            if (root == rank) place = so_far;
            so_far += is_mate[static_cast<std::size_t>(root)] != 0 ? 1 : 0;
            root = next_[static_cast<std::size_t>(root)];
            if (root == kUnknown) break;
            if (root == first) return {.place = so_far == mates ? place : kUnknown, .places = mates};
        }
        return {};
    }

    std::vector<int> next_;  // by root: who was the next one
    int root_ = kUnknown;    // of the last broadcast that has begun
    Turn turn_;              // of the same rank always
    bool turn_is_known_ = false;
};

}  // namespace fmpl
