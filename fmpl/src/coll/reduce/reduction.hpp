// What a reduction is about: what the user asks for, and where a member's part of it lies.
#pragma once

#include "error.hpp"

#include <fmpl.h>

#include <cstddef>

namespace fmpl {

// The root of an allreduce: all members get the result.
inline constexpr int kAllMembers = -1;

// What the user asks of a reduction.
struct Reduction {
    std::size_t count;
    fmpl_op_t op;
    int root;  // or kAllMembers

    std::size_t bytes() const { return count * op->element_size; }
};

// Where a member's part of a reduction lies. The operand is only read, unless `result` is the same place; `result` is
// nullptr where the member gets none, and may not be at the root.
struct ReduceBuffers {
    const std::byte* operand;
    std::byte* result;

    ReduceBuffers at(std::size_t bytes) const
    {
        return {operand + bytes, result != nullptr ? result + bytes : nullptr};
    }
};

// "rank 0 reduces ..., rank 1 ...": for reductions whose members do not agree.
template <class One, class Other>
[[noreturn]] void fail_mismatch(int other_rank, const One& first, const Other& other)
{
    const auto described = [](const auto& deposit) {
        return fmt::format("{} elements of {} bytes to {}", deposit.count, deposit.element_size,
            deposit.root == kAllMembers ? "all ranks" : fmt::format("rank {}", deposit.root));
    };
    fail(FMPL_ERR_MISMATCH, "rank 0 reduces {}, rank {} {}; give the same count, operation and root on all ranks",
        described(first), other_rank, described(other));
}

}  // namespace fmpl
