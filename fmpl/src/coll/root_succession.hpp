// Who is root next, judged by who was after the same root last time, of the broadcasts of a communicator or of its
// reductions; and what follows from that for ranks that share CPUs and wait. The one of a CPU that is to be root of a
// broadcast next keeps the CPU for a while, the others leave it at once; and they all come to run in the order in
// which they are root (coll/place_in_lap.hpp).
//
// Programs whose roots take turns are a chain: each root has to run after the one before it. A rank that waits and
// always leaves the CPU to others is seldom there when its turn comes, and each CPU changes its process several times
// for each root. Where the next root of a CPU stays, that CPU is handed from root to root
// (docs/decisions/0021-next-root-keeps-the-cpu.md).
//
// A rank's own knowledge, about one communicator. A wrong guess keeps the CPU from others for a short wait; after
// each the rank does so less often.
#pragma once

#include "coll/place_in_lap.hpp"

#include <fmpl/back_off.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace fmpl {

class RootSuccession {
public:
    // An operation begins. members: of the communicator.
    void begins(int root, int members)
    {
        if (next_.empty()) next_.assign(static_cast<std::size_t>(members), kUnknown);
        const int before = std::exchange(root_, root);
        if (before == kUnknown) return;
        // A root may have a few operations in a row before the next one has its own; else it is its own successor.
        staying_ = before == root ? staying_ + 1 : 0;
        if (staying_ > 0 && staying_ != kStays) return;
        if (alike_ < next_.size()) ++alike_;
        if (next_[static_cast<std::size_t>(before)] == root) return;
        next_[static_cast<std::size_t>(before)] = root;
        alike_ = 0;
        turn_is_found_ = false;
    }

    // Of the operation that has begun last.
    int root() const { return root_; }

    // Whether, of the members that is_mate marks, `rank` is to be the next root from the operation that has begun on.
    bool is_next(int rank, const std::vector<char>& is_mate) const
    {
        int root = root_;
        for (std::size_t steps = std::min(next_.size(), kFarthest); steps > 0 && root != kUnknown; --steps) {
            if (is_mate[static_cast<std::size_t>(root)] != 0) return root == rank;
            const int next = next_[static_cast<std::size_t>(root)];
            if (next == root) break;
            root = next;
        }
        return false;
    }

    // The turn of `rank` among the `mates` members that is_mate marks, in the order in which they are root, from
    // `first`, one of them, on. Not known unless each of them is root once before that one is again, and until the
    // order has stayed for as many roots as there are members. REQUIRES: the same arguments at each call.
    const Turn& turn(int rank, int first, int mates, const std::vector<char>& is_mate)
    {
        static constexpr Turn kNotKnown;
        if (alike_ < next_.size()) return kNotKnown;
        if (!turn_is_found_) turn_ = find_turn(rank, first, mates, is_mate);
        turn_is_found_ = true;
        return turn_;
    }

    BackOff<8> keeping;  // whether it is worth it to keep the CPU

private:
    static constexpr int kUnknown = -1;
    static constexpr std::size_t kFarthest = 256;  // a longer way to go round is not looked for
    static constexpr std::uint64_t kStays = 4;     // operations after the first, of a root that stays

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

    std::vector<int> next_;      // by root: who was the next one
    int root_ = kUnknown;        // of the last operation that has begun
    std::uint64_t staying_ = 0;  // operations since that have the same root
    std::size_t alike_ = 0;      // successions since one was another than before, at most as many as there are members
    Turn turn_;
    bool turn_is_found_ = false;
};

}  // namespace fmpl
