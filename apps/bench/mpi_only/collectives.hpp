// Every collective call of an MPI, as a program makes it.
#pragma once

#include "../benchmarks.hpp"

namespace fmpl::bench {

// Every call that moves data or meets, of MPI-3.1 chapter 5 and the neighborhood collectives of chapter 7, blocking and
// nonblocking (then with its MPI_Wait), a row for each call and size: the time of a call in a row of them. bytes: of a
// block, where each pair of ranks has one; of the vector otherwise. The blocks of vector forms (v, w) have half, once
// and one and a half times as many.
//
// --root fixed or turn: of rooted calls. --data new: each rank writes what it gives and reads what it gets, within the
// time; kept: nobody touches the buffers, so that they may stay in the caches of all. --between US: each rank computes
// for about so long after each call, or between a nonblocking one and its wait; the time contains that. --calls: some,
// by their names. The buffers lie in the program's heap.
Benchmark collectives_benchmark();

}  // namespace fmpl::bench
