// Messages sent and received in the ways that programs have beside those of the other benchmarks.
#pragma once

#include "../benchmarks.hpp"

namespace fmpl::bench {

// Between pairs of ranks, a row for each manner and size: the time of a message. One way, 64 and an answer in a pass:
// probe (MPI_Probe, MPI_Get_count, MPI_Recv), iprobe (until one has come, from any source, with any tag), mprobe,
// synchronous and buffered sends. Each way, 16 in a pass: early (all sent, then received), reversed (received in
// reverse order), anyone (from any source, by MPI_Waitany), some (MPI_Waitsome), all (polled for by MPI_Testall),
// persistent, replaced (MPI_Sendrecv_replace).
Benchmark ways_benchmark();

}  // namespace fmpl::bench
