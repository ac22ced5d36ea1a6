#include "right_hand_side.hpp"

#include "common/random.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <span>

namespace fmpl::npb::mg {

namespace {

// A random number, as its 46-bit state, and the point where it lies.
struct Candidate {
    std::int64_t state;
    std::int64_t point;
    auto operator<=>(const Candidate&) const = default;
};

constexpr std::int64_t kBelowAll = -1;
constexpr auto kAboveAll = static_cast<std::int64_t>(Random::kModulus);

// The kCharges first ones in the order of Before, the last of them in front.
template <class Before>
class Best {
public:
    explicit Best(std::int64_t none) { candidates_.fill({none, 0}); }
    void offer(const Candidate& candidate)
    {
        if (!Before()(candidate, candidates_.front())) [[likely]]
            return;
        std::size_t at = 0;
        for (; at + 1 < candidates_.size() && Before()(candidate, candidates_[at + 1]); ++at) {
            candidates_[at] = candidates_[at + 1];
        }
        candidates_[at] = candidate;
    }
    const std::array<Candidate, kCharges>& candidates() const { return candidates_; }
    std::array<std::int64_t, kCharges> points() const
    {
        std::array<std::int64_t, kCharges> points{};
        for (std::size_t i = 0; i < points.size(); ++i) points[i] = candidates_[i].point;
        return points;
    }

private:
    std::array<Candidate, kCharges> candidates_;
};

}  // namespace

Charges find_charges(Group& group, const Domain& domain)
{
    const std::int64_t size = std::int64_t{1} << domain.finest();
    const Box box = domain.box(domain.finest());
    Best<std::greater<>> largest(kBelowAll);
    Best<std::less<>> smallest(kAboveAll);
    for (int z = 0; z < box.size[2]; ++z) {
        for (int y = 0; y < box.size[1]; ++y) {
            const std::int64_t row = size * (box.offset[1] + y + size * (box.offset[2] + z)) + box.offset[0];
            Random random;
            random.jump(static_cast<std::uint64_t>(row));
            for (int x = 0; x < box.size[0]; ++x) {
                random.next();
                const Candidate candidate{static_cast<std::int64_t>(random.state()), row + x};
                largest.offer(candidate);
                smallest.offer(candidate);
            }
        }
    }
    // Every rank gets every rank's candidates, and chooses among them alike.
    constexpr std::size_t kEach = std::size_t{4} * kCharges;
    std::vector<std::int64_t> all(static_cast<std::size_t>(group.size()) * kEach);
    std::int64_t* own = all.data() + static_cast<std::size_t>(group.rank()) * kEach;
    for (const auto& candidates : {largest.candidates(), smallest.candidates()}) {
        for (const Candidate& candidate : candidates) {
            *own++ = candidate.state;
            *own++ = candidate.point;
        }
    }
    group.sum(std::span(all));
    largest = Best<std::greater<>>(kBelowAll);
    smallest = Best<std::less<>>(kAboveAll);
    for (std::size_t at = 0; at < all.size(); at += 2) {
        const Candidate candidate{all[at], all[at + 1]};
        if (at % kEach < kEach / 2) largest.offer(candidate);
        else smallest.offer(candidate);
    }
    return {largest.points(), smallest.points()};
}

void set_right_hand_side(Grid& v, const Domain& domain, const Charges& charges)
{
    v.fill_with_zero();
    const int size = 1 << domain.finest();
    const Box& box = v.box();
    const Halo halo = v.halo();
    const auto set = [&](std::int64_t point, double value) {
        const Triple at{static_cast<int>(point % size), static_cast<int>(point / size % size),
            static_cast<int>(point / size / size)};
        // The places of the point in the box and its halo: its periods around it too, where the dimension is cut.
        std::array<std::vector<int>, kDimensions> places;
        for (std::size_t d = 0; d < kDimensions; ++d) {
            const int first = box.cut[d] ? -halo.low : 0;
            const int last = box.size[d] + (box.cut[d] ? halo.high : 0);
            for (const int period : {-size, 0, size}) {
                const int place = at[d] - box.offset[d] + period;
                if (place >= first && place < last) places[d].push_back(place);
            }
        }
        for (const int z : places[2]) {
            for (const int y : places[1]) {
                for (const int x : places[0]) v.row(y, z)[x] = value;
            }
        }
    };
    for (const std::int64_t point : charges.positive) set(point, 1.0);
    for (const std::int64_t point : charges.negative) set(point, -1.0);
}

}  // namespace fmpl::npb::mg
