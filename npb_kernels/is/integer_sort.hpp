// One ranking of keys that the ranks share: the iteration of the benchmark.
//
//     bucket sizes    each rank counts its keys by bucket, and the counts are summed over the ranks
//     partition       every rank gets successive buckets, about equal numbers of keys
//     key exchange    each key is written once, into the landing area of the rank that has its bucket
//     ranking         each rank counts the keys within its range and sums the counts up
#pragma once

#include "bucket_counts.hpp"
#include "bucket_partition.hpp"
#include "bucket_scatter.hpp"
#include "ranking.hpp"
#include "sorting_problem.hpp"

#include "../common/communication.hpp"
#include "../common/work_array.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace fmpl::npb::is {

class IntegerSort {
public:
    // Of own_keys keys of this rank, which are zero at first. Collective; the communication must outlive it.
    IntegerSort(Communication& communication, const SortingProblem& problem, std::size_t own_keys);

    // The keys that the rank has at first. rank_keys() does not change them.
    std::span<Key> keys() { return {keys_.data(), own_keys_}; }

    // Makes room for what comes to a rank, by the keys as they are, once they are there and before they are first
    // ranked. Later at most spare_keys of all ranks' keys may be changed. Collective.
    void prepare(std::int64_t spare_keys);

    // `carried` is summed over the ranks along with the sizes of the buckets. Collective.
    void rank_keys(std::span<std::int32_t> carried = {});

    // After rank_keys(): whether the rank has the keys of this value, and if so how many keys of all ranks are smaller.
    bool ranks(Key key) const { return low_ <= key && key < high_; }
    std::int64_t rank_of(Key key) const { return partition_.keys_before(own_) + ranking_.smaller_than(key); }
    const BucketPartition& partition() const { return partition_; }

    // After rank_keys(): the keys that the rank has ranked, in order. Uses them and the ranks up. Local.
    std::span<const Key> sort();

    // Bytes that a rank needs for the problem's keys, where no bucket has more than largest_bucket of them: its keys,
    // what comes to it, what it sends where the library holds that once more, and the counts by key.
    static std::size_t bytes(Communication& communication, const SortingProblem& problem, std::int64_t largest_bucket);

private:
    std::span<Key> landed();
    void scatter();

    Group& world_;
    Communication& communication_;
    const int own_;
    const SortingProblem problem_;
    std::size_t own_keys_;
    WorkArray<Key> keys_;
    BucketCounts count_;
    std::vector<std::int32_t> sums_;  // sizes of the buckets over all ranks, and what is carried along
    BucketPartition partition_;
    std::vector<std::size_t> bytes_to_;  // for each rank
    std::vector<Key*> places_;           // for each bucket, where the rank's keys of it are to be written
    BucketScatter scatter_;
    std::unique_ptr<Exchange> exchange_;
    Ranking ranking_;
    Key low_ = 0;
    Key high_ = 0;
};

}  // namespace fmpl::npb::is
