// An MPI group: an ordered list of distinct ranks of FMPL_COMM_WORLD (MPI-3.1, section 6.3). Immutable.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

namespace fmpl::mpi {

class Group {
public:
    // world_ranks: distinct.
    explicit Group(std::vector<int> world_ranks) : world_ranks_(std::move(world_ranks))
    {
        is_identity_ = true;
        for (int r = 0; r < size(); ++r) is_identity_ = is_identity_ && world_ranks_[static_cast<std::size_t>(r)] == r;
        if (is_identity_) return;
        for (int r = 0; r < size(); ++r) ranks_.emplace(world_ranks_[static_cast<std::size_t>(r)], r);
    }

    int size() const { return static_cast<int>(world_ranks_.size()); }
    const std::vector<int>& world_ranks() const { return world_ranks_; }
    // Requires 0 <= rank < size().
    int world_rank(int rank) const { return world_ranks_[static_cast<std::size_t>(rank)]; }
    // The rank in this group of a rank of FMPL_COMM_WORLD; none when it is not a member.
    std::optional<int> rank_of(int world_rank) const
    {
        if (is_identity_) return world_rank >= 0 && world_rank < size() ? std::optional(world_rank) : std::nullopt;
        const auto found = ranks_.find(world_rank);
        return found == ranks_.end() ? std::nullopt : std::optional(found->second);
    }
    bool has(int world_rank) const { return rank_of(world_rank).has_value(); }

private:
    std::vector<int> world_ranks_;
    std::unordered_map<int, int> ranks_;  // world rank to rank; empty where they are the same
    bool is_identity_ = false;
};
using GroupPtr = std::shared_ptr<const Group>;

// MPI_IDENT: the same members in the same order; MPI_SIMILAR: in another order; MPI_UNEQUAL.
int compare(const Group& a, const Group& b);

// The operations of section 6.3.2. Those that keep members keep them in the order of `a`; included and excluded throw
// Error when a rank (MPI_ERR_RANK) is no member or is listed twice.
GroupPtr union_of(const Group& a, const Group& b);
GroupPtr intersection_of(const Group& a, const Group& b);
GroupPtr difference_of(const Group& a, const Group& b);
// The members `ranks` of a, in that order.
GroupPtr included(const Group& a, std::span<const int> ranks);
// The members of a but `ranks`.
GroupPtr excluded(const Group& a, std::span<const int> ranks);

// The ranks that triplets (first, last, stride) list, one after the other; `ranges` has 3 * n numbers. MPI_ERR_ARG: a
// stride of 0; MPI_ERR_RANK: a rank that is no member.
std::vector<int> ranks_in_ranges(const Group& a, std::span<const int> ranges);

}  // namespace fmpl::mpi
