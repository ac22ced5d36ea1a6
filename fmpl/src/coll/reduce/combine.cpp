#include "coll/reduce/combine.hpp"

#include "coll/nearest_first.hpp"
#include "coll/reduce/choose.hpp"
#include "coll/reduce/use.hpp"
#include "crossbar/copy_across.hpp"

#include <algorithm>
#include <cstring>

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

// One block of each operand, of n elements, in `block`; `part` has room for as much. The last operand's may be in
// `block` already. copy(place, to) copies that of an operand; read(place) says where it can be read.
template <class Copy, class Read>
void combine_block(const Operands& operands, fmpl_op_t op, std::size_t n, std::byte* block, bool last_is_there,
    std::byte* part, Copy&& copy, Read&& read)
{
    std::size_t end = operands.places.size();
    for (std::size_t group = operands.groups.size(); group-- > 0;) {
        const std::size_t begin = operands.groups[group];
        const bool is_last = end == operands.places.size();
        std::byte* sum = block;
        std::size_t i = end;
        if (is_last || end - begin > 1) {
            if (!is_last) sum = part;
            --i;
            if (!is_last || !last_is_there) copy(operands.places[i], sum);
        }
        while (i-- > begin) op->function(read(operands.places[i]), sum, n);
        if (sum == part) op->function(part, block, n);
        end = begin;
    }
}

// As combine(), where the kernel reads some of the operands or writes some of the results.
void combine_by_kernel(Meeting& m, const Operands& operands, std::size_t begin, std::size_t end, fmpl_op_t op,
    std::span<const Place> results)
{
    const std::size_t element = op->element_size;
    const std::size_t block_count = std::max<std::size_t>(kKernelSumBlockBytes / element, 1);
    // The first result is combined where it is to be, unless that is where a later operand of a block comes from.
    std::byte* const result = results[0].here;
    const auto is_result = [&](const Place& operand) { return operand.here == result; };
    const bool last_is_there = is_result(operands.places.back());
    const bool direct = result != nullptr && (last_is_there || std::ranges::none_of(operands.places, is_result));
    const std::span<const Place> others = direct ? results.subspan(1) : results;
    map_pages(m, operands.places, begin * element, (end - begin) * element);
    map_pages(m, results, begin * element, (end - begin) * element);
    std::byte* const partial = m.scratch.fetched.data();
    std::byte* const fetched = partial + block_count * element;
    std::byte* const of_group = fetched + block_count * element;
    for (std::size_t i = begin; i < end; i += block_count) {
        const std::size_t n = std::min(block_count, end - i), at = i * element;
        std::byte* const block = direct ? result + at : partial;
        const auto copy = [&](const Place& operand, std::byte* to) { copy_between(m, operand, at, to, n * element); };
        const auto read = [&](const Place& operand) -> const std::byte* {
            if (operand.here != nullptr) return operand.here + at;
            copy(operand, fetched);
            return fetched;
        };
        combine_block(operands, op, n, block, direct && last_is_there, of_group, copy, read);
        for (const Place& other : others) copy_between(m, block, other, at, n * element);
    }
}

}  // namespace

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
    const bool in_place = results.size() == 1 && results[0].here == operands.places.back().here;
    const std::size_t first = begin * element, bytes = (end - begin) * element;
    map_pages(m, operands.places, first, bytes);
    map_pages(m, results, first, bytes);
    for (std::size_t i = begin; i < end; i += block_count) {
        const std::size_t n = std::min(block_count, end - i), at = i * element;
        const std::byte* const near = operands.places.front().here + at;
        std::byte* const block = in_place ? results[0].here + at : m.scratch.block.beside(near);
        std::byte* const part = operands.groups.size() > 1 ? m.scratch.part.beside(near) : nullptr;
        const auto copy = [&](const Place& operand, std::byte* to) { std::memcpy(to, operand.here + at, n * element); };
        const auto read = [&](const Place& operand) { return operand.here + at; };
        const std::size_t block_bytes = n * element;
        if (results.size() > 1 && block_bytes <= kMostAskedAhead &&
            results.size() * block_bytes <= kMostAskedAheadOfAll) {
            for (const Place& result : results) prefetch_to_write(result.here + at, block_bytes);
        }
        combine_block(operands, op, n, block, in_place, part, copy, read);
        if (in_place) continue;
        for (const Place& result : results) std::memcpy(result.here + at, block, n * element);
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
