// Whether a job fits the memory that is left, found out once, before its ranks take what grows with the square of their number.
#pragma once

#include "p2p/node.hpp"

#include <cstddef>

namespace fmpl {

// What each rank of the job will take.
struct MemoryNeed {
    std::size_t shared_bytes;   // of its arena
    std::size_t private_bytes;  // of its process
};

// The first rank of the job to come looks at the memory that is left, the others wait for it meanwhile: milliseconds. Where the
// job does not fit it ends: that rank tells why (abort_job, or Error MEMORY where no launcher would say it), and all throw
// Error(ABORTED). `need` is the same on all ranks.
void admit_job(Node& node, int rank, bool ranks_are_threads, const MemoryNeed& need);

}  // namespace fmpl
