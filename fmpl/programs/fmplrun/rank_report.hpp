// What the launcher can say about a rank from the job's memory: what it is blocked in, and why it ended the job.
// Words of the program's own come as printable text.
#pragma once

#include "crossbar/control_block.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace fmpl::launcher {

// "blocked in fmpl_recv from rank 3, index 7, for 2.4 s", "blocked in Cdgerv2d (fmpl_recv) from rank 3, for 2.4 s",
// "computing (not blocked in FMPL)", "finalized" ... A hint: the rank may go on while it is read. `now_ns`:
// CLOCK_MONOTONIC.
// `spoken`: what the program of a rank that has not joined may call.
std::string describe_state(const NodeRecord& node, SpokenLibrary spoken, std::uint64_t now_ns);

// A rank and what describe_state or an end in words has said of it.
struct RankLine {
    int rank;
    int pid;
    std::string words;
};
// A line for each rank. Of more than 64 ranks those whose words differ in numbers alone are one kind, of which eight
// are listed and the rest counted, so that who is in another state than all others is not lost among thousands.
std::string list_ranks(const std::vector<RankLine>& ranks);

// The words of a rank that called fmpl_abort; "" when it gave none.
std::string abort_reason(const NodeRecord& node);

}  // namespace fmpl::launcher
