#include "group/group.hpp"

#include "error.hpp"

#include <algorithm>
#include <cstdint>

namespace fmpl::mpi {
namespace {

template <class Keep>
GroupPtr members_that(const Group& group, Keep&& keep)
{
    std::vector<int> kept;
    std::copy_if(group.world_ranks().begin(), group.world_ranks().end(), std::back_inserter(kept), keep);
    return std::make_shared<Group>(std::move(kept));
}

// Which members `ranks` lists.
std::vector<bool> listed(const Group& group, std::span<const int> ranks)
{
    std::vector<bool> is_listed(static_cast<std::size_t>(group.size()));
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        if (ranks[i] < 0 || ranks[i] >= group.size()) {
            fail(ErrorClass::rank, "ranks[{}] = {} is not a rank of the group; it has {}", i, ranks[i], group.size());
        }
        if (is_listed[static_cast<std::size_t>(ranks[i])]) {
            fail(ErrorClass::rank, "ranks[{}] = {} is listed a second time; list each rank once", i, ranks[i]);
        }
        is_listed[static_cast<std::size_t>(ranks[i])] = true;
    }
    return is_listed;
}

}  // namespace

int compare(const Group& a, const Group& b)
{
    if (a.world_ranks() == b.world_ranks()) return kIdent;
    if (a.size() != b.size()) return kUnequal;
    const auto in_b = [&b](int world_rank) { return b.has(world_rank); };
    return std::all_of(a.world_ranks().begin(), a.world_ranks().end(), in_b) ? kSimilar : kUnequal;
}

GroupPtr union_of(const Group& a, const Group& b)
{
    std::vector<int> members = a.world_ranks();
    for (const int world_rank : b.world_ranks()) {
        if (!a.has(world_rank)) members.push_back(world_rank);
    }
    return std::make_shared<Group>(std::move(members));
}

GroupPtr intersection_of(const Group& a, const Group& b)
{
    return members_that(a, [&b](int world_rank) { return b.has(world_rank); });
}

GroupPtr difference_of(const Group& a, const Group& b)
{
    return members_that(a, [&b](int world_rank) { return !b.has(world_rank); });
}

GroupPtr included(const Group& a, std::span<const int> ranks)
{
    listed(a, ranks);
    std::vector<int> members;
    for (const int rank : ranks) members.push_back(a.world_rank(rank));
    return std::make_shared<Group>(std::move(members));
}

GroupPtr excluded(const Group& a, std::span<const int> ranks)
{
    const std::vector<bool> is_listed = listed(a, ranks);
    std::vector<int> members;
    for (int rank = 0; rank < a.size(); ++rank) {
        if (!is_listed[static_cast<std::size_t>(rank)]) members.push_back(a.world_rank(rank));
    }
    return std::make_shared<Group>(std::move(members));
}

std::vector<int> ranks_in_ranges(const Group& a, std::span<const int> ranges)
{
    std::vector<int> ranks;
    for (std::size_t i = 0; i + 3 <= ranges.size(); i += 3) {
        const std::int64_t first = ranges[i];
        const std::int64_t last = ranges[i + 1];
        const std::int64_t stride = ranges[i + 2];
        if (stride == 0) {
            fail(ErrorClass::argument,
                "ranges[{}] = ({}, {}, 0) has the stride 0; give 1 or more, or less than 0 to count down", i / 3, first,
                last);
        }
        for (std::int64_t rank = first; stride > 0 ? rank <= last : rank >= last; rank += stride) {
            if (rank < 0 || rank >= a.size()) {
                fail(ErrorClass::rank, "ranges[{}] = ({}, {}, {}) has {}, which is not a rank of the group; it has {}",
                    i / 3, first, last, stride, rank, a.size());
            }
            ranks.push_back(static_cast<int>(rank));
        }
    }
    return ranks;
}

}  // namespace fmpl::mpi
