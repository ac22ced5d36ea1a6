// The calls that the benchmarks time, and the few that they need around them, for the library that this build measures:
// FMPL; an MPI where FMPL_BENCH_MPI is defined; the BLACS where FMPL_BENCH_BLACS is. All else is the same source for
// all, so that their figures compare.
//
// The headers define the same names in fmpl::bench::transport, as inline functions that add nothing to the library's
// call but the test of its error code. They throw an exception derived from std::runtime_error where a call fails.
//
//   Process        from here to its end this process may ask for its rank; session(indices) joins the job
//   Group          a communicator, for barriers among those that take part
//   send, recv     blocking, between ranks of the job, over an index (in MPI: a tag)
//   PostedReceives nonblocking receives, one for each index from 0 to a count
//   barrier, bcast, sum_to_all, max_over_ranks: collective over the job
//   SumToRoot      the same, of at most so many doubles; returns where the root finds the result
//   allocate       the library's own memory for messages, given back by release
//
// The BLACS have neither memory of their own (kAllocator is nullptr) nor send, recv, PostedReceives and SumToRoot:
// their messages are matrices.
#pragma once

#if defined(FMPL_BENCH_BLACS)
#include "../blacs_bench/transport_blacs.hpp"
#elif defined(FMPL_BENCH_MPI)
#include "transport_mpi.hpp"
#else
#include "transport_fmpl.hpp"
#endif
