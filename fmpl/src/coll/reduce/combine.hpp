// The combination of operands, in an order that does not depend on who does it.
#pragma once

#include "coll/meeting.hpp"
#include "coll/reduce/reduction.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

namespace fmpl {

// Elements are combined in blocks of this size, so that the partial result stays in the first-level cache; where the
// kernel reads operands or writes results, in larger ones, which outweigh its calls.
inline constexpr std::size_t kSumBlockBytes = 8 * 1024;
inline constexpr std::size_t kKernelSumBlockBytes = 128 * 1024;

// Whether some places are out of this process's reach, so that the kernel has to copy.
enum class Places { mapped, private_too };
inline Places whose_are(std::span<const Place> places)
{
    const bool all_here = std::ranges::none_of(places, [](const Place& place) { return place.here == nullptr; });
    return all_here ? Places::mapped : Places::private_too;
}

// Makes room for the blocks of a reduction of so many bytes.
inline void reserve_blocks(Meeting& m, std::size_t bytes, std::size_t element_bytes)
{
    m.scratch.block.reserve(std::max(kSumBlockBytes, element_bytes));
    if (m.members_share_cpus()) m.scratch.part.reserve(std::max(kSumBlockBytes, element_bytes));
    if (bytes >= kReachBytes) m.scratch.fetched.reserve(3 * std::max(kKernelSumBlockBytes, element_bytes));
}
// Operands in the order in which they are combined: those of each group first.
inline constexpr std::size_t kOneGroup[] = {0};
struct Operands {
    std::span<const Place> places{};
    std::span<const std::size_t> groups = kOneGroup;  // where each begins
};
// The operands of all members, for a use whose verdict is known; this rank's own is at `own`. In the order of the
// members; if they go by CPU, each CPU's are a group, and the root is one, the last.
Operands operands(Meeting& m, std::uint64_t use, const std::byte* own, const Reduction& whole);
// Where the members want the result of a partitioned reduction.
std::span<const Place> results(Meeting& m, std::uint64_t use, const Reduction& whole);
// results = x_0 op (x_1 op (... op x_{p-1})) for the elements begin .. end - 1, of the operands x of each group and
// then of what each group gives. The results may be among the operands: each block of an operand is read before a
// result is written there. whose: of operands and results.
void combine(Meeting& m, const Operands& operands, std::size_t begin, std::size_t end, fmpl_op_t op,
    std::span<const Place> results, Places whose = Places::mapped);
// The same of operands that lie in the deposits of these members themselves, but for the root's; one of them at least.
void combine_inline(
    Meeting& m, std::uint64_t use, std::span<const int> members, const Reduction& whole, std::byte* result);
// combine(), for a use whose verdict is known, of operands that all lie in their deposits themselves.
void combine_all_inline(Meeting& m, std::uint64_t use, const Reduction& whole, std::byte* result);
// Takes shares of the elements until there is none left, and writes them to every buffer that wants the result. Where
// ranks share CPUs, those that run do it all; the others find it done. Who finishes the last share ends the use.
void combine_shares(Meeting& m, std::uint64_t use, const std::byte* operand, const Reduction& whole);

}  // namespace fmpl
