// The benchmark's last test: the keys of all ranks, one rank after the other, are in order, and they are the keys of
// the beginning.
#pragma once

#include "sorting_problem.hpp"

#include "../common/communication.hpp"

#include <cstdint>
#include <span>

namespace fmpl::npb::is {

struct FullVerification {
    std::int64_t keys = 0;          // of all ranks
    std::int64_t out_of_order = 0;  // keys that are smaller than the one before them, on this rank or the one before
    std::int64_t digest = 0;        // of all keys, see below
};

// `sorted`: this rank's keys, perhaps none. Collective; the same on all ranks.
FullVerification verify_fully(std::span<const Key> sorted, Group& world);

// A sum that the order of the keys does not change, and that a lost or altered key does, up to a chance of 2^-24. Below
// 2^56 for up to 2^32 keys, so that sums over the ranks are exact.
std::int64_t digest(std::span<const Key> keys);

}  // namespace fmpl::npb::is
