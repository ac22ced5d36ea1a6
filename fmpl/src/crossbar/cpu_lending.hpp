// Ranks that are bound to CPUs that they share lend each other the CPUs: a rank on a CPU that has nothing to do looks
// for one elsewhere that has been sent something and cannot look, since another rank computes on its CPU, and binds it
// to its own (docs/decisions/0060-idle-cpus-take-ranks.md).
//
// How a rank knows:
//
// - Its CPU has nothing to do: for 20 us it has looked in vain and given the CPU away, again and again and at once, and
//   no other rank of the CPU computes.
// - Another rank has news: NodeRecord::away_since tells when that rank looked last and gave its CPU away, NewsOfRank
//   when a message woke it (collective calls do not say). The news is later, and 20 us old.
// - That another rank computes on that CPU: for 20 us none of those whose home it is has looked, and one of them is not
//   away now. If all are, another program runs there, or the CPU wakes from having had nothing to do: who is then taken
//   leaves an empty CPU behind, where nobody takes it back.
//
// Such a rank stands in a CPU's run queue, where binding it to another takes 4 us. (One that runs takes 240, so nobody
// moves itself.) It goes back to the CPU that it was bound to at the start, its home, 200 us later; each time that it
// is moved again soon after, it stays twice as long. So a program whose ranks wait for one CPU again and again finds a
// better layout of them, and one that was held up once keeps its own. One that came for its news goes home as well when
// it has had none for 2 ms, whatever its stay: what it came for is over, and the CPUs are to have their own again.
//
// A CPU that has had nothing to do for 500 us takes one of several ranks that compute on another, of which one may run:
// the system, which could tell, may not move them. At two looks, since a rank that wakes seems to compute for a moment.
//
// Ranks that wait for long sleep, and look around only when they wake by themselves. So on each CPU one that has looked
// in vain also counts, every 500 us, how many ranks of each CPU are active, that is do not sleep in a wait of more than
// 5 ms, and moves a mate, which does not run meanwhile, to a CPU that has at least two fewer. Guests go home first, and
// in exchange for one of the other CPU, too. Who has waited for long itself does the same. A rank that finds itself
// alone on its CPU stays there when it waits next, as ranks that have a CPU each do
// (docs/decisions/0066-who-waits-long-leaves-the-cpu.md).
//
// All of this is a hint: a stale word costs a move that helps nobody, and no protocol knows where a rank is. Only ranks
// whose processes this one surely knows (PrivateMemory::reaches) are moved, and one whose program has bound it
// otherwise stays where it is.
#pragma once

#include "crossbar/crossbar.hpp"
#include "crossbar/cycle_clock.hpp"
#include "crossbar/private_memory.hpp"

#include <pthread.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace fmpl {

class CpuLending {
public:
    CpuLending(Crossbar& crossbar, const PrivateMemory& private_memory)
        : crossbar_(&crossbar),
          private_memory_(&private_memory)
    {
    }

    // By the thread that will wait, once NodeRecord::cpu is written and before the rank is ready.
    void publish();
    // Once all ranks are ready. From now on is_on(), if the job lends its CPUs: JobConstants::lent_cpus, of which each
    // rank is bound to one.
    void begin(ClockKind clock, std::uint64_t ticks_per_us);
    bool is_on() const { return is_on_; }
    // As the rank leaves its job: it goes home, and nobody moves it any more.
    void end();

    // Gives the CPU away by yield(), since the rank has looked in vain, and does what is described above.
    template <class Yield>
    void leave(Yield&& yield)
    {
        if (pthread_self() != thread_) [[unlikely]]
            return yield();  // another thread waits than the one that is moved
        const std::uint64_t now = read_clock(clock_);
        // The first look after a sleep is one of cold caches.
        if (now - left_at_ > (std::exchange(has_slept_, false) ? idle_ : round_)) {
            if (now - left_at_ > idle_) wait_for_look_ = between_looks_;
            idle_since_ = now;
        }
        left_at_ = now;
        if (now >= next_look_) look_around();
        std::atomic<std::uint64_t>& away_since = crossbar_->record(crossbar_->node()).away_since;
        away_since.store(left_at_, std::memory_order_relaxed);
        yield();
        away_since.store(0, std::memory_order_relaxed);
    }
    // The same while a wait is young that ends by what several ranks do, not by a message or one other rank. Most are
    // over then, and as nobody has news for the rank, it tells nobody that it is away, unless it has guests or is one:
    // they could not go home. One of many times it does, so that it looks around.
    template <class Yield>
    void leave_untold(Yield&& yield)
    {
        if (host_of(crossbar_->node()) == home_ && guests_.empty() && ++untold_ % kTold != 0) return yield();
        leave(yield);
    }
    // Whether no other rank of its CPU is active, as far as it knows: a wait need not leave the CPU at once then.
    bool is_alone() { return is_alone_ && (is_alone_ = nobody_has_come()); }
    // Whether a rank is on another CPU, and whether it runs there, as far as is known: it has neither given that CPU
    // away nor sleeps. `node` may be no rank.
    bool is_elsewhere(int node) const
    {
        if (!is_on_ || static_cast<std::size_t>(node) >= peers_.size()) return false;
        const int host = host_of(node), own = host_of(crossbar_->node());
        return host != own && host >= 0 && own >= 0;
    }
    bool runs_elsewhere(int node) const { return is_elsewhere(node) && computes(crossbar_->record(node)); }
    // The rank has slept, and was not away: that is no work.
    void has_slept()
    {
        if (!is_on_) return;
        has_slept_ = true;
        left_at_ = next_look_ = read_clock(clock_);
    }
    // A wait is over in which it has slept for long. It may go on for long without another.
    void has_waited_long();

private:
    enum class Movable : std::uint8_t { unknown, no, yes };
    struct Peer {
        int home = -1;
        int process = -1, thread = -1;
        Movable movable = Movable::unknown;
    };
    struct Guest {
        int node;
        int host;
        std::uint64_t taken_at, until;
        bool had_news;  // when it was taken
    };

    static constexpr unsigned kTold = 64;

    void look_around();
    void balance(int here);
    // Of the ranks of a CPU.
    struct Active {
        int ranks = 0;
        int from_here = 0;  // of these, at home on the CPU that counts, and free to go there
    };
    void count_active(int here);
    int lightest_but(int here) const;
    bool is_over(const NodeRecord& record) const;  // the time that it stays where it has been moved
    Active& active_on(int cpu);                    // that is lent
    int guest_who_had_better_go(int here);
    int mate_for(int cpu, int here);
    bool is_active_on(int cpu, int node) const;
    bool nobody_else_is_active(int here);
    std::uint64_t news_of(int node) const;
    bool may_move(int node);
    static bool is_thread_of(const Peer& peer);
    // From the CPU that it is on, if its away_since is still `away`; whether that has been done. note(record): what
    // else changes meanwhile.
    template <class Note>
    bool move(int node, int from, int to, std::uint64_t away, Note&& note);
    // One that has news, or that computes beside another; node -1: nobody.
    struct Found {
        int node = -1;
        std::uint64_t away = 0;  // NodeRecord::away_since
    };
    struct Computing {
        int ranks = 0;
        int taken = -1;
    };
    void find_busy(int here);
    void count_computing(int here);
    int place_of(int cpu) const;
    Computing* computing_on(int cpu);  // nullptr: it is not lent
    Found who_cannot_look(int here);
    Found who_computes_beside_another(int here);
    static bool is_ready(const NodeRecord& record)
    {
        // acquire: pairs with the release in Communicators::found_world
        return record.state.load(std::memory_order_acquire) == static_cast<std::uint32_t>(RankState::ready);
    }
    // In the job, and not in a wait of more than 5 ms.
    static bool is_active(const NodeRecord& record)
    {
        return is_ready(record) && record.waits_long.load(std::memory_order_relaxed) == 0;
    }
    // Since it was seen to be alone.
    bool nobody_has_come() const
    {
        return crossbar_->control().moves.load(std::memory_order_relaxed) == moves_ &&
               std::none_of(mates_.begin(), mates_.end(), [](const NodeRecord* mate) { return is_active(*mate); });
    }
    // Or has been preempted, or waits in the kernel, or since a short while in a collective call (leave_untold).
    static bool computes(const NodeRecord& record)
    {
        return is_ready(record) && record.away_since.load(std::memory_order_relaxed) == 0 &&
               record.sleeping.load(std::memory_order_relaxed) == 0;
    }
    int host_of(int node) const { return crossbar_->record(node).host.load(std::memory_order_relaxed); }
    bool has_mate_that_computes(int here) const;
    void take(const Found& found, int here);
    void send_guests_home();

    Crossbar* crossbar_;
    const PrivateMemory* private_memory_;
    bool is_on_ = false;
    int home_ = -1;
    ClockKind clock_ = ClockKind::monotonic;
    std::vector<Peer> peers_;               // by node
    std::vector<const NewsOfRank*> news_;   // by CPU
    std::vector<int> cpus_;                 // ascending
    std::vector<Guest> guests_;             // that this rank has taken, each once
    std::vector<int> busy_;                 // ranks of CPUs where nobody has just looked
    std::vector<Computing> computing_;      // by CPU, for count_computing()
    std::vector<Active> active_;            // by CPU, for balance()
    std::vector<const NodeRecord*> mates_;  // that are on its CPU or may be, as it was seen to be alone there
    std::uint32_t moves_ = 0;               // ControlBlock::moves as it was then
    bool is_alone_ = false;
    pthread_t thread_{};  // that is moved

    // In ticks. From giving the CPU away to doing so again: what takes longer is work, of this rank or of another of
    // its CPU.
    std::uint64_t round_ = 0;
    std::uint64_t idle_ = 0, long_idle_ = 0, between_looks_ = 0, settling_ = 0;
    std::uint64_t between_balances_ = 0;
    std::uint64_t shortest_lease_ = 0, longest_lease_ = 0, without_news_ = 0;

    std::uint64_t left_at_ = 0;     // this rank gave its CPU away, or began to
    std::uint64_t idle_since_ = 0;  // its CPU has had nothing to do
    std::uint64_t next_look_ = 0;   // around
    std::uint64_t wait_for_look_ = 0;
    std::uint64_t next_balance_ = 0;
    unsigned untold_ = 0;      // calls of leave_untold() at home
    bool has_slept_ = false;   // since it last left its CPU
    int last_computing_ = -1;  // who computed beside another at the last look
};

}  // namespace fmpl
