// The keys of the benchmark: the sum of four successive random numbers, times a quarter of the largest key, rounded
// down (NPB report RNR-94-007, section 2.3.6). They crowd around the middle: the densest bucket of 1024 has 1/384 of
// all keys.
#pragma once

#include "sorting_problem.hpp"

#include <cstdint>
#include <span>

namespace fmpl::npb::is {

// keys[i] = key number first + i of the sequence, less than 2^max_key_log2.
void make_keys(std::span<Key> keys, std::int64_t first, int max_key_log2);

// The part of the sequence that a rank has at first: [first_key(rank), first_key(rank + 1)), as equal as can be.
constexpr std::int64_t first_key(std::int64_t keys, int rank, int ranks)
{
    return keys / ranks * rank + keys % ranks * rank / ranks;
}

}  // namespace fmpl::npb::is
