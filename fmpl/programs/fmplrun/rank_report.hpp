// What the launcher can say about a rank from the job's memory: what it is blocked in, and why it ended the job.
#pragma once

#include "crossbar/control_block.hpp"

#include <cstdint>
#include <string>

namespace fmpl::launcher {

// "blocked in fmpl_recv from rank 3, index 7, for 2.4 s", "blocked in Cdgerv2d (fmpl_recv) from rank 3, for 2.4 s",
// "computing (not blocked in FMPL)", "finalized" ... A hint: the rank may go on while it is read. `now_ns`:
// CLOCK_MONOTONIC.
std::string describe_state(const NodeRecord& node, std::uint64_t now_ns);

// The words of a rank that called fmpl_abort; "" when it gave none.
std::string abort_reason(const NodeRecord& node);

}  // namespace fmpl::launcher
