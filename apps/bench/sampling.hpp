// How a benchmark's batches are to be timed.
#pragma once

#include <algorithm>
#include <cstddef>

namespace fmpl::bench {

class CpuDistance;

struct Sampling {
    int reps;               // operations in a batch
    int warmup;             // operations before the first batch; -1: as many as in a batch
    int samples;            // batches
    double batch_seconds;   // fewer operations where the first activity would take longer for them; 0: never
    int unit;               // fewer operations are a multiple of it, if that leaves any
    CpuDistance* distance;  // at which batches count
};

// So many operations on `bytes` that a batch moves about batch_bytes; least <= result <= most.
inline int reps_for(std::size_t bytes, std::size_t batch_bytes, int least, int most)
{
    const std::size_t reps = batch_bytes / std::max<std::size_t>(bytes, 1);
    return static_cast<int>(
        std::clamp<std::size_t>(reps, static_cast<std::size_t>(least), static_cast<std::size_t>(most)));
}

}  // namespace fmpl::bench
