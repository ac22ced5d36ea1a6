// The waiting of layers above: fmpl_wait_until, fmpl_envelopes_wait, fmpl_look, fmpl_envelopes_look,
// fmpl_nothing_has_come, fmpl_is_last_look, fmpl_layer_progress_set.
#include "fmpl/sealed_envelopes.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace fmpl_test;

// What may not be called from within ready, a handler and a progress function, and that none of them is entered twice.
FMPL_RANKS_TEST_AT(LayerCalls, NothingWaitsWithinACallback, ({2, 4}))
{
    const fmpl::Session session(1);
    REQUIRE_OK(fmpl_envelopes_open(kRing));
    const auto refused = [] {
        EXPECT_FAILS(FMPL_ERR_ARGUMENT, fmpl_wait_until(never_ready, nullptr, nullptr), "wait");
        EXPECT_FAILS(FMPL_ERR_ARGUMENT, wait_and_poll({}), "wait");
    };
    EXPECT_TRUE(try_send((rank() + 1) % size(), {0, 0}));
    Ledger ledger;
    wait_for([&] {
        refused();
        poll([&](int source, const Head& head, const void*) {
            ledger.note(source, head);
            refused();
        });
        return ledger.all == 1;
    });
    bool inside = false;
    REQUIRE_OK(fmpl_layer_progress_set(
        [](void* context) {
            bool& entered = *static_cast<bool*>(context);
            EXPECT_FALSE(entered);
            entered = true;
            EXPECT_FAILS(FMPL_ERR_ARGUMENT, fmpl_wait_until(never_ready, nullptr, nullptr), "wait");
            EXPECT_FAILS(FMPL_ERR_ARGUMENT, wait_and_poll({}), "wait");
            entered = false;
            shared_words()[static_cast<std::size_t>(rank())] = 1;
        },
        &inside));
    if (rank() == 0) {
        const auto called = [] {
            for (int r = 1; r < size(); ++r) {
                if (shared_words()[static_cast<std::size_t>(r)] == 0) return false;
            }
            return true;
        };
        fmpl_test::wait_until(called, "the progress functions of those in the barrier");
    }
    REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
    REQUIRE_OK(fmpl_layer_progress_set(nullptr, nullptr));
}

// A layer that leaves something for a later look is told when there is none before the rank sleeps.
FMPL_RANKS_TEST_WITH(LayerCalls, TheLastLookBeforeARankSleepsIsTold,
    (RanksOptions{.ranks = {2}, .unmapped = false, .environment = {{"FMPL_SPIN_US", "1"}, {"FMPL_YIELD_US", "1"}}}))
{
    const fmpl::Session session(1);
    REQUIRE_OK(fmpl_envelopes_open(kRing));
    EXPECT_EQ(fmpl_is_last_look(), 0);
    if (rank() == 0) {
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        EXPECT_TRUE(try_send(1, {0, 0}));
    } else {
        int looks = 0;
        int last_looks = 0;
        Ledger ledger;
        wait_for([&] {
            ++looks;
            last_looks += fmpl_is_last_look();
            poll([&](int source, const Head& head, const void*) { ledger.note(source, head); });
            return ledger.all == 1;
        });
        EXPECT_GT(last_looks, 0);
        EXPECT_GT(looks, last_looks);
        EXPECT_EQ(fmpl_is_last_look(), 0);
    }
    REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
}

// Rank 0 answers requests while it is in a call of FMPL, which the others enter only when they have their answers.
FMPL_RANKS_TEST_WITH(
    LayerCalls, ProgressIsMadeDuringEveryLongCall, (RanksOptions{.ranks = {2, 3, 4, 8}, .forms = {"hardware", "tree"}}))
{
    const fmpl::Session session(2);
    REQUIRE_OK(fmpl_envelopes_open(kRing));
    double value = 0;
    const std::array<std::function<void()>, 6> calls = {[] { REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD)); },
        [&] { REQUIRE_OK(fmpl_bcast(&value, sizeof value, size() - 1, FMPL_COMM_WORLD)); },
        [&] { REQUIRE_OK(fmpl_allreduce(&value, 1, FMPL_SUM_DOUBLE, FMPL_COMM_WORLD, nullptr)); },
        [&] {
            if (rank() == 0) REQUIRE_OK(fmpl_recv(&value, sizeof value, 1, 0, FMPL_COMM_WORLD));
            if (rank() == 1) REQUIRE_OK(fmpl_send(&value, sizeof value, 0, 0, FMPL_COMM_WORLD));
        },
        [&] {
            std::vector<char> data(100000);  // not to be sent before its receive is posted
            if (rank() == 0) REQUIRE_OK(fmpl_send(data.data(), data.size(), 1, 0, FMPL_COMM_WORLD));
            if (rank() == 1) REQUIRE_OK(fmpl_recv(data.data(), data.size(), 0, 0, FMPL_COMM_WORLD));
        },
        [&] {
            if (rank() == 0) REQUIRE_OK(fmpl_recv_any(&value, sizeof value, 3, FMPL_COMM_WORLD));
            if (rank() == 1) REQUIRE_OK(fmpl_send_any(&value, sizeof value, 0, 3, FMPL_COMM_WORLD));
        }};
    Ledger ledger;
    Handler answer = [&](int source, const Head& head, const void*) {
        ledger.note(source, head);
        EXPECT_TRUE(try_send(source, {head.sequence, head.bytes}));
    };
    for (std::uint64_t round = 0; round < 5 * calls.size(); ++round) {
        if (rank() == 0) {
            REQUIRE_OK(fmpl_layer_progress_set([](void* handler) { poll(*static_cast<Handler*>(handler)); }, &answer));
            calls[round % calls.size()]();
            REQUIRE_OK(fmpl_layer_progress_set(nullptr, nullptr));
            // Those that the call did not wait for may still have to ask.
            wait_for([&] {
                poll(answer);
                return std::all_of(ledger.next.begin() + 1, ledger.next.end(), [&](auto next) { return next > round; });
            });
        } else {
            EXPECT_TRUE(try_send(0, {round, round % 100}));
            bool answered = false;
            wait_for([&] {
                poll([&](int, const Head& head, const void*) { answered = head.sequence == round; });
                return answered;
            });
            calls[round % calls.size()]();
        }
    }
    REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
}

// What a progress function receives does not change what fmpl_received says of the user's last receive.
FMPL_RANKS_TEST_AT(LayerCalls, AReceiveInAProgressFunctionLeavesFmplReceivedAlone, ({2}))
{
    const fmpl::Session session(4);
    int in = 0;
    if (rank() == 1) {
        const int out = 5;
        REQUIRE_OK(fmpl_send(&out, sizeof out, 0, 1, FMPL_COMM_WORLD));
        REQUIRE_OK(fmpl_send(&out, 3, 0, 2, FMPL_COMM_WORLD));
        fmpl_test::wait_until([] { return shared_words()[0] == 1; }, "the progress function's receive");
        REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
        return;
    }
    REQUIRE_OK(fmpl_recv(&in, sizeof in, 1, 1, FMPL_COMM_WORLD));
    char bytes[3];
    REQUIRE_OK(fmpl_irecv(bytes, sizeof bytes, 1, 2, FMPL_COMM_WORLD));
    REQUIRE_OK(fmpl_layer_progress_set(
        [](void*) {
            int done = 0;
            if (shared_words()[0] == 1) return;
            EXPECT_OK(fmpl_irecv_test(1, 2, FMPL_COMM_WORLD, &done));
            if (done != 0) shared_words()[0] = 1;
        },
        nullptr));
    REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
    int source = -1, index = -1;
    std::size_t size = 0;
    REQUIRE_OK(fmpl_received(&source, &index, &size));
    EXPECT_EQ(index, 1);
    EXPECT_EQ(size, sizeof in);
}

// A progress function may not send before the blocking send that it interrupts.
FMPL_RANKS_TEST_AT(LayerCalls, ASendOnTheChannelOfTheInterruptedSendIsRefused, ({2}))
{
    const fmpl::Session session(2);
    std::vector<char> data(kMiB);
    if (rank() == 1) {
        fmpl_test::wait_until([] { return shared_words()[0] == 1; }, "the progress function");
        REQUIRE_OK(fmpl_recv(data.data(), data.size(), 0, 0, FMPL_COMM_WORLD));
        REQUIRE_OK(fmpl_recv(data.data(), 1, 0, 1, FMPL_COMM_WORLD));
        return;
    }
    REQUIRE_OK(fmpl_layer_progress_set(
        [](void* at) {
            if (shared_words()[0] == 1) return;
            EXPECT_FAILS(FMPL_ERR_BUSY, fmpl_isend(at, 1, 1, 0, FMPL_COMM_WORLD), "fmpl_send");
            EXPECT_OK(fmpl_isend(at, 1, 1, 1, FMPL_COMM_WORLD));
            shared_words()[0] = 1;
        },
        data.data()));
    REQUIRE_OK(fmpl_send(data.data(), data.size(), 1, 0, FMPL_COMM_WORLD));
    REQUIRE_OK(fmpl_isend_wait(1, 1, FMPL_COMM_WORLD));
}

TEST(LayerCalls, AWaitEndsWithTheJob)
{
    for (const int ranks : {2, 4}) {
        std::atomic<int> aborted{0};
        std::string caught;
        try {
            fmpl::run_ranks(ranks, [&](int r) {
                const fmpl::Session session(2);
                EXPECT_EQ(fmpl_envelopes_open(kRing), FMPL_SUCCESS);
                EXPECT_EQ(fmpl_barrier(FMPL_COMM_WORLD), FMPL_SUCCESS);
                if (r == ranks - 1) throw std::runtime_error("thrown by the test");
                const auto never = [](void*) {
                    poll([](int, const Head&, const void*) {});
                    return 0;
                };
                const int code = r == 0 ? wait_and_poll({}) : fmpl_wait_until(never, nullptr, nullptr);
                EXPECT_EQ(code, FMPL_ERR_ABORTED);
                if (code == FMPL_ERR_ABORTED) ++aborted;
                throw fmpl::Error(code, "the follow-up of the first exception");
            });
        } catch (const std::exception& e) {
            caught = e.what();
        }
        EXPECT_EQ(caught, "thrown by the test");
        EXPECT_EQ(aborted, ranks - 1);
    }
}

// A layer that polls instead of waiting, with more ranks than CPUs: each look in vain lets those run that have the
// number.
FMPL_RANKS_TEST_AT(LayerCalls, ANumberGoesAroundRanksThatLook, ({3, 8}))
{
    const fmpl::Session session(1);
    REQUIRE_OK(fmpl_envelopes_open(kRing));
    Ledger ledger;
    std::uint64_t looks = 0;
    const auto look_for = [&](std::uint64_t number) {
        int is_ready = 0;
        const std::function<bool()> ready = [&] {
            ++looks;
            poll(ledger.handler());
            int nested = -1;
            EXPECT_OK(fmpl_look([](void*) { return 0; }, nullptr, &nested));
            EXPECT_EQ(nested, 0);
            return ledger.all == number;
        };
        while (is_ready == 0) {
            const std::uint64_t before = looks;
            REQUIRE_OK(fmpl_look([](void* f) { return (*static_cast<std::function<bool()>*>(f))() ? 1 : 0; },
                const_cast<std::function<bool()>*>(&ready), &is_ready));
            EXPECT_EQ(looks, before + 1);
        }
    };
    // The same where nothing but envelopes is looked for.
    const auto look_for_envelopes = [&](std::uint64_t number) {
        const Handler counts = ledger.handler();
        const Handler handler = [&](int source, const Head& head, const void* body) {
            counts(source, head, body);
            int nested = -1;
            EXPECT_OK(fmpl_envelopes_look(check_and_hand_on, nullptr, &nested));
            EXPECT_EQ(nested, 0);
        };
        while (ledger.all < number) {
            const std::uint64_t before = ledger.all;
            int taken = -1;
            REQUIRE_OK(fmpl_envelopes_look(check_and_hand_on, const_cast<Handler*>(&handler), &taken));
            EXPECT_EQ(ledger.all, before + static_cast<std::uint64_t>(taken));
        }
    };
    constexpr std::uint32_t kRounds = 2000;
    for (std::uint32_t round = 0; round < kRounds; ++round) {
        const auto look = [&] { round % 2 == 0 ? look_for(round + 1) : look_for_envelopes(round + 1); };
        if (rank() != 0) look();
        EXPECT_TRUE(try_send((rank() + 1) % size(), {round, 0}));
        if (rank() == 0) look();
    }
    int taken = 0;
    EXPECT_FAILS(FMPL_ERR_ARGUMENT, fmpl_envelopes_look(nullptr, nullptr, &taken), "handler");
    EXPECT_FAILS(FMPL_ERR_ARGUMENT, fmpl_envelopes_look(check_and_hand_on, nullptr, nullptr), "taken");
    REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
}

// Whether fmpl_nothing_has_come() says so, asked once more after a look where that has to see whether the job ends.
bool nothing_has_come()
{
    if (fmpl_nothing_has_come() != 0) return true;
    int taken = -1;
    EXPECT_OK(
        fmpl_envelopes_look([](void*, int, const void*, const void*, std::size_t) { return 1; }, nullptr, &taken));
    return taken == 0 && fmpl_nothing_has_come() != 0;
}

// Where each rank has a CPU a layer looks only when there is something, or when it is time to see whether the job ends.
FMPL_RANKS_TEST_WITH(LayerCalls, ALookIsSavedWhereNothingHasCome,
    (RanksOptions{.ranks = {2, 3, 4, 8}, .environment = {{"FMPL_CPUS", "16"}}}))
{
    const fmpl::Session session(1);
    EXPECT_EQ(fmpl_nothing_has_come(), 0) << "before envelopes can come";
    REQUIRE_OK(fmpl_envelopes_open(kRing));
    REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
    EXPECT_TRUE(nothing_has_come());
    int without_look = 0;
    for (int i = 0; i < 640; ++i) without_look += fmpl_nothing_has_come();
    EXPECT_LE(without_look, 63) << "the end of the job would not be seen";
    REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));

    // A number goes around, and nobody looks before it is there.
    Ledger ledger;
    const Handler counts = ledger.handler();
    const Handler handler = [&](int source, const Head& head, const void* body) {
        EXPECT_EQ(fmpl_nothing_has_come(), 0) << "within a handler";
        counts(source, head, body);
    };
    std::uint64_t vain = 0, saved = 0;
    const auto await = [&](std::uint64_t number) {
        while (ledger.all < number) {
            int taken = 0;
            if (fmpl_nothing_has_come() != 0) {
                ++saved;
                std::this_thread::yield();
                continue;
            }
            REQUIRE_OK(fmpl_envelopes_look(check_and_hand_on, const_cast<Handler*>(&handler), &taken));
            vain += taken == 0 ? 1 : 0;
        }
    };
    constexpr std::uint32_t kRounds = 500;
    for (std::uint32_t round = 0; round < kRounds; ++round) {
        if (rank() != 0) await(round + 1);
        EXPECT_TRUE(try_send((rank() + 1) % size(), {round, round % 7 * 8}));
        if (rank() == 0) await(round + 1);
    }
    EXPECT_LE(vain, saved / 62 + 2);
    REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));

    // It stays there until it is taken.
    const int next = (rank() + 1) % size();
    EXPECT_TRUE(nothing_has_come());
    REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
    EXPECT_TRUE(try_send(next, {kRounds, 0}));
    REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
    EXPECT_EQ(fmpl_nothing_has_come(), 0);
    await(kRounds + 1);
    EXPECT_TRUE(nothing_has_come());
    REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
}

// Where ranks share CPUs only the first looks of a turn are saved, whose end lets the others run.
FMPL_RANKS_TEST_WITH(
    LayerCalls, FewLooksAreSavedWhereRanksShareCpus, (RanksOptions{.ranks = {2}, .environment = {{"FMPL_CPUS", "1"}}}))
{
    const fmpl::Session session(1);
    REQUIRE_OK(fmpl_envelopes_open(kRing));
    REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
    int most = 0;
    for (int turn = 0; turn < 100; ++turn) {
        int saved = 0;
        while (fmpl_nothing_has_come() != 0) ++saved;
        EXPECT_EQ(fmpl_nothing_has_come(), 0) << "before the look";
        most = std::max(most, saved);
        EXPECT_TRUE(nothing_has_come() || fmpl_nothing_has_come() == 0);
    }
    EXPECT_LE(most, 3) << "of two ranks on a CPU";
    REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
}

// What ends a wait from outside of the job rings no doorbell.
FMPL_RANKS_TEST_AT(LayerCalls, AnotherThreadMayEndAWait, ({1, 2}))
{
    const fmpl::Session session(1);
    const fmpl_wait_words words{"MPI_Wait", -1, -1, size(), 0, 1, 0};
    std::atomic<bool> ready{false};
    std::thread other([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(100));  // the rank sleeps by then
        ready = true;
    });
    REQUIRE_OK(fmpl_wait_until(
        [](void* context) { return static_cast<const std::atomic<bool>*>(context)->load() ? 1 : 0; }, &ready, &words));
    other.join();
    REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
}

FMPL_RANKS_TEST_WITH(LayerCallsSubject, RankOneIsBlocked, (RanksOptions{.ranks = {}}))
{
    const fmpl::Session session(1);
    const auto never = [](void*) { return 0; };
    const fmpl_wait_words receive{"MPI_Recv", 3, 7, 4, 800, 0, 0};
    const fmpl_wait_words send{"MPI_Ssend", 0, -1, 4, 0, 0, 0};
    const fmpl_wait_words any{"MPI_Waitsome_of_a_long_name", -1, -1, 4, 0, 0, 0};
    const fmpl_wait_words all[] = {receive, send, any};
    const auto handler = [](void*, int, const void*, const void*, std::size_t) { return 0; };
    if (rank() == 1) fmpl_envelopes_wait(handler, nullptr, &send);
    if (rank() < 3) fmpl_wait_until(never, nullptr, &all[rank()]);
    if (rank() == 3) fmpl_envelopes_wait(handler, nullptr, nullptr);
    fmpl_wait_until(never, nullptr, nullptr);
}

TEST(LayerCalls, FmplrunSaysWhatTheLayerWaitsFor)
{
    const char* launcher = std::getenv("FMPLRUN");
    if (launcher == nullptr || modes_without_processes()) {
        GTEST_SKIP() << "FMPLRUN is not set, or FMPL_TEST_MODES=threads";
    }
    const ProgramResult result = run_program({launcher, "-n", "5", "--timeout", "2", this_program()},
        {{"FMPL_TEST_BODY", "LayerCallsSubject.RankOneIsBlocked"}});
    EXPECT_EQ(result.status, 124) << result.output;
    for (const char* words : {"blocked in MPI_Recv from rank 3, index 7, 800 bytes, in a communicator of 4 ranks",
             "blocked in MPI_Ssend to rank 0, in a communicator",
             "blocked in MPI_Waitsome_of_a_long_n, in a communicator", "blocked in fmpl_wait_until",
             "blocked in fmpl_envelopes_wait"}) {
        EXPECT_NE(result.output.find(words), std::string::npos) << words << "\n" << result.output;
    }
}

// Calls within a callback are part of the call that makes them.
FMPL_RANKS_TEST_AT(LayerCalls, StatisticsCountNoTimeTwice, ({2}))
{
    const fmpl::Session session(1);
    REQUIRE_OK(fmpl_envelopes_open(kRing));
    REQUIRE_OK(fmpl_stats_enable(1));
    const double begin = fmpl_wtime();
    int in = 0;
    const int peer = 1 - rank();
    Ledger ledger;
    REQUIRE_OK(fmpl_irecv(&in, sizeof in, peer, 0, FMPL_COMM_WORLD));
    int done = 0;
    EXPECT_TRUE(try_send(peer, {0, 100}));
    wait_for([&] {
        if (done == 0) {
            EXPECT_OK(fmpl_irecv_test(peer, 0, FMPL_COMM_WORLD, &done));
        }
        poll([&](int source, const Head& head, const void*) {
            ledger.note(source, head);
            EXPECT_OK(fmpl_isend(&head, sizeof in, source, 0, FMPL_COMM_WORLD));
        });
        return done != 0 && ledger.all == 1;
    });
    REQUIRE_OK(fmpl_isend_wait(peer, 0, FMPL_COMM_WORLD));
    const double elapsed = fmpl_wtime() - begin;
    REQUIRE_OK(fmpl_stats_enable(0));
    std::vector<fmpl_call_stats> stats(64);
    int n = 0;
    REQUIRE_OK(fmpl_stats_get(stats.data(), static_cast<int>(stats.size()), &n));
    stats.resize(static_cast<std::size_t>(n));
    const auto of = [&](const std::string& call) {
        for (const fmpl_call_stats& s : stats) {
            if (s.call == call) return s;
        }
        return fmpl_call_stats{};
    };
    EXPECT_EQ(of("fmpl_envelope_commit").calls, 1u);
    EXPECT_EQ(of("fmpl_envelope_commit").bytes, 100u + FMPL_ENVELOPE_HEAD);
    EXPECT_EQ(of("fmpl_irecv").calls, 1u);
    EXPECT_EQ(of("fmpl_isend_wait").calls, 1u);
    for (const char* within : {"fmpl_envelopes_poll", "fmpl_irecv_test", "fmpl_isend"}) {
        EXPECT_EQ(of(within).calls, 0u) << within;
    }
    EXPECT_EQ(of("fmpl_wait_until").calls, 1u);
    EXPECT_GT(of("fmpl_wait_until").seconds, 0);
    EXPECT_LE(fmpl_stats_seconds(), elapsed);
    REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
}

}  // namespace
