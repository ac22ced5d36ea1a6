#include "crossbar/abort.hpp"
#include "crossbar/waiter.hpp"

#include "crossbar/cycle_clock.hpp"
#include "crossbar/futex.hpp"
#include "crossbar/scoped_flag.hpp"
#include "crossbar/shared_thread.hpp"
#include "error.hpp"

#include <linux/membarrier.h>
#include <sched.h>
#include <time.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <string_view>

namespace fmpl {
namespace {

// Looks before the first yield: with a CPU for each rank about 20 us of them, which no send that is on its way exceeds;
// with fewer, or where ranks take turns on a thread, one, since what is waited for may need this very CPU.
constexpr std::uint64_t kNsBetweenLooks = 40;
constexpr std::uint64_t kSpinUs = 20;
constexpr std::uint32_t kSharedCpuSpins = 1;
constexpr std::uint64_t kYieldUs = 1000;
// For answers that come one after the other a rank keeps its CPU so long, short beside a time slice.
constexpr std::uint64_t kMostKeptUs = 500;
// NodeRecord::waits_long: for longer than a rank waits for a time slice.
constexpr std::uint64_t kLongNs = 5'000'000;

// The longest: a question and its answer are two passages between cores and what the other rank does between them.
constexpr std::uint64_t kNsBeforeAnswer = 240;

// As long as it takes to give the CPU to another rank: who computes between its looks does so half of the time at most.
constexpr std::uint64_t kNsOfTurn = 1000;
// Looks that the ranks of a CPU make before each has had its turn: what waits for one of them waits for all.
constexpr std::uint64_t kLooksOfRound = 8;

// Where membarrier is missing, wakers fence instead; this bound only covers a rank whose kernel answers otherwise.
// And nobody rings for what ends a wait from outside of the job.
constexpr std::uint64_t kSleepBoundNs = 10'000'000;
// After so long a wait the membarrier is the one that misses no CPU, for sleeps without a bound. Until then a sleep is
// bounded by as much as has been waited: a lost wake-up costs no more than that.
constexpr std::uint64_t kSureAfterNs = 1'000'000'000;

// unit: of the number, in words.
std::uint64_t whole_number_of(const char* unit, const char* variable, std::uint64_t otherwise)
{
    const char* text = std::getenv(variable);
    if (text == nullptr) return otherwise;
    const std::string_view view(text);
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(view.data(), view.data() + view.size(), value);
    if (error != std::errc() || end != view.data() + view.size() || value > 1'000'000'000) {
        fail(FMPL_ERR_ARGUMENT, "{}={}: a whole number of {}, 0 to 1000000000, is needed", variable, text, unit);
    }
    return value;
}

// How often the CPU pauses in kNsBetweenLooks: an instruction that takes 10 ns on some processors, 50 ns on others.
// And how many cycles `answer_ns` are. The shortest of several measurements counts, since another process may come
// between.
void measure_times(WaitingPolicy& policy, std::uint64_t answer_ns)
{
    constexpr std::uint64_t kPauses = 50;
    const ClockKind clock = best_clock();
    std::uint64_t shortest_ns = UINT64_MAX;
    std::uint64_t its_ticks = 0;
    for (int i = 0; i < 5; ++i) {
        const std::uint64_t begin_ticks = read_clock(clock);
        const std::uint64_t begin = monotonic_ns();
        for (std::uint64_t p = 0; p < kPauses; ++p) cpu_relax();
        const std::uint64_t ns = monotonic_ns() - begin;
        if (ns >= shortest_ns) continue;
        shortest_ns = ns;
        its_ticks = read_clock(clock) - begin_ticks;
    }
    const double pause_ns = static_cast<double>(shortest_ns) / static_cast<double>(kPauses);
    policy.alone_pauses =
        static_cast<std::uint32_t>(std::clamp(std::round(static_cast<double>(kNsBetweenLooks) / pause_ns), 1.0, 8.0));
    const auto ticks_of = [&](std::uint64_t ns) { return ns * its_ticks / std::max<std::uint64_t>(shortest_ns, 1); };
    if (clock == ClockKind::cycles) policy.answer_cycles = ticks_of(answer_ns);
    policy.turn_ticks = ticks_of(kNsOfTurn);
    policy.ticks_per_us = ticks_of(1000);
    policy.clock = clock;
}

// It ends by what all members do, not by a message.
constexpr bool is_collective(Call call)
{
    return call == Call::bcast || call == Call::reduce || call == Call::allreduce || call == Call::barrier ||
           call == Call::exchange;
}

bool membarrier(int command)
{
    return syscall(SYS_membarrier, command, 0, 0) == 0;
}

}  // namespace

std::uint64_t monotonic_ns()
{
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000u + static_cast<std::uint64_t>(now.tv_nsec);
}

WaitingPolicy waiting_policy(int ranks, int found_cpus)
{
    WaitingPolicy policy;
    const std::uint64_t cpus = whole_number_of("CPUs", "FMPL_CPUS", static_cast<std::uint64_t>(found_cpus));
    const bool cpus_suffice = static_cast<std::uint64_t>(ranks) <= cpus;
    const std::uint64_t spin_us = whole_number_of("microseconds", "FMPL_SPIN_US", cpus_suffice ? kSpinUs : 0);
    const std::uint64_t yield_us = whole_number_of("microseconds", "FMPL_YIELD_US", kYieldUs);
    const std::uint64_t answer_ns = whole_number_of("nanoseconds", "FMPL_ANSWER_NS", kNsBeforeAnswer);
    const auto looks = [](std::uint64_t us) {
        return static_cast<std::uint32_t>(std::min<std::uint64_t>(us * 1000 / kNsBetweenLooks, UINT32_MAX));
    };
    policy.spins = spin_us == 0 ? kSharedCpuSpins : looks(spin_us);
    policy.spin_is_fixed = std::getenv("FMPL_SPIN_US") != nullptr;
    policy.alone_spins = policy.spin_is_fixed ? policy.spins : looks(kSpinUs);
    policy.cpus_suffice = cpus_suffice;
    const std::uint64_t shared_cpus = std::max<std::uint64_t>(cpus, 1);  // FMPL_CPUS=0: not even one rank has its own
    const std::uint64_t ranks_of_cpu = (static_cast<std::uint64_t>(ranks) + shared_cpus - 1) / shared_cpus;
    policy.looks_of_turn = static_cast<std::uint32_t>(std::max<std::uint64_t>(kLooksOfRound / ranks_of_cpu, 1));
    measure_times(policy, answer_ns);
    if (policy.cpus_suffice) {
        policy.pauses = policy.alone_pauses;
    } else {
        policy.answer_cycles = 0;
    }
    policy.answer_is_fixed = std::getenv("FMPL_ANSWER_NS") != nullptr;
    policy.yield_ns = yield_us * 1000;
    return policy;
}

WaitingPolicy policy_of_shared_thread(WaitingPolicy policy)
{
    policy.spins = std::min(policy.spins, kSharedCpuSpins);
    policy.alone_spins = std::min(policy.alone_spins, static_cast<std::uint32_t>(kSpinUs * 1000 / kNsBetweenLooks));
    policy.cpus_suffice = false;
    policy.pauses = 1;
    policy.answer_cycles = 0;
    policy.turn_ticks = 0;
    return policy;
}

bool Waiter::may_keep_cpu_for(int peer)
{
    const bool is_elsewhere = !policy_.spin_is_fixed && lending_ != nullptr && lending_->is_elsewhere(peer);
    partner_ = is_elsewhere ? peer : -1;
    if (is_elsewhere && !lending_->runs_elsewhere(peer)) return false;  // perhaps the next time
    return keeping_.may_begin(read_clock(policy_.clock), kMostKeptUs * policy_.ticks_per_us) && is_elsewhere;
}

bool Waiter::is_ending() const
{
    return crossbar_->control().abort_state.load(std::memory_order_acquire) == 2;  // pairs with abort_job's release
}

void Waiter::check_abort() const
{
    fmpl::check_abort(crossbar_->control());
}

// NodeRecord::waits_long in a wait.
struct Waiter::LongWait {
    explicit LongWait(std::atomic<std::uint32_t>& word) : word_(word) {}
    ~LongWait() { set(false); }
    void set(bool value)
    {
        if (value != value_) word_.store(value_ = value, std::memory_order_relaxed);
        was_set_ |= value;
    }
    bool was_set() const { return was_set_; }

private:
    std::atomic<std::uint32_t>& word_;
    bool value_ = false, was_set_ = false;
};

bool Waiter::wait_longer(ReadyFunction ready, void* state, const WaitFor& what)
{
    struct Blocked {  // what the launcher shows of this wait, from here to the end of it
        Blocked(BlockedIn& record, const WaitFor& what, const char* layer_call) : record_(record)
        {
            record.peer.store(what.peer, std::memory_order_relaxed);
            record.index.store(what.index, std::memory_order_relaxed);
            record.comm_size.store(static_cast<std::uint32_t>(what.comm_size), std::memory_order_relaxed);
            record.bytes.store(what.bytes, std::memory_order_relaxed);
            record.since_ns.store(0, std::memory_order_relaxed);
            record.set_words(what.words != nullptr ? what.words : layer_call);
            record.call.store(static_cast<std::uint32_t>(what.call), std::memory_order_relaxed);
        }
        ~Blocked() { record_.call.store(0, std::memory_order_relaxed); }
        BlockedIn& record_;
    } blocked(crossbar_->record(crossbar_->node()).blocked_in, what, layer_call_);
    LongWait long_wait(crossbar_->record(crossbar_->node()).waits_long);
    const auto is_over = [&] {
        if (lending_ != nullptr && long_wait.was_set()) {
            long_wait.set(false);
            lending_->has_waited_long();
        }
        return true;
    };
    const bool is_told = !is_collective(what.call) || (what.comm_size == 2 && what.peer == partner_);
    std::uint64_t begin = 0;
    for (;;) {
        // Several yields between looks at the clock: where ranks share CPUs each one runs another rank.
        for (int i = 0; i < 8; ++i) {
            if (ready(state)) return is_over();
            leave_cpu_in_vain(begin != 0 || i != 0, begin != 0 || is_told);
        }
        if (is_ending()) {
            // A rank may have ended the job after it had done what this one waits for: that is no failure of this call.
            if (last_look(ready, state)) return true;
            check_abort();
        }
        const std::uint64_t now = monotonic_ns();
        if (begin == 0) {
            begin = now;
            blocked.record_.since_ns.store(now, std::memory_order_relaxed);
        }
        if (what.deadline_ns != 0 && now >= what.deadline_ns) return false;
        if (now - begin < policy_.yield_ns) continue;
        if (sleep(ready, state, what, now - begin, long_wait)) return is_over();
    }
}

// again: not for the first time in this wait.
void Waiter::leave_cpu(bool again) const
{
    if (shared_thread_ != nullptr) {
        shared_thread_->yield(again);
    } else {
        sched_yield();
    }
}

void Waiter::leave_cpu_in_vain(bool again, bool is_told)
{
    keeping_.gives_cpu_away();
    if (lending_ == nullptr || !lending_->is_on()) return leave_cpu(again);
    const auto yield = [&] { leave_cpu(again); };
    is_told ? lending_->leave(yield) : lending_->leave_untold(yield);
}

// Whether the last look before sleeping was true.
bool Waiter::last_look(ReadyFunction ready, void* state)
{
    const ScopedFlag during(&is_last_look_);
    return ready(state);
}

bool Waiter::sleep(ReadyFunction ready, void* state, const WaitFor& what, std::uint64_t waited_ns, LongWait& long_wait)
{
    NodeRecord& record = crossbar_->record(crossbar_->node());
    const std::uint32_t seen = record.doorbell.load(std::memory_order_acquire);  // pairs with Crossbar::ring
    struct Asleep {  // whatever ends it, the last look too: else each wake would cost a call of the kernel
        explicit Asleep(std::atomic<std::uint32_t>& word) : word_(word) { word_.store(1, std::memory_order_relaxed); }
        ~Asleep() { word_.store(0, std::memory_order_relaxed); }
        std::atomic<std::uint32_t>& word_;
    } const asleep(record.sleeping);
    const bool may_fence = crossbar_->asymmetric_fence();
    const bool is_sure = may_fence && waited_ns >= kSureAfterNs && membarrier(MEMBARRIER_CMD_GLOBAL);
    const bool fenced = is_sure || (may_fence && membarrier(MEMBARRIER_CMD_GLOBAL_EXPEDITED));
    if (!fenced) std::atomic_thread_fence(std::memory_order_seq_cst);  // pairs with the fence in Crossbar::wake
    const bool aborted = crossbar_->control().abort_state.load(std::memory_order_relaxed) != 0;
    const bool done = !aborted && last_look(ready, state);
    if (!aborted && !done) {
        std::uint64_t bound_ns = kSleepBoundNs;
        if (fenced && !what.from_outside) {
            bound_ns = is_sure ? 0 : std::clamp(waited_ns, kSleepBoundNs, kSureAfterNs);
        }
        if (waited_ns < kLongNs) bound_ns = kLongNs;  // to say so then
        if (what.deadline_ns != 0) {
            const std::uint64_t now = monotonic_ns();
            const std::uint64_t left = what.deadline_ns > now ? what.deadline_ns - now : 1;
            bound_ns = bound_ns == 0 ? left : std::min(bound_ns, left);
        }
        const timespec bound{
            static_cast<time_t>(bound_ns / 1'000'000'000), static_cast<long>(bound_ns % 1'000'000'000)};
        // The last look is behind this rank: from here on it does nothing unless the doorbell changes from `seen`.
        const bool until_rung = bound_ns == 0;
        if (until_rung) {
            if (++sleeps_ == 0) sleeps_ = 1;
            // release: pairs with DeadlockWatch::sleeps, which so sees each ring by this rank that came before
            record.sleep.store(sleep_word(sleeps_, seen), std::memory_order_release);
        }
        const timespec* const timeout = bound_ns == 0 ? nullptr : &bound;
        long_wait.set(waited_ns >= kLongNs);
        if (shared_thread_ != nullptr) {
            shared_thread_->sleep(record.doorbell, seen, timeout);
        } else {
            futex_wait(record.doorbell, seen, timeout);
        }
        if (until_rung) record.sleep.store(0, std::memory_order_relaxed);
        if (record.doorbell.load(std::memory_order_relaxed) != seen) long_wait.set(false);
        if (lending_ != nullptr) lending_->has_slept();
    }
    return done;
}

}  // namespace fmpl
