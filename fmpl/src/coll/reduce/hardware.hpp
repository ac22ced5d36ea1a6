// Reductions over memory that all members map.
//
// In one *use* every member leaves a deposit: what it reduces, and where its operand lies. The last to arrive judges
// whether the deposits go together, decides how the reduction goes on, and publishes this verdict; so that one rank
// with other arguments, or without memory, is an error in words on every rank that waits for the use, and the next
// reduction begins in step.
//
// Where an operand lies: up to 16 bytes in the deposit itself. Else in the member's own buffer, if that is remote-DMA
// memory, or long and reached by the kernel, and the member waits until it has been read; that saves a copy, and costs
// the members of a reduce a wait that only pays while each rank has a CPU or there is much to reduce. Else, up to
// longest_deposit(), in a library buffer, and the members of a reduce leave without waiting.
//
// Who combines: where ranks share CPUs and the operation commutes, the last of a CPU to arrive, for that CPU
// (by_cpu.hpp). Then, in an allreduce of up to 16 bytes, the last to arrive of all, whose verdict has the result; and
// where ranks share CPUs one of up to by_last_bytes() in the members' own buffers, to which it writes the result. That
// ends the use. If all operands lie in the members' own buffers and there is enough to share (partition_bytes), the
// members that run, each taking one share of the elements after the other and writing it to all buffers that want the
// result. Where ranks share CPUs most members find the work done when they run: a reduction costs one run of each. Else
// the root, in an allreduce the last to arrive, whose result the others copy. What is too long for a library buffer
// goes in pieces. Cost with p ranks and n bytes: one meeting + p n / combine rate, on as many CPUs as run if
// partitioned or by CPU, else on one.
//
// The order in which operands are combined does not depend on who arrives when, nor on where they lie: it is that of
// the ranks, or, if the operation commutes, that of the CPUs to which they are bound, and the root's is the last. Many
// slots take turns, so that a member other than the root need not wait for the combination of its last deposits: where
// ranks share CPUs each does many reductions whenever it runs
// (docs/decisions/0038-members-go-ahead-of-a-fixed-root.md). Two members have a protocol of their own: pair.cpp.
//
//   choose.hpp   which manner, by the last to arrive      deposit.cpp   what a member lays down
//   use.cpp      uses and verdicts                        combine.cpp   the combination, whole or in shares
//   by_cpu.cpp   a CPU's members together                 pair.cpp      two members
//   deposit_ring.hpp   where operands lie ahead of the root
#pragma once

#include "coll/meeting.hpp"
#include "coll/reduce/reduction.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <span>

namespace fmpl {

// Whether reduce_hardware reduces it in any case: no element is longer than a library buffer.
inline bool goes_in_hardware(const Reduction& whole)
{
    return whole.op->element_size <= kDepositBytes;
}

// A reduction, by each member; false where elements are longer, and nothing has been reduced.
// Throws Error: MISMATCH where the members do not agree, MEMORY, ABORTED.
bool reduce_hardware(Meeting& m, const ReduceBuffers& buffers, const Reduction& whole);

// One use, of all that the user asks for or of a piece of it; in_pieces: nothing has been reduced.
ReduceManner reduce_once(Meeting& m, const ReduceBuffers& buffers, const Reduction& whole);
ReduceManner reduce_once_of_two(Meeting& m, const ReduceBuffers& buffers, const Reduction& whole);

// Who is root in turn, of a reduction that has a root.
inline RootSuccession* roots_of(Meeting& m, const Reduction& whole)
{
    return whole.root == kAllMembers ? nullptr : &m.reduce_roots;
}

}  // namespace fmpl
