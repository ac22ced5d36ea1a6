#include "sampler.hpp"

#include "cpu_distance.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace fmpl::bench {
namespace {

double quantile(const std::vector<double>& sorted, double q)
{
    const double place = q * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<std::size_t>(place);
    const std::size_t above = std::min(below + 1, sorted.size() - 1);
    return std::lerp(sorted[below], sorted[above], place - static_cast<double>(below));
}

// Does ever more operations, from `first` on, until it can say how many fit a batch. `timed` does them and returns the
// seconds they took on this rank. All ranks come to the same answer, since all see the slowest one's time.
template <class Timed>
int fitting_reps(const Sampling& sampling, std::uint64_t& first, const Timed& timed)
{
    timed(first++, 1);  // makes what the operations need, and tells nothing of those to come
    for (int tried = 1;;) {
        double seconds = timed(first, static_cast<std::uint64_t>(tried));
        transport::max_over_ranks(&seconds, 1);
        first += static_cast<std::uint64_t>(tried);
        const double fitting = tried * sampling.batch_seconds / std::max(seconds, 1e-9);
        if (tried >= sampling.reps || seconds >= sampling.batch_seconds / 4) {
            const int reps = static_cast<int>(std::clamp<double>(fitting, 1, sampling.reps));
            return reps > sampling.unit ? reps - reps % sampling.unit : reps;
        }
        // What is cold takes longer: no more than half a batch, and no more than some times as many as before.
        tried = static_cast<int>(std::min<double>(sampling.reps, std::min(fitting / 2, tried * 8.0) + 1));
    }
}

}  // namespace

Summary summarize(std::vector<double> samples)
{
    std::sort(samples.begin(), samples.end());
    return {quantile(samples, 0.5), samples.front(), quantile(samples, 0.25), quantile(samples, 0.75)};
}

void max_over_ranks(std::vector<double>& values)
{
    transport::max_over_ranks(values.data(), values.size());
}

bool on_any_rank(bool here)
{
    double said = here ? 1 : 0;
    transport::max_over_ranks(&said, 1);
    return said > 0;
}

void all_must_be_right(bool right, const char* words)
{
    if (on_any_rank(!right)) throw std::runtime_error(words);
}

Samples sample(
    const Sampling& sampling, const transport::Group& group, bool takes_part, std::span<const Batch> activities)
{
    struct Times {
        double begin, end;
        double seconds() const { return end - begin; }
    };
    const auto times_of = [&](const Batch& activity, std::uint64_t first, std::uint64_t count) {
        group.barrier();
        const double begin = now_seconds();
        activity(first, count);
        return Times{begin, now_seconds()};
    };

    std::uint64_t first = 0;
    int reps = sampling.reps;
    if (sampling.batch_seconds > 0) {
        reps = fitting_reps(sampling, first, [&](std::uint64_t from, std::uint64_t count) {
            return takes_part ? times_of(activities[0], from, count).seconds() : 0.0;
        });
    }

    // A rank that waits for its CPU begins and ends later than others. Numbers from 0 on, as max_over_ranks() takes.
    const auto samples = static_cast<std::size_t>(sampling.samples);
    const std::vector<std::vector<double>> none(activities.size(), std::vector<double>(samples, 0.0));
    std::vector<std::vector<double>> begin = none, last_end = none;
    if (takes_part) {
        const auto warmup = static_cast<std::uint64_t>(sampling.warmup < 0 ? reps : sampling.warmup);
        for (const Batch& activity : activities) {
            if (warmup > 0) times_of(activity, first, warmup);
        }
        first += warmup;
        for (std::size_t s = 0; s < samples; ++s, first += static_cast<std::uint64_t>(reps)) {
            for (std::size_t a = 0; a < activities.size(); ++a) {
                Times times{};
                sampling.distance->near([&] {
                    times = times_of(activities[a], first, static_cast<std::uint64_t>(reps));
                    return times.seconds();
                });
                begin[a][s] = times.begin;
                last_end[a][s] = times.end;
            }
        }
    }
    Samples result{reps, none};
    for (std::size_t a = 0; a < activities.size(); ++a) {
        max_over_ranks(last_end[a]);
        for (std::size_t s = 0; takes_part && s < samples; ++s)
            result.seconds[a][s] = (last_end[a][s] - begin[a][s]) / reps;
        max_over_ranks(result.seconds[a]);
    }
    return result;
}

}  // namespace fmpl::bench
