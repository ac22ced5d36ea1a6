// Envelopes (fmpl_envelope_*, fmpl_envelopes_wait): order, room, wake-up, and what is refused.
//
// FMPL_TEST_SEED repeats a run.
#include "fmpl/sealed_envelopes.hpp"

#include <cstring>
#include <deque>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {

using namespace fmpl_test;

const std::vector<int> kManyCounts = {1, 2, 3, 4, 7, 8, 16};

FMPL_RANKS_TEST_WITH(Envelopes, AllToAllArriveInTheOrderOfEachSource, (RanksOptions{.ranks = kManyCounts}))
{
    const fmpl::Session session(1);
    REQUIRE_OK(fmpl_envelopes_open(kRing));
    const std::uint64_t each = size() > 4 ? 40 : 400;
    Ledger ledger;
    std::mt19937_64 random = own_random(2);
    for (std::uint64_t m = 0; m < each; ++m) {
        for (int k = 1; k < size(); ++k) {
            send((rank() + k) % size(), {m, random_bytes(random), 0, {random(), random()}}, ledger.handler());
        }
        if (random() % 4 == 0) poll(ledger.handler());
    }
    wait_for([&] {
        poll(ledger.handler());
        return ledger.all == each * static_cast<std::uint64_t>(size() - 1);
    });
    REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
    EXPECT_EQ(poll(ledger.handler()), 0);
}

// Questions of random sizes to everybody, each answered; a rank sends its next ones when all have answered, and does
// nothing but wait in between.
FMPL_RANKS_TEST_WITH(Envelopes, AWaitForThemTakesWhatComes, (RanksOptions{.ranks = {2, 3, 4, 7, 8, 16}}))
{
    const fmpl::Session session(1);
    REQUIRE_OK(fmpl_envelopes_open(kRing));
    const auto others = static_cast<std::uint64_t>(size() - 1);
    const std::uint64_t rounds = size() > 4 ? 40 : 1000;
    constexpr int kQuestion = 1;
    constexpr int kAnswer = 2;
    // fmpl_envelopes_wait lets the handler alone do what the layer does.
    REQUIRE_OK(fmpl_layer_progress_set([](void*) { ADD_FAILURE() << "the progress function was called"; }, nullptr));
    std::uint64_t questions = 0;
    std::uint64_t answers = 0;
    std::vector<std::uint64_t> sent(static_cast<std::size_t>(size()), 0);
    Ledger ledger;
    std::mt19937_64 random = own_random(3);
    const auto put = [&](int destination, Head head) {
        head.sequence = sent[static_cast<std::size_t>(destination)]++;
        EXPECT_TRUE(try_send(destination, head));  // never more under way than the ring holds
    };
    const Handler handler = [&](int source, const Head& head, const void*) {
        ledger.note(source, head);
        if (head.kind == kAnswer) {
            ++answers;
            return;
        }
        ++questions;
        put(source, {0, 64 + head.words[0] % 64, kAnswer});
    };
    for (std::uint64_t round = 1; round <= rounds; ++round) {
        for (int k = 1; k < size(); ++k) put((rank() + k) % size(), {0, random() % 256, kQuestion, {random()}});
        while (answers < round * others) REQUIRE_OK(wait_and_poll(handler));
    }
    while (questions < rounds * others) REQUIRE_OK(wait_and_poll(handler));
    REQUIRE_OK(fmpl_layer_progress_set(nullptr, nullptr));
    REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
    EXPECT_EQ(poll(ledger.handler()), 0);
}

// How many of the size go in a row while nobody polls.
int fill_ring(int destination, std::uint64_t bytes, std::uint64_t& sequence)
{
    int sent = 0;
    while (try_send(destination, {sequence, bytes})) {
        ++sequence;
        if (++sent > 10 * kCells) break;
    }
    return sent;
}

FMPL_RANKS_TEST_AT(Envelopes, AFullRingRefusesUntilTheReceiverPolls, ({2, 3, 4}))
{
    const fmpl::Session session(1);
    REQUIRE_OK(fmpl_envelopes_open(kRing));
    const int to = (rank() + 1) % size();
    const int from = (rank() + size() - 1) % size();
    std::uint64_t sequence = 0;
    Ledger ledger;
    for (int round = 0; round < 5; ++round) {
        for (const std::uint64_t bytes :
            {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{64}, std::uint64_t{kLimit}}) {
            const int sent = fill_ring(to, bytes, sequence);
            const int room = bytes == kLimit ? 4 : kCells;
            EXPECT_LE(sent, room) << bytes << " bytes";
            // What has not been returned is less than a quarter; of the bodies' ring, what is skipped at the end as
            // well.
            EXPECT_GT(sent, bytes == kLimit ? 1 : room * 3 / 4) << bytes << " bytes";
            EXPECT_FALSE(try_send(to, {sequence, bytes}));
            REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
            while (poll(ledger.handler()) > 0) {
            }
            REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
            EXPECT_TRUE(try_send(to, {sequence++, bytes}));
            REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
            EXPECT_EQ(poll(ledger.handler()), 1);
            EXPECT_EQ(ledger.next[static_cast<std::size_t>(from)], ledger.all);
            REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
        }
    }
}

FMPL_RANKS_TEST_AT(Envelopes, AReceiverThatHasTakenAllLeavesRoomForTheLongest, ({2, 4}))
{
    const fmpl::Session session(1);
    REQUIRE_OK(fmpl_envelopes_open(kRing));
    const int to = (rank() + 1) % size();
    std::mt19937_64 random = own_random(3);
    std::uint64_t sequence = 0;
    Ledger ledger;
    for (int round = 0; round < 400; ++round) {
        for (std::uint64_t k = random() % 40; k > 0; --k) {
            if (try_send(to, {sequence, random_bytes(random)})) ++sequence;
        }
        REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
        while (poll(ledger.handler()) > 0) {
        }
        REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
        void* body = nullptr;
        EXPECT_EQ(fmpl_envelope_reserve(to, kLimit, &body), 1) << "round " << round;
        EXPECT_NE(body, nullptr);
        // Forgotten by the next one.
        EXPECT_EQ(fmpl_envelope_reserve(to, 0, nullptr), 1) << "round " << round;
    }
}

// Every rank sends requests to all others without a limit; the handler answers, or keeps the answer for later.
FMPL_RANKS_TEST_WITH(Envelopes, AFloodOfRequestsAndAnswersInAllDirectionsEnds, (RanksOptions{.ranks = kManyCounts}))
{
    const fmpl::Session session(1);
    REQUIRE_OK(fmpl_envelopes_open(kRing));
    constexpr std::uint64_t kRequest = 1, kAnswer = 2;
    const std::uint64_t each = size() > 4 ? 100 : 2000;
    const std::uint64_t all = each * static_cast<std::uint64_t>(size() - 1);
    std::vector<std::uint64_t> sent(static_cast<std::size_t>(size()), 0);  // requests and answers have one order
    std::deque<std::pair<int, Head>> kept;
    Ledger ledger;
    std::uint64_t answers = 0, requests = 0;
    std::mt19937_64 random = own_random(4);

    const auto send_now = [&](int destination, Head head) {
        head.sequence = sent[static_cast<std::size_t>(destination)];
        if (!try_send(destination, head)) return false;
        ++sent[static_cast<std::size_t>(destination)];
        return true;
    };
    const Handler handler = [&](int source, const Head& head, const void*) {
        ledger.note(source, head);
        if (head.kind == kAnswer) {
            ++answers;
            return;
        }
        ++requests;
        const Head answer{0, random_bytes(random), kAnswer, {head.words[0], 0}};
        if (!kept.empty() || !send_now(source, answer)) kept.emplace_back(source, answer);
        EXPECT_EQ(
            poll([](int, const Head&, const void*) { ADD_FAILURE() << "a poll in the handler took something"; }), 0);
    };
    const auto progress = [&] {
        poll(handler);
        while (!kept.empty() && send_now(kept.front().first, kept.front().second)) kept.pop_front();
    };
    for (std::uint64_t m = 0; m < each; ++m) {
        for (int k = 1; k < size(); ++k) {
            const Head request{0, random_bytes(random), kRequest, {m, 0}};
            wait_for([&] {
                if (send_now((rank() + k) % size(), request)) return true;
                progress();
                return false;
            });
        }
    }
    wait_for([&] {
        progress();
        return answers == all && requests == all && kept.empty();
    });
    // Everybody has what it is owed before anybody leaves.
    REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
}

// Heads and bodies full of what the next stamps will be, through the same cells again and again; in bursts, so that
// both the ring and the pair cell are used.
FMPL_RANKS_TEST_AT(Envelopes, NoStaleOrForgedStampIsTakenForAnEnvelope, ({2, 3}))
{
    const fmpl::Session session(1);
    REQUIRE_OK(fmpl_envelopes_open(1024));
    constexpr std::uint64_t kEach = 30000;
    const int to = (rank() + 1) % size();
    std::uint64_t received = 0, sent = 0;
    void* unused = nullptr;
    std::mt19937_64 random = own_random(5);
    // Word k of envelope `sent`, whose number is sent + 1: what may stand in a ring or a pair cell next, or a lap
    // later.
    const auto forged = [](std::uint64_t sent_before, std::size_t k) {
        const std::uint64_t numbers[] = {sent_before + 2, sent_before + 1 + kCells};
        return k % 3 == 0 ? numbers[k / 3 % 2] : numbers[k / 3 % 2] * 8 + (sent_before + k) % 4;
    };
    struct Context {
        decltype(forged)& word;
        std::uint64_t& received;
    } context{forged, received};
    const auto handler = [](void* c, int, const void* head, const void* body, std::size_t bytes) {
        const Context& own = *static_cast<Context*>(c);
        const std::uint64_t before = own.received++;
        EXPECT_EQ(bytes, before % 3 * 64);
        for (std::size_t k = 0; k < 6; ++k) EXPECT_EQ(static_cast<const std::uint64_t*>(head)[k], own.word(before, k));
        for (std::size_t k = 0; k < bytes / 8; ++k) {
            EXPECT_EQ(static_cast<const std::uint64_t*>(body)[k], own.word(before, k));
        }
        return 0;
    };
    while (sent < kEach || received < kEach) {
        for (std::uint64_t burst = random() % 3 == 0 ? random() % 70 : random() % 2; burst > 0 && sent < kEach;
             --burst) {
            std::uint64_t words[6];
            for (std::size_t k = 0; k < 6; ++k) words[k] = forged(sent, k);
            void* body = nullptr;
            const std::size_t bytes = sent % 3 * 64;
            if (fmpl_envelope_reserve(to, bytes, &body) == 0) break;
            for (std::size_t k = 0; k < bytes / 8; ++k) static_cast<std::uint64_t*>(body)[k] = forged(sent, k);
            REQUIRE_OK(fmpl_envelope_commit(to, words));
            ++sent;
        }
        const std::uint64_t before = received;
        fmpl_envelopes_poll(handler, &context);
        if (received == before && received < kEach && random() % 4 == 0) {
            wait_for([&] {
                fmpl_envelopes_poll(handler, &context);
                return received != before || (sent < kEach && fmpl_envelope_reserve(to, 128, &unused) == 1);
            });
        }
        if (::testing::Test::HasFailure()) throw std::runtime_error("a wrong envelope");
    }
    REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
}

const Environment kSleepAtOnce = {{"FMPL_SPIN_US", "0"}, {"FMPL_YIELD_US", "0"}};

FMPL_RANKS_TEST_WITH(Envelopes, ASleepingReceiverIsWoken, (RanksOptions{.ranks = {2, 4}, .environment = kSleepAtOnce}))
{
    const fmpl::Session session(1);
    REQUIRE_OK(fmpl_envelopes_open(kRing));
    const int next = (rank() + 1) % size();
    Ledger ledger;
    for (std::uint64_t m = 0; m < 300; ++m) {  // round the ring of ranks: one is awake at a time
        bool sent = rank() != 0 || try_send(next, {m, m % 100});
        wait_until_all(ledger, m + 1);
        if (rank() != 0) sent = try_send(next, {m, m % 100});
        EXPECT_TRUE(sent);
    }
    REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
}

// After a question nobody looks for its answer for a while, but for the look before a sleep, which nothing else would
// end.
FMPL_RANKS_TEST_WITH(Envelopes, AnAnswerThatNobodyLookedForIsFoundBeforeTheSleep,
    (RanksOptions{.ranks = {2},
        .environment = {{"FMPL_SPIN_US", "0"}, {"FMPL_YIELD_US", "0"}, {"FMPL_ANSWER_NS", "1000000000"}}}))
{
    const fmpl::Session session(1);
    REQUIRE_OK(fmpl_envelopes_open(kRing));
    Ledger ledger;
    for (std::uint64_t m = 0; m < 100; ++m) {
        if (rank() == 0) {
            EXPECT_TRUE(try_send(1, {m, 0}));
        }
        wait_until_all(ledger, m + 1);
        if (rank() == 1) {
            EXPECT_TRUE(try_send(0, {m, 0}));
        }
    }
    REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
}

// A poll that is no part of a wait finds what is there, however soon after the question.
FMPL_RANKS_TEST_WITH(Envelopes, APollOutsideOfAWaitLeavesNothingOut,
    (RanksOptions{.ranks = {2}, .environment = {{"FMPL_CPUS", "2"}, {"FMPL_ANSWER_NS", "1000000000"}}}))
{
    const fmpl::Session session(1);
    REQUIRE_OK(fmpl_envelopes_open(kRing));
    Ledger ledger;
    for (std::uint64_t m = 0; m < 20; ++m) {
        if (rank() == 0) {
            EXPECT_TRUE(try_send(1, {m, 0}));
        } else {
            while (poll(ledger.handler()) == 0) {
            }
            EXPECT_TRUE(try_send(0, {m, 0}));
        }
        REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
        if (rank() == 0) {
            EXPECT_EQ(poll(ledger.handler()), 1);
        }
        REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
    }
}

FMPL_RANKS_TEST_WITH(
    Envelopes, ASenderThatSleepsForRoomIsWoken, (RanksOptions{.ranks = {2}, .environment = kSleepAtOnce}))
{
    const fmpl::Session session(1);
    REQUIRE_OK(fmpl_envelopes_open(kRing));
    constexpr std::uint64_t kEach = 3000;
    if (rank() == 0) {
        for (std::uint64_t m = 0; m < kEach; ++m) wait_for([&] { return try_send(1, {m, m * 37 % (kLimit + 1)}); });
    } else {
        Ledger ledger;
        wait_for([&] {
            poll(ledger.handler());
            return ledger.all == kEach;
        });
    }
}

FMPL_RANKS_TEST(Envelopes, ThoseThatNobodyTakesAreDroppedAtTheEnd)
{
    REQUIRE_OK(fmpl_init(nullptr, nullptr, 1));
    REQUIRE_OK(fmpl_envelopes_open(kRing));
    for (int k = 1; k < size(); ++k) {
        EXPECT_TRUE(try_send((rank() + k) % size(), {0, 0}));
        EXPECT_TRUE(try_send((rank() + k) % size(), {1, kLimit}));
    }
    EXPECT_OK(fmpl_finalize());
    EXPECT_EQ(fmpl_envelope_body_limit(), 0u);
    EXPECT_EQ(fmpl_envelopes_best_room(), 0u);
    EXPECT_EQ(fmpl_envelope_reserve((rank() + 1) % size(), 0, nullptr), 0);
    EXPECT_EQ(poll([](int, const Head&, const void*) { ADD_FAILURE(); }), 0);
    const Head head;
    EXPECT_FAILS(FMPL_ERR_NOT_INITIALIZED, fmpl_envelope_commit(0, &head), "fmpl_envelope_commit");
}

FMPL_RANKS_TEST(Envelopes, WrongCallsAreRefusedInWords)
{
    const fmpl::Session session(1);
    const Head head;
    void* body = nullptr;
    EXPECT_EQ(fmpl_envelope_body_limit(), 0u);
    for (int r = 0; r < size(); ++r) EXPECT_EQ(fmpl_envelope_reserve(r, 0, &body), 0) << "before the rings are open";
    EXPECT_FAILS(FMPL_ERR_ARGUMENT, fmpl_envelope_commit(0, &head), "rank 0", "fmpl_envelope_reserve");
    if (size() > 1) {
        EXPECT_FAILS(FMPL_ERR_MISMATCH, fmpl_envelopes_open(rank() == size() - 1 ? 4096 : 8192), "4096", "8192");
    }
    EXPECT_FAILS(FMPL_ERR_ARGUMENT, fmpl_envelopes_open(std::size_t{1} << 33), "8589934592");
    EXPECT_GT(fmpl_envelopes_best_room(), 0u);
    REQUIRE_OK(fmpl_envelopes_open(1000));
    EXPECT_EQ(fmpl_envelope_body_limit(), 256u);
    EXPECT_FAILS(FMPL_ERR_ALREADY_INITIALIZED, fmpl_envelopes_open(1000), "second");
    for (const int nobody : {rank(), -1, size(), 1 << 30}) {
        EXPECT_EQ(fmpl_envelope_reserve(nobody, 0, &body), 0) << nobody;
        EXPECT_FAILS(FMPL_ERR_ARGUMENT, fmpl_envelope_commit(nobody, &head), std::to_string(nobody));
        int sent = -1;
        EXPECT_OK(fmpl_envelope_send(nobody, &head, &sent));
        EXPECT_EQ(sent, 0) << nobody;
    }
    if (size() > 1) {
        const int peer = (rank() + 1) % size();
        EXPECT_EQ(fmpl_envelope_reserve(peer, 257, &body), 0);
        EXPECT_EQ(fmpl_envelope_reserve(peer, SIZE_MAX, &body), 0);
        EXPECT_FAILS(FMPL_ERR_ARGUMENT, fmpl_envelope_commit(peer, &head), "reserve");
        EXPECT_EQ(fmpl_envelope_reserve(peer, 256, &body), 1);
        EXPECT_FAILS(FMPL_ERR_ARGUMENT, fmpl_envelope_commit(peer, nullptr), "head");
        int sent = -1;
        EXPECT_FAILS(FMPL_ERR_ARGUMENT, fmpl_envelope_send(peer, nullptr, &sent), "head");
        EXPECT_FAILS(FMPL_ERR_ARGUMENT, fmpl_envelope_send(peer, &head, nullptr), "sent");
        EXPECT_FAILS(FMPL_ERR_ARGUMENT, fmpl_envelope_send_quietly(peer, nullptr, &sent), "head");
        EXPECT_FAILS(FMPL_ERR_ARGUMENT, fmpl_envelope_send_body(peer, nullptr, &head, 1, &sent), "head");
        EXPECT_FAILS(FMPL_ERR_ARGUMENT, fmpl_envelope_send_body(peer, &head, nullptr, 1, &sent), "body");
        EXPECT_FAILS(FMPL_ERR_ARGUMENT, fmpl_envelope_send_body(peer, &head, &head, 1, nullptr), "sent");
        EXPECT_FAILS(FMPL_ERR_ARGUMENT, fmpl_envelope_await_body(1, nullptr), "there");
        EXPECT_OK(fmpl_envelope_send_body(peer, &head, &head, 257, &sent));
        EXPECT_EQ(sent, 0);
        std::size_t there = 0;
        EXPECT_OK(fmpl_envelope_await_body(1, &there));
        EXPECT_EQ(there, SIZE_MAX) << "outside of a handler";
        EXPECT_TRUE(try_send(peer, {0, 256}));
        EXPECT_FAILS(FMPL_ERR_ARGUMENT, fmpl_envelope_commit(peer, &head), "reserve");
    }
    Ledger ledger;
    wait_for([&] {
        poll(ledger.handler());
        return size() == 1 || ledger.all == 1;
    });
    EXPECT_FAILS(FMPL_ERR_ARGUMENT, fmpl_wait_until(nullptr, nullptr, nullptr), "ready");
    EXPECT_FAILS(FMPL_ERR_ARGUMENT, fmpl_envelopes_wait(nullptr, nullptr, nullptr), "handler");
    int is_ready = 7;
    EXPECT_FAILS(FMPL_ERR_ARGUMENT, fmpl_look(nullptr, nullptr, &is_ready), "ready");
    EXPECT_EQ(is_ready, 0);
    EXPECT_FAILS(FMPL_ERR_ARGUMENT, fmpl_look(never_ready, nullptr, nullptr), "is_ready");
    REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
}

FMPL_RANKS_TEST_WITH(Envelopes, TooLittleMemoryOnOneRankIsSaidOnAll,
    (RanksOptions{.ranks = {2, 4}, .environment = {{"FMPL_ARENA_SIZE", "64M"}}}))
{
    // Of 16 MiB for records of pairs each communicator of one rank takes two, and that of all takes 4 or 8.
    const fmpl::Session session(10000);
    std::vector<fmpl_comm_t> own(rank() == 1 ? 4 : 0);
    const int me = rank();
    for (fmpl_comm_t& comm : own) REQUIRE_OK(fmpl_comm_create_group(&comm, &me, 1));
    EXPECT_FAILS(FMPL_ERR_MEMORY, fmpl_envelopes_open(6 * kMiB / static_cast<std::size_t>(size() - 1)), "memory");
    for (fmpl_comm_t& comm : own) REQUIRE_OK(fmpl_comm_free(&comm));
    REQUIRE_OK(fmpl_envelopes_open(6 * kMiB / static_cast<std::size_t>(size() - 1)));
    Ledger ledger;
    EXPECT_TRUE(try_send((rank() + 1) % size(), {0, 100}));
    wait_for([&] {
        poll(ledger.handler());
        return ledger.all == 1;
    });
    REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
}

// A handler that has enough leaves the rest in order, and no source waits for good for another that has more.
FMPL_RANKS_TEST_AT(Envelopes, AHandlerThatHasEnoughLeavesTheRest, ({2, 3, 7}))
{
    const fmpl::Session session(1);
    REQUIRE_OK(fmpl_envelopes_open(1024));
    constexpr std::uint64_t kEach = 50;  // as many as the rings hold, unread
    const auto others = static_cast<std::size_t>(size() - 1);
    if (rank() != 0) {
        for (std::uint64_t i = 0; i < kEach; ++i) {
            const std::uint64_t head[6] = {i};
            int sent = 0;
            REQUIRE_OK((i % 2 == 0 ? fmpl_envelope_send : fmpl_envelope_send_quietly)(0, head, &sent));
            EXPECT_EQ(sent, 1);
        }
    }
    REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
    struct Taken {
        std::vector<std::uint64_t> of;  // by source
        std::uint64_t enough = 0;       // in one poll
        std::uint64_t now = 0;
    } taken{std::vector<std::uint64_t>(static_cast<std::size_t>(size()))};
    const auto handler = [](void* context, int source, const void* head, const void*, std::size_t) {
        Taken& self = *static_cast<Taken*>(context);
        EXPECT_EQ(*static_cast<const std::uint64_t*>(head), self.of[static_cast<std::size_t>(source)]++);
        return ++self.now == self.enough ? 1 : 0;
    };
    const auto poll = [&](std::uint64_t enough) {
        taken.enough = enough;
        taken.now = 0;
        return fmpl_envelopes_poll(handler, &taken);
    };
    if (rank() == 0) {
        std::uint64_t all = 0;
        for (; all < 20; ++all) EXPECT_EQ(poll(1), 1);
        EXPECT_EQ(poll(3), 3);
        EXPECT_EQ(poll(0), static_cast<int>(others * kEach - all - 3));
        EXPECT_EQ(poll(1), 0);
        for (std::size_t source = 1; source <= others; ++source) EXPECT_EQ(taken.of[source], kEach);
    }
    REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));

    // Rank 1 sends as fast as it can; what each of the others has sent before is taken all the same, by polls of one.
    const auto send = [&](std::uint64_t first, std::uint64_t end) {
        for (std::uint64_t i = first; i < end;) {
            const std::uint64_t head[6] = {kEach + i};
            int sent = 0;
            REQUIRE_OK(fmpl_envelope_send(0, head, &sent));
            i += static_cast<std::uint64_t>(sent);
            if (sent == 0) std::this_thread::yield();
        }
    };
    constexpr std::uint64_t kOfRank1 = 1000;
    if (rank() != 0) send(0, rank() == 1 ? kEach : 1);
    REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
    if (rank() == 1) send(kEach, kOfRank1);
    if (rank() == 0) {
        constexpr std::uint64_t kInTurn = 64;  // as Envelopes::kInTurn
        std::uint64_t polls = 0;
        const auto taken_one = [&] {
            polls += static_cast<std::uint64_t>(poll(1));
            if (polls == kInTurn * others) {
                for (std::size_t source = 1; source <= others; ++source) EXPECT_GT(taken.of[source], kEach) << source;
            }
            return polls == kOfRank1 + others - 1;
        };
        wait_until(taken_one, "all envelopes");
    }
    REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
}

}  // namespace
