// Ranks that take turns on a thread: what is theirs stays apart, a wait lets the others run, and all ends when one
// fails. The protocols themselves are tested with such ranks by the tests of the mode `turns`
// (support/ranks_test.hpp).
#include "support/ranks_test.hpp"

#include <atomic>
#include <chrono>
#include <cstring>
#include <exception>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace std::chrono_literals;

fmpl::JobOptions on_threads(int threads)
{
    fmpl::JobOptions options;
    options.threads = threads;
    return options;
}

// Token once around the ring, counting the ranks.
int ring()
{
    int rank = 0, size = 0, token = 0;
    fmpl_comm_rank(FMPL_COMM_WORLD, &rank);
    fmpl_comm_size(FMPL_COMM_WORLD, &size);
    const int next = (rank + 1) % size, previous = (rank + size - 1) % size;
    if (rank > 0) fmpl_recv(&token, sizeof token, previous, 0, FMPL_COMM_WORLD);
    ++token;
    fmpl_send(&token, sizeof token, next, 0, FMPL_COMM_WORLD);
    if (rank == 0) fmpl_recv(&token, sizeof token, previous, 0, FMPL_COMM_WORLD);
    return token;
}

TEST(RanksOfThread, SuccessiveRanksShareAThread)
{
    for (const int threads : {1, 2, 3}) {
        std::mutex mutex;
        std::vector<std::thread::id> thread_of(7);
        fmpl::run_ranks(
            7,
            [&](int rank) {
                const fmpl::Session session;
                EXPECT_EQ(fmpl_rank_shares_thread(), 1);
                EXPECT_EQ(fmpl_rank_is_thread(), 1);
                EXPECT_EQ(fmpl_job_rank(), rank);
                const int token = ring();
                EXPECT_EQ(token, rank == 0 ? 7 : rank + 1);
                const std::lock_guard lock(mutex);
                thread_of[static_cast<std::size_t>(rank)] = std::this_thread::get_id();
            },
            on_threads(threads));
        EXPECT_EQ(std::set(thread_of.begin(), thread_of.end()).size(), static_cast<std::size_t>(threads));
        int changes = 0;
        for (std::size_t rank = 1; rank < 7; ++rank) changes += thread_of[rank] != thread_of[rank - 1] ? 1 : 0;
        EXPECT_EQ(changes, threads - 1);
    }
}

TEST(RanksOfThread, WithAThreadForEachRankNoneIsShared)
{
    for (const int threads : {0, 3, 8}) {
        fmpl::run_ranks(
            3,
            [](int) {
                const fmpl::Session session;
                EXPECT_EQ(fmpl_rank_shares_thread(), 0);
                EXPECT_GT(ring(), 0);
            },
            on_threads(threads));
    }
}

TEST(RanksOfThread, FewerThreadsThanNoneAreRefused)
{
    try {
        fmpl::run_ranks(
            2, [](int) {}, on_threads(-1));
        ADD_FAILURE() << "run_ranks has taken threads = -1";
    } catch (const fmpl::Error& error) {
        EXPECT_EQ(error.code(), FMPL_ERR_ARGUMENT);
        EXPECT_NE(std::string(error.what()).find("threads = -1"), std::string::npos) << error.what();
    }
}

// More than the system waits for at a time (FUTEX_WAITV_MAX), too. All ranks but one sleep while that one keeps away
// from FMPL.
TEST(RanksOfThread, RanksThatSleepAreWokenByARankOfAnotherThread)
{
    for (const int ranks : {3, 300}) {
        fmpl::run_ranks(
            ranks,
            [&](int rank) {
                const fmpl::Session session;
                for (int round = 0; round < 3; ++round) {
                    if (rank == ranks - 1) std::this_thread::sleep_for(20ms);  // more than FMPL_YIELD_US
                    int word = rank == ranks - 1 ? round : -1;
                    EXPECT_EQ(fmpl_bcast(&word, sizeof word, ranks - 1, FMPL_COMM_WORLD), FMPL_SUCCESS);
                    EXPECT_EQ(word, round);
                    EXPECT_EQ(fmpl_barrier(FMPL_COMM_WORLD), FMPL_SUCCESS);
                }
            },
            on_threads(2));
    }
}

// Some sleep, while others of their thread go on.
TEST(RanksOfThread, ASleepingRankLeavesItsThreadToTheOthers)
{
    fmpl::run_ranks(
        4,
        [](int rank) {
            const fmpl::Session session;
            int word = 0;
            if (rank == 0) {
                EXPECT_EQ(fmpl_recv(&word, sizeof word, 3, 0, FMPL_COMM_WORLD), FMPL_SUCCESS);
                EXPECT_EQ(word, 4711);
                return;
            }
            // For longer than rank 0 looks before it sleeps.
            const auto end = std::chrono::steady_clock::now() + 10ms;
            const int other = rank == 1 ? 2 : 1;
            for (int last = 0; rank != 3 && last == 0;) {
                int own_last = std::chrono::steady_clock::now() >= end ? 1 : 0;
                if (rank == 1) {
                    EXPECT_EQ(fmpl_send(&own_last, sizeof own_last, other, 1, FMPL_COMM_WORLD), FMPL_SUCCESS);
                    last = own_last;
                } else {
                    EXPECT_EQ(fmpl_recv(&last, sizeof last, other, 1, FMPL_COMM_WORLD), FMPL_SUCCESS);
                }
            }
            if (rank == 2) {
                EXPECT_EQ(fmpl_send(&word, sizeof word, 3, 0, FMPL_COMM_WORLD), FMPL_SUCCESS);
            }
            if (rank == 3) {
                EXPECT_EQ(fmpl_recv(&word, sizeof word, 2, 0, FMPL_COMM_WORLD), FMPL_SUCCESS);
                word = 4711;
                EXPECT_EQ(fmpl_send(&word, sizeof word, 0, 0, FMPL_COMM_WORLD), FMPL_SUCCESS);
            }
        },
        on_threads(1));
}

// A rank waits while an exception of its own is under way, others throw and catch theirs.
TEST(RanksOfThread, ExceptionsAreEachRanksOwn)
{
    struct WaitsWhileUnwinding {
        ~WaitsWhileUnwinding()
        {
            EXPECT_EQ(std::uncaught_exceptions(), 1);
            EXPECT_EQ(fmpl_barrier(FMPL_COMM_WORLD), FMPL_SUCCESS);
            EXPECT_EQ(std::uncaught_exceptions(), 1);
        }
    };
    fmpl::run_ranks(
        6,
        [](int rank) {
            const fmpl::Session session;
            for (int round = 0; round < 20; ++round) {
                const std::string words = "rank " + std::to_string(rank);
                try {
                    EXPECT_EQ(std::uncaught_exceptions(), 0);
                    if (rank % 2 == 0) {
                        const WaitsWhileUnwinding waits;
                        throw std::runtime_error(words);
                    }
                    EXPECT_EQ(fmpl_barrier(FMPL_COMM_WORLD), FMPL_SUCCESS);
                    EXPECT_EQ(std::uncaught_exceptions(), 0);
                    throw std::runtime_error(words);
                } catch (const std::exception& error) {
                    EXPECT_EQ(fmpl_barrier(FMPL_COMM_WORLD), FMPL_SUCCESS);
                    EXPECT_EQ(error.what(), words);
                    try {
                        std::rethrow_exception(std::current_exception());
                    } catch (const std::exception& same) {
                        EXPECT_EQ(same.what(), words);
                    }
                }
            }
        },
        on_threads(2));
}

TEST(RanksOfThread, WhatOneThrowsEndsTheJob)
{
    std::atomic<int> told{0};
    try {
        fmpl::run_ranks(
            9,
            [&](int rank) {
                const fmpl::Session session;
                if (rank == 4) throw std::logic_error("rank 4 has had enough");
                const int code = fmpl_barrier(FMPL_COMM_WORLD);
                EXPECT_EQ(code, FMPL_ERR_ABORTED);
                if (code == FMPL_ERR_ABORTED) ++told;
                throw fmpl::Error(code, "the job is ending");  // past fmpl_finalize
            },
            on_threads(2));
        ADD_FAILURE() << "the failure is lost";
    } catch (const std::logic_error& error) {
        EXPECT_STREQ(error.what(), "rank 4 has had enough");
    }
    EXPECT_EQ(told, 8);
}

// A loop that polls gives its thread to those who make the condition true.
TEST(RanksOfThread, AskingForTheSendBufferLetsTheOthersRun)
{
    fmpl::run_ranks(
        4,
        [](int rank) {
            const fmpl::Session session;
            EXPECT_EQ(fmpl_sendbuf_set(nullptr, 0, 0), FMPL_SUCCESS);
            const int next = (rank + 1) % 4, previous = (rank + 3) % 4;
            int sent = rank, received = -1;
            EXPECT_EQ(fmpl_send(&sent, sizeof sent, next, 0, FMPL_COMM_WORLD), FMPL_SUCCESS);
            if (rank != 0) {
                EXPECT_EQ(fmpl_recv(&received, sizeof received, previous, 0, FMPL_COMM_WORLD), FMPL_SUCCESS);
            }
            int sends = 1, spooled = 1;
            // Rank 0 looks until rank 1 has taken its message, and receives only then.
            while (rank == 0 && spooled != 0) fmpl_sendbuf_check(&sends, &spooled);
            if (rank == 0) {
                EXPECT_EQ(fmpl_recv(&received, sizeof received, previous, 0, FMPL_COMM_WORLD), FMPL_SUCCESS);
            }
            EXPECT_EQ(received, previous);
        },
        on_threads(1));
}

// A rank that asks until its send buffer is empty, which it never becomes, since the receiver has failed.
TEST(RanksOfThread, AskingForTheSendBufferSeesTheEndOfTheJob)
{
    for (const int threads : {0, 1, 2}) {
        std::atomic<int> code{FMPL_SUCCESS};
        const auto rank_main = [&](int rank) {
            const fmpl::Session session;
            if (rank == 0) {
                EXPECT_EQ(fmpl_sendbuf_set(nullptr, 0, 0), FMPL_SUCCESS);
                const std::vector<char> data(1000);
                EXPECT_EQ(fmpl_send(data.data(), data.size(), 2, 0, FMPL_COMM_WORLD), FMPL_SUCCESS);
            }
            EXPECT_EQ(fmpl_barrier(FMPL_COMM_WORLD), FMPL_SUCCESS);
            if (rank == 2) throw std::logic_error("rank 2 receives nothing");
            int sends = 0, spooled = 0;
            while (rank == 0 && code == FMPL_SUCCESS) code = fmpl_sendbuf_check(&sends, &spooled);
            throw fmpl::Error(FMPL_ERR_ABORTED, "the job is ending");  // past fmpl_finalize
        };
        EXPECT_THROW(fmpl::run_ranks(3, rank_main, on_threads(threads)), std::logic_error);
        EXPECT_EQ(code, FMPL_ERR_ABORTED) << "with " << threads << " threads";
    }
}

// A stack as long as a thread's: 8 MiB by default, of which a rank may want half.
TEST(RanksOfThread, EachHasAStackOfItsOwn)
{
    fmpl::run_ranks(
        3,
        [](int rank) {
            const fmpl::Session session;
            volatile char memory[512 * 1024];
            for (std::size_t i = 0; i < sizeof memory; i += 1024) memory[i] = static_cast<char>(rank);
            EXPECT_EQ(fmpl_barrier(FMPL_COMM_WORLD), FMPL_SUCCESS);
            for (std::size_t i = 0; i < sizeof memory; i += 1024) EXPECT_EQ(memory[i], rank);
        },
        on_threads(1));
}

}  // namespace
