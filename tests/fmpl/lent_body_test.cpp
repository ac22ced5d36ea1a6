// Envelopes whose bodies are lent (fmpl_envelope_lend): whoever claims one, each message arrives once, whole and in
// order, and its source may write its memory as soon as the call returns.
//
// FMPL_TEST_SEED repeats a run; FMPL_STRESS_SECONDS (default 1) is the length of the random test at each rank count.
#include "../support/guarded_buffer.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace fmpl_test;

constexpr std::size_t kRing = 16384;  // bytes of bodies
constexpr std::size_t kLimit = kRing / 4;
constexpr std::size_t kMostLent = 65535;

// Bodies are lent between ranks that have a CPU each: as many as there are ranks are to be believed in.
RanksOptions with_cpus(std::vector<int> ranks, const char* spin_us = "3")
{
    return {.ranks = std::move(ranks), .environment = {{"FMPL_CPUS", "16"}, {"FMPL_SPIN_US", spin_us}}};
}

double seconds_since(std::chrono::steady_clock::time_point begin)
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// Until a body must have been lent: seconds.
constexpr double kPatience = 30;

struct Head {
    std::uint64_t sequence = 0;
    std::uint64_t kind = 0;
    std::uint64_t words[4] = {};
};
static_assert(sizeof(Head) == FMPL_ENVELOPE_HEAD);
constexpr std::uint64_t kMessage = 0, kAnswer = 1, kEnd = 2;

std::uint64_t key_of(int source, int destination, std::uint64_t sequence)
{
    return message_key(seed(), static_cast<std::uint64_t>(source), static_cast<std::uint64_t>(destination), sequence);
}

struct Arrived {
    int source;
    Head head;
    const void* body;
    std::size_t bytes;
};
using Handler = std::function<void(const Arrived&)>;

int poll(const Handler& handler)
{
    return fmpl_envelopes_poll(
        [](void* context, int source, const void* at, const void* body, std::size_t bytes) {
            Arrived arrived{source, {}, body, bytes};
            std::memcpy(&arrived.head, at, sizeof arrived.head);
            (*static_cast<const Handler*>(context))(arrived);
            return 0;
        },
        const_cast<Handler*>(&handler));
}

void wait_by_polls(const std::function<bool()>& ready)
{
    REQUIRE_OK(
        fmpl_wait_until([](void* context) { return (*static_cast<const std::function<bool()>*>(context))() ? 1 : 0; },
            const_cast<std::function<bool()>*>(&ready), nullptr));
}

bool lend(int destination, const Head& head, const void* body, std::size_t bytes, bool waits_anyway)
{
    int sent = -1;
    REQUIRE_OK(fmpl_envelope_lend(destination, &head, body, bytes, waits_anyway ? 1 : 0, &sent));
    EXPECT_TRUE(sent == 0 || sent == 1);
    return sent == 1;
}

bool put_into_ring(int destination, const Head& head, const void* body, std::size_t bytes)
{
    void* room = nullptr;
    if (fmpl_envelope_reserve(destination, bytes, &room) == 0) return false;
    if (bytes > 0) std::memcpy(room, body, bytes);
    REQUIRE_OK(fmpl_envelope_commit(destination, &head));
    return true;
}

// Under a sanitizer, or with one CPU, hardly anybody looks for an envelope within a microsecond.
bool lending_is_likely()
{
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
    return false;
#else
    return std::thread::hardware_concurrency() > 1 && !engine_is_unmapped();
#endif
}

// Questions and answers of two ranks that do nothing else: a body is read in its source's memory, and what is written
// there after the call does not reach who reads it. At least as many rounds, and more while no body has been lent.
// Each looks for longer than the other fills and compares a body, on a machine that is busy too: nothing is lent to a
// rank that sleeps.
FMPL_RANKS_TEST_WITH(LentBody, OfAQuestionIsReadWhereItLies, with_cpus({2}, "100"))
{
    constexpr std::uint64_t kRounds = 3000;
    const fmpl::Session session(1);
    REQUIRE_OK(fmpl_envelopes_open(kRing));
    const int peer = 1 - rank();
    std::atomic<std::uint64_t>& lent = shared_words()[static_cast<std::size_t>(rank())];
    const std::atomic<std::uint64_t>& lent_by_peer = shared_words()[static_cast<std::size_t>(peer)];
    GuardedBuffer buffer(Place::rdma, 3000, 5);
    std::uint64_t place = 0;
    REQUIRE_OK(fmpl_remote_place(buffer.data(), buffer.size(), &place));
    std::uint64_t received = 0, read_in_place = 0;
    bool ends = false;
    const Handler handler = [&](const Arrived& arrived) {
        EXPECT_EQ(arrived.source, peer);
        EXPECT_EQ(arrived.head.sequence, received);
        EXPECT_EQ(arrived.bytes, buffer.size());
        EXPECT_TRUE(has_pattern(arrived.body, arrived.bytes, key_of(peer, rank(), received)));
        if (arrived.body == fmpl_remote_view(peer, arrived.head.words[0], arrived.bytes)) ++read_in_place;
        if (arrived.head.kind == kEnd) ends = true;
        ++received;
    };
    const auto begin = std::chrono::steady_clock::now();
    for (std::uint64_t round = 0; !ends; ++round) {
        if (rank() == 0) wait_by_polls([&] { return poll(handler) > 0; });
        const bool enough = (lent > 0 && lent_by_peer > 0) || !lending_is_likely() || seconds_since(begin) > kPatience;
        if (rank() == 1) ends = round + 1 >= kRounds && enough;
        const Head head{round, ends ? kEnd : kMessage, {place}};
        buffer.fill(key_of(rank(), peer, round));
        if (lend(peer, head, buffer.data(), buffer.size(), false)) {
            ++lent;
        } else {
            wait_by_polls([&] { return put_into_ring(peer, head, buffer.data(), buffer.size()); });
        }
        buffer.fill_byte(0x55);
        if (rank() == 1) wait_by_polls([&] { return poll(handler) > 0; });
    }
    REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
    EXPECT_EQ(read_in_place, lent_by_peer);
    if (engine_is_unmapped()) {
        EXPECT_EQ(lent, 0u);
    } else if (lending_is_likely()) {
        EXPECT_GT(lent, 0u);
    }
}

// Nobody looks for it: the call comes back, and what follows is all that the destination ever sees.
FMPL_RANKS_TEST_WITH(LentBody, IsTakenBackFromARankThatDoesSomethingElse, with_cpus({2, 4}))
{
    const fmpl::Session session(1);
    REQUIRE_OK(fmpl_envelopes_open(kRing));
    const int to = (rank() + 1) % size();
    GuardedBuffer buffer(Place::rdma, 500);
    for (std::uint64_t round = 0; round < 100; ++round) {
        for (std::uint64_t m = 0; m < 3; ++m) {
            // In the first round five are tried and taken back, one after the other, before anybody looks; seldom
            // later.
            buffer.fill(1);
            for (int times = 0; times < 13; ++times) {
                EXPECT_FALSE(lend(to, {7, kMessage, {}}, buffer.data(), buffer.size(), true));
            }
            buffer.fill(key_of(rank(), to, 3 * round + m));
            EXPECT_TRUE(put_into_ring(to, {3 * round + m, kMessage, {}}, buffer.data(), m == 0 ? 0 : buffer.size()));
        }
        REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
        std::uint64_t next = 3 * round;
        const Handler handler = [&](const Arrived& arrived) {
            EXPECT_EQ(arrived.head.sequence, next);
            if (arrived.bytes > 0) {
                EXPECT_TRUE(has_pattern(arrived.body, arrived.bytes, key_of(arrived.source, rank(), next)));
            }
            ++next;
        };
        EXPECT_EQ(poll(handler), 3);
        EXPECT_EQ(poll(handler), 0);
        EXPECT_EQ(next, 3 * round + 3);
        REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
    }
}

// Runs lending() on the highest rank while all others look for envelopes, and would get what it lends.
void lend_while_others_look(const std::function<void()>& lending)
{
    std::atomic<std::uint64_t>& looking = shared_words()[0];
    std::atomic<std::uint64_t>& done = shared_words()[1];
    if (rank() == size() - 1) {
        wait_until([&] { return looking == static_cast<std::uint64_t>(size() - 1); }, "the others");
        lending();
        done = 1;
    } else {
        ++looking;
        const Handler nothing = [](const Arrived& a) { ADD_FAILURE() << a.bytes << " bytes from rank " << a.source; };
        while (done == 0) poll(nothing);
        EXPECT_EQ(poll(nothing), 0);
    }
    REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
}

FMPL_RANKS_TEST_WITH(LentBody, WhatCannotBeLent, with_cpus({1, 2}))
{
    const fmpl::Session session(1);
    GuardedBuffer buffer(Place::rdma, kMostLent + 1);
    GuardedBuffer elsewhere(Place::heap, 100);
    EXPECT_FALSE(lend(0, {}, buffer.data(), 100, true));  // before fmpl_envelopes_open
    REQUIRE_OK(fmpl_envelopes_open(kRing));
    for (const int nobody : {rank(), -1, size(), 1 << 30}) {
        EXPECT_FALSE(lend(nobody, {}, buffer.data(), 100, true)) << nobody;
    }
    if (size() == 1) return;
    lend_while_others_look([&] {
        EXPECT_FALSE(lend(0, {}, buffer.data(), 0, true));
        EXPECT_FALSE(lend(0, {}, buffer.data(), kMostLent + 1, true));
        EXPECT_FALSE(lend(0, {}, elsewhere.data(), 100, true));
        const Head head;
        int sent = -1;
        EXPECT_FAILS(FMPL_ERR_ARGUMENT, fmpl_envelope_lend(0, nullptr, buffer.data(), 1, 1, &sent), "head");
        EXPECT_FAILS(FMPL_ERR_ARGUMENT, fmpl_envelope_lend(0, &head, nullptr, 1, 1, &sent), "body");
        EXPECT_FAILS(FMPL_ERR_ARGUMENT, fmpl_envelope_lend(0, &head, buffer.data(), 1, 1, nullptr), "sent");
        // A reservation before it is forgotten.
        void* room = nullptr;
        EXPECT_EQ(fmpl_envelope_reserve(0, 0, &room), 1);
        EXPECT_FALSE(lend(0, {}, elsewhere.data(), 100, true));
        EXPECT_FAILS(FMPL_ERR_ARGUMENT, fmpl_envelope_commit(0, &head), "reserve");
    });
}

// A handler may not wait: what it wants to lend is refused, though the other rank looks for it.
FMPL_RANKS_TEST_WITH(LentBody, NotFromWithinAHandler, with_cpus({2}))
{
    const fmpl::Session session(1);
    REQUIRE_OK(fmpl_envelopes_open(kRing));
    GuardedBuffer buffer(Place::rdma, 100);
    if (rank() == 0) {
        EXPECT_TRUE(put_into_ring(1, {}, nullptr, 0));
    }
    lend_while_others_look([&] {
        const Handler handler = [&](const Arrived&) {
            for (int times = 0; times < 10; ++times) EXPECT_FALSE(lend(0, {}, buffer.data(), buffer.size(), true));
        };
        while (poll(handler) == 0) {
        }
    });
}

// Ranks that share CPUs do not wait for each other so.
FMPL_RANKS_TEST_WITH(
    LentBody, NotWhereRanksShareCpus, (RanksOptions{.ranks = {2, 3}, .environment = {{"FMPL_CPUS", "1"}}}))
{
    const fmpl::Session session(1);
    REQUIRE_OK(fmpl_envelopes_open(kRing));
    GuardedBuffer buffer(Place::rdma, 100);
    lend_while_others_look([&] {
        for (int times = 0; times < 10; ++times) EXPECT_FALSE(lend(0, {}, buffer.data(), buffer.size(), true));
    });
}

// Everything at once: bodies lent, put into the ring or none, from and to all ranks, handlers that are slow, that
// answer before they return and after they have read, and memory that is written again as soon as a call has
// returned.
FMPL_RANKS_TEST_WITH(LentBody, RandomTrafficArrivesIntact, with_cpus({2, 3, 4, 7, 8, 16}))
{
    const fmpl::Session session(1);
    REQUIRE_OK(fmpl_envelopes_open(kRing));
    const auto ranks = static_cast<std::size_t>(size());
    std::mt19937_64 random(message_key(seed(), 77, static_cast<std::uint64_t>(rank())));
    GuardedBuffer buffer(Place::rdma, kMostLent, 24);
    std::vector<std::uint64_t> sent(ranks, 0), next(ranks, 0);
    std::size_t ended = 0;
    bool may_answer = true;
    const Handler handler = [&](const Arrived& arrived) {
        const auto source = static_cast<std::size_t>(arrived.source);
        EXPECT_EQ(arrived.head.sequence, next[source]++) << "from rank " << source;
        EXPECT_EQ(arrived.head.words[0], arrived.bytes);
        const std::uint64_t key = key_of(arrived.source, rank(), arrived.head.sequence);
        const auto is_whole = [&] { return arrived.bytes == 0 || has_pattern(arrived.body, arrived.bytes, key); };
        EXPECT_TRUE(is_whole()) << arrived.bytes << " bytes from rank " << source;
        if (random() % 16 == 0) random_delay(random);
        EXPECT_TRUE(is_whole()) << arrived.bytes << " bytes from rank " << source << ", when the handler ends";
        if (arrived.head.kind == kEnd) ++ended;
        if (arrived.head.kind != kMessage || !may_answer || random() % 4 != 0) return;
        const Head answer{sent[source], kAnswer, {}};
        if (put_into_ring(arrived.source, answer, nullptr, 0)) ++sent[source];
    };
    const auto send = [&](int to, std::uint64_t kind) {
        constexpr std::size_t kLengths[] = {0, 1, 63, 64, 65, kLimit - 1, kLimit};
        const std::size_t bytes = kind == kEnd        ? 0
                                  : random() % 3 == 0 ? kLengths[random() % std::size(kLengths)]
                                  : random() % 4 == 0 ? random() % (kMostLent + 1)
                                                      : random() % 600;
        std::uint64_t& number = sent[static_cast<std::size_t>(to)];
        const bool waits_anyway = random() % 2 == 0;
        if (bytes > 0 && (bytes > kLimit || random() % 4 != 0)) {
            const Head head{number, kind, {bytes}};
            fill_pattern(buffer.data(), bytes, key_of(rank(), to, number));
            const bool lent = lend(to, head, buffer.data(), bytes, waits_anyway);
            if (random() % 2 == 0) std::memset(buffer.data(), 0x55, bytes);
            if (lent) ++number;
            ++shared_words()[lent ? 0 : 1];
            if (lent || bytes > kLimit) return;
        }
        wait_by_polls([&] {
            // An answer from within the handler may have taken the number.
            fill_pattern(buffer.data(), bytes, key_of(rank(), to, number));
            if (put_into_ring(to, {number, kind, {bytes}}, buffer.data(), bytes)) return true;
            poll(handler);
            return false;
        });
        ++number;
    };
    const auto begin = std::chrono::steady_clock::now();
    int partner = rank();
    // Two ranks go on until a body has been lent: more of them than CPUs may never come to it.
    const bool must_lend = size() == 2 && lending_is_likely();
    const auto has_enough = [&] {
        const double seconds = seconds_since(begin);
        return seconds >= stress_seconds() && (!must_lend || shared_words()[0] > 0 || seconds > kPatience);
    };
    while (!has_enough()) {
        if (random() % 64 == 0 || partner == rank()) partner = static_cast<int>(random() % ranks);
        if (partner != rank()) send(partner, kMessage);
        // A while as somebody who waits for an answer does.
        for (std::uint64_t looks = random() % 40; looks > 0 && poll(handler) == 0; --looks) {
        }
        if (random() % 32 == 0) random_delay(random);
    }
    may_answer = false;
    for (int to = 0; to < size(); ++to) {
        if (to != rank()) send(to, kEnd);
    }
    wait_by_polls([&] {
        poll(handler);
        return ended == ranks - 1;
    });
    REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
    EXPECT_EQ(poll(handler), 0);
    if (must_lend) {
        EXPECT_GT(shared_words()[0], 0u) << "of " << shared_words()[1] << " others";
    }
}

// While one rank reads, another one ends the job: the call of the body's source ends with it, and so does the reader.
TEST(LentBody, ItsSourcesWaitEndsWithTheJob)
{
    ASSERT_EQ(setenv("FMPL_CPUS", "16", 1), 0);
    std::atomic<bool> reading{false}, ended{false};
    std::string caught;
    try {
        fmpl::run_ranks(3, [&](int r) {
            const fmpl::Session session(1);
            EXPECT_EQ(fmpl_envelopes_open(kRing), FMPL_SUCCESS);
            GuardedBuffer buffer(Place::rdma, 100);
            if (r == 2) {
                wait_until([&] { return reading.load(); }, "the reader");
                throw std::runtime_error("thrown by the test");
            }
            if (r == 1) {
                const Handler handler = [&](const Arrived&) {
                    reading = true;
                    wait_until([&] { return ended.load(); }, "the source's call");
                };
                while (!reading) poll(handler);
                return;
            }
            int code = FMPL_SUCCESS;
            for (int sent = 0; sent == 0 && code == FMPL_SUCCESS;) {
                const Head head;
                code = fmpl_envelope_lend(1, &head, buffer.data(), buffer.size(), 1, &sent);
            }
            EXPECT_EQ(code, FMPL_ERR_ABORTED);
            ended = true;
        });
    } catch (const std::exception& e) {
        caught = e.what();
    }
    unsetenv("FMPL_CPUS");
    EXPECT_EQ(caught, "thrown by the test");
}

}  // namespace
