#include "integer_sort.hpp"

#include <algorithm>

namespace fmpl::npb::is {

IntegerSort::IntegerSort(Communication& communication, const SortingProblem& problem, std::size_t own_keys)
    : world_(communication.world()),
      communication_(communication),
      own_(communication.rank()),
      problem_(problem),
      own_keys_(own_keys),
      keys_(own_keys),
      count_(problem.buckets()),
      sums_(problem.buckets()),
      partition_(sums_, communication.ranks()),
      bytes_to_(static_cast<std::size_t>(communication.ranks())),
      places_(problem.buckets()),
      scatter_(problem.buckets()),
      ranking_(problem.max_key())
{
}

void IntegerSort::prepare(std::int64_t spare_keys)
{
    const auto counts = count_(keys(), problem_.shift());
    sums_.assign(counts.begin(), counts.end());
    world_.sum(std::span(sums_));
    const std::int64_t largest = *std::max_element(sums_.begin(), sums_.end()) + spare_keys;
    const std::int64_t most = BucketPartition::bound(problem_.keys(), largest, world_.size());
    exchange_ = communication_.exchange(world_, static_cast<std::size_t>(most) * sizeof(Key), 1);
}

void IntegerSort::rank_keys(std::span<std::int32_t> carried)
{
    // Sizes of the buckets.
    const std::span<const std::int32_t> counts = count_(keys(), problem_.shift());
    sums_.assign(counts.begin(), counts.end());
    sums_.insert(sums_.end(), carried.begin(), carried.end());
    world_.sum(std::span(sums_));
    const std::span sizes(sums_.data(), counts.size());
    std::copy(sums_.begin() + static_cast<std::ptrdiff_t>(counts.size()), sums_.end(), carried.begin());

    // Whose they are.
    partition_ = BucketPartition(sizes, world_.size());
    for (int rank = 0; rank < world_.size(); ++rank) {
        std::int64_t keys = 0;
        for (std::size_t b = partition_.first_bucket(rank); b < partition_.first_bucket(rank + 1); ++b)
            keys += counts[b];
        bytes_to_[static_cast<std::size_t>(rank)] = static_cast<std::size_t>(keys) * sizeof(Key);
    }

    // The exchange.
    exchange_->begin(bytes_to_);
    for (int rank = 0; rank < world_.size(); ++rank) {
        auto* place = reinterpret_cast<Key*>(exchange_->room(rank));
        for (std::size_t b = partition_.first_bucket(rank); b < partition_.first_bucket(rank + 1); ++b) {
            places_[b] = place;
            place += counts[b];
        }
    }
    scatter_(keys(), problem_.shift(), places_);
    exchange_->end();

    // The ranks of the keys that came.
    low_ = static_cast<Key>(partition_.first_bucket(own_)) << problem_.shift();
    high_ = static_cast<Key>(partition_.first_bucket(own_ + 1)) << problem_.shift();
    ranking_(landed(), low_, high_);
}

std::span<Key> IntegerSort::landed()
{
    const std::span<std::byte> bytes = exchange_->landing();
    return {reinterpret_cast<Key*>(bytes.data()), bytes.size() / sizeof(Key)};
}

std::span<const Key> IntegerSort::sort()
{
    const std::span<const Key> keys = landed();
    // What the rank had at first gives its memory back before more is taken.
    if (keys_.size() < keys.size()) {
        keys_ = WorkArray<Key>();
        keys_ = WorkArray<Key>(keys.size());
    }
    own_keys_ = keys.size();
    ranking_.sort(keys, this->keys());
    return this->keys();
}

std::size_t IntegerSort::bytes(Communication& communication, const SortingProblem& problem, std::int64_t largest_bucket)
{
    const int ranks = communication.ranks();
    const auto share = static_cast<std::size_t>(problem.keys() / ranks + 1) * sizeof(Key);
    const auto landing = static_cast<std::size_t>(BucketPartition::bound(problem.keys(), largest_bucket, ranks));
    const auto counts = std::size_t{problem.max_key()} / static_cast<std::size_t>(ranks);
    return share + communication.staging_bytes(share) + landing * sizeof(Key) + counts * sizeof(std::uint32_t);
}

}  // namespace fmpl::npb::is
