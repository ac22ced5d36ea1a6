// How a rank waits: woken out of a sleep, by its deadline, by the end of the job; and which look is the last.
#include "crossbar/waiter.hpp"
#include "error.hpp"
#include "support/variable.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>

namespace {

using namespace fmpl;

constexpr WaitingPolicy kSleepAtOnce{0, 0};

// A wait that ends by this was not woken: it bounds a hang, and is no measure of speed.
constexpr std::uint64_t kHangNs = 60'000'000'000;

class Waiters : public ::testing::Test {
protected:
    Waiters() : memory_(make()), crossbars_{Crossbar(memory_, 0), Crossbar(memory_, 1)} {}

    static std::shared_ptr<JobMemory> make()
    {
        JobSpec spec;
        spec.ranks = 2;
        spec.arena_bytes = std::size_t{2} << 20;
        return std::make_shared<JobMemory>(JobMemory::create(spec));
    }
    Offset flag(int node) const { return memory_->arena_offset(node); }
    bool sleeping(int node) const { return crossbars_[0].record(node).sleeping.load() != 0; }
    void until_sleeping(int node) const
    {
        while (!sleeping(node)) std::this_thread::yield();
    }
    // What the job's first failing rank does, without the ending of processes.
    void abort_job(int rank, int code)
    {
        ControlBlock& control = memory_->control();
        control.abort_rank.store(rank);
        control.abort_code.store(code);
        control.abort_state.store(2);
        for (int node = 0; node < 2; ++node) crossbars_[rank].wake(node);
    }

    // Rank `node` of the ping-pong: waits for each number from the other one, and answers.
    void play(int node, std::uint64_t rounds, bool let_peer_sleep, const char*& wrong)
    {
        const Crossbar& crossbar = crossbars_[node];
        Waiter waiter(crossbar, kSleepAtOnce);
        const int peer = 1 - node;
        for (std::uint64_t round = 1; round <= rounds; ++round) {
            if (node == 0) serve(crossbar, peer, round, let_peer_sleep);
            WaitFor what{.call = Call::recv, .peer = peer};
            what.deadline_ns = monotonic_ns() + kHangNs;
            const bool came = waiter.wait([&] { return crossbar.read_flag(node, flag(node)) == round; }, what);
            if (!came || monotonic_ns() >= what.deadline_ns) {
                wrong = "a wake-up was lost";
                return;
            }
            if (node == 1) serve(crossbar, peer, round, let_peer_sleep);
        }
    }
    void serve(const Crossbar& crossbar, int peer, std::uint64_t round, bool let_peer_sleep) const
    {
        if (let_peer_sleep) until_sleeping(peer);
        crossbar.write_flag(peer, flag(peer), round);
        crossbar.wake(peer);
    }
    void ping_pong(std::uint64_t rounds, bool let_peer_sleep)
    {
        const char* wrong[2] = {nullptr, nullptr};
        std::thread other([&] { play(1, rounds, let_peer_sleep, wrong[1]); });
        play(0, rounds, let_peer_sleep, wrong[0]);
        other.join();
        EXPECT_EQ(wrong[0], nullptr) << wrong[0];
        EXPECT_EQ(wrong[1], nullptr) << wrong[1];
        EXPECT_FALSE(sleeping(0));
        EXPECT_FALSE(sleeping(1));
    }

    std::shared_ptr<JobMemory> memory_;
    Crossbar crossbars_[2];
};

TEST_F(Waiters, AFlagAndAWakeEndASleep)
{
    std::thread waker([&] {
        until_sleeping(0);
        crossbars_[1].write_flag(0, flag(0), 5);
        crossbars_[1].wake(0);
    });
    Waiter waiter(crossbars_[0], kSleepAtOnce);
    EXPECT_TRUE(waiter.wait([&] { return crossbars_[0].read_flag(0, flag(0)) == 5; }, {.call = Call::recv, .peer = 1}));
    waker.join();
    EXPECT_FALSE(sleeping(0));
}

// As after a membarrier that has missed the waker's CPU (docs/decisions/0044-a-lost-wake-costs-what-was-waited.md).
TEST_F(Waiters, AWakeThatIsLostCostsNoMoreThanWasWaited)
{
    std::thread waker([&] {
        until_sleeping(0);
        std::this_thread::sleep_for(std::chrono::milliseconds(30));  // its last look is over
        crossbars_[1].write_flag(0, flag(0), 5);
    });
    Waiter waiter(crossbars_[0], kSleepAtOnce);
    const std::uint64_t begin = monotonic_ns();
    constexpr std::uint64_t kPatienceNs = 4'000'000'000;
    EXPECT_TRUE(
        waiter.wait([&] { return crossbars_[0].read_flag(0, flag(0)) == 5; }, {.deadline_ns = begin + kPatienceNs}));
    EXPECT_LT(monotonic_ns() - begin, kPatienceNs / 2);
    waker.join();
}

TEST_F(Waiters, AWakeWithoutTheFlagIsSleptOverInOneLongWait)
{
    std::thread waker([&] {
        for (std::uint64_t i = 1; i <= 3; ++i) {
            while (crossbars_[1].record(0).waits_long.load() == 0) std::this_thread::yield();
            until_sleeping(0);
            crossbars_[1].write_flag(0, flag(0), i);
            crossbars_[1].wake(0);
        }
    });
    Waiter waiter(crossbars_[0], kSleepAtOnce);
    EXPECT_TRUE(waiter.wait([&] { return crossbars_[0].read_flag(0, flag(0)) == 3; }, {}));
    waker.join();
    EXPECT_EQ(crossbars_[1].record(0).waits_long.load(), 0u);
}

TEST_F(Waiters, NoWakeUpIsLostWhenThePeerIsAboutToSleep)
{
    ping_pong(2000, true);
}

TEST_F(Waiters, NoWakeUpIsLostWhateverThePeerDoes)
{
    ping_pong(2000, false);
}

TEST_F(Waiters, ADeadlineEndsAWaitOfEveryKind)
{
    for (const WaitingPolicy& policy : {kSleepAtOnce, WaitingPolicy{100, 0}, WaitingPolicy{0, kHangNs}}) {
        Waiter waiter(crossbars_[0], policy);
        for (const std::uint64_t ahead_ns : {0, 1, 1'000'000}) {
            const std::uint64_t deadline = monotonic_ns() + ahead_ns;
            EXPECT_FALSE(waiter.wait([] { return false; }, {.call = Call::recv, .deadline_ns = deadline}));
            EXPECT_GE(monotonic_ns(), deadline);
            EXPECT_FALSE(sleeping(0));
        }
    }
}

TEST_F(Waiters, WhatIsReadyIsNotLateEvenAfterTheDeadline)
{
    Waiter waiter(crossbars_[0], kSleepAtOnce);
    EXPECT_TRUE(waiter.wait([] { return true; }, {.deadline_ns = 1}));
}

TEST_F(Waiters, TheEndOfTheJobEndsASleep)
{
    std::thread other([&] {
        until_sleeping(0);
        abort_job(1, 7);
    });
    Waiter waiter(crossbars_[0], kSleepAtOnce);
    try {
        waiter.wait([] { return false; }, {.call = Call::barrier});
        ADD_FAILURE() << "the wait returned";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), FMPL_ERR_ABORTED);
        EXPECT_NE(std::string(error.what()).find("rank 1"), std::string::npos) << error.what();
        EXPECT_NE(std::string(error.what()).find("status 7"), std::string::npos) << error.what();
    }
    other.join();
    EXPECT_FALSE(sleeping(0));
    EXPECT_EQ(crossbars_[0].record(0).blocked_in.call.load(), 0u);
}

TEST_F(Waiters, AWaitThatBeginsAfterTheEndOfTheJobThrows)
{
    abort_job(1, 3);
    for (const WaitingPolicy& policy : {kSleepAtOnce, WaitingPolicy{1000, kHangNs}}) {
        Waiter waiter(crossbars_[0], policy);
        EXPECT_THROW(waiter.wait([] { return false; }, {}), Error);
    }
    EXPECT_THROW(Waiter(crossbars_[0], kSleepAtOnce).check_abort(), Error);
}

// Whose CPU nobody else needs before makes no room for others while it spins.
TEST_F(Waiters, AWaitThatIsAloneSpinsLonger)
{
    WaitingPolicy policy{3, kHangNs};
    policy.alone_spins = 1024;
    Waiter waiter(crossbars_[0], policy);
    for (const bool alone : {false, true}) {
        int looks = 0;
        int spun = 0;  // before the wait says what it is blocked in, which it does when it begins to yield
        WaitFor what{.call = Call::barrier, .deadline_ns = monotonic_ns() + kHangNs};
        what.alone = alone;
        EXPECT_TRUE(waiter.wait(
            [&] {
                if (crossbars_[0].record(0).blocked_in.call.load() == 0) ++spun;
                return ++looks == 2000;
            },
            what));
        EXPECT_EQ(spun, alone ? 1024 : 3);
    }
}

TEST_F(Waiters, ALookThatIsTrueIsTheLast)
{
    for (const std::uint32_t spins : {0u, 1u, 20u}) {
        Waiter waiter(crossbars_[0], {spins, kHangNs});
        for (int true_look = 1; true_look <= 60; ++true_look) {
            int looks = 0;
            EXPECT_TRUE(waiter.wait([&] { return ++looks == true_look; }, {.deadline_ns = monotonic_ns() + kHangNs}));
            EXPECT_EQ(looks, true_look);
        }
    }
}

TEST_F(Waiters, TheLookBeforeSleepingCanBeTheLast)
{
    Waiter waiter(crossbars_[0], kSleepAtOnce);
    int looks_after = -1;
    auto true_once_when_about_to_sleep = [&] {
        if (looks_after >= 0) {
            ++looks_after;
            return false;
        }
        if (!sleeping(0)) return false;
        looks_after = 0;
        return true;
    };
    EXPECT_TRUE(waiter.wait(true_once_when_about_to_sleep, {.deadline_ns = monotonic_ns() + kHangNs}));
    EXPECT_EQ(looks_after, 0);
    EXPECT_FALSE(sleeping(0));
}

TEST_F(Waiters, ALongWaitSaysWhatItWaitsFor)
{
    const BlockedIn& record = crossbars_[0].record(0).blocked_in;
    std::thread waker([&] {
        until_sleeping(0);
        EXPECT_EQ(record.call.load(), static_cast<std::uint32_t>(Call::irecv_wait));
        EXPECT_EQ(record.peer.load(), 1);
        EXPECT_EQ(record.index.load(), 3);
        EXPECT_EQ(record.comm_size.load(), 2u);
        EXPECT_EQ(record.bytes.load(), 4711u);
        EXPECT_NE(record.since_ns.load(), 0u);
        crossbars_[1].write_flag(0, flag(0), 1);
        crossbars_[1].wake(0);
    });
    Waiter waiter(crossbars_[0], kSleepAtOnce);
    EXPECT_TRUE(waiter.wait([&] { return crossbars_[0].read_flag(0, flag(0)) == 1; },
        {.call = Call::irecv_wait, .peer = 1, .index = 3, .comm_size = 2, .bytes = 4711}));
    waker.join();
    EXPECT_EQ(record.call.load(), 0u);
}

TEST_F(Waiters, AnExceptionOfALookLeavesNobodyBlocked)
{
    Waiter waiter(crossbars_[0], kSleepAtOnce);
    EXPECT_THROW(waiter.wait([]() -> bool { throw Error(FMPL_ERR_INTERNAL, "look"); }, {.call = Call::recv}), Error);
    EXPECT_EQ(crossbars_[0].record(0).blocked_in.call.load(), 0u);
}

TEST_F(Waiters, AnExceptionOfTheLastLookLeavesNobodyAsleep)
{
    Waiter waiter(crossbars_[0], kSleepAtOnce);
    const auto fails_when_about_to_sleep = [&]() -> bool {
        if (sleeping(0)) throw Error(FMPL_ERR_INTERNAL, "last look");
        return false;
    };
    EXPECT_THROW(waiter.wait(fails_when_about_to_sleep, {.call = Call::recv}), Error);
    EXPECT_FALSE(sleeping(0));
    EXPECT_FALSE(waiter.is_last_look());
}

TEST(WaitingPolicies, RanksMayHaveNoCpuToThemselves)
{
    for (const char* cpus : {"0", "1", "2"}) {
        const fmpl_test::Variable set("FMPL_CPUS", cpus);
        for (const int ranks : {1, 2, 3, 16}) {
            const WaitingPolicy policy = waiting_policy(ranks, 2);
            EXPECT_EQ(policy.cpus_suffice, ranks <= std::atoi(cpus)) << ranks << " ranks, CPUs " << cpus;
            EXPECT_GE(policy.looks_of_turn, 1u);
            EXPECT_LE(policy.looks_of_turn, 8u);
        }
    }
}

}  // namespace
