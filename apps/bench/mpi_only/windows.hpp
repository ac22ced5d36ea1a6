// Windows of messages that are under way together.
#pragma once

#include "../benchmarks.hpp"

namespace fmpl::bench {

// Between pairs of ranks, a row for each manner and size: the time of a message of a window. stream: the first rank
// sends a window by MPI_Isend, the other one has posted a receive for each, and answers when all have come. both: each
// rank does both at once. Each message has memory of its own.
Benchmark windows_benchmark();

}  // namespace fmpl::bench
