#include "coll/bcast/both.hpp"

#include "coll/bcast/uses.hpp"

namespace fmpl {
namespace {

constexpr std::size_t kLeastChunk = 512;
constexpr std::size_t kLeastPrivateChunk = 16 * 1024;

// Before a chunk that the kernel copies, which may take a while.
void look_for_abort(const Meeting& m, Offset theirs)
{
    if (PrivateMemory::is_private(theirs)) m.node().waiter.check_abort();
}

}  // namespace

SharedCopy shared_copy(const Meeting& m, BroadcastSlot& slot, std::size_t bytes)
{
    const int other = m.members()[static_cast<std::size_t>(1 - m.rank())];
    const std::size_t least = PrivateMemory::is_private(slot.shared.at) ? kLeastPrivateChunk : kLeastChunk;
    return {slot.shared, bytes, SharedCopy::end_of(m.node().rank(), other), least};
}

void ask_for_help(Meeting& m, std::uint64_t use, const std::byte* buffer, std::size_t bytes)
{
    BroadcastSlot& slot = slot_of(m, use);
    slot.shared.bytes = bytes;
    slot.shared.at = m.place_of(buffer, bytes);
    shared_copy(m, slot, bytes).open_for_both();
    slot.helped.store(use + 1, std::memory_order_release);  // pairs with help_to_receive
}

void receive_with_help(Meeting& m, BroadcastSlot& slot, std::byte* buffer, std::size_t bytes)
{
    const int root = m.members()[slot.root];
    SharedCopy copy = shared_copy(m, slot, bytes);
    m.node().crossbar.wake(root);  // its chunk is left for it
    const auto read = [&](std::size_t begin, std::size_t n) {
        look_for_abort(m, slot.at);
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
    SharedCopy copy = shared_copy(m, slot, bytes);
    const auto write = [&](std::size_t begin, std::size_t n) {
        look_for_abort(m, slot.shared.at);
        m.node().private_memory.write(receiver, slot.shared.at + begin, buffer + begin, n);
    };
    const bool last = copy.copy(write, copy.has_kept_chunk());
    if (last) m.node().crossbar.wake(receiver);
    return true;
}

}  // namespace fmpl
