#include "crossbar/cpu_lending.hpp"

#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <utility>

namespace fmpl {
namespace {

constexpr std::uint64_t kOwnWorkUs = 2;
// A change of ranks takes up to a microsecond; a round of all that wait is no work.
constexpr std::uint64_t kLeastRoundUs = 16, kRoundUsOfRank = 2;
constexpr std::uint64_t kIdleUs = 20;
constexpr std::uint64_t kLongIdleUs = 500;  // before the rank sleeps
constexpr std::uint64_t kSettlingUs = 5;    // until a rank that has been moved has looked
constexpr std::uint64_t kShortestLeaseUs = 200, kLongestLeaseUs = 64'000;
// A rank that is moved again within so many leases is moved for longer.
constexpr std::uint64_t kSoonLeases = 16;

// A set of one CPU, or of the largest number that it can be asked about.
class CpuSet {
public:
    explicit CpuSet(int cpu) : CpuSet() { CPU_SET_S(static_cast<std::size_t>(cpu), sizeof set_, set_); }

    static bool is_only(int thread, int cpu)
    {
        CpuSet found;
        return sched_getaffinity(thread, sizeof found.set_, found.set_) == 0 &&
               CPU_COUNT_S(sizeof found.set_, found.set_) == 1 &&
               CPU_ISSET_S(static_cast<std::size_t>(cpu), sizeof found.set_, found.set_);
    }
    bool give_to(int thread) const { return sched_setaffinity(thread, sizeof set_, set_) == 0; }

    static constexpr int kCpus = 8192;  // Linux has no more

private:
    CpuSet() { CPU_ZERO_S(sizeof set_, set_); }

    cpu_set_t set_[kCpus / CPU_SETSIZE];
};

}  // namespace

void CpuLending::publish() const
{
    NodeRecord& own = crossbar_->record(crossbar_->node());
    own.thread = static_cast<std::int32_t>(syscall(SYS_gettid));
    own.host.store(own.cpu < 0 ? kStays : own.cpu, std::memory_order_relaxed);  // under `state` = ready
}

void CpuLending::begin(ClockKind clock, std::uint64_t ticks_per_us)
{
    const std::size_t lent = crossbar_->memory().constants().lent_cpus;
    if (lent < 2) return;
    std::vector<int> cpus;
    peers_.resize(static_cast<std::size_t>(crossbar_->nodes()));
    for (int node = 0; node < crossbar_->nodes(); ++node) {
        Peer& peer = peers_[static_cast<std::size_t>(node)];
        peer.home = crossbar_->record(node).cpu;
        if (peer.home < 0 || peer.home >= CpuSet::kCpus) return;
        peer.thread = crossbar_->record(node).thread;
        cpus.push_back(peer.home);
    }
    std::ranges::sort(cpus);
    const auto own = peers_[static_cast<std::size_t>(crossbar_->node())].home;
    const auto mates = static_cast<std::uint64_t>(std::ranges::count(cpus, own));
    cpus.erase(std::unique(cpus.begin(), cpus.end()), cpus.end());
    if (cpus.size() != lent) return;  // the ranks are not where they have been put

    clock_ = clock;
    own_work_ = kOwnWorkUs * ticks_per_us;
    others_work_ = std::max(kLeastRoundUs, kRoundUsOfRank * mates) * ticks_per_us;
    idle_ = kIdleUs * ticks_per_us;
    long_idle_ = kLongIdleUs * ticks_per_us;
    between_looks_ = idle_ * mates;  // one of them looks around every kIdleUs
    settling_ = kSettlingUs * ticks_per_us;
    shortest_lease_ = kShortestLeaseUs * ticks_per_us;
    longest_lease_ = kLongestLeaseUs * ticks_per_us;
    const auto at = static_cast<std::size_t>(std::ranges::find(cpus, own) - cpus.begin());
    for (std::size_t cpu = 0; cpu < lent; ++cpu) news_.push_back(crossbar_->memory().news(cpu));
    crossbar_->note_news(crossbar_->memory().news(at), clock);
    cpus_ = std::move(cpus);
    is_on_ = true;
}

std::uint64_t CpuLending::news_of(int node) const
{
    std::uint64_t latest = 0;
    for (const NewsOfRank* of_cpu : news_) latest = std::max(latest, of_cpu[node].at.load(std::memory_order_relaxed));
    return latest;
}

void CpuLending::look_around()
{
    next_look_ = back_at_ + between_looks_;
    send_guests_home();
    const int here = crossbar_->record(crossbar_->node()).host.load(std::memory_order_relaxed);
    if (here < 0 || back_at_ - idle_since_ < idle_) return;
    int taken = who_cannot_look(here);
    if (taken < 0 && back_at_ - idle_since_ >= long_idle_) taken = who_computes_beside_another(here);
    if (taken >= 0) take(taken, here);
}

int CpuLending::who_cannot_look(int here)
{
    int taken = -1;
    std::uint64_t its_away = UINT64_MAX;
    for (int node = 0; node < crossbar_->nodes(); ++node) {
        const std::uint64_t news = news_of(node);
        if (news == 0 || back_at_ < news + idle_) continue;
        const NodeRecord& record = crossbar_->record(node);
        const std::uint64_t away = record.away_since.load(std::memory_order_relaxed);
        // Of several the one that would be the next to run.
        if (away == 0 || away >= news || away >= its_away) continue;
        if (record.host.load(std::memory_order_relaxed) == here || !may_move(node)) continue;
        taken = node;
        its_away = away;
    }
    return taken;
}

// Of the CPU where most compute: one whose home is here, if there is one. It may be the one that runs, which costs more
// to move.
int CpuLending::who_computes_beside_another(int here)
{
    struct Found {
        int ranks = 0;
        int taken = -1;
    };
    std::vector<Found> of_cpu(cpus_.size());
    for (int node = 0; node < crossbar_->nodes(); ++node) {
        const NodeRecord& record = crossbar_->record(node);
        const int host = record.host.load(std::memory_order_relaxed);
        const auto at = std::ranges::lower_bound(cpus_, host);
        if (host == here || at == cpus_.end() || *at != host) continue;
        // acquire: pairs with the release in Communicators::found_world
        if (record.state.load(std::memory_order_acquire) != static_cast<std::uint32_t>(RankState::ready) ||
            record.away_since.load(std::memory_order_relaxed) != 0 ||
            record.sleeping.load(std::memory_order_relaxed) != 0)
            continue;
        Found& found = of_cpu[static_cast<std::size_t>(at - cpus_.begin())];
        ++found.ranks;
        if ((found.taken < 0 || peers_[static_cast<std::size_t>(node)].home == here) && may_move(node))
            found.taken = node;
    }
    const Found& most = *std::ranges::max_element(of_cpu, {}, &Found::ranks);
    return most.ranks >= 2 ? most.taken : -1;
}

// Its process, and that the thread is one of it: from then on this rank goes by its own copy of the number.
bool CpuLending::may_move(int node)
{
    Peer& peer = peers_[static_cast<std::size_t>(node)];
    if (peer.movable == Movable::unknown) {
        const bool is_known =
            node != crossbar_->node() && private_memory_->reaches(node) &&
            syscall(SYS_tgkill, crossbar_->record(node).pid.load(std::memory_order_relaxed), peer.thread, 0) == 0;
        peer.movable = is_known ? Movable::yes : Movable::no;
    }
    return peer.movable == Movable::yes;
}

template <class Note>
bool CpuLending::move(int node, int from, int to, Note&& note)
{
    NodeRecord& record = crossbar_->record(node);
    const int thread = peers_[static_cast<std::size_t>(node)].thread;
    if (from < 0 || from >= CpuSet::kCpus || from == to) return false;
    // acquire: pairs with the release below by who moved it last
    if (!record.host.compare_exchange_strong(from, kOnTheMove, std::memory_order_acquire, std::memory_order_relaxed))
        return false;
    const bool is_moved = CpuSet::is_only(thread, from) && CpuSet(to).give_to(thread);
    if (is_moved) {
        note(record);
        record.moved_at.store(back_at_, std::memory_order_relaxed);
    }
    record.host.store(is_moved ? to : kStays, std::memory_order_release);
    return is_moved;
}

void CpuLending::take(int node, int here)
{
    const int home = peers_[static_cast<std::size_t>(node)].home;
    const int from = crossbar_->record(node).host.load(std::memory_order_relaxed);
    std::uint64_t lease = 0;
    const bool is_taken = move(node, from, here, [&](NodeRecord& record) {
        lease = record.lease.load(std::memory_order_relaxed);
        if (from == home) {
            const bool is_soon = back_at_ - record.moved_at.load(std::memory_order_relaxed) < kSoonLeases * lease;
            lease = is_soon ? std::min(2 * lease, longest_lease_) : shortest_lease_;
            record.lease.store(lease, std::memory_order_relaxed);
        }
    });
    if (!is_taken) return;
    next_look_ = back_at_ + settling_;
    std::erase_if(guests_, [&](const Guest& guest) { return guest.node == node; });
    if (here != home) guests_.push_back({node, here, back_at_ + lease});
}

void CpuLending::send_guests_home()
{
    std::erase_if(guests_, [&](const Guest& guest) {
        const NodeRecord& record = crossbar_->record(guest.node);
        const int host = record.host.load(std::memory_order_relaxed);
        if (host != guest.host && host != kOnTheMove) return true;
        if (back_at_ < guest.until || record.away_since.load(std::memory_order_relaxed) == 0) return false;
        return move(guest.node, guest.host, peers_[static_cast<std::size_t>(guest.node)].home, [](NodeRecord&) {});
    });
}

}  // namespace fmpl
