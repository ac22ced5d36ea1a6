// What a member lays down for a use: its operand, or where that lies.
#pragma once

#include "coll/meeting.hpp"
#include "coll/reduce/reduction.hpp"

#include <cstdint>

namespace fmpl {

// This rank's library buffers for a use: the first for its operand, one for the result of an allreduce behind all of
// them. Throws Error(MEMORY).
Offset deposit_buffer(Meeting& m, std::uint64_t use);
// This rank's operand: in the deposit itself, in place, in a library buffer, or, of a long one, nowhere yet. Throws
// Error(MEMORY).
void deposit(Meeting& m, std::uint64_t use, const ReduceBuffers& buffers, const Reduction& whole);

}  // namespace fmpl
