// NPB CG: the whole benchmark on the ranks of a job.
#pragma once

#include "../common/program.hpp"

namespace fmpl::npb::cg {

// Builds the matrix, makes one untimed outer iteration, then the timed ones, and compares zeta. Collective.
// Throws Refusal for a number of ranks that is not a power of two, and for a class that does not fit into the memory.
Outcome cg_kernel(Run& run);

}  // namespace fmpl::npb::cg
