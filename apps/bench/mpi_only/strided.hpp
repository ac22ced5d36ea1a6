// Messages that do not lie in one piece.
#pragma once

#include "../benchmarks.hpp"

namespace fmpl::bench {

// Between pairs of ranks, a row for each manner and size: messages of MPI_Type_vector on both sides, of blocks with as
// much room between them. pingpong: half the time there and back; exchange: one each way at once, by MPI_Sendrecv.
Benchmark strided_benchmark();

}  // namespace fmpl::bench
