// The uses of a station's reduce slots, and the verdict on each (coll/station.hpp).
#pragma once

#include "coll/meeting.hpp"
#include "coll/reduce/reduction.hpp"

#include <cstddef>
#include <cstdint>
#include <exception>
#include <span>

namespace fmpl {

// Of a rank that waits for more than it needs, so that it waits less often; but others may wait for what it does next.
class Patience {
public:
    bool ends(const Node& node) { return ++looks_ > kLooks || node.waiter.is_last_look(); }

private:
    static constexpr int kLooks = 64;
    int looks_ = 0;
};

// Begins this rank's next use: waits until it is not too far ahead, so that the last use of the slot and of the library
// buffer is over, and makes the deposit but for its operand.
std::uint64_t begin_reduction(Meeting& m, const Reduction& whole);
// Waits until a use is over. Requires that this rank has not arrived for the slot's next use, so that it is still the
// slot's last.
void await_end(Meeting& m, std::uint64_t use, RootSuccession* roots, bool alone = false);
void end_reduction(Meeting& m, std::uint64_t use);

// By the last to arrive: whether the deposits of all go together, and how the reduction goes on.
ReduceVerdict judge(Meeting& m, std::uint64_t use, const Reduction& whole);
// By the last to arrive. result: of an allreduce that is combined.
void publish_verdict(Meeting& m, std::uint64_t use, const ReduceVerdict& verdict, std::span<const std::byte> result);
const ReduceSlot& await_verdict(Meeting& m, std::uint64_t use, RootSuccession* roots, bool alone);
// What the verdict says is wrong, or null. Called before this rank leaves the use.
std::exception_ptr disagreement(Meeting& m, std::uint64_t use, const ReduceVerdict& verdict);
// For those who wait for the verdict: the last of them to leave ends the use. Throws if the verdict was that the
// deposits do not go together.
void leave_reduction(Meeting& m, std::uint64_t use);

[[noreturn]] void fail_no_memory(int member);

}  // namespace fmpl
