// Times batches of operations, and sums the times up.
#pragma once

#include "job.hpp"

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

// For each element, the greatest over all ranks. Collective over the job.
void max_over_ranks(std::vector<double>& values);

// Throws std::runtime_error with the words on every rank when any rank has right = false. Collective over the job.
void all_must_be_right(bool right, const char* words);

// Does operations first .. first + count - 1.
using Batch = std::function<void(std::uint64_t first, std::uint64_t count)>;

struct Sampling {
    int reps;     // operations in a batch
    int warmup;   // operations before the first batch
    int samples;  // batches
};

// Times the batches of each activity, alternating between the activities so that what disturbs one disturbs all. Before
// each batch the ranks of comm meet in a barrier; a rank with takes_part = false only waits for the end. Returns for each
// activity the seconds per operation of each batch, the slowest rank's. Collective over the job.
std::vector<std::vector<double>> sample(
    const Sampling& sampling, const Comm& comm, bool takes_part, std::span<const Batch> activities);

}  // namespace fmpl::bench
