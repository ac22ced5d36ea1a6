#include "crossbar/cpu_lending.hpp"

#include "crossbar/host.hpp"

#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <ranges>
#include <utility>

namespace fmpl {
namespace {

// A change of ranks takes up to a microsecond; a round of all that wait is no work.
constexpr std::uint64_t kLeastRoundUs = 4, kRoundUsOfRank = 2;
constexpr std::uint64_t kIdleUs = 20;
constexpr std::uint64_t kLongIdleUs = 500;  // before the rank sleeps
constexpr std::uint64_t kSettlingUs = 5;    // until a rank that has been moved has looked
constexpr std::uint64_t kShortestLeaseUs = 200, kLongestLeaseUs = 64'000;
constexpr std::uint64_t kWithoutNewsUs = 2'000;
constexpr std::uint64_t kBetweenBalancesUs = 500;
// A rank that is moved again within so many leases is moved for longer.
constexpr std::uint64_t kSoonLeases = 16;
constexpr std::size_t kNodesOfLook = 16;
constexpr std::uint64_t kMostVainLooks = 8;  // each of them counts as so many at the most

constexpr int kCpus = 8192;  // Linux has no more

bool bind_to(int thread, int cpu)
{
    return bind_thread(thread, {&cpu, 1});
}

}  // namespace

void CpuLending::publish()
{
    NodeRecord& own = crossbar_->record(crossbar_->node());
    own.thread = static_cast<std::int32_t>(syscall(SYS_gettid));
    own.host.store(own.cpu < 0 ? kStays : own.cpu, std::memory_order_relaxed);  // under `state` = ready
    thread_ = pthread_self();
}

void CpuLending::begin(ClockKind clock, std::uint64_t ticks_per_us)
{
    const JobConstants& job = crossbar_->memory().constants();
    const std::size_t lent = job.lent_cpus;
    if (lent < 2 || ticks_per_us == 0 || clock != job.clock) return;
    const auto nodes = static_cast<std::size_t>(crossbar_->nodes());
    peers_.resize(nodes);
    for (std::size_t node = 0; node < nodes; ++node) {
        const NodeRecord& record = crossbar_->record(static_cast<int>(node));
        peers_[node].home = record.cpu;
        if (record.cpu < 0 || record.cpu >= kCpus) return;
        peers_[node].thread = record.thread;
        cpus_.push_back(record.cpu);
    }
    std::ranges::sort(cpus_);
    cpus_.erase(std::unique(cpus_.begin(), cpus_.end()), cpus_.end());
    // Whether all are where fmplrun has put them.
    if (cpus_.size() != lent) return;
    for (std::size_t node = 0; node < nodes; ++node) {
        if (peers_[node].home != cpus_[node * lent / nodes]) return;
    }
    home_ = peers_[static_cast<std::size_t>(crossbar_->node())].home;
    const auto mates = static_cast<std::uint64_t>(std::ranges::count(peers_, home_, &Peer::home));

    clock_ = clock;
    round_ = std::max(kLeastRoundUs, kRoundUsOfRank * mates) * ticks_per_us;
    idle_ = kIdleUs * ticks_per_us;
    long_idle_ = kLongIdleUs * ticks_per_us;
    // One of the CPU's ranks looks around every kIdleUs; seldomer where there is much to look at, or many look.
    between_looks_ = idle_ * mates * (lent - 1) * std::max<std::uint64_t>(nodes / kNodesOfLook, 1);
    wait_for_look_ = between_looks_;
    settling_ = kSettlingUs * ticks_per_us;
    between_balances_ = kBetweenBalancesUs * ticks_per_us * mates * std::max<std::uint64_t>(nodes / kNodesOfLook, 1);
    next_balance_ = read_clock(clock_) + between_balances_;
    shortest_lease_ = kShortestLeaseUs * ticks_per_us;
    longest_lease_ = kLongestLeaseUs * ticks_per_us;
    without_news_ = kWithoutNewsUs * ticks_per_us;
    const auto at = static_cast<std::size_t>(std::ranges::find(cpus_, home_) - cpus_.begin());
    for (std::size_t cpu = 0; cpu < lent; ++cpu) news_.push_back(crossbar_->memory().news(cpu));
    crossbar_->note_news(crossbar_->memory().news(at), clock);
    guests_.reserve(nodes);
    busy_.reserve(nodes);
    computing_.resize(lent);
    active_.resize(lent);
    mates_.reserve(nodes);
    is_on_ = true;
}

void CpuLending::end()
{
    if (!is_on_) return;
    is_on_ = is_alone_ = false;
    NodeRecord& own = crossbar_->record(crossbar_->node());
    int host = own.host.load(std::memory_order_relaxed);
    // acquire: pairs with the release in move(). Who moves this rank is soon through, or has ended with the job.
    for (int i = 0; i < 1000 && host != kStays; ++i) {
        if (host != kOnTheMove && own.host.compare_exchange_strong(host, kStays, std::memory_order_acquire)) break;
        sched_yield();
        host = own.host.load(std::memory_order_relaxed);
    }
    const int thread = peers_[static_cast<std::size_t>(crossbar_->node())].thread;
    if (host >= 0 && host < kCpus && host != home_ && only_cpu(thread) == host) bind_to(thread, home_);
}

std::uint64_t CpuLending::news_of(int node) const
{
    std::uint64_t latest = 0;
    for (const NewsOfRank* of_cpu : news_) latest = std::max(latest, of_cpu[node].at.load(std::memory_order_relaxed));
    return latest;
}

void CpuLending::look_around()
{
    if (!guests_.empty()) send_guests_home();
    const int here = host_of(crossbar_->node());
    if (left_at_ >= next_balance_) balance(here);
    if (left_at_ - idle_since_ < idle_) {
        next_look_ = idle_since_ + idle_;
        return;
    }
    // The longer nothing is found although nothing is done, the less there will be: ranks that only communicate.
    next_look_ = left_at_ + wait_for_look_;
    wait_for_look_ = std::min(2 * wait_for_look_, kMostVainLooks * between_looks_);
    if (here < 0) return;
    find_busy(here);
    Found found = who_cannot_look(here);
    if (found.node < 0 && left_at_ - idle_since_ >= long_idle_) {
        found = who_computes_beside_another(here);
        if (std::exchange(last_computing_, found.node) != found.node) found = {};
    }
    if (found.node >= 0 && !has_mate_that_computes(here)) take(found, here);
    left_at_ = read_clock(clock_);  // this was no work
}

void CpuLending::has_waited_long()
{
    if (!is_on_ || pthread_self() != thread_) return;
    left_at_ = read_clock(clock_);
    balance(host_of(crossbar_->node()));
}

void CpuLending::balance(int here)
{
    next_balance_ = left_at_ + between_balances_;
    if (place_of(here) < 0) return;
    count_active(here);
    is_alone_ = active_on(here).ranks == 1 && nobody_else_is_active(here);
    int node = guest_who_had_better_go(here);
    int to = node >= 0 ? peers_[static_cast<std::size_t>(node)].home : lightest_but(here);
    if (node < 0 && active_on(to).ranks + 2 <= active_on(here).ranks) node = mate_for(to, here);
    if (node >= 0) {
        move(node, here, to, crossbar_->record(node).away_since.load(std::memory_order_relaxed),
            [&](NodeRecord& record) {
                if (to != peers_[static_cast<std::size_t>(node)].home)
                    record.lease.store(shortest_lease_, std::memory_order_relaxed);
            });
    }
    // This was no work, and no idleness.
    const std::uint64_t now = read_clock(clock_);
    idle_since_ += now - left_at_;
    left_at_ = now;
}

void CpuLending::count_active(int here)
{
    std::ranges::fill(active_, Active{});
    for (int node = 0; node < crossbar_->nodes(); ++node) {
        const NodeRecord& record = crossbar_->record(node);
        const int host = record.host.load(std::memory_order_relaxed);
        if (place_of(host) < 0 || !is_active(record)) continue;
        Active& there = active_on(host);
        ++there.ranks;
        if (peers_[static_cast<std::size_t>(node)].home == here && is_over(record)) ++there.from_here;
    }
}

// Of several with as few, the next one: so that not all CPUs choose the same.
int CpuLending::lightest_but(int here) const
{
    const auto own = static_cast<std::size_t>(place_of(here));
    const auto place_after = [&](std::size_t i) { return (own + i) % cpus_.size(); };
    const auto ranks = [&](std::size_t i) { return active_[place_after(i)].ranks; };
    return cpus_[place_after(*std::ranges::min_element(std::views::iota(std::size_t{1}, cpus_.size()), {}, ranks))];
}

bool CpuLending::is_over(const NodeRecord& record) const
{
    return left_at_ >= record.moved_at.load(std::memory_order_relaxed) + record.lease.load(std::memory_order_relaxed);
}

CpuLending::Active& CpuLending::active_on(int cpu)
{
    return active_[static_cast<std::size_t>(place_of(cpu))];
}

// Its time here is over, and at its home two fewer are active, or as few and one from here, who then can go as well.
int CpuLending::guest_who_had_better_go(int here)
{
    for (int node = 0; node < crossbar_->nodes(); ++node) {
        const int home = peers_[static_cast<std::size_t>(node)].home;
        if (home == here || !is_active_on(here, node) || !is_over(crossbar_->record(node))) continue;
        const Active& there = active_on(home);
        if (there.ranks + (there.from_here > 0 ? 0 : 2) <= active_on(here).ranks && may_move(node)) return node;
    }
    return -1;
}

// A guest of a third CPU if it can be; nobody while there are guests from that CPU, this rank or others: they will go.
int CpuLending::mate_for(int cpu, int here)
{
    int found = -1;
    for (int node = 0; node < crossbar_->nodes(); ++node) {
        if (!is_active_on(here, node)) continue;
        const int home = peers_[static_cast<std::size_t>(node)].home;
        if (home == cpu) return -1;
        const bool may_go = home == here || is_over(crossbar_->record(node));
        const bool is_better = found < 0 || (home != here && peers_[static_cast<std::size_t>(found)].home == here);
        if (may_go && is_better && may_move(node)) found = node;
    }
    return found;
}

bool CpuLending::is_active_on(int cpu, int node) const
{
    const NodeRecord& record = crossbar_->record(node);
    return record.host.load(std::memory_order_relaxed) == cpu && is_active(record);
}

// As it is now, and makes the list for nobody_has_come().
bool CpuLending::nobody_else_is_active(int here)
{
    // acquire: pairs with the release in move(): what has been moved by then is found where it is
    moves_ = crossbar_->control().moves.load(std::memory_order_acquire);
    mates_.clear();
    for (int node = 0; node < crossbar_->nodes(); ++node) {
        const NodeRecord& record = crossbar_->record(node);
        const int host = record.host.load(std::memory_order_relaxed);
        const bool may_be_here = host == here || host == kOnTheMove || host == kStays;
        if (node != crossbar_->node() && may_be_here) mates_.push_back(&record);
    }
    return nobody_has_come();
}

// Of the ranks of a CPU that is another's home one that has just looked there says it of all, and reading the others'
// words would take their lines from them. Those whose home is here may be anywhere.
void CpuLending::find_busy(int here)
{
    busy_.clear();
    const auto nodes = static_cast<int>(peers_.size());
    for (int first = 0, next = 0; first < nodes; first = next) {
        const int home = peers_[static_cast<std::size_t>(first)].home;
        while (next < nodes && peers_[static_cast<std::size_t>(next)].home == home) ++next;
        const auto of_home = std::views::iota(first, next);
        const auto has_just_looked = [&](int node) {
            const NodeRecord& record = crossbar_->record(node);
            const std::uint64_t away = record.away_since.load(std::memory_order_relaxed);
            return away != 0 && left_at_ < away + idle_ && record.host.load(std::memory_order_relaxed) == home;
        };
        if (home != here && std::ranges::any_of(of_home, has_just_looked)) continue;
        std::ranges::copy_if(of_home, std::back_inserter(busy_), [&](int node) { return host_of(node) != here; });
    }
}

CpuLending::Found CpuLending::who_cannot_look(int here)
{
    Found found;
    bool is_counted = false;
    for (const int node : busy_) {
        const NodeRecord& record = crossbar_->record(node);
        const std::uint64_t away = record.away_since.load(std::memory_order_relaxed);
        // Of several the one that would be the next to run.
        if (away == 0 || (found.node >= 0 && away >= found.away) || left_at_ < away + idle_) continue;
        const int host = record.host.load(std::memory_order_relaxed);
        if (host == here) continue;
        const std::uint64_t news = news_of(node);
        if (away >= news || left_at_ < news + idle_) continue;
        if (!std::exchange(is_counted, true)) count_computing(here);
        const Computing* there = computing_on(host);
        if (there == nullptr || there->ranks == 0 || !may_move(node)) continue;
        found = {node, away};
    }
    return found;
}

// The system may give the CPU back at once to who yields, although others of that CPU could run.
bool CpuLending::has_mate_that_computes(int here) const
{
    for (int node = 0; node < crossbar_->nodes(); ++node) {
        if (node == crossbar_->node()) continue;
        const NodeRecord& record = crossbar_->record(node);
        if (record.host.load(std::memory_order_relaxed) == here && computes(record)) return true;
    }
    return false;
}

// Of each CPU, of those of busy_.
void CpuLending::count_computing(int here)
{
    std::ranges::fill(computing_, Computing{});
    for (const int node : busy_) {
        const NodeRecord& record = crossbar_->record(node);
        const int host = record.host.load(std::memory_order_relaxed);
        Computing* there = computing_on(host);
        if (host == here || there == nullptr || !computes(record)) continue;
        ++there->ranks;
        if ((there->taken < 0 || peers_[static_cast<std::size_t>(node)].home == here) && may_move(node))
            there->taken = node;
    }
}

CpuLending::Computing* CpuLending::computing_on(int cpu)
{
    const int at = place_of(cpu);
    return at >= 0 ? &computing_[static_cast<std::size_t>(at)] : nullptr;
}

// In cpus_; -1: it is not lent.
int CpuLending::place_of(int cpu) const
{
    const auto at = std::ranges::lower_bound(cpus_, cpu);
    return at != cpus_.end() && *at == cpu ? static_cast<int>(at - cpus_.begin()) : -1;
}

// Of the CPU where most compute: one whose home is here, if there is one. It may be the one that runs, which costs more
// to move.
CpuLending::Found CpuLending::who_computes_beside_another(int here)
{
    count_computing(here);
    const Computing& most = *std::ranges::max_element(computing_, {}, &Computing::ranks);
    return {most.ranks >= 2 ? most.taken : -1, 0};
}

// Its process, and that the thread is one of it: from then on this rank goes by its own copy of the number.
bool CpuLending::may_move(int node)
{
    Peer& peer = peers_[static_cast<std::size_t>(node)];
    if (peer.movable == Movable::unknown) {
        peer.process = crossbar_->record(node).pid.load(std::memory_order_relaxed);
        const bool is_known = node != crossbar_->node() && private_memory_->reaches(node) && is_thread_of(peer);
        peer.movable = is_known ? Movable::yes : Movable::no;
    }
    return peer.movable == Movable::yes;
}

bool CpuLending::is_thread_of(const Peer& peer)
{
    return syscall(SYS_tgkill, peer.process, peer.thread, 0) == 0;
}

template <class Note>
bool CpuLending::move(int node, int from, int to, std::uint64_t away, Note&& note)
{
    NodeRecord& record = crossbar_->record(node);
    const Peer& peer = peers_[static_cast<std::size_t>(node)];
    if (from < 0 || from >= kCpus || from == to) return false;
    // acquire: pairs with the release below by who moved it last
    if (!record.host.compare_exchange_strong(from, kOnTheMove, std::memory_order_acquire, std::memory_order_relaxed))
        return false;
    const bool is_ours = is_thread_of(peer) && only_cpu(peer.thread) == from;
    const bool is_there = record.away_since.load(std::memory_order_relaxed) == away;
    const bool is_moved = is_ours && is_there && bind_to(peer.thread, to);
    if (is_moved) {
        note(record);
        record.moved_at.store(left_at_, std::memory_order_relaxed);
    }
    record.host.store(is_moved ? to : is_ours && !is_there ? from : kStays, std::memory_order_release);
    // release: pairs with the acquire in nobody_else_is_active
    crossbar_->control().moves.fetch_add(1, std::memory_order_release);
    return is_moved;
}

void CpuLending::take(const Found& found, int here)
{
    const int home = peers_[static_cast<std::size_t>(found.node)].home;
    const int from = host_of(found.node);
    std::uint64_t lease = 0;
    const bool is_taken = move(found.node, from, here, found.away, [&](NodeRecord& record) {
        lease = std::min(record.lease.load(std::memory_order_relaxed), longest_lease_);
        if (from == home) {
            const auto at_home = static_cast<std::int64_t>(left_at_ - record.moved_at.load(std::memory_order_relaxed));
            const bool is_soon = at_home < static_cast<std::int64_t>(kSoonLeases * lease);
            lease = is_soon ? std::min(2 * lease, longest_lease_) : shortest_lease_;
            record.lease.store(lease, std::memory_order_relaxed);
        }
    });
    if (!is_taken) return;
    next_look_ = left_at_ + settling_;
    wait_for_look_ = between_looks_;
    std::erase_if(guests_, [&](const Guest& guest) { return guest.node == found.node; });
    if (here != home) guests_.push_back({found.node, here, left_at_, left_at_ + lease, found.away != 0});
}

void CpuLending::send_guests_home()
{
    std::erase_if(guests_, [&](const Guest& guest) {
        const NodeRecord& record = crossbar_->record(guest.node);
        const int host = record.host.load(std::memory_order_relaxed);
        if (host != guest.host && host != kOnTheMove) return true;
        const std::uint64_t away = record.away_since.load(std::memory_order_relaxed);
        const std::uint64_t news = std::max(news_of(guest.node), guest.taken_at);
        const bool has_no_news = guest.had_news && left_at_ >= news + without_news_;
        if ((left_at_ < guest.until && !has_no_news) || away == 0) return false;
        return move(
            guest.node, guest.host, peers_[static_cast<std::size_t>(guest.node)].home, away, [](NodeRecord&) {});
    });
}

}  // namespace fmpl
