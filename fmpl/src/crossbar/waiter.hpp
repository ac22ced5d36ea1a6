// The one policy by which a rank waits: spin while CPUs suffice or the rank is alone on its CPU, or a little for the
// answer of one that runs on another CPU; else yield; sleep when the wait is long.
//
// wait(ready, what) returns true when ready() is true, and false when what.deadline_ns has passed. ready() is called
// often, by the waiting thread only; it may make progress on this rank's own transfers, and must become true by a write
// that is followed by Crossbar::wake of this node. It may have effects: a look that is true is the last one. Throws
// Error(ABORTED) when another rank has ended the job.
//
// Sleeping without a lost wake-up: the sleeper sets `sleeping`, issues a membarrier, looks at ready() once more, and
// sleeps on its doorbell. A waker writes its flag and then loads `sleeping` with no fence between. The membarrier puts
// a full fence into every running rank: a waker whose load came before it has its flag visible to the last look; one
// whose load comes after it sees `sleeping`, and rings. If the kernel has no membarrier, sleepers and wakers fence, and
// sleeps are bounded by 10 ms.
//
// The membarrier is the expedited one, of microseconds. It may miss a CPU that has been idle since this process used it
// (docs/decisions/0044-a-lost-wake-costs-what-was-waited.md). So these sleeps are bounded too, by as long as has been
// waited; only after a second does a rank pay for the membarrier that takes milliseconds and misses none, and sleep
// until it is rung.
//
// A rank that takes turns on a thread does the same, but leaves the thread to the others until its doorbell has changed
// (api/ranks_of_thread.cpp). When all sleep, the thread does, on all doorbells (futex_waitv, which like futex does not
// sleep if one has changed). A waker of the same thread comes before or after the sleeper in the program's order.
//
// Deadlocks: a rank that then sleeps without a deadline, and that nothing but another rank can wake, says so in
// NodeRecord::sleep. From that the launcher concludes that nobody can go on (launch/deadlock_watch.hpp).
#pragma once

#include "crossbar/cpu_lending.hpp"
#include "crossbar/crossbar.hpp"
#include "crossbar/cycle_clock.hpp"
#include "crossbar/keeping_cpu.hpp"

#include <algorithm>
#include <cstdint>
#include <type_traits>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace fmpl {

inline void cpu_relax()
{
#if defined(__x86_64__)
    _mm_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
}

std::uint64_t monotonic_ns();

// When a wait changes its manner. waiting_policy() chooses them from ranks and CPUs and FMPL_CPUS, FMPL_SPIN_US,
// FMPL_YIELD_US, FMPL_ANSWER_NS.
struct WaitingPolicy {
    std::uint32_t spins = 0;     // looks before the first yield
    std::uint64_t yield_ns = 0;  // then yield for so long before sleeping
    bool cpus_suffice = false;   // one for each rank
    std::uint32_t pauses = 1;    // of the CPU, between two looks
    // For so many cycles (crossbar/cycle_clock.hpp) after a question a look for its answer may be too early. 0: not
    // known, or ranks share CPUs.
    std::uint64_t answer_cycles = 0;
    // Where ranks share CPUs: a rank goes on by so many looks that are no wait, in so many ticks of `clock`; so many it
    // also waits for an answer before it gives its CPU away.
    std::uint32_t looks_of_turn = 1;
    std::uint64_t turn_ticks = 0;
    std::uint64_t ticks_per_us = 0;
    ClockKind clock = ClockKind::monotonic;
    bool answer_is_fixed = false;  // always so long; otherwise at most, as p2p/envelopes/answer_pause.hpp finds
    // Of a wait that is WaitFor::alone: looks before the first yield, and pauses between two.
    std::uint32_t alone_spins = 0;
    std::uint32_t alone_pauses = 1;
    bool spin_is_fixed = false;  // FMPL_SPIN_US says for how long a rank spins, whatever it waits for
};
WaitingPolicy waiting_policy(int ranks, int found_cpus);
// Whatever the variables say: while a rank spins, nobody takes its thread from it, and what it waits for may be
// another rank of that.
WaitingPolicy policy_of_shared_thread(WaitingPolicy policy);

// A number from 0 on, or -1, which is kept as one more. What this leaves in the stack is so never a float or a double
// that is no number: programs that read what they have not set fail by one where they pass over other libraries
// (ScaLAPACK's xssyevr and xdsyevr).
class NumberOrNone {
public:
    constexpr NumberOrNone(int number) : plus_one_(static_cast<std::uint32_t>(number) + 1) {}
    constexpr operator int() const { return static_cast<int>(plus_one_ - 1); }

private:
    std::uint32_t plus_one_;
};

// Who waits for whom: for "what is rank r blocked in", and for how to wait.
struct WaitFor {
    Call call = Call::none;
    NumberOrNone peer = -1;  // rank in FMPL_COMM_WORLD, -1: several
    NumberOrNone index = -1;
    int comm_size = 0;
    std::size_t bytes = 0;
    std::uint64_t deadline_ns = 0;  // by monotonic_ns(); 0: none
    const char* words = nullptr;    // instead of the call's name, for a layer above; nullptr: none
    // Something else than another rank may end the wait: a signal handler, another thread of the process.
    bool from_outside = false;
    // No rank that shares this one's CPU has anything to do before.
    bool alone = false;
};

class SharedThread;

class Waiter {
public:
    // shared_thread: where other ranks live on the calling thread; otherwise nullptr. lending: nullptr: CPUs are not
    // lent. Both outlive the waiter.
    Waiter(const Crossbar& crossbar, WaitingPolicy policy, SharedThread* shared_thread = nullptr,
        CpuLending* lending = nullptr)
        : crossbar_(&crossbar),
          policy_(shared_thread == nullptr ? policy : policy_of_shared_thread(policy)),
          shared_thread_(shared_thread),
          lending_(lending)
    {
    }

    template <class Ready>
    bool wait(Ready&& ready, const WaitFor& what)
    {
        return spin(ready, what) || yield_or_sleep(ready, what);
    }

    // The phases after it alone.
    template <class Ready>
    bool yield_or_sleep(Ready&& ready, const WaitFor& what)
    {
        return wait_longer([](void* r) { return (*static_cast<std::remove_reference_t<Ready>*>(r))(); },
            const_cast<void*>(static_cast<const void*>(&ready)), what);
    }

    // The first phase alone: whether ready() came true while spinning.
    template <class Ready>
    bool spin(Ready&& ready, const WaitFor& what = {})
    {
        if (!what.alone && lending_ != nullptr && lending_->is_alone()) [[unlikely]]
            return spin_alone(ready, [&] { return lending_->is_alone(); });
        if (what.alone) return spin_alone(ready, [] { return true; });
        // With time between two looks: a look takes the line away from the core that is about to write it
        // (docs/decisions/0007-time-between-looks.md).
        for (std::uint32_t i = 0; i < policy_.spins; ++i) {
            if (ready()) return true;
            if (i + 1 == policy_.spins) break;
            for (std::uint32_t p = 0; p < policy_.pauses; ++p) cpu_relax();
        }
        return crossbar_->take_question(what.peer) && keeping_.is_worth_it() && spin_for_answer(ready, what.peer);
    }

    const WaitingPolicy& policy() const { return policy_; }
    // The call of a layer above that the rank is in, for waits that bring no words of their own; nullptr: none. The
    // layer writes it as its calls begin and end.
    const char*& layer_call() { return layer_call_; }
    // The rank looks once more before it sleeps: nothing may be left out then, since only something new would wake it.
    bool is_last_look() const { return is_last_look_; }
    // For a look that is no wait, has found nothing and may be made again and again: the ranks that share this one's
    // CPU, or its thread, run, but after the first looks of a turn. What one of them does next may be what is looked
    // for.
    void give_way()
    {
        if (keeps_cpu()) return;
        leave_cpu_in_vain(true);
        looks_left_ = policy_.looks_of_turn - 1;
        turn_began_ = read_clock(policy_.clock);
    }
    // Whether such a look lets nobody else run; it has been made then. A program that computes a little between its
    // looks gets on meanwhile (docs/decisions/0058-some-looks-of-a-turn.md).
    bool keeps_cpu()
    {
        if (policy_.cpus_suffice) return true;
        if (looks_left_ == 0 || read_clock(policy_.clock) - turn_began_ >= policy_.turn_ticks) return false;
        --looks_left_;
        return true;
    }
    // Throws Error(ABORTED) when the job is ending.
    void check_abort() const;

private:
    // go_on(): asked now and then.
    template <class Ready, class GoOn>
    bool look_until(Ready& ready, GoOn&& go_on, std::uint32_t looks_between)
    {
        for (std::uint32_t looks = 1; !ready(); ++looks) {
            if (looks % looks_between == 0 && !go_on()) return false;
            for (std::uint32_t p = 0; p < policy_.alone_pauses; ++p) cpu_relax();
        }
        return true;
    }
    template <class Ready, class GoOn>
    bool spin_alone(Ready& ready, GoOn&& go_on)
    {
        const std::uint32_t looks = std::clamp<std::uint32_t>(policy_.alone_spins, 1, 16);
        std::uint32_t left = policy_.alone_spins / looks;
        return look_until(
            ready, [&] { return left-- > 1 && go_on(); }, looks);
    }
    // Where ranks share CPUs, while the rank that is to answer runs on another one, and for as long as giving this CPU
    // away takes. Two that ask each other in turn so go on together (docs/decisions/0067-partners-run-together.md).
    template <class Ready>
    [[gnu::noinline]] bool spin_for_answer(Ready& ready, int peer)
    {
        constexpr std::uint32_t kLooks = 8;
        if (!may_keep_cpu_for(peer)) return false;
        const std::uint64_t begin = read_clock(policy_.clock);
        const auto go_on = [&] {
            return read_clock(policy_.clock) - begin < policy_.turn_ticks && lending_->runs_elsewhere(peer);
        };
        if (!look_until(ready, go_on, kLooks)) return false;
        keeping_.has_come();
        return true;
    }
    bool may_keep_cpu_for(int peer);
    bool is_ending() const;

    using ReadyFunction = bool (*)(void*);
    bool wait_longer(ReadyFunction ready, void* state, const WaitFor& what);
    void leave_cpu(bool again) const;
    // is_told: see CpuLending::leave_untold.
    void leave_cpu_in_vain(bool again, bool is_told = true);
    struct LongWait;
    bool sleep(ReadyFunction ready, void* state, const WaitFor& what, std::uint64_t waited_ns, LongWait& long_wait);
    bool last_look(ReadyFunction ready, void* state);

    const Crossbar* crossbar_;
    WaitingPolicy policy_;
    SharedThread* shared_thread_;
    CpuLending* lending_;
    const char* layer_call_ = nullptr;
    bool is_last_look_ = false;
    KeepingCpu keeping_;            // in spin_for_answer()
    int partner_ = -1;              // whom it has looked for there last, if that one is on another CPU
    std::uint32_t looks_left_ = 0;  // of this turn
    std::uint64_t turn_began_ = 0;
    std::uint32_t sleeps_ = 0;  // that NodeRecord::sleep has told of
};

}  // namespace fmpl
