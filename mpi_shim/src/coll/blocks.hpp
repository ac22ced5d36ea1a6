// The memory of a call that belongs to each rank: a function from ranks to messages. Refers to the function it is
// made of, and is used while that exists.
#pragma once

#include "p2p/message_buffer.hpp"

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace fmpl::mpi {

// Those of one type that is one piece of memory for any count, as most are.
struct DenseBlocks {
    std::byte* buffer = nullptr;
    std::int64_t element = 0;  // bytes; 0: the blocks are no such ones
    int count = 0;             // of elements of each block, one behind the other, where there are no counts
    const int* counts = nullptr;
    const int* displacements = nullptr;  // in elements, where there are counts
    std::uint32_t basic_bytes = 0;       // of each basic element, as MessageBuffer::piece has them

    [[gnu::always_inline]] MessageBuffer at(int index) const
    {
        const std::int64_t before = counts != nullptr ? displacements[index] : std::int64_t{index} * count;
        const std::int64_t own = counts != nullptr ? counts[index] : count;
        // By numbers: before a displacement is added the buffer may be no address of the block's memory.
        return MessageBuffer::piece(reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(buffer) +
                                                                  static_cast<std::uintptr_t>(before * element)),
            static_cast<std::uint64_t>(own * element), basic_bytes);
    }
    // Whether blocks of so many bytes lie one behind the other.
    bool is_row(std::uint64_t block_bytes) const
    {
        return element != 0 && counts == nullptr && static_cast<std::uint64_t>(count * element) == block_bytes;
    }
};

class Blocks {
public:
    // Of a function that has dense() blocks, those are asked for themselves.
    template <class Function>
    requires std::is_invocable_r_v<MessageBuffer, const Function&, int> Blocks(const Function& function)
        : function_(&function),
          call_([](const void* f, int rank) -> MessageBuffer { return (*static_cast<const Function*>(f))(rank); })
    {
        if constexpr (requires { function.dense(); }) dense_ = &function.dense();
    }

    [[gnu::always_inline]] MessageBuffer operator()(int rank) const
    {
        return dense_->element != 0 ? dense_->at(rank) : call_(function_, rank);
    }
    const DenseBlocks& dense() const { return *dense_; }

private:
    static constexpr DenseBlocks kNotDense{};

    const void* function_;
    MessageBuffer (*call_)(const void* function, int rank);
    const DenseBlocks* dense_ = &kNotDense;
};

}  // namespace fmpl::mpi
