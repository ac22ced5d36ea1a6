// Whether a job fits the memory that is left, found out once, before its ranks take theirs.
#pragma once

#include "crossbar/host.hpp"
#include "p2p/node.hpp"

#include <cstddef>

namespace fmpl {

// What each of so many ranks takes before it sends anything; threads: of one process, whose own memory does not count.
std::size_t bytes_of_rank(int ranks, bool ranks_are_threads);

// The first rank of the job to come looks at the memory that is left, the others wait for it meanwhile: milliseconds.
// Where the job does not fit it ends: that rank tells why (abort_job, or Error MEMORY where no launcher would say
// it), and all throw Error(ABORTED).
void admit_job(Node& node, int rank, bool ranks_are_threads, std::size_t (*available_bytes)() = available_memory_bytes);

}  // namespace fmpl
