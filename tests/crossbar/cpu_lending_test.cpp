// Which ranks a CPU that has nothing to do takes from another, how long it keeps them, and whom it leaves alone.
#include "crossbar/cpu_lending.hpp"
#include "crossbar/host.hpp"
#include "crossbar/waiter.hpp"
#include "support/ranks_test.hpp"

#include <gtest/gtest.h>

#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <random>
#include <ranges>
#include <thread>
#include <vector>

namespace {

using namespace fmpl;

void bind(int thread, const std::vector<int>& cpus)
{
    ASSERT_TRUE(bind_thread(thread, cpus));
}

int own_thread()
{
    return static_cast<int>(syscall(SYS_gettid));
}

// A thread that stands for a rank, and does nothing.
class IdleThread {
public:
    IdleThread()
        : thread_([this] {
              std::unique_lock lock(mutex_);
              number_ = own_thread();
              changed_.notify_all();
              changed_.wait(lock, [this] { return is_over_; });
          })
    {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return number_ != 0; });
    }
    ~IdleThread()
    {
        {
            const std::lock_guard lock(mutex_);
            is_over_ = true;
        }
        changed_.notify_all();
        thread_.join();
    }
    int number() const { return number_; }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    int number_ = 0;
    bool is_over_ = false;
    std::thread thread_;
};

// Nodes 0 and 1 on a CPU, 2 and 3 on another. The test is node 0.
class CpusLent : public ::testing::Test {
protected:
    static constexpr int kNodes = 4;

    CpusLent()
    {
        const WaitingPolicy policy = waiting_policy(kNodes, 2);
        clock_ = policy.clock;
        ticks_per_us_ = policy.ticks_per_us;
        all_ = affinity_cpus();
    }
    void SetUp() override
    {
        if (all_.size() < 2) GTEST_SKIP() << "needs two CPUs";
        JobSpec spec;
        spec.ranks = kNodes;
        spec.arena_bytes = std::size_t{2} << 20;
        spec.lent_cpus = lent_cpus_;
        memory_ = std::make_shared<JobMemory>(JobMemory::create(spec));
        for (int node = 0; node < kNodes; ++node) {
            crossbars_.emplace_back(memory_, node);
            private_memories_.emplace_back(crossbars_.back(), true);
            lendings_.emplace_back(crossbars_.back(), private_memories_.back());
        }
    }
    void TearDown() override
    {
        if (all_.size() >= 2) bind(0, all_);
    }
    int home(int node) const { return all_[node < kNodes / 2 ? 0 : 1]; }
    NodeRecord& record(int node) { return memory_->control().nodes[node]; }

    // Binds the threads and begins. thread_of(node): their numbers.
    template <class ThreadOf>
    void begin(ThreadOf&& thread_of)
    {
        for (int node = 0; node < kNodes; ++node) {
            record(node).pid = getpid();
            record(node).cpu = home(node);
            lendings_[static_cast<std::size_t>(node)].publish();
            record(node).thread = thread_of(node);
            bind(thread_of(node), {home(node)});
        }
        for (CpuLending& lending : lendings_) lending.begin(clock_, ticks_per_us_);
    }
    void begin()
    {
        begin([&](int node) { return node == 0 ? own_thread() : idle_[static_cast<std::size_t>(node)].number(); });
    }
    std::uint64_t ago(std::uint64_t us) const { return read_clock(clock_) - us * ticks_per_us_; }
    void set_ready(int node) { record(node).state = static_cast<std::uint32_t>(RankState::ready); }
    // As if `node` had looked, and been sent something by the other rank of its CPU, so long ago, and that computed.
    void set(int node, std::uint64_t away_us_ago, std::uint64_t news_us_ago)
    {
        const int mate = node ^ 1;
        set_ready(mate);
        record(mate).away_since = 0;
        record(node).away_since = ago(away_us_ago);
        memory_->news(1)[node].at = ago(news_us_ago);
    }
    void spend(std::uint64_t us) const
    {
        for (const std::uint64_t end = ago(0) + us * ticks_per_us_; ago(0) < end;) cpu_relax();
    }
    // The test waits in vain, as a node or as several in turn, and has its CPU back at once.
    void wait_in_vain(std::uint64_t us, std::size_t node = 0)
    {
        for (const std::uint64_t end = ago(0) + us * ticks_per_us_; ago(0) < end;) lendings_[node].leave([] {});
    }
    template <class Condition>
    void wait_in_vain_until(Condition&& condition, std::vector<std::size_t> nodes = {0})
    {
        for (const std::uint64_t end = ago(0) + 10'000'000 * ticks_per_us_; !condition() && ago(0) < end;) {
            for (const std::size_t node : nodes) lendings_[node].leave([] {});
        }
        EXPECT_TRUE(condition());
    }
    void expect_on(int node, int cpu)
    {
        EXPECT_EQ(record(node).host.load(), cpu);
        EXPECT_EQ(affinity_cpus(idle_[static_cast<std::size_t>(node)].number()), std::vector<int>{cpu});
    }

    static constexpr std::uint64_t kLong = 2000;  // several times all that lending waits for

    std::uint32_t lent_cpus_ = 2;
    ClockKind clock_;
    std::uint64_t ticks_per_us_;
    std::vector<int> all_;
    std::shared_ptr<JobMemory> memory_;
    std::deque<Crossbar> crossbars_;
    std::deque<PrivateMemory> private_memories_;
    std::deque<CpuLending> lendings_;
    std::array<IdleThread, kNodes> idle_;
};

TEST_F(CpusLent, WhoHasNewsAndCannotLookIsTaken)
{
    begin();
    set(2, 200, 100);
    wait_in_vain_until([&] { return record(2).host == home(0); });
    expect_on(2, home(0));
    expect_on(3, home(3));
}

TEST_F(CpusLent, OfSeveralTheNextToRunIsTakenFirst)
{
    begin();
    bind(idle_[1].number(), {home(2)});
    record(1).host = home(2);
    set_ready(1);
    set(2, 200, 100);
    set(3, 300, 100);
    record(2).away_since = ago(200);
    wait_in_vain_until([&] { return record(2).host == home(0) || record(3).host == home(0); });
    expect_on(2, home(2));
    expect_on(3, home(0));
}

TEST_F(CpusLent, WhoHasLookedSinceTheNewsStays)
{
    begin();
    set(2, 100, 200);
    wait_in_vain(kLong);
    set(3, 200, 100);
    wait_in_vain_until([&] { return record(3).host == home(0); });
    expect_on(2, home(2));
}

TEST_F(CpusLent, WhoHasNoNewsOrRunsStays)
{
    begin();
    set_ready(3);
    record(2).away_since = ago(1000);
    memory_->news(0)[3].at = ago(1000);
    wait_in_vain(kLong);
    expect_on(2, home(2));
    expect_on(3, home(3));
}

TEST_F(CpusLent, WhereSomebodyHasJustLookedNobodyIsTaken)
{
    begin();
    set(2, 200, 100);
    for (const std::uint64_t end = ago(0) + kLong * ticks_per_us_; ago(0) < end;) {
        record(3).away_since = ago(0);
        lendings_[0].leave([] {});
    }
    expect_on(2, home(2));
    record(3).away_since = 0;
    wait_in_vain_until([&] { return record(2).host == home(0); });
    expect_on(3, home(3));
}

// Another program runs there, or the CPU is waking: an empty CPU would be left behind.
TEST_F(CpusLent, WhereNoRankComputesNobodyIsTaken)
{
    begin();
    set(2, 200, 100);
    record(3).away_since = ago(300);
    wait_in_vain(kLong);
    record(3).away_since = 0;
    record(3).sleeping = 1;
    wait_in_vain(kLong);
    record(3).sleeping = 0;
    record(3).state = static_cast<std::uint32_t>(RankState::finalized);
    wait_in_vain(kLong);
    expect_on(2, home(2));
    expect_on(3, home(3));
    set_ready(3);
    wait_in_vain_until([&] { return record(2).host == home(0); });
}

TEST_F(CpusLent, AYoungCollectiveWaitIsNotToldOfButByGuestsAndHosts)
{
    begin();
    const auto is_told = [&](int node) {
        bool told = false;
        lendings_[static_cast<std::size_t>(node)].leave_untold([&] { told = record(node).away_since != 0; });
        return told;
    };
    EXPECT_FALSE(is_told(0));
    record(0).host = home(2);
    EXPECT_TRUE(is_told(0));
    record(0).host = home(0);
    EXPECT_FALSE(is_told(0));
    set(2, 200, 100);
    wait_in_vain_until([&] { return record(2).host == home(0); });
    EXPECT_TRUE(is_told(0));
}

TEST_F(CpusLent, ACpuWithWorkTakesNobody)
{
    begin();
    set(2, 200, 100);
    for (int i = 0; i < 50; ++i) lendings_[0].leave([&] { spend(40); });  // the others' work
    for (int i = 0; i < 50; ++i) {                                        // its own
        lendings_[0].leave([] {});
        spend(10);
    }
    expect_on(2, home(2));
    expect_on(3, home(3));
}

TEST_F(CpusLent, OfTwoThatComputeOneIsTakenInTime)
{
    begin();
    for (const int node : {2, 3}) set_ready(node);
    const std::uint64_t began = ago(0);
    wait_in_vain_until([&] { return record(2).host == home(0) || record(3).host == home(0); });
    EXPECT_GE(ago(0) - began, 500 * ticks_per_us_);
    EXPECT_NE(record(2).host, record(3).host);
    wait_in_vain(kLong);
    EXPECT_NE(record(2).host, record(3).host);
}

TEST_F(CpusLent, WhoComputesAloneStays)
{
    begin();
    set_ready(2);
    for (const RankState state : {RankState::attached, RankState::finalized}) {
        record(3).state = static_cast<std::uint32_t>(state);
        wait_in_vain(kLong);
    }
    set_ready(3);
    record(3).sleeping = 1;
    wait_in_vain(kLong);
    record(3).sleeping = 0;
    record(3).away_since = ago(100);
    wait_in_vain(kLong);
    expect_on(2, home(2));
    expect_on(3, home(3));
}

TEST_F(CpusLent, OfThoseThatComputeWhoIsAtHomeHereIsTakenFirst)
{
    begin();
    bind(idle_[1].number(), {home(2)});
    record(1).host = home(2);
    for (const int node : {1, 2, 3}) set_ready(node);
    wait_in_vain_until([&] { return record(1).host == home(0); });
    expect_on(2, home(2));
    expect_on(3, home(3));
}

// Nodes 2 and 3 wait long.
TEST_F(CpusLent, OfTwoThatAreActiveOneGoesToACpuWhereNobodyIs)
{
    begin();
    for (const int node : {0, 1, 2, 3}) set_ready(node);
    record(2).waits_long = record(3).waits_long = 1;
    wait_in_vain_until([&] { return record(1).host == home(2); });
    expect_on(1, home(2));
    expect_on(2, home(2));
    expect_on(3, home(2));
    // There it is one of three, and one of those who are at home there sends it home.
    record(2).waits_long = record(3).waits_long = 0;
    wait_in_vain_until([&] { return record(1).host == home(0); }, {2});
    expect_on(1, home(0));
    expect_on(3, home(2));
}

// It may not wait again for long.
TEST_F(CpusLent, WhoHasWaitedLongSendsOneThereAtOnce)
{
    begin();
    for (const int node : {0, 1, 2, 3}) set_ready(node);
    lendings_[0].has_waited_long();
    expect_on(1, home(0));
    record(2).waits_long = record(3).waits_long = 1;
    lendings_[0].has_waited_long();
    expect_on(1, home(2));
}

TEST_F(CpusLent, WhereOneFewerIsActiveNobodyGoes)
{
    begin();
    for (const int node : {0, 1, 2, 3}) set_ready(node);
    record(3).waits_long = 1;
    record(2).away_since = record(1).away_since = ago(0);
    wait_in_vain(kLong);
    expect_on(1, home(0));
    expect_on(2, home(2));
}

TEST_F(CpusLent, AGuestIsNotSentHomeBeforeItsTimeAndSendsNobodyThere)
{
    begin();
    for (const int node : {0, 1, 2, 3}) set_ready(node);
    bind(idle_[1].number(), {home(2)});
    record(1).host = home(2);
    record(1).moved_at = ago(0);
    record(1).lease = 10'000'000 * ticks_per_us_;
    wait_in_vain(kLong, 2);
    wait_in_vain(kLong, 1);
    expect_on(1, home(2));
    expect_on(2, home(2));
    expect_on(3, home(2));
}

TEST_F(CpusLent, GuestsOfTwoCpusGoHomeInExchange)
{
    begin();
    for (const int node : {0, 1, 2, 3}) set_ready(node);
    bind(idle_[1].number(), {home(2)});
    bind(idle_[2].number(), {home(0)});
    record(1).host = home(2);
    record(2).host = home(0);
    wait_in_vain_until([&] { return record(1).host == home(0) && record(2).host == home(2); }, {3, 0});
    expect_on(1, home(0));
    expect_on(2, home(2));
    expect_on(3, home(2));
}

TEST_F(CpusLent, ARankIsAloneWhileNoMateIsActive)
{
    begin();
    for (const int node : {0, 1, 2, 3}) set_ready(node);
    record(2).away_since = record(3).away_since = ago(0);
    wait_in_vain(kLong);
    EXPECT_FALSE(lendings_[0].is_alone());
    const auto becomes_alone = [&] {
        record(1).waits_long = 1;
        wait_in_vain_until([&] { return lendings_[0].is_alone(); });
    };
    becomes_alone();
    record(1).waits_long = 0;
    EXPECT_FALSE(lendings_[0].is_alone());
    record(1).waits_long = 1;
    EXPECT_FALSE(lendings_[0].is_alone());  // before it has counted again
    becomes_alone();
    ++memory_->control().moves;
    EXPECT_FALSE(lendings_[0].is_alone());
    // So somebody comes.
    becomes_alone();
    record(1).waits_long = 0;
    bind(idle_[1].number(), {home(2)});
    record(1).host = home(2);
    record(1).away_since = 1;
    wait_in_vain_until([&] { return lendings_[0].is_alone(); });
    wait_in_vain_until([&] { return record(1).host == home(0); }, {3});
    expect_on(1, home(0));
    EXPECT_FALSE(lendings_[0].is_alone());
}

TEST_F(CpusLent, ASleepIsNoWork)
{
    begin();
    // Several times, since other programs may come between.
    for (int i = 0; i < 100 && record(2).host == home(2); ++i) {
        wait_in_vain(100);
        set(2, 200, 100);
        spend(200);
        lendings_[0].has_slept();
        spend(10);  // its first look, with cold caches
        lendings_[0].leave([] {});
        if (record(2).host == home(2)) record(2).away_since = 0;
    }
    expect_on(2, home(0));
}

TEST_F(CpusLent, WhoHasBeenTakenGoesHomeAndIsTakenForLongerSoonAfter)
{
    begin();
    const auto lease_us = [&] { return record(2).lease / ticks_per_us_; };
    const auto take = [&] {
        set(2, 200, 100);
        wait_in_vain_until([&] { return record(2).host == home(0); });
        expect_on(2, home(0));
        set(2, 100, 200);
    };
    take();
    EXPECT_EQ(lease_us(), 200u);
    wait_in_vain_until([&] { return record(2).host == home(2); });
    record(2).lease = 10'000 * ticks_per_us_;
    for (const std::uint64_t us : {20'000, 40'000, 64'000, 64'000}) {
        take();
        EXPECT_EQ(lease_us(), us);
        const std::uint64_t taken_at = record(2).moved_at;
        memory_->news(1)[2].at = ago(0) + 1'000'000 * ticks_per_us_;  // has news until then
        wait_in_vain_until([&] { return record(2).host == home(2); });
        expect_on(2, home(2));
        EXPECT_GE(record(2).moved_at - taken_at, us * ticks_per_us_);
    }
    record(2).moved_at = 0;  // it has long been at home
    take();
    EXPECT_EQ(lease_us(), 200u);
}

TEST_F(CpusLent, WhoHasHadNoNewsForLongGoesHomeBeforeItsTime)
{
    begin();
    // Several times, since other programs may come between.
    std::uint64_t stay = 0;
    for (int i = 0; i < 10; ++i) {
        set(2, 200, 100);
        record(2).lease = 32'000 * ticks_per_us_;
        record(2).moved_at = ago(1000);
        wait_in_vain_until([&] { return record(2).host == home(0); });
        EXPECT_EQ(record(2).lease / ticks_per_us_, 64'000u);
        const std::uint64_t taken_at = record(2).moved_at;
        set(2, 100, 200);  // it has looked
        wait_in_vain_until([&] { return record(2).host == home(2); });
        expect_on(2, home(2));
        stay = record(2).moved_at - taken_at;
        EXPECT_GE(stay, 2'000 * ticks_per_us_);
        if (stay < 30'000 * ticks_per_us_) break;
    }
    EXPECT_LT(stay, 30'000 * ticks_per_us_);
}

// Its news may be old by then: what counts is how long it has been there without any.
TEST_F(CpusLent, WhoIsTakenForOldNewsStaysForItsTime)
{
    begin();
    set(2, 5'200, 5'100);
    wait_in_vain_until([&] { return record(2).host == home(0); });
    const std::uint64_t taken_at = record(2).moved_at;
    set(2, 100, 5'100);
    wait_in_vain_until([&] { return record(2).host == home(2); });
    EXPECT_GE(record(2).moved_at - taken_at, 200 * ticks_per_us_);
}

// Who has come without news, since it computed, is there for its whole time.
TEST_F(CpusLent, WhoComputedBesideAnotherStaysForItsWholeTime)
{
    begin();
    for (const int node : {2, 3}) {
        set_ready(node);
        record(node).lease = 5'000 * ticks_per_us_;
        record(node).moved_at = ago(1000);
    }
    wait_in_vain_until([&] { return record(2).host == home(0) || record(3).host == home(0); });
    const int taken = record(2).host == home(0) ? 2 : 3;
    const std::uint64_t taken_at = record(taken).moved_at;
    record(taken).away_since = ago(0);
    wait_in_vain_until([&] { return record(taken).host == home(taken); });
    EXPECT_GE(record(taken).moved_at - taken_at, 10'000 * ticks_per_us_);
}

TEST_F(CpusLent, AGuestThatRunsIsLeftAlone)
{
    begin();
    set(2, 200, 100);
    wait_in_vain_until([&] { return record(2).host == home(0); });
    record(2).away_since = 0;
    wait_in_vain(kLong);
    expect_on(2, home(0));
}

TEST_F(CpusLent, WhomItsProgramHasBoundOtherwiseStaysForGood)
{
    begin();
    bind(idle_[2].number(), all_);
    set(2, 200, 100);
    wait_in_vain(kLong);
    EXPECT_EQ(affinity_cpus(idle_[2].number()), all_);
    EXPECT_EQ(record(2).host.load(), kStays);
    bind(idle_[2].number(), {home(2)});
    wait_in_vain(kLong);
    EXPECT_EQ(affinity_cpus(idle_[2].number()), std::vector<int>{home(2)});
}

// What a rank says of itself is not believed: a process that is not of the job stays where it is.
TEST_F(CpusLent, AThreadOfAnotherProcessStays)
{
    const pid_t child = fork();
    if (child == 0) {
        for (;;) pause();
    }
    begin([&](int node) {
        if (node == 2) return static_cast<int>(child);
        return node == 0 ? own_thread() : idle_[static_cast<std::size_t>(node)].number();
    });
    set(2, 200, 100);
    wait_in_vain(kLong);
    EXPECT_EQ(affinity_cpus(child), std::vector<int>{home(2)});
    kill(child, SIGKILL);
}

TEST_F(CpusLent, WildWordsMoveNobodyElsewhere)
{
    begin();
    for (const std::int32_t host : {INT32_MIN, kStays, kOnTheMove, home(0), 8191, 8192, INT32_MAX}) {
        set(2, 200, 100);
        record(2).host = host;
        record(2).lease = record(2).moved_at = UINT64_MAX;
        wait_in_vain(kLong / 4);
        EXPECT_EQ(affinity_cpus(idle_[2].number()), std::vector<int>{home(2)}) << host;
    }
}

TEST_F(CpusLent, NothingHappensWhereARankIsNotWhereItWasPut)
{
    idle_[3].number();
    for (int node = 0; node < kNodes; ++node) record(node).cpu = home(0);
    for (CpuLending& lending : lendings_) lending.begin(clock_, ticks_per_us_);
    for (const CpuLending& lending : lendings_) EXPECT_FALSE(lending.is_on());
    record(3).cpu = -1;
    lendings_[0].begin(clock_, ticks_per_us_);
    EXPECT_FALSE(lendings_[0].is_on());
}

TEST_F(CpusLent, WhoRunsElsewhereIsKnown)
{
    begin();
    set_ready(1);
    set_ready(2);
    const CpuLending& lending = lendings_[0];
    EXPECT_TRUE(lending.runs_elsewhere(2));
    for (const int node : {0, 1, 3, -1, kNodes}) EXPECT_FALSE(lending.runs_elsewhere(node)) << node;
    record(2).sleeping = 1;
    EXPECT_FALSE(lending.runs_elsewhere(2));
    record(2).sleeping = 0;
    record(2).away_since = ago(1);
    EXPECT_FALSE(lending.runs_elsewhere(2));
    EXPECT_TRUE(lending.is_elsewhere(2));
    record(1).host = home(2);
    EXPECT_TRUE(lending.runs_elsewhere(1));
    for (const int nowhere : {kStays, kOnTheMove}) {
        record(1).host = nowhere;
        EXPECT_FALSE(lending.is_elsewhere(1)) << nowhere;
    }
}

// Looks of the first phase of a wait.
class LooksForAnswers : public CpusLent {
protected:
    LooksForAnswers() : policy_(waiting_policy(kNodes, 2)) {}

    Waiter waiter() { return {crossbars_[0], policy_, nullptr, &lendings_[0]}; }
    // Of a rank that has not waited before, in vain.
    int looks(int peer)
    {
        Waiter fresh = waiter();
        int number = 0;
        const auto ready = [&] {
            ++number;
            return false;
        };
        EXPECT_FALSE(fresh.spin(ready, {.peer = peer}));
        return number;
    }
    // For an answer that is there at the second look; whether it has been taken.
    bool looks_twice(Waiter& waiter)
    {
        crossbars_[0].wake(2);
        int number = 0;
        return waiter.spin([&] { return ++number == 2; }, {.peer = 2});
    }
    static void give_cpu_away(Waiter& waiter)
    {
        int number = 0;
        EXPECT_TRUE(waiter.yield_or_sleep([&] { return ++number == 2; }, {.peer = 2}));
    }

    WaitingPolicy policy_;
};

TEST_F(LooksForAnswers, MoreThanOneWhereSomebodyElsewhereHasBeenAskedAndRuns)
{
    begin();
    for (const int node : {1, 2, 3}) set_ready(node);
    const Crossbar& crossbar = crossbars_[0];
    EXPECT_EQ(looks(2), 1);
    crossbar.wake(2);
    EXPECT_GT(looks(2), 1);
    EXPECT_EQ(looks(2), 1) << "one answer to a question";
    crossbar.wake(2);
    crossbar.wake(0);
    EXPECT_GT(looks(2), 1) << "who wakes itself asks nobody";
    crossbar.wake(2);
    crossbar.wake(3);
    EXPECT_EQ(looks(2), 1) << "another has been asked since";
    crossbar.wake(2);
    record(2).away_since = ago(1);
    EXPECT_EQ(looks(2), 1) << "it does not run";
    record(2).away_since = 0;
    crossbar.wake_only(std::array{0, 2});
    EXPECT_GT(looks(2), 1) << "both members of two have been woken";
    crossbar.wake_only(std::array{0, 2, 3});
    EXPECT_EQ(looks(3), 1) << "several have been asked";
    crossbar.wake(1);
    EXPECT_EQ(looks(1), 1) << "it needs this CPU";
    policy_.spin_is_fixed = true;
    crossbar.wake(2);
    EXPECT_EQ(looks(2), 1) << "FMPL_SPIN_US says how many";
}

// For others that share the CPU. Until two answers come at once, since another process may come between.
TEST_F(LooksForAnswers, NotForLongWithoutGivingTheCpuAway)
{
    begin();
    set_ready(2);
    Waiter rank = waiter();
    for (int i = 0; i < 1000 && !(looks_twice(rank) && looks_twice(rank)); ++i) {
        give_cpu_away(rank);
        rank = waiter();
    }
    spend(1000);
    EXPECT_FALSE(looks_twice(rank));
    give_cpu_away(rank);
    bool again = looks_twice(rank);
    for (int i = 0; i < 1000 && !again; ++i) {
        give_cpu_away(rank);
        again = looks_twice(rank);
    }
    EXPECT_TRUE(again);
}

TEST_F(LooksForAnswers, SeldomWhereTheCpuMustBeGivenAwayAllTheSame)
{
    begin();
    set_ready(2);
    Waiter rank = waiter();
    int tries = 0;
    for (int i = 0; i < 1000; ++i) {
        tries += looks_twice(rank) ? 1 : 0;
        give_cpu_away(rank);
    }
    EXPECT_GT(tries, 0);
    EXPECT_LT(tries, 20);
}

class NoCpusLent : public CpusLent {
protected:
    NoCpusLent() { lent_cpus_ = 0; }
};

TEST_F(NoCpusLent, NothingHappens)
{
    begin();
    for (const CpuLending& lending : lendings_) EXPECT_FALSE(lending.is_on());
}

// Ranks that all compute, wait, wake and take each other: whenever all have come to an end, each is where its record
// says. Until some have been taken, since other programs may have the CPUs.
TEST_F(CpusLent, AllAtOnce)
{
    std::array<std::atomic<int>, kNodes> threads{};
    std::atomic<int> ended = 0;
    std::atomic<bool> may_begin = false, is_over = false;
    const auto some_were_taken = [&] {
        return std::ranges::any_of(std::views::iota(0, kNodes), [&](int node) { return record(node).moved_at != 0; });
    };
    std::vector<std::thread> ranks;
    for (int node = 0; node < kNodes; ++node) {
        ranks.emplace_back([&, node] {
            threads[static_cast<std::size_t>(node)] = own_thread();
            while (!may_begin) std::this_thread::yield();
            std::mt19937_64 random(fmpl_test::seed() + static_cast<std::uint64_t>(node));
            CpuLending& lending = lendings_[static_cast<std::size_t>(node)];
            lending.publish();
            for (int round = 0; round < 300 || (round < 300'000 && !some_were_taken()); ++round) {
                if (random() % 4 == 0) spend(random() % 100);
                crossbars_[static_cast<std::size_t>(node)].wake(static_cast<int>(random() % kNodes));
                for (std::uint64_t look = random() % 40; look != 0; --look) {
                    lending.leave([] { std::this_thread::yield(); });
                }
            }
            ++ended;
            while (!is_over) std::this_thread::yield();
        });
    }
    for (const std::atomic<int>& thread : threads) {
        while (thread == 0) std::this_thread::yield();
    }
    begin([&](int node) { return threads[static_cast<std::size_t>(node)].load(); });
    for (int node = 0; node < kNodes; ++node) set_ready(node);
    may_begin = true;
    while (ended < kNodes) std::this_thread::yield();
    for (int node = 0; node < kNodes; ++node) {
        EXPECT_EQ(affinity_cpus(threads[static_cast<std::size_t>(node)]), std::vector<int>{record(node).host.load()});
    }
    EXPECT_TRUE(some_were_taken());
    is_over = true;
    for (std::thread& rank : ranks) rank.join();
}

TEST_F(CpusLent, AtTheEndARankGoesHomeAndStays)
{
    begin();
    bind(own_thread(), {home(2)});
    record(0).host = home(2);
    lendings_[0].end();
    EXPECT_EQ(affinity_cpus(own_thread()), std::vector<int>{home(0)});
    EXPECT_EQ(record(0).host.load(), kStays);
    EXPECT_FALSE(lendings_[0].is_on());
    lendings_[0].end();
    lendings_[3].end();
    EXPECT_EQ(record(3).host.load(), kStays);
    expect_on(2, home(2));
}

TEST_F(CpusLent, AnotherThreadThanTheOneThatIsMovedTakesNobody)
{
    begin();
    set(2, 200, 100);
    std::thread([&] { wait_in_vain(kLong); }).join();
    expect_on(2, home(2));
    EXPECT_EQ(record(0).away_since.load(), 0u);
}

}  // namespace
