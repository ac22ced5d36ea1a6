#include "sampler.hpp"

#include "check.hpp"

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

}  // namespace

Summary summarize(std::vector<double> samples)
{
    std::sort(samples.begin(), samples.end());
    return {quantile(samples, 0.5), samples.front(), quantile(samples, 0.25), quantile(samples, 0.75)};
}

void max_over_ranks(std::vector<double>& values)
{
    check(fmpl_allreduce(values.data(), values.size(), FMPL_MAX_DOUBLE, FMPL_COMM_WORLD, nullptr));
}

void all_must_be_right(bool right, const char* words)
{
    std::int32_t wrong = right ? 0 : 1;
    check(fmpl_allreduce(&wrong, 1, FMPL_MAX_INT32, FMPL_COMM_WORLD, nullptr));
    if (wrong != 0) throw std::runtime_error(words);
}

std::vector<std::vector<double>> sample(
    const Sampling& sampling, const Comm& comm, bool takes_part, std::span<const Batch> activities)
{
    const auto samples = static_cast<std::size_t>(sampling.samples);
    std::vector<std::vector<double>> seconds(activities.size(), std::vector<double>(samples, 0.0));
    if (takes_part) {
        const auto warmup = static_cast<std::uint64_t>(sampling.warmup);
        const auto reps = static_cast<std::uint64_t>(sampling.reps);
        for (const Batch& activity : activities) {
            comm.barrier();
            if (warmup > 0) activity(0, warmup);
        }
        std::uint64_t first = warmup;
        for (std::size_t s = 0; s < samples; ++s, first += reps) {
            for (std::size_t a = 0; a < activities.size(); ++a) {
                comm.barrier();
                const double begin = fmpl_wtime();
                activities[a](first, reps);
                seconds[a][s] = (fmpl_wtime() - begin) / static_cast<double>(reps);
            }
        }
    }
    for (std::vector<double>& of_one : seconds) max_over_ranks(of_one);
    return seconds;
}

}  // namespace fmpl::bench
