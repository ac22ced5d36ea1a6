#include "messenger/thread_turns.hpp"

namespace fmpl::mpi {

void ThreadTurns::enter()
{
    const std::thread::id me = std::this_thread::get_id();
    if (owner_.load(std::memory_order_relaxed) == me) {
        ++depth_;
        return;
    }
    await_turn(next_.fetch_add(1, std::memory_order_seq_cst));
    owner_.store(me, std::memory_order_relaxed);
    depth_ = 1;
}

void ThreadTurns::leave()
{
    if (--depth_ == 0) give_turn_away();
}

void ThreadTurns::let_others_in()
{
    if (owner_.load(std::memory_order_relaxed) != std::this_thread::get_id() || depth_ != 1) return;
    if (next_.load(std::memory_order_relaxed) == serving_.load(std::memory_order_relaxed) + 1) {
        // Nobody has come. A thread of the program that has work of its own may share the CPU.
        constexpr unsigned kSpins = 256;
        if (++looks_ % kSpins == 0) std::this_thread::yield();
        return;
    }
    give_turn_away();
    enter();
}

int ThreadTurns::pause()
{
    if (owner_.load(std::memory_order_relaxed) != std::this_thread::get_id()) return 0;
    const int depth = depth_;
    give_turn_away();
    return depth;
}

void ThreadTurns::resume(int depth)
{
    if (depth == 0) return;
    enter();
    depth_ = depth;
}

void ThreadTurns::give_turn_away()
{
    owner_.store(std::thread::id(), std::memory_order_relaxed);
    const std::uint32_t ended = serving_.load(std::memory_order_relaxed);
    serving_.store(ended + 1, std::memory_order_seq_cst);  // pairs with await_turn
    if (next_.load(std::memory_order_seq_cst) != ended + 1) serving_.notify_all();
}

void ThreadTurns::await_turn(std::uint32_t ticket)
{
    for (;;) {
        const std::uint32_t serving = serving_.load(std::memory_order_seq_cst);  // pairs with give_turn_away
        if (serving == ticket) return;
        serving_.wait(serving, std::memory_order_seq_cst);
    }
}

void InTurn::begin(const std::shared_ptr<ThreadTurns>& turns)
{
    held_ = turns;
    held_->enter();
}

}  // namespace fmpl::mpi
