// MPI_THREAD_MULTIPLE: the threads of a rank are in MPI one at a time, in the order in which they came; one that waits
// lets the others in between its looks (MPI-3.1, section 12.4.2).
//
// Fields: next_ (any thread that comes), serving_, owner_, depth_, looks_ (the thread whose turn it is). What a thread
// did in its turn is visible to the next one, by serving_. Who comes takes a ticket and then looks at serving_, who
// goes changes serving_ and then looks for tickets, all of it seq_cst: so one of the two sees the other.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>

namespace fmpl::mpi {

class ThreadTurns {
public:
    // Waits for the calling thread's turn; a thread whose turn it is goes on.
    void enter();
    void leave();
    // For a wait, after a look in vain: whoever has come by now has a turn before this returns. Nothing, in a call that
    // a function of the program's makes from within another one, and for who has no turn.
    void let_others_in();
    // Gives the turn away, however often it was entered, for as long as a function of the program's runs that may wait
    // for another thread; how often that was. 0: the calling thread has no turn.
    int pause();
    void resume(int depth);

private:
    void give_turn_away();
    void await_turn(std::uint32_t ticket);

    std::atomic<std::uint32_t> next_{0};
    std::atomic<std::uint32_t> serving_{0};
    std::atomic<std::thread::id> owner_{};  // relaxed: a thread compares it with itself alone
    int depth_ = 0;
    unsigned looks_ = 0;  // in vain, one after the other
};

// The calling thread's turn, for its lifetime; nothing where `turns` is null. Holds it: MPI_Finalize ends the rank's
// Process within.
class InTurn {
public:
    explicit InTurn(const std::shared_ptr<ThreadTurns>& turns)
    {
        if (turns != nullptr) [[unlikely]]
            begin(turns);
    }
    ~InTurn()
    {
        if (held_ != nullptr) [[unlikely]]
            held_->leave();
    }
    InTurn(const InTurn&) = delete;
    InTurn& operator=(const InTurn&) = delete;

private:
    [[gnu::cold]] void begin(const std::shared_ptr<ThreadTurns>& turns);

    std::shared_ptr<ThreadTurns> held_;
};

// The calling thread's turn given away, for its lifetime.
class TurnGivenAway {
public:
    explicit TurnGivenAway(const std::shared_ptr<ThreadTurns>& turns) : turns_(turns)
    {
        if (turns_ != nullptr) [[unlikely]]
            depth_ = turns_->pause();
    }
    ~TurnGivenAway()
    {
        if (turns_ != nullptr) [[unlikely]]
            turns_->resume(depth_);
    }
    TurnGivenAway(const TurnGivenAway&) = delete;
    TurnGivenAway& operator=(const TurnGivenAway&) = delete;

private:
    std::shared_ptr<ThreadTurns> turns_;
    int depth_ = 0;
};

}  // namespace fmpl::mpi
