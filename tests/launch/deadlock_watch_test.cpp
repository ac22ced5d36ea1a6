// What the launcher takes for a deadlock, over ranks that are threads, and with a clock of the test's own.
#include "launch/deadlock_watch.hpp"

#include "crossbar/waiter.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

namespace {

using namespace fmpl;
using std::chrono::seconds;

constexpr WaitingPolicy kSleepAtOnce{0, 0};
constexpr int kRanks = 3;

class Deadlock : public ::testing::Test {
protected:
    Deadlock() : memory_(make()), control_(memory_->control()), watch_(control_, now_)
    {
        for (int rank = 0; rank < kRanks; ++rank) {
            crossbars_.push_back(std::make_unique<Crossbar>(memory_, rank));
            set_state(rank, RankState::ready);
        }
        fenced_ = crossbars_[0]->asymmetric_fence();
    }
    ~Deadlock() override { wake_all(); }

    static std::shared_ptr<JobMemory> make()
    {
        JobSpec spec;
        spec.ranks = kRanks;
        spec.arena_bytes = std::size_t{2} << 20;
        return std::make_shared<JobMemory>(JobMemory::create(spec));
    }
    void set_state(int rank, RankState state)
    {
        control_.nodes[rank].state.store(static_cast<std::uint32_t>(state), std::memory_order_release);
    }
    // A rank's record as it is in a sleep.
    void set_sleep(int rank, std::uint32_t number)
    {
        control_.nodes[rank].sleep.store(sleep_word(number, control_.nodes[rank].doorbell.load()));
    }
    void set_sleeps(std::uint32_t number)
    {
        for (int rank = 0; rank < kRanks; ++rank) set_sleep(rank, number);
    }
    bool look_after(seconds time)
    {
        now_ += time;
        return watch_.look(gone_, now_);
    }
    // Long enough for any deadlock that there is to be told.
    bool is_told()
    {
        const bool first = look_after(seconds(10));
        return look_after(seconds(10)) || first;
    }
    // The rank waits, in a thread, until wake_all.
    void wait_in_thread(int rank, const WaitFor& what)
    {
        threads_.emplace_back([this, rank, what] {
            Waiter waiter(*crossbars_[static_cast<std::size_t>(rank)], kSleepAtOnce);
            waiter.wait([this] { return over_.load(); }, what);
        });
    }
    void until_asleep(int rank) const
    {
        while (control_.nodes[rank].sleeping.load() == 0) std::this_thread::yield();
    }
    void until_sleep_is_told(int rank) const
    {
        while (control_.nodes[rank].sleep.load() == 0) std::this_thread::yield();
    }
    void wake_all()
    {
        over_ = true;
        const Crossbar crossbar(memory_, 0);  // not that of a thread which waits
        for (int rank = 0; rank < kRanks; ++rank) crossbar.wake(rank);
        for (std::thread& thread : threads_) thread.join();
        threads_.clear();
    }

    std::shared_ptr<JobMemory> memory_;
    ControlBlock& control_;
    std::vector<std::unique_ptr<Crossbar>> crossbars_;
    DeadlockWatch::Clock::time_point now_{};
    DeadlockWatch watch_;
    std::vector<bool> gone_ = std::vector<bool>(kRanks, false);
    std::atomic<bool> over_{false};
    std::vector<std::thread> threads_;
    bool fenced_ = false;
};

TEST_F(Deadlock, IsToldOnceWhenItHasStood)
{
    set_sleeps(1);
    EXPECT_FALSE(look_after(seconds(1)));
    for (int second = 1; second < 3; ++second) EXPECT_FALSE(look_after(seconds(1))) << second;
    EXPECT_TRUE(look_after(seconds(1)));
    EXPECT_FALSE(is_told());
    EXPECT_EQ(watch_.next_look(), now_ + DeadlockWatch::kBetweenLooks);
}

TEST_F(Deadlock, IsNoneWhileARankIsAwake)
{
    set_sleeps(1);
    control_.nodes[1].sleep = 0;
    EXPECT_FALSE(is_told());
    set_sleep(1, 2);
    EXPECT_TRUE(is_told());
}

TEST_F(Deadlock, IsNoneWhileARankHasBeenRungAndIsNotAwakeYet)
{
    set_sleeps(1);
    ++control_.nodes[2].doorbell;
    EXPECT_FALSE(is_told());
}

TEST_F(Deadlock, CountsFromTheLatestSleep)
{
    set_sleeps(1);
    EXPECT_FALSE(look_after(seconds(10)));
    set_sleep(1, 2);
    EXPECT_FALSE(look_after(seconds(10)));
    EXPECT_FALSE(look_after(seconds(2)));
    EXPECT_TRUE(look_after(seconds(1)));
}

TEST_F(Deadlock, IsNoneWhileARankMayStillCome)
{
    set_sleeps(1);
    for (const RankState state : {RankState::absent, RankState::attached}) {
        set_state(1, state);
        EXPECT_FALSE(is_told());
    }
}

TEST_F(Deadlock, IsOneOfTheRanksThatAreLeft)
{
    set_sleep(0, 1);
    set_state(1, RankState::finalized);
    gone_[2] = true;
    EXPECT_TRUE(is_told());
    gone_[0] = true;
    EXPECT_FALSE(is_told()) << "nobody is left";
}

TEST_F(Deadlock, IsOneOfRanksThatSleep)
{
    for (int rank = 0; rank < kRanks; ++rank) wait_in_thread(rank, {.call = Call::recv});
    if (!fenced_) {
        for (int rank = 0; rank < kRanks; ++rank) until_asleep(rank);
        EXPECT_FALSE(is_told()) << "without membarrier no sleep is unbounded";
        return;
    }
    for (int rank = 0; rank < kRanks; ++rank) until_sleep_is_told(rank);
    EXPECT_TRUE(is_told());
    wake_all();
    EXPECT_FALSE(is_told()) << "all are awake";
}

TEST_F(Deadlock, IsNoneWhenAWaitHasADeadline)
{
    wait_in_thread(0, {.deadline_ns = monotonic_ns() + 60'000'000'000});
    until_asleep(0);
    EXPECT_EQ(control_.nodes[0].sleep.load(), 0u);
    set_sleep(1, 1);
    set_sleep(2, 1);
    EXPECT_FALSE(is_told());
}

TEST_F(Deadlock, IsNoneWhenSomethingOutsideMayEndAWait)
{
    wait_in_thread(0, {.from_outside = true});
    until_asleep(0);
    EXPECT_EQ(control_.nodes[0].sleep.load(), 0u);
    set_sleep(1, 1);
    set_sleep(2, 1);
    EXPECT_FALSE(is_told());
}

// A token goes round, and all ranks sleep but for the one that has it: at almost every moment each of them has told
// of a sleep. A verdict here would be a wrong one, since the token always comes back.
TEST_F(Deadlock, IsNoneWhileATokenGoesRound)
{
    constexpr std::uint64_t kRounds = 2000;
    const auto flag = [&](int rank) { return memory_->arena_offset(rank); };
    for (int rank = 0; rank < kRanks; ++rank) {
        threads_.emplace_back([&, rank] {
            const Crossbar& crossbar = *crossbars_[static_cast<std::size_t>(rank)];
            Waiter waiter(crossbar, kSleepAtOnce);
            const int next = (rank + 1) % kRanks;
            for (std::uint64_t round = 1; round <= kRounds; ++round) {
                const std::uint64_t awaited = rank == 0 ? round - 1 : round;
                waiter.wait([&] { return crossbar.read_flag(rank, flag(rank)) >= awaited; }, {});
                crossbar.write_flag(next, flag(next), round);
                crossbar.wake(next);
            }
            if (rank == kRanks - 1) over_ = true;
        });
    }
    std::uint64_t looks = 0;
    while (!over_) {
        EXPECT_FALSE(look_after(seconds(10))) << "after " << looks << " looks";
        ++looks;
    }
    EXPECT_GT(looks, 0u);
}

}  // namespace
