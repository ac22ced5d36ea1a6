#include "coll/reduce/combine.hpp"

#include "coll/nearest_first.hpp"
#include "coll/reduce/use.hpp"

#include <algorithm>
#include <cstring>

namespace fmpl {
namespace {

// A share of a partitioned reduction, at least.
constexpr std::size_t kShareBytes = 1024;

}  // namespace

std::span<const std::byte* const> operands(Meeting& m, std::uint64_t use, const std::byte* own)
{
    m.scratch.operands.clear();
    for (int member = 0; member < m.size(); ++member) {
        m.scratch.operands.push_back(member == m.rank()
                                         ? own
                                         : m.node().crossbar.mapped(m.members()[static_cast<std::size_t>(member)],
                                               m.station->deposit(member, use).at));
    }
    return m.scratch.operands;
}

void combine(Meeting& m, std::span<const std::byte* const> operands, std::size_t begin, std::size_t end, fmpl_op_t op,
    std::span<std::byte* const> results)
{
    const std::size_t element = op->element_size;
    const std::size_t block_count = std::max<std::size_t>(kSumBlockBytes / element, 1);
    const bool in_place = results.size() == 1 && results[0] == operands.back();
    const std::size_t first = begin * element, bytes = (end - begin) * element;
    for (const std::byte* const operand : operands) m.node().crossbar.map_pages(operand + first, bytes);
    for (std::byte* const result : results) m.node().crossbar.map_pages(result + first, bytes);
    for (std::size_t i = begin; i < end; i += block_count) {
        const std::size_t n = std::min(block_count, end - i);
        std::byte* const block = in_place ? results[0] + i * element : m.scratch.block.data();
        if (!in_place) std::memcpy(block, operands.back() + i * element, n * element);
        for (std::size_t member = operands.size() - 1; member-- > 0;) {
            op->function(operands[member] + i * element, block, n);
        }
        if (in_place) continue;
        for (std::byte* const result : results) std::memcpy(result + i * element, block, n * element);
    }
}

void combine_shares(Meeting& m, std::uint64_t use, const std::byte* operand, const Reduction& whole)
{
    ReduceSlot& slot = m.station->reduce[use % kReduceSlots];
    const auto members = static_cast<std::size_t>(m.size());
    const std::size_t shares = std::clamp<std::size_t>(whole.bytes() / kShareBytes, 1, std::min(members, kMostShares));
    const auto begin_of = [&](std::size_t i) { return whole.count / shares * i + std::min(whole.count % shares, i); };
    std::span<const std::byte* const> from;
    const auto take = [&](std::size_t share) {
        const std::uint64_t bit = std::uint64_t{1} << share;
        if ((slot.taken.load(std::memory_order_relaxed) & bit) != 0) return;
        if ((slot.taken.fetch_or(bit, std::memory_order_relaxed) & bit) != 0) return;
        if (from.empty()) {
            from = operands(m, use, operand);
            m.scratch.results.clear();
            for (int member = 0; member < m.size(); ++member) {
                if (whole.root != kAllMembers && whole.root != member) continue;
                const Offset at = m.station->deposit(member, use).result_at;
                m.scratch.results.push_back(
                    m.node().crossbar.mapped(m.members()[static_cast<std::size_t>(member)], at));
            }
        }
        combine(m, from, begin_of(share), begin_of(share + 1), whole.op, m.scratch.results);
        // acq_rel, with those that finish other shares: all come before the end of the use
        if (slot.finished.fetch_add(1, std::memory_order_acq_rel) + 1 == shares) end_reduction(m, use);
    };
    nearest_first(m.rank(), m.size(), shares, take);
}

}  // namespace fmpl
