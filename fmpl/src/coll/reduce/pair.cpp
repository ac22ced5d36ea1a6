// Reductions of two ranks over memory that both map.
//
// Both lay down what they reduce, in the two halves of one line, and look at the other's: the same verdict for both, at
// the cost of one barrier of two. Up to 8 bytes travel in the line. Long operands in remote-DMA memory are combined
// where they are, one half of the elements by each rank, and a barrier ends that (kPairInPlaceBytes). Else they go
// through library buffers, long ones of a reduce in steps: the root combines the first ones while the other rank lays
// down the next. That rank leaves before the root does; and if the root is the one that both expect (ExpectedRoot), it
// does not even look at the root's half, for less than kPairSlots reductions, whose verdict only the root knows. What
// is longer than longest_deposit() goes in pieces. Of an allreduce, long private operands are combined where they are,
// too, by the kernel.
//
// Cost with n bytes: one or two lines back and forth, n / (2 combine rate) in place, else n / copy bandwidth + n /
// combine rate. The operands are combined in the order of the ranks.
#include "coll/barrier.hpp"
#include "coll/reduce/choose.hpp"
#include "coll/reduce/combine.hpp"
#include "coll/reduce/deposit.hpp"
#include "coll/reduce/hardware.hpp"
#include "coll/reduce/use.hpp"
#include "crossbar/copy_across.hpp"
#include "p2p/shared_copy.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <exception>

namespace fmpl {
namespace {

// Of a payload in the line.
void copy_payload(void* to, const void* from, std::size_t bytes)
{
    if (bytes == sizeof(PairDeposit::payload)) {
        std::memcpy(to, from, sizeof(PairDeposit::payload));
    } else if (bytes > 0) {
        std::memcpy(to, from, bytes);
    }
}

// Makes this rank's half of the line for a use; a long operand's library buffer is still empty. Throws
// Error(MEMORY) when there is no library buffer that may be needed.
void deposit_for_pair(Meeting& m, std::uint64_t use, PairDeposit& own, const ReduceBuffers& buffers,
    const Reduction& whole, bool root_stays)
{
    const std::size_t bytes = whole.bytes();
    own.count = whole.count;
    own.element_size = static_cast<std::uint32_t>(std::min<std::size_t>(whole.op->element_size, UINT32_MAX));
    own.root = static_cast<std::int16_t>(whole.root);
    const std::byte* const operand = buffers.operand;
    own.in_place = 0;
    own.no_memory = 0;
    if (bytes <= sizeof own.payload) {
        copy_payload(&own.payload, operand, bytes);
        return;
    }
    const bool to_all = whole.root == kAllMembers;
    const std::size_t longest = longest_deposit(m, whole);
    const bool elsewhere = (to_all || whole.root == m.rank()) && buffers.result != operand;
    const bool in_place = pair_goes_in_place(m, buffers, whole, root_stays);
    own.payload = in_place ? m.place_of(operand, bytes) : kNoOffset;
    if (in_place) {
        const Offset result_at = elsewhere ? m.place_of(buffers.result, bytes) : own.payload;
        if (elsewhere) m.station->pair_results[use % kPairSlots].at[m.rank()] = result_at;
        const bool is_private = PrivateMemory::is_private(own.payload | result_at);
        own.in_place =
            static_cast<std::uint8_t>(PairDeposit::kInPlace | (elsewhere ? PairDeposit::kResultElsewhere : 0) |
                                      (is_private ? PairDeposit::kPrivate : 0));
    }
    const bool needs_buffer = in_place ? to_all : whole.root != m.rank();
    if (needs_buffer) reserve_deposits(m, bytes, longest);
    if (in_place || !needs_buffer || bytes > longest) return;
    own.payload = operand_buffer(m, use, bytes, whole.root);
    if (bytes <= kShortBufferBytes) copy_across(m.node().crossbar.local(own.payload), operand, bytes);
}

// A long operand in a library buffer is laid down in so many steps, but of so many bytes at least: the other combines
// the first ones meanwhile.
constexpr std::size_t kSteps = 8;
constexpr std::size_t kStepBytes = 16 * 1024;
static_assert(2 * kSteps < PairDeposit::kMostSteps);  // elements do not divide all

// So much of the other's operand may be asked for ahead, of reductions of so many bytes at least.
constexpr std::size_t kAskedAhead = 2 * 1024;
constexpr std::size_t kLeastAsked = 16 * 1024;

// One use of the line, by both ranks.
class PairUse {
public:
    PairUse(Meeting& m, const ReduceBuffers& buffers, const Reduction& whole)
        : m_(m),
          buffers_(buffers),
          whole_(whole),
          use_(m.reductions.uses++),
          keeps_root_(m.reductions.keeps_root(whole.root)),
          expects_root_(m.reductions.expected_root.begins(whole.root)),
          line_(line(use_))
    {
        m.reductions.ring.take(use_, takes_ring() ? bytes_ : 0);
    }

    ReduceManner reduce()
    {
        await_room();
        lay_down();
        if (goes_ahead()) {
            ask_ahead();
            return ReduceManner::combined;
        }
        meet();
        if (own().count != other().count || own().element_size != other().element_size || own().root != other().root)
            [[unlikely]] {
            m_.reductions.expected_root.give_up();
            fail_mismatch(1, line_.by[0], line_.by[1]);
        }
        if (bytes_ <= sizeof own().payload) return combine_in_line();
        // Both have told whether they reach each other before they stamped the line.
        const bool both_in_place =
            own().in_place != 0 && other().in_place != 0 && (!has_private() || m_.members_reach_each_other());
        if (!both_in_place) {
            if (no_memory_) std::rethrow_exception(no_memory_);
            if (other().no_memory != 0) fail_no_memory(1 - rank_);
            if (bytes_ > longest_) return ReduceManner::in_pieces;
        }
        operands_[mine_] = m_.own_place(buffers_.operand);
        operands_[theirs_] = m_.place(1 - rank_, other().payload);
        return both_in_place ? combine_halves() : combine_buffers();
    }

private:
    PairReduction& line(std::uint64_t use) const { return m_.station->pairs[use % kPairSlots]; }
    PairDeposit& own() const { return line_.by[rank_]; }
    const PairDeposit& other() const { return line_.by[1 - rank_]; }
    // acquire: pairs with show() of the other
    std::uint64_t stamp_of_other() const { return other().stamp.load(std::memory_order_acquire); }
    bool wants_result(int member) const { return whole_.root == kAllMembers || whole_.root == member; }
    bool has_private() const { return ((own().in_place | other().in_place) & PairDeposit::kPrivate) != 0; }
    Places whose() const { return has_private() ? Places::private_too : Places::mapped; }
    // Where a member wants the result of a reduction in place.
    Place result_of(int member) const
    {
        if (member == rank_) return m_.own_place(buffers_.result);
        const bool elsewhere = (other().in_place & PairDeposit::kResultElsewhere) != 0;
        return m_.place(member, elsewhere ? m_.station->pair_results[use_ % kPairSlots].at[member] : other().payload);
    }
    // Where the other rank lays a short operand that this one will read, if that is known: behind its last one. Its
    // lines are asked for with each look, so that they come while the stamp does.
    const std::byte* others_buffer(std::uint64_t use) const
    {
        if (m_.reductions.others_short == kNoOffset || !wants_result(rank_)) return nullptr;
        if (bytes_ <= sizeof own().payload || bytes_ > kShortBufferBytes || own().in_place != 0) return nullptr;
        return m_.place(1 - rank_, m_.reductions.others_short + use % kPairSlots * kShortBufferStride).here;
    }
    void part_with_barrier() { barrier_of_two(m_, m_.station->barrier); }

    bool takes_ring() const { return bytes_ > kShortBufferBytes && bytes_ <= longest_; }
    bool has_line(std::uint64_t use) const { return use < m_.reductions.over + kPairSlots; }
    // Whether the other rank is known to be through with so many uses, since it has laid down its part of the next.
    bool is_over(std::uint64_t uses)
    {
        // acquire: pairs with show()
        if (PairDeposit::use_of(line(uses).by[1 - rank_].stamp.load(std::memory_order_acquire)) <= uses) return false;
        m_.reductions.over = uses;
        return true;
    }
    // So many uses must be over before this one has its line and its room in the ring.
    std::uint64_t uses_in_the_way() const
    {
        std::uint64_t uses = has_line(use_) ? m_.reductions.over : use_ + 1 - kPairSlots;
        while (takes_ring() && uses < use_ && m_.reductions.ring.overlaps(uses)) ++uses;
        return uses;
    }

    // Waits until the other rank is through with what the line and the operand's buffer were for. At first for half of
    // the uses that may be under way, one wait in place of one for each use from now on; but the other may wait for
    // what this rank does next.
    void await_room()
    {
        const std::uint64_t least = uses_in_the_way();
        if (least == m_.reductions.over) return;
        const std::uint64_t wanted = least + (use_ - least) / 2;
        Patience patience;
        m_.node().wait([&] { return is_over(wanted) || (patience.ends(m_.node()) && is_over(least)); },
            m_.waiting_for(1 - rank_, bytes_));
    }

    void lay_down()
    {
        try {
            deposit_for_pair(m_, use_, own(), buffers_, whole_, keeps_root_);
        } catch (const Error&) {
            no_memory_ = std::current_exception();  // thrown when the other rank knows
            own().no_memory = 1;
        }
        const bool has_buffer = takes_ring() && own().in_place == 0 && own().payload != kNoOffset;
        if (!has_buffer) return show(0);
        std::byte* const buffer = m_.node().crossbar.local(own().payload);
        std::uint64_t steps = 0;
        for (std::size_t done = 0; done < bytes_; done += step_bytes()) {
            copy_across(buffer + done, buffers_.operand + done, std::min(step_bytes(), bytes_ - done));
            show(++steps);
        }
    }
    // Of an operand in a library buffer, so many steps are there.
    void show(std::uint64_t steps)
    {
        // release: pairs with stamp_of_other() and is_over() of the other
        own().stamp.store(PairDeposit::stamp_of(use_ + 1, steps), std::memory_order_release);
        m_.node().crossbar.wake_only(m_.members()[static_cast<std::size_t>(1 - rank_)]);
    }
    // How much of a long operand is laid down, and combined, at once. In an allreduce both lay down theirs first.
    std::size_t step_count() const
    {
        if (whole_.root == kAllMembers) return whole_.count;
        return std::max<std::size_t>(std::max(kStepBytes, bytes_ / kSteps) / whole_.op->element_size, 1);
    }
    std::size_t step_bytes() const { return step_count() * whole_.op->element_size; }

    // Whether this rank has nothing to wait for, since the other one has all that it needs. Both expect the same root,
    // since both have named the same ones before; where they do not name the same now, one of them does not name the
    // expected one, and finds out. After that it expects none, and finds out each time.
    bool goes_ahead() const
    {
        return expects_root_ && !wants_result(rank_) && own().in_place == 0 && bytes_ <= longest_ && !no_memory_;
    }

    // By the rank that goes ahead: the lines that it will write for the use after the next, if that is alike, come from
    // the root's cache meanwhile (docs/decisions/0043-lines-to-write-asked-for-ahead.md).
    void ask_ahead()
    {
        constexpr std::uint64_t kAhead = 2;
        if (!has_line(use_ + kAhead)) return;
        prefetch_to_write(&line(use_ + kAhead));
        if (bytes_ <= sizeof own().payload || bytes_ > kShortBufferBytes) return;
        prefetch_to_write(m_.node().crossbar.local(operand_buffer(m_, use_ + kAhead, bytes_, whole_.root)), bytes_);
    }

    void meet()
    {
        // acquire: pairs with show() of the other
        const auto has_come = [&] { return PairDeposit::use_of(stamp_of_other()) == use_ + 1; };
        if (!has_come()) {
            constexpr std::size_t kMostAsked = 4 * kLine;
            const std::byte* const buffer = bytes_ > kMostAsked ? nullptr : others_buffer(use_);
            m_.node().wait(
                [&] {
                    if (buffer != nullptr) prefetch_to_read(buffer, bytes_);
                    return has_come();
                },
                m_.waiting_for(1 - rank_, bytes_));
        } else {
            if (m_.node().has_busy()) m_.node().progress();  // as in a wait
            if (keeps_root_) ask_for_next();
        }
        m_.reductions.over = use_;
    }

    // By a root that stays, if the other was here before it: that has probably laid down its part of the next use, too.
    void ask_for_next() const
    {
        prefetch_to_write(&line(use_ + 1));
        if (const std::byte* const buffer = others_buffer(use_ + 1)) prefetch_to_read(buffer, bytes_);
    }

    // Waits until more than so many elements of the other's operand are there; how many are.
    std::size_t await_more(std::size_t elements)
    {
        if (bytes_ <= kShortBufferBytes || other().in_place != 0) return whole_.count;
        const std::size_t count = step_count();
        std::size_t there = 0;
        const auto more = [&] {
            there = std::min(PairDeposit::steps_of(stamp_of_other()) * count, whole_.count);
            return there > elements;
        };
        if (!more()) m_.node().wait(more, m_.waiting_for(1 - rank_, bytes_));
        return there;
    }

    ReduceManner combine_in_line()
    {
        if (!wants_result(rank_) || whole_.count == 0) return ReduceManner::combined;
        std::uint64_t higher = line_.by[1].payload;
        const std::uint64_t lower = line_.by[0].payload;
        whole_.op->function(&lower, &higher, whole_.count);
        copy_payload(buffers_.result, &higher, bytes_);
        return ReduceManner::combined;
    }

    // Each rank combines one half of the elements where they are.
    ReduceManner combine_halves()
    {
        std::array<Place, 2> results;
        std::size_t wanted = 0;
        for (int member = 0; member < 2; ++member) {
            if (wants_result(member)) results[wanted++] = result_of(member);
        }
        const std::size_t half = whole_.count - whole_.count / 2;
        combine(m_, {operands_}, rank_ == 0 ? 0 : half, rank_ == 0 ? half : whole_.count, whole_.op,
            std::span(results).first(wanted), whose());
        part_with_barrier();
        return ReduceManner::partitioned;
    }

    // combine(), of the elements begin .. end - 1. The other's operand comes from its core's cache, here ahead of the
    // combination. Whether that pays depends on how far that core is (docs/decisions/0068-operands-asked-for-ahead.md).
    void combine_asking_ahead(std::size_t begin, std::size_t end, const Place& result)
    {
        const std::byte* const theirs = operands_[theirs_].here;
        const std::size_t element = whole_.op->element_size;
        const std::size_t count = std::max<std::size_t>(kAskedAhead / element, 1);
        const auto after = [&](std::size_t i) { return std::min(i + count, end); };
        const auto ask = [&](std::size_t i) { prefetch_to_read(theirs + i * element, (after(i) - i) * element); };
        m_.node().crossbar.map_pages(theirs + begin * element, (end - begin) * element);
        ask(begin);
        for (std::size_t i = begin; i < end; i = after(i)) {
            ask(after(i));
            combine(m_, {operands_}, i, after(i), whole_.op, std::span(&result, 1));
        }
    }
    void combine_part(std::size_t begin, std::size_t end, const Place& result)
    {
        FasterOfTwo& asking = m_.reductions.asking_ahead;
        const bool may_ask = whose() == Places::mapped && bytes_ >= kLeastAsked;
        const bool is_try = may_ask && asking.is_try();
        const ClockKind clock = m_.node().waiter.policy().clock;
        const std::uint64_t begun_at = is_try ? read_clock(clock) : 0;
        if (may_ask && asking.way() == 1) {
            combine_asking_ahead(begin, end, result);
        } else {
            combine(m_, {operands_}, begin, end, whole_.op, std::span(&result, 1), whose());
        }
        if (is_try) asking.took(read_clock(clock) - begun_at, (end - begin) * whole_.op->element_size);
        if (may_ask) asking.next();
    }

    // In library buffers, but for one operand perhaps, whose owner may write to it when the other has read it.
    ReduceManner combine_buffers()
    {
        if (!wants_result(rank_)) {
            if (own().in_place != 0) part_with_barrier();
            return ReduceManner::combined;
        }
        if (other().in_place == 0 && bytes_ <= kShortBufferBytes) {
            m_.reductions.others_short = other().payload - use_ % kPairSlots * kShortBufferStride;
        }
        const bool is_read_here = own().in_place != 0 && whole_.root == kAllMembers;
        const bool overwrites = is_read_here && (own().in_place & PairDeposit::kResultElsewhere) == 0;
        const Place result = m_.own_place(
            overwrites ? m_.node().crossbar.local(operand_buffer(m_, use_, bytes_, whole_.root)) : buffers_.result);
        for (std::size_t done = 0; done < whole_.count;) {
            const std::size_t there = await_more(done);
            combine_part(done, there, result);
            done = there;
        }
        if (is_read_here || other().in_place != 0) part_with_barrier();
        if (overwrites) copy_from_across(buffers_.result, result.here, bytes_);
        return ReduceManner::combined;
    }

    Meeting& m_;
    const ReduceBuffers& buffers_;
    const Reduction& whole_;
    const int rank_ = m_.rank();
    const std::size_t mine_ = static_cast<std::size_t>(rank_), theirs_ = 1 - mine_;
    std::array<Place, 2> operands_;  // of both, once they have met
    const std::size_t bytes_ = whole_.bytes();
    const std::size_t longest_ = longest_deposit(m_, whole_);
    const std::uint64_t use_;
    const bool keeps_root_;
    const bool expects_root_;
    PairReduction& line_;
    std::exception_ptr no_memory_;
};

}  // namespace

ReduceManner reduce_once_of_two(Meeting& m, const ReduceBuffers& buffers, const Reduction& whole)
{
    return PairUse(m, buffers, whole).reduce();
}

}  // namespace fmpl
