// What a member lays down for a use: its operand, or where that lies; and the library buffers for it.
//
// A member that need not wait is ahead of the root by up to kReduceSlots reductions of up to kShortBufferBytes, for
// each of which it has a buffer, or by as many larger ones as its ring has room for; where roots take turns by no more
// than 8. Of two members it is ahead by less than kPairSlots, and no farther than its ring has room.
#pragma once

#include "coll/meeting.hpp"
#include "coll/reduce/reduction.hpp"

#include <cstdint>

namespace fmpl {

// Makes all buffers that a reduction of so many bytes may need, whose longest_deposit() is given. Throws Error(MEMORY).
void reserve_deposits(Meeting& m, std::size_t bytes, std::size_t longest);
// The same; whether there was memory.
bool has_deposits(Meeting& m, std::size_t bytes, std::size_t longest);
// For this rank's operand of up to longest_deposit() in a use, or what its CPU's give together; an allreduce (root:
// kAllMembers) of more than two has others than a reduce. REQUIRES: begin_reduction's wait, of two members
// await_room's. Throws Error(MEMORY).
Offset operand_buffer(Meeting& m, std::uint64_t use, std::size_t bytes, int root);
// For the result of an allreduce of more than two that this rank combines for all. There is one of each length, since
// all members have left the last use when all have arrived for this one. Throws Error(MEMORY).
Offset result_buffer(Meeting& m, std::size_t bytes);
// This rank's operand: in the deposit itself, in place, in a library buffer, or, of a long one, nowhere yet. false: the
// buffer is still empty, since this rank is the last of its CPU and combines its operand there. Throws Error(MEMORY).
bool deposit(Meeting& m, std::uint64_t use, const ReduceBuffers& buffers, const Reduction& whole);

}  // namespace fmpl
