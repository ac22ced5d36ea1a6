// Times batches of operations, and sums the times up.
#pragma once

#include "sampling.hpp"
#include "transport.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace fmpl::bench {

struct Summary {
    double median;
    double min;
    double quartile1;
    double quartile3;
};

// At least one sample. Quartiles between two samples are interpolated.
Summary summarize(std::vector<double> samples);

// One-way times of round trips.
inline void halve(std::vector<double>& round_trips)
{
    for (double& seconds : round_trips) seconds /= 2;
}

// Seconds since an arbitrary point, the same for all ranks of one host, whichever library is measured.
inline double now_seconds()
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// For each element, from 0 on, the greatest over all ranks. Collective over the job.
void max_over_ranks(std::vector<double>& values);

// Whether any rank says so. Collective over the job.
bool on_any_rank(bool here);

// Throws std::runtime_error with the words on every rank when any rank has right = false. Collective over the job.
void all_must_be_right(bool right, const char* words);

// Does operations first .. first + count - 1.
using Batch = std::function<void(std::uint64_t first, std::uint64_t count)>;

struct Samples {
    int reps;                                  // operations that a batch had
    std::vector<std::vector<double>> seconds;  // per operation: [activity][batch], of all ranks together
};

// Times the batches of each activity, alternating between the activities so that what disturbs one disturbs all. Before
// each batch the ranks of the group meet in a barrier. It is timed from the begin of the first to the end of the last.
// A rank with takes_part = false only waits for the end. Collective over the job, whose ranks share a host.
Samples sample(
    const Sampling& sampling, const transport::Group& group, bool takes_part, std::span<const Batch> activities);

}  // namespace fmpl::bench
