// The send buffer of fmpl_sendbuf_set: where a send that has waited its time-out leaves its message (paper, section
// 2.3).
//
// Blocks hold a ChainLink and then the payload. The memory is the user's buffer when that is remote-DMA memory, a block
// of the arena of the same size when it is not, or the arena itself in the growing form.
#pragma once

#include "p2p/arena_allocator.hpp"
#include "p2p/node.hpp"

#include <cstddef>
#include <memory>

namespace fmpl {

class SendBuffer {
public:
    explicit SendBuffer(Node& node) : node_(&node) {}

    bool enabled() const { return timeout_ms_ >= 0; }
    int timeout_ms() const { return timeout_ms_; }
    std::size_t messages() const { return messages_; }  // now in it

    // Requires messages() == 0. Throws Error(MEMORY). See fmpl_sendbuf_set.
    void set(void* buffer, std::size_t bytes, int timeout_ms)
    {
        std::unique_ptr<ArenaAllocator> space;
        Offset own = kNoOffset;
        if (timeout_ms >= 0 && (buffer != nullptr || bytes > 0)) {
            // Whole lines only: a block is a multiple of a line.
            const Offset begin = buffer != nullptr && node_->crossbar.contains(buffer, bytes)
                                     ? node_->crossbar.offset_of(buffer)
                                     : (own = node_->arena.allocate(bytes));
            const Offset first = (begin + kLine - 1) / kLine * kLine;
            const Offset last = (begin + bytes) / kLine * kLine;
            space = std::make_unique<ArenaAllocator>(nullptr, first, last > first ? last - first : 0);
        }
        if (own_ != kNoOffset) node_->arena.free(own_);
        own_ = own;
        space_ = std::move(space);
        timeout_ms_ = timeout_ms < 0 ? -1 : timeout_ms;
    }

    // kNoOffset when it is full.
    Offset take(std::size_t bytes)
    {
        const Offset block = space_ ? space_->try_allocate(bytes) : node_->arena.try_allocate(bytes);
        if (block != kNoOffset) ++messages_;
        return block;
    }
    // A message that has been taken leaves it.
    void give_back(Offset block)
    {
        undo_take(block);
        ++departed_;
    }
    // A block that no message has come to lie in.
    void undo_take(Offset block)
    {
        if (space_) {
            space_->free(block);
        } else {
            node_->arena.free(block);
        }
        --messages_;
    }
    // Messages that have left since the last call.
    int take_departed() { return std::exchange(departed_, 0); }

private:
    Node* node_;
    std::unique_ptr<ArenaAllocator> space_;  // null: the arena
    Offset own_ = kNoOffset;                 // the block of the arena under space_
    int timeout_ms_ = -1;
    std::size_t messages_ = 0;
    int departed_ = 0;
};

}  // namespace fmpl
