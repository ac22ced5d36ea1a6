// How a benchmark's batches are to be timed.
#pragma once

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

}  // namespace fmpl::bench
