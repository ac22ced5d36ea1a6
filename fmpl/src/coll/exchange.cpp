#include "coll/exchange.hpp"

#include "coll/uses.hpp"
#include "crossbar/copy_across.hpp"
#include "error.hpp"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

namespace fmpl {
namespace {

WaitFor waiting_for(const Meeting& m, int member, std::size_t bytes)
{
    WaitFor what = m.waiting_for(member, bytes);
    what.call = Call::exchange;
    return what;
}

// From one buffer for so many bytes to the next.
std::size_t stride_of_given(std::size_t bytes)
{
    return (bytes <= kShortExchangeBytes ? kShortExchangeBytes : kMostExchangeBytes) + kLine;
}

ExchangeSlot& slot_of(const ExchangeState& x, int member, std::uint64_t use)
{
    auto* const records = reinterpret_cast<std::byte*>(&x.meeting.station->members[static_cast<std::size_t>(member)]);
    return reinterpret_cast<ExchangeRecords*>(records + x.records_at)->given[use % kExchangeSlots];
}
ExchangeSlot& own_slot(const ExchangeState& x, std::uint64_t use)
{
    return slot_of(x, x.meeting.rank(), use);
}

// This rank's buffer for data that the slot's line has no room for.
Offset buffer_of(ExchangeState& x, std::uint64_t use, std::size_t bytes)
{
    Offset& buffers = bytes <= kShortExchangeBytes ? x.short_buffers : x.long_buffers;
    const std::size_t stride = stride_of_given(bytes);
    if (buffers == kNoOffset) [[unlikely]]
        buffers = x.meeting.node().arena.allocate(kExchangeSlots * stride);
    return buffers + use % kExchangeSlots * stride;
}

void publish(ExchangeState& x, std::uint64_t use, int to)
{
    Meeting& m = x.meeting;
    x.readers[use % kExchangeSlots] = to;
    own_slot(x, use).stamp.store(use + 1, std::memory_order_release);  // pairs with has_given
    if (to == ExchangeState::kAll) {
        m.wake_members();
    } else {
        m.node().crossbar.wake_only(m.members()[static_cast<std::size_t>(to)]);
    }
}

// Whether those who take what this rank has given in the last use of the slot of `use` are known to have left that.
bool is_known_to_be_free(const ExchangeState& x, std::uint64_t use)
{
    const int reader = x.readers[use % kExchangeSlots];
    if (use < kExchangeSlots || reader == ExchangeState::kNobody) return true;
    if (reader == ExchangeState::kAll) return x.left + kExchangeSlots > use;
    return x.reader == reader && x.reader_left + kExchangeSlots > use;
}

// The same, looked for; and in so many uses more.
bool is_free(ExchangeState& x, std::uint64_t use, std::uint64_t more)
{
    // Nobody can leave what this rank has open.
    const std::uint64_t uses = std::min(use + more + 1 - kExchangeSlots, x.open_from);
    const int reader = x.readers[use % kExchangeSlots];
    if (reader == ExchangeState::kAll) return all_have_left(x.meeting, course_of(x), uses);
    x.reader = reader;
    const UseProgress& progress = course_of(x).progress(x.meeting.station->members[static_cast<std::size_t>(reader)]);
    x.reader_left = progress.left.load(std::memory_order_acquire);  // acquire: pairs with leave_use
    return x.reader_left >= uses;
}

// This rank may still be about to give in the slot's last use, unless it has ended that.
bool is_through_itself(const ExchangeState& x, std::uint64_t use)
{
    return use - x.open_from < kExchangeSlots;
}

// The lines that this rank will write for an exchange soon to come, if that is alike, come from the others' caches
// while it goes on (docs/decisions/0045-short-data-is-exchanged.md); but not such as somebody may still read since the
// slot's last use.
void ask_ahead(ExchangeState& x, std::uint64_t use)
{
    constexpr std::uint64_t kAhead = 4;
    const std::uint64_t ahead = use + kAhead;
    if (!is_known_to_be_free(x, ahead)) return;
    prefetch_to_write(&own_slot(x, ahead));
    const std::size_t bytes = x.given_bytes;  // the slot's line is on its way to who takes it
    if (bytes > kExchangeInlineBytes)
        prefetch_to_write(x.meeting.node().crossbar.local(buffer_of(x, ahead, bytes)), bytes);
}

bool has_given(const ExchangeSlot& slot, std::uint64_t use)
{
    return slot.stamp.load(std::memory_order_acquire) == use + 1;  // pairs with publish()
}

// Whether the other members of this rank's CPU have left all exchanges before this one: what they wait for does not
// come before this rank goes on.
bool are_mates_here(ExchangeState& x, std::uint64_t use)
{
    const Meeting& m = x.meeting;
    const std::vector<int>& mates = m.cpu_mates.members_of_cpus[static_cast<std::size_t>(m.cpu_mates.cpu)];
    return std::all_of(mates.begin(), mates.end(), [&](int mate) {
        const UseProgress& progress = course_of(x).progress(m.station->members[static_cast<std::size_t>(mate)]);
        return mate == m.rank() || progress.left.load(std::memory_order_relaxed) >= use;
    });
}

// Waits for what a member of another CPU gives in an exchange with a root, without leaving this CPU, for a short while,
// if this rank is its next root, or nobody else there can go on (docs/decisions/0021-next-root-keeps-the-cpu.md);
// whether it has given.
bool keeps_cpu_until_given(ExchangeState& x, std::uint64_t use, int from, const ExchangeSlot& slot)
{
    Meeting& m = x.meeting;
    if (!m.may_keep_cpu() || m.is_mate(from)) return false;
    const bool is_next = x.roots.root() != m.rank() && m.is_next_of_cpu(x.roots);
    if (!is_next && !are_mates_here(x, use)) return false;
    return m.keep_cpu_until(x.roots, [&] { return has_given(slot, use); });
}

[[gnu::noinline]] void wait_for_given(ExchangeState& x, std::uint64_t use, int from, const ExchangeSlot& slot)
{
    const bool has_root = x.rooted == use;
    if (has_root && keeps_cpu_until_given(x, use, from, slot)) return;
    x.meeting.wait_in_turn(
        has_root ? &x.roots : nullptr, [&] { return has_given(slot, use); }, waiting_for(x.meeting, from, 0));
}

// A member that this rank gives nothing may be ahead, and has been there first: then what it has given in the next
// exchange comes while this rank goes on, if it is alike. Of one that waits for this rank it would take away what that
// is about to write.
void fetch_next(ExchangeState& x, std::uint64_t use, int from, const ExchangeSlot& slot)
{
    constexpr std::size_t kMostBytes = 4 * kLine;
    if (x.shown_to == from || x.shown_to == ExchangeState::kAll) return;
    prefetch_to_read(reinterpret_cast<const std::byte*>(&slot_of(x, from, use + 1)), kLine);
    if (slot.bytes <= kExchangeInlineBytes || slot.bytes == kExchangeDeclined) return;
    const int node = x.meeting.members()[static_cast<std::size_t>(from)];
    prefetch_to_read(x.meeting.node().crossbar.mapped(node, slot.at + stride_of_given(slot.bytes)),
        std::min<std::size_t>(slot.bytes, kMostBytes));
}

// Of so many bytes, which are not in the slot's line. The owner may have written anything to it.
Given data_of(const Meeting& m, int from, const ExchangeSlot& slot, std::uint32_t bytes)
{
    const int node = m.members()[static_cast<std::size_t>(from)];
    if (bytes == kExchangeDeclined) {
        std::size_t elsewhere = 0;
        std::memcpy(&elsewhere, slot.data, sizeof elsewhere);
        return {nullptr, elsewhere};
    }
    if (bytes == kExchangeFailed) {
        fail(FMPL_ERR_MEMORY,
            "rank {} has no remote-DMA memory left for what it gives; give the ranks larger arenas with "
            "FMPL_ARENA_SIZE",
            node);
    }
    const Offset place = slot.at;
    const std::byte* const at = m.node().crossbar.room(node, place, bytes);
    if (bytes > kMostExchangeBytes || at == nullptr) {
        fail(FMPL_ERR_INTERNAL, "rank {} gives {} bytes at {:#x}, which is none of its places", node, bytes, place);
    }
    return {at, bytes};
}

// Requires that the slot's last use is over.
std::byte* open_room(ExchangeState& x, std::uint64_t use, std::size_t bytes)
{
    ExchangeSlot& slot = own_slot(x, use);
    slot.bytes = static_cast<std::uint32_t>(bytes);
    slot.at = kNoOffset;
    if (bytes <= kExchangeInlineBytes) {
        x.given_bytes = bytes;
        return slot.data;
    }
    try {
        slot.at = buffer_of(x, use, bytes);
        x.given_bytes = bytes;
    } catch (...) {
        slot.bytes = kExchangeFailed;
        publish(x, use, ExchangeState::kAll);
        throw;
    }
    return x.meeting.node().crossbar.local(slot.at);
}

// What is in a slot whose member has given.
inline Given given_in(const Meeting& m, int from, const ExchangeSlot& slot)
{
    const std::uint32_t bytes = slot.bytes;
    if (bytes > kExchangeInlineBytes) return data_of(m, from, slot, bytes);
    return {slot.data, bytes};
}

}  // namespace

std::byte* room_to_give(ExchangeState& x, std::uint64_t use, std::size_t bytes)
{
    if (!is_through_itself(x, use)) [[unlikely]] {
        fail(FMPL_ERR_ARGUMENT, "exchange {} is still open, in whose slot exchange {} gives; end it first", x.open_from,
            use);
    }
    if (!is_known_to_be_free(x, use) && !is_free(x, use, 0)) {
        // Then one wait in place of one for each exchange from now on.
        wait_for_leaving(
            x.meeting, x.meeting.station->waiting_givers, [&] { return is_free(x, use, kExchangeSlots / 2); },
            waiting_for(x.meeting, -1, bytes));
    }
    return open_room(x, use, bytes);
}

std::byte* try_room_to_give(ExchangeState& x, std::uint64_t use, std::size_t bytes)
{
    const auto may_write = [&] {
        return is_through_itself(x, use) && (is_known_to_be_free(x, use) || is_free(x, use, 0));
    };
    std::atomic<std::uint32_t>& waiting = x.meeting.station->waiting_givers;
    if (!may_write()) {
        if (!std::exchange(x.waits_for_room, true)) {
            waiting.fetch_add(1, std::memory_order_relaxed);
            // Who leaves may have looked before this was seen, and a rank that sleeps after this look has already made
            // sure that what it wrote before is.
            const Node& node = x.meeting.node();
            if (node.waiter.is_last_look()) node.crossbar.wake(node.rank());
        }
        if (!may_write()) return nullptr;
    }
    if (std::exchange(x.waits_for_room, false)) waiting.fetch_sub(1, std::memory_order_relaxed);
    return open_room(x, use, bytes);
}

void show_given(ExchangeState& x, std::uint64_t use, int to)
{
    publish(x, use, to);
    x.shown_to = to;
    ask_ahead(x, use);
}

void decline_to_give(ExchangeState& x, std::uint64_t use, std::size_t bytes, int to)
{
    ExchangeSlot& slot = own_slot(x, use);
    std::memcpy(slot.data, &bytes, sizeof bytes);
    slot.bytes = kExchangeDeclined;
    show_given(x, use, to);
}

Given take_given(ExchangeState& x, std::uint64_t use, int from)
{
    const ExchangeSlot& slot = slot_of(x, from, use);
    if (has_given(slot, use)) {
        fetch_next(x, use, from, slot);
    } else {
        wait_for_given(x, use, from, slot);
    }
    return given_in(x.meeting, from, slot);
}

bool try_take_given(ExchangeState& x, std::uint64_t use, int from, Given& given)
{
    const ExchangeSlot& slot = slot_of(x, from, use);
    if (!has_given(slot, use)) return false;
    given = given_in(x.meeting, from, slot);
    return true;
}

void end_exchange(ExchangeState& x, std::uint64_t use)
{
    x.shown_to = ExchangeState::kNobody;
    if (use != x.open_from) [[unlikely]]
        return x.end_later(use);
    ++x.open_from;
    if (!x.ended.empty()) [[unlikely]]
        x.pass_ended();
    leave_use(x.meeting, course_of(x), x.open_from - 1);
}

}  // namespace fmpl
