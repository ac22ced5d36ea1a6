#include "coll/reduce/combine.hpp"

#include "coll/nearest_first.hpp"
#include "coll/reduce/choose.hpp"
#include "coll/reduce/use.hpp"
#include "crossbar/copy_across.hpp"

#include <fmpl/small_copy.hpp>

#include <algorithm>
#include <cstring>
#include <utility>

namespace fmpl {
namespace {

// Lines of the results of several members, who have read them or are to read them, come from other cores while the
// operands are combined, up to so much of each and of all (docs/decisions/0043-lines-to-write-asked-for-ahead.md).
constexpr std::size_t kMostAskedAhead = 2 * 1024;
constexpr std::size_t kMostAskedAheadOfAll = 16 * 1024;

// A share of a partitioned reduction, at least, if there are more than two; and one of two.
constexpr std::size_t kShareBytes = 1024;
constexpr std::size_t kShareBytesOfTwo = 512;

std::size_t shares_of(std::size_t bytes, std::size_t members)
{
    const std::size_t shares = std::max(bytes / kShareBytes, std::min<std::size_t>(bytes / kShareBytesOfTwo, 2));
    return std::clamp<std::size_t>(shares, 1, std::min(members, kMostShares));
}

// The pages of the places that are here, for the elements first .. first + bytes - 1.
void map_pages(const Meeting& m, std::span<const Place> places, std::size_t first, std::size_t bytes)
{
    if (bytes < PeerPages::kLeastBytes) return;
    for (const Place& place : places) {
        if (place.here != nullptr) m.node().crossbar.map_pages(place.here + first, bytes);
    }
}

// Of so few bytes one operand is copied, though the operation can combine two in one pass: that takes longer if one of
// them has just been written by another core (docs/decisions/0055-two-operands-in-one-pass.md).
constexpr std::size_t kCopiedBytes = 512;

// out = a (op) b, of n elements. out may be b, or a where the operation can combine two (can_overwrite()).
void combine_two(fmpl_op_t op, const std::byte* a, const std::byte* b, std::byte* out, std::size_t n)
{
    const std::size_t bytes = n * op->element_size;
    if (op->combine != nullptr && (bytes > kCopiedBytes || out == a)) return op->combine(a, b, out, n);
    if (out != b) std::memcpy(out, b, bytes);
    op->function(a, out, n);
}

// Whether the operands may be combined where a result is wanted. If one of them lies there, it has been read before
// anything is written.
bool can_overwrite(const Operands& operands, fmpl_op_t op, const Place& result)
{
    const std::span<const Place> places = operands.places;
    const std::size_t first_read = op->combine != nullptr && places.back().here != nullptr ? 2 : 1;
    return result.here != nullptr &&
           std::ranges::none_of(places.first(places.size() - std::min(first_read, places.size())),
               [&](const Place& operand) { return operand.here == result.here; });
}

// Which of the results the operands are combined in, where the last one lies if possible; none: results.size().
std::size_t find_direct(const Operands& operands, fmpl_op_t op, std::span<const Place> results)
{
    std::size_t direct = results.size();
    for (std::size_t i = results.size(); i-- > 0;) {
        if (!can_overwrite(operands, op, results[i])) continue;
        direct = i;
        if (results[i].here == operands.places.back().here) break;
    }
    return direct;
}

// One block of each operand, of n elements, in `block`; `part` has room for as much. read(place, room) says where that
// of an operand can be read, perhaps in `room`.
template <class Read>
void combine_block(const Operands& operands, fmpl_op_t op, std::size_t n, std::byte* block, std::byte* part,
    std::byte* fetched, Read&& read)
{
    const std::byte* total = nullptr;  // of the groups that have been combined
    std::size_t end = operands.places.size();
    for (std::size_t group = operands.groups.size(); group-- > 0;) {
        std::byte* const room = total == nullptr ? block : part;
        std::size_t i = end - 1;
        const std::byte* sum = read(operands.places[i], room);
        while (i-- > operands.groups[group]) {
            combine_two(op, read(operands.places[i], fetched), sum, room, n);
            sum = room;
        }
        if (total != nullptr) {
            combine_two(op, sum, total, block, n);
            sum = block;
        }
        total = sum;
        end = operands.groups[group];
    }
    if (total != block) std::memcpy(block, total, n * op->element_size);
}

// Copies [at, at + bytes) of a member's buffer to this process, and to it. Throws Error(ABORTED) where the job has
// ended.
void copy_between(Meeting& m, const Place& from, std::size_t at, std::byte* to, std::size_t bytes)
{
    if (from.here == nullptr) return m.node().private_memory.read(from.node, from.at + at, to, bytes);
    std::memcpy(to, from.here + at, bytes);
}

void copy_between(Meeting& m, const std::byte* from, const Place& to, std::size_t at, std::size_t bytes)
{
    if (to.here == nullptr) return m.node().private_memory.write(to.node, to.at + at, from, bytes);
    std::memcpy(to.here + at, from, bytes);
}

// As combine(), where the kernel reads some of the operands or writes some of the results.
void combine_by_kernel(Meeting& m, const Operands& operands, std::size_t begin, std::size_t end, fmpl_op_t op,
    std::span<const Place> results)
{
    const std::size_t element = op->element_size;
    const std::size_t block_count = std::max<std::size_t>(kKernelSumBlockBytes / element, 1);
    const std::size_t direct = find_direct(operands, op, results);
    map_pages(m, operands.places, begin * element, (end - begin) * element);
    map_pages(m, results, begin * element, (end - begin) * element);
    std::byte* const partial = m.scratch.fetched.data();
    std::byte* const fetched = partial + block_count * element;
    std::byte* const of_group = fetched + block_count * element;
    for (std::size_t i = begin; i < end; i += block_count) {
        const std::size_t n = std::min(block_count, end - i), at = i * element;
        std::byte* const block = direct < results.size() ? results[direct].here + at : partial;
        const auto read = [&](const Place& operand, std::byte* room) -> const std::byte* {
            if (operand.here != nullptr) return operand.here + at;
            copy_between(m, operand, at, room, n * element);
            return room;
        };
        combine_block(operands, op, n, block, of_group, fetched, read);
        for (std::size_t k = 0; k < results.size(); ++k) {
            if (k != direct) copy_between(m, block, results[k], at, n * element);
        }
    }
}

}  // namespace

Operands operands(Meeting& m, std::uint64_t use, const std::byte* own, const Reduction& whole)
{
    std::vector<Place>& places = m.scratch.operands;
    std::vector<std::size_t>& groups = m.scratch.groups;
    places.clear();
    groups.assign(1, 0);
    const auto add = [&](int member) {
        places.push_back(member == m.rank() ? m.own_place(own) : m.place(member, m.station->deposit(member, use).at));
    };
    if (!goes_by_cpu(m, whole)) {
        for (int member = 0; member < m.size(); ++member) add(member);
        return {places, groups};
    }
    groups.clear();
    for (int cpu = 0; cpu < m.cpu_mates.cpus; ++cpu) {
        const std::vector<int>& members = m.cpu_mates.members_of_cpus[static_cast<std::size_t>(cpu)];
        const std::size_t before = places.size();
        const Offset combined = m.records_of_cpu(cpu).deposits[use % kReduceSlots].at;
        if (combined != kNoOffset) {
            places.push_back(m.place(members.front(), combined));
        } else {
            for (const int member : members) {
                if (member != whole.root) add(member);
            }
        }
        if (places.size() > before) groups.push_back(before);
    }
    if (whole.root != kAllMembers) {
        groups.push_back(places.size());
        add(whole.root);
    }
    return {places, groups};
}

std::span<const Place> results(Meeting& m, std::uint64_t use, const Reduction& whole)
{
    m.scratch.results.clear();
    for (int member = 0; member < m.size(); ++member) {
        if (whole.root != kAllMembers && whole.root != member) continue;
        m.scratch.results.push_back(m.place(member, m.station->deposit(member, use).result_at));
    }
    return m.scratch.results;
}

void combine(Meeting& m, const Operands& operands, std::size_t begin, std::size_t end, fmpl_op_t op,
    std::span<const Place> results, Places whose)
{
    if (whose == Places::private_too) return combine_by_kernel(m, operands, begin, end, op, results);
    const std::size_t element = op->element_size;
    const std::size_t block_count = std::max<std::size_t>(kSumBlockBytes / element, 1);
    const std::size_t direct = find_direct(operands, op, results);
    const std::size_t first = begin * element, bytes = (end - begin) * element;
    map_pages(m, operands.places, first, bytes);
    map_pages(m, results, first, bytes);
    for (std::size_t i = begin; i < end; i += block_count) {
        const std::size_t n = std::min(block_count, end - i), at = i * element;
        const std::byte* const near = operands.places.front().here + at;
        std::byte* const block = direct < results.size() ? results[direct].here + at : m.scratch.block.beside(near);
        std::byte* const part = operands.groups.size() > 1 ? m.scratch.part.beside(near) : nullptr;
        const auto read = [&](const Place& operand, std::byte*) { return operand.here + at; };
        const std::size_t block_bytes = n * element;
        if (results.size() > 1 && block_bytes <= kMostAskedAhead &&
            results.size() * block_bytes <= kMostAskedAheadOfAll) {
            for (const Place& result : results) prefetch_to_write(result.here + at, block_bytes);
        }
        combine_block(operands, op, n, block, part, nullptr, read);
        for (std::size_t k = 0; k < results.size(); ++k) {
            if (k != direct) std::memcpy(results[k].here + at, block, block_bytes);
        }
    }
}

void combine_inline(
    Meeting& m, std::uint64_t use, std::span<const int> members, const Reduction& whole, std::byte* result)
{
    if (whole.count == 0) return;
    bool is_first = true;
    for (std::size_t i = members.size(); i-- > 0;) {
        if (members[i] == whole.root) continue;
        const std::byte* const operand = m.station->deposit(members[i], use).operand;
        if (std::exchange(is_first, false)) {
            small_copy(result, operand, whole.bytes());
        } else {
            whole.op->function(operand, result, whole.count);
        }
    }
}

void combine_all_inline(Meeting& m, std::uint64_t use, const Reduction& whole, std::byte* result)
{
    if (whole.count == 0) return;
    bool is_first = true;
    const auto add = [&](const std::byte* operand) {
        std::exchange(is_first, false) ? small_copy(result, operand, whole.bytes())
                                       : whole.op->function(operand, result, whole.count);
    };
    if (!goes_by_cpu(m, whole)) {
        for (int member = m.size(); member-- > 0;) add(m.station->deposit(member, use).operand);
        return;
    }
    if (whole.root != kAllMembers) add(m.station->deposit(whole.root, use).operand);
    for (int cpu = m.cpu_mates.cpus; cpu-- > 0;) {
        const std::vector<int>& members = m.cpu_mates.members_of_cpus[static_cast<std::size_t>(cpu)];
        const Deposit& of_cpu = m.records_of_cpu(cpu).deposits[use % kReduceSlots];
        if (of_cpu.at != kNoOffset) {
            add(of_cpu.operand);
        } else if (members.size() > 1 || members.front() != whole.root) {
            std::byte* const part = m.scratch.part.data();
            combine_inline(m, use, members, whole, part);
            add(part);
        }
    }
}

void combine_shares(Meeting& m, std::uint64_t use, const std::byte* operand, const Reduction& whole)
{
    ReduceSlot& slot = m.station->reduce[use % kReduceSlots];
    const auto members = static_cast<std::size_t>(m.size());
    const std::size_t shares = shares_of(whole.bytes(), members);
    const auto begin_of = [&](std::size_t i) { return whole.count / shares * i + std::min(whole.count % shares, i); };
    Operands from;
    std::span<const Place> to;
    Places whose = Places::mapped;
    const auto take = [&](std::size_t share) {
        const std::uint64_t bit = std::uint64_t{1} << share;
        if ((slot.taken.load(std::memory_order_relaxed) & bit) != 0) return;
        if ((slot.taken.fetch_or(bit, std::memory_order_relaxed) & bit) != 0) return;
        if (from.places.empty()) {
            from = operands(m, use, operand, whole);
            to = results(m, use, whole);
            whose = std::max(whose_are(from.places), whose_are(to));
        }
        combine(m, from, begin_of(share), begin_of(share + 1), whole.op, to, whose);
        // acq_rel, with those that finish other shares: all come before the end of the use
        if (slot.finished.fetch_add(1, std::memory_order_acq_rel) + 1 == shares) end_reduction(m, use);
    };
    nearest_cpu_first(
        m.rank(), m.size(), m.cpu_mates.cpu_of_members, shares,
        [&] { return slot.taken.load(std::memory_order_relaxed); }, take);
}

}  // namespace fmpl
