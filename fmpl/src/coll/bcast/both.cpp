#include "coll/bcast/both.hpp"

#include "coll/bcast/uses.hpp"

namespace fmpl {
namespace {

constexpr std::size_t kLeastChunk = 512;
constexpr std::size_t kLeastPrivateChunk = 16 * 1024;

}  // namespace

SharedCopy shared_copy(const Meeting& m, BroadcastSlot& slot, Offset wanted_at, std::size_t bytes)
{
    const int other = m.members()[static_cast<std::size_t>(1 - m.rank())];
    const SharedCopy::End mine = SharedCopy::end_of(m.node().rank(), other);
    // A branch: the chunks of remote-DMA memory are then reckoned while the line that has wanted_at is on its way.
    if (PrivateMemory::is_private(wanted_at)) [[unlikely]]
        return {slot.shared, bytes, mine, kLeastPrivateChunk};
    return {slot.shared, bytes, mine, kLeastChunk};
}

void ask_for_help(Meeting& m, std::uint64_t use, const std::byte* buffer, std::size_t bytes)
{
    BroadcastSlot& slot = slot_of(m, use);
    slot.shared.bytes = bytes;
    const Offset at = slot.shared.at = m.place_of(buffer, bytes);
    shared_copy(m, slot, at, bytes).open_for_both();
    slot.helped.store(use + 1, std::memory_order_release);  // pairs with help_to_receive
}

void receive_with_help(Meeting& m, BroadcastSlot& slot, std::byte* buffer, std::size_t bytes)
{
    const int root = m.members()[slot.root];
    SharedCopy copy = shared_copy(m, slot, m.place_of(buffer, bytes), bytes);
    m.node().crossbar.wake_only(root);  // its chunk is left for it
    const auto read = [&](std::size_t begin, std::size_t n) {
        m.node().private_memory.read(root, slot.at + begin, buffer + begin, n);
    };
    const bool last = copy.copy(read, true);
    if (!last) m.node().wait([&] { return copy.done(); }, m.waiting_for(static_cast<int>(slot.root), bytes));
}

bool help_to_receive(Meeting& m, std::uint64_t use, const std::byte* buffer, std::size_t bytes)
{
    BroadcastSlot& slot = slot_of(m, use);
    // acquire: pairs with ask_for_help
    if (slot.helped.load(std::memory_order_acquire) != use + 1 || slot.shared.bytes != bytes) return false;
    const int receiver = m.members()[static_cast<std::size_t>(1 - m.rank())];
    const Offset to = slot.shared.at;
    SharedCopy copy = shared_copy(m, slot, to, bytes);
    const auto write = [&](std::size_t begin, std::size_t n) {
        m.node().private_memory.write(receiver, to + begin, buffer + begin, n);
    };
    const bool last = copy.copy(write, copy.has_kept_chunk());
    if (last) m.node().crossbar.wake_only(receiver);
    return true;
}

}  // namespace fmpl
