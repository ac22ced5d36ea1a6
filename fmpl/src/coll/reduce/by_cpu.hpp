// Where ranks share CPUs, those of a CPU first: what its last one to arrive lays down for all of them.
//
// That rank combines what the others of its CPU have deposited, which it finds in their core's cache; so each CPU gives
// one operand to the others, not one for each of its ranks. Only if the operation commutes, since neighbours in rank
// are seldom on one CPU. The root of a reduce adds its own operand last, so that it need not deposit it; if it is the
// last of its CPU, it reads what the others have deposited.
//
// Cost with p ranks on c CPUs and n bytes: on each CPU p / c - 1 copies and p / c - 1 combinations in its cache; then c
// operands of n bytes for the root, in an allreduce for the last to arrive.
#pragma once

#include "coll/meeting.hpp"
#include "coll/reduce/reduction.hpp"

#include <cstdint>

namespace fmpl {

// Before it arrives: whether all others of this rank's CPU have, so that its operand need not be deposited.
bool others_of_cpu_have_arrived(const Meeting& m, std::uint64_t use);
// By the last of a CPU to arrive, before it arrives for all. is_laid_down: as deposit() has told.
void deposit_for_cpu(
    Meeting& m, std::uint64_t use, const ReduceBuffers& buffers, const Reduction& whole, bool is_laid_down);

}  // namespace fmpl
