// How the root of a broadcast writes a slot.
#pragma once

#include "coll/bcast/hardware.hpp"
#include "coll/bcast/uses.hpp"

#include <atomic>
#include <cstdint>

namespace fmpl {

// Holds the serialized crossbar, which carries one broadcast at a time, for the root's transfer of a piece.
class SerializedCrossbar {
public:
    SerializedCrossbar(Node& node, bool needed, const WaitFor& what)
        : word_(needed ? &node.crossbar.control().serialized_crossbar : nullptr)
    {
        if (word_ == nullptr) return;
        node.wait(
            [&] {
                std::uint32_t free = 0;
                // acquire: pairs with the release in the destructor
                return word_->compare_exchange_strong(free, static_cast<std::uint32_t>(node.rank()) + 1,
                    std::memory_order_acquire, std::memory_order_relaxed);
            },
            what);
        node_ = &node;
    }
    ~SerializedCrossbar()
    {
        if (node_ == nullptr) return;
        word_->store(0, std::memory_order_release);  // pairs with the acquire in the constructor
        for (int r = 0; r < node_->crossbar.nodes(); ++r) node_->crossbar.wake_only(r);
    }
    SerializedCrossbar(const SerializedCrossbar&) = delete;
    SerializedCrossbar& operator=(const SerializedCrossbar&) = delete;

private:
    std::atomic<std::uint32_t>* word_;
    Node* node_ = nullptr;
};

// In a use that has begun: fill(slot) copies a piece and writes the slot's line but for root and stamp, and the
// receivers are woken. is_first: of the broadcast's pieces. Where another rank is root of this use, too, its
// broadcast is received and dropped, and Error(MISMATCH) thrown.
template <class Fill>
void publish(Meeting& m, std::uint64_t use, bool is_first, std::size_t bytes, const WaitFor& what, Fill&& fill)
{
    BroadcastSlot& slot = slot_of(m, use);
    bool is_only_root = true;
    {
        const SerializedCrossbar serialized(m.node(), m.hardware.serialized, what);
        // Before the copy: the line of the slot comes meanwhile.
        is_only_root = !is_first || slot.claim(use);
        if (is_only_root) {
            fill(slot);
            slot.root = static_cast<std::uint32_t>(m.rank());
            slot.stamp.store(use + 1, std::memory_order_release);  // pairs with receive_broadcast()
        }
    }
    if (!is_only_root) [[unlikely]] {
        --m.broadcasts.uses;
        receive_broadcast(m, {nullptr, nullptr, bytes}, m.rank());
    }
    m.wake_members();
}

}  // namespace fmpl
