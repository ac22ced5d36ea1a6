#include "coll/exchange.hpp"

#include "coll/uses.hpp"
#include "crossbar/copy_across.hpp"
#include "error.hpp"

#include <algorithm>
#include <cstring>

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

// This rank's buffer for data that the slot's line has no room for.
Offset buffer_of(Meeting& m, std::uint64_t use, std::size_t bytes)
{
    ExchangeState& state = m.exchanges;
    Offset& buffers = bytes <= kShortExchangeBytes ? state.short_buffers : state.long_buffers;
    const std::size_t stride = stride_of_given(bytes);
    if (buffers == kNoOffset) [[unlikely]]
        buffers = m.node().arena.allocate(kExchangeSlots * stride);
    return buffers + use % kExchangeSlots * stride;
}

void publish(Meeting& m, ExchangeSlot& slot, int to)
{
    m.exchanges.readers[m.exchanges.uses % kExchangeSlots] = to;
    slot.stamp.store(m.exchanges.uses + 1, std::memory_order_release);  // pairs with take_given
    if (to == ExchangeState::kAll) {
        m.wake_members();
    } else {
        m.node().crossbar.wake_only(m.members()[static_cast<std::size_t>(to)]);
    }
}

// Whether those who take what this rank has given in the last use of the slot of `use` are known to have left that.
bool is_known_to_be_free(const ExchangeState& state, std::uint64_t use)
{
    const int reader = state.readers[use % kExchangeSlots];
    if (use < kExchangeSlots || reader == ExchangeState::kNobody) return true;
    if (reader == ExchangeState::kAll) return state.left + kExchangeSlots > use;
    return state.reader == reader && state.reader_left + kExchangeSlots > use;
}

// The same, looked for; and in so many uses more.
bool is_free(Meeting& m, std::uint64_t use, std::uint64_t more)
{
    ExchangeState& state = m.exchanges;
    const std::uint64_t uses = use + more + 1 - kExchangeSlots;
    const int reader = state.readers[use % kExchangeSlots];
    if (reader == ExchangeState::kAll) return all_have_left(m, exchanges_of(m), uses);
    state.reader = reader;
    // acquire: pairs with leave_use
    state.reader_left =
        m.station->members[static_cast<std::size_t>(reader)].exchanges.left.load(std::memory_order_acquire);
    return state.reader_left >= uses;
}

// The lines that this rank will write for an exchange soon to come, if that is alike, come from the others' caches
// while it goes on (docs/decisions/0045-short-data-is-exchanged.md); but not such as somebody may still read.
void ask_ahead(Meeting& m)
{
    constexpr std::uint64_t kAhead = 4;
    const std::uint64_t use = m.exchanges.uses + kAhead;
    if (!is_known_to_be_free(m.exchanges, use)) return;
    prefetch_to_write(&m.station->given(m.rank(), use));
    const std::size_t bytes = m.exchanges.given_bytes;  // the slot's line is on its way to who takes it
    if (bytes > kExchangeInlineBytes) prefetch_to_write(m.node().crossbar.local(buffer_of(m, use, bytes)), bytes);
}

void wait_for_given(Meeting& m, int from, const ExchangeSlot& slot, std::uint64_t stamp)
{
    m.node().wait([&] { return slot.stamp.load(std::memory_order_acquire) == stamp; },  // pairs with publish()
        waiting_for(m, from, 0));
}

// A member that this rank gives nothing may be ahead, and has been there first: then what it has given in the next
// exchange comes while this rank goes on, if it is alike. Of one that waits for this rank it would take away what that
// is about to write.
void fetch_next(Meeting& m, int from, const ExchangeSlot& slot)
{
    constexpr std::size_t kMostBytes = 4 * kLine;
    const ExchangeState& state = m.exchanges;
    if (state.shown_to == from || state.shown_to == ExchangeState::kAll) return;
    prefetch_to_read(reinterpret_cast<const std::byte*>(&m.station->given(from, state.uses + 1)), kLine);
    if (slot.bytes <= kExchangeInlineBytes || slot.bytes == kExchangeDeclined) return;
    const int node = m.members()[static_cast<std::size_t>(from)];
    prefetch_to_read(m.node().crossbar.mapped(node, slot.at + stride_of_given(slot.bytes)),
        std::min<std::size_t>(slot.bytes, kMostBytes));
}

// Of so many bytes, which are not in the slot's line. The owner may have written anything to it.
Given data_of(Meeting& m, int from, const ExchangeSlot& slot, std::uint32_t bytes)
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

}  // namespace

std::byte* room_to_give(Meeting& m, std::size_t bytes)
{
    ExchangeState& state = m.exchanges;
    const std::uint64_t use = state.uses;
    if (!is_known_to_be_free(state, use) && !is_free(m, use, 0)) {
        // Then one wait in place of one for each exchange from now on.
        wait_for_leaving(
            m, m.station->waiting_givers, [&] { return is_free(m, use, kExchangeSlots / 2); },
            waiting_for(m, -1, bytes));
    }
    ExchangeSlot& slot = m.station->given(m.rank(), use);
    state.given_bytes = bytes;
    slot.bytes = static_cast<std::uint32_t>(bytes);
    slot.at = kNoOffset;
    if (bytes <= kExchangeInlineBytes) return slot.data;
    try {
        slot.at = buffer_of(m, use, bytes);
    } catch (...) {
        slot.bytes = kExchangeFailed;
        publish(m, slot, ExchangeState::kAll);
        throw;
    }
    return m.node().crossbar.local(slot.at);
}

void decline_to_give(Meeting& m, std::size_t bytes, int to)
{
    std::memcpy(room_to_give(m, sizeof bytes), &bytes, sizeof bytes);
    m.station->given(m.rank(), m.exchanges.uses).bytes = kExchangeDeclined;
    show_given(m, to);
}

void show_given(Meeting& m, int to)
{
    ExchangeSlot& slot = m.station->given(m.rank(), m.exchanges.uses);
    publish(m, slot, to);
    m.exchanges.shown_to = to;
    ask_ahead(m);
}

Given take_given(Meeting& m, int from)
{
    const ExchangeSlot& slot = m.station->given(from, m.exchanges.uses);
    const std::uint64_t stamp = m.exchanges.uses + 1;
    // acquire: pairs with publish()
    if (slot.stamp.load(std::memory_order_acquire) != stamp) {
        wait_for_given(m, from, slot, stamp);
    } else {
        fetch_next(m, from, slot);
    }
    const std::uint32_t bytes = slot.bytes;
    if (bytes > kExchangeInlineBytes) return data_of(m, from, slot, bytes);
    return {slot.data, bytes};
}

void end_exchange(Meeting& m)
{
    m.exchanges.shown_to = ExchangeState::kNobody;
    leave_use(m, exchanges_of(m), m.exchanges.uses++);
}

}  // namespace fmpl
