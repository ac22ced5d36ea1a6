// Envelopes and the waiting of layers above: fmpl_envelope_*, fmpl_envelopes_wait, fmpl_wait_until, fmpl_layer_progress_set,
// fmpl_remote_room.
//
// FMPL_TEST_SEED repeats a run; FMPL_STRESS_SECONDS (default 1) is the length of the random test at each rank count.
#include "../support/guarded_buffer.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <random>
#include <thread>
#include <vector>

namespace {

using namespace fmpl_test;

constexpr std::size_t kRing = 16384;  // bytes of bodies
constexpr std::size_t kLimit = kRing / 4;
constexpr int kCells = 64;  // of a ring, in jobs of up to 128 ranks

template <class T>
using RdmaVector = std::vector<T, fmpl::Allocator<T>>;

// The head of every envelope here. seal is a function of all the rest and of the pair, so that no byte can be wrong.
struct Head {
    std::uint64_t sequence = 0;
    std::uint64_t bytes = 0;
    std::uint64_t kind = 0;
    std::uint64_t words[2] = {};
    std::uint64_t seal = 0;
};
static_assert(sizeof(Head) == FMPL_ENVELOPE_HEAD);

std::uint64_t seal_of(const Head& head, int source, int destination)
{
    const auto pair = static_cast<std::uint64_t>(source) << 32 | static_cast<std::uint64_t>(destination);
    return message_key(message_key(head.sequence, head.bytes, head.kind, pair), head.words[0], head.words[1]);
}

using Handler = std::function<void(int source, const Head& head, const void* body)>;

// Checks that the envelope is what its source has sent, and hands it to the Handler at context.
int check_and_hand_on(void* context, int source, const void* at, const void* body, std::size_t bytes)
{
    Head head;
    std::memcpy(&head, at, sizeof head);
    EXPECT_EQ(head.seal, seal_of(head, source, rank())) << "from rank " << source;
    EXPECT_EQ(bytes, head.bytes);
    EXPECT_EQ(body == nullptr, bytes == 0);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(body) % 64, 0u);
    if (body != nullptr && bytes == head.bytes) {
        EXPECT_TRUE(has_pattern(body, bytes, head.seal)) << "from rank " << source;
    }
    (*static_cast<const Handler*>(context))(source, head, body);
    return 0;
}

// Takes what has come.
int poll(const Handler& handler)
{
    return fmpl_envelopes_poll(check_and_hand_on, const_cast<Handler*>(&handler));
}

// Waits until something has come, and takes it.
int wait_and_poll(const Handler& handler)
{
    return fmpl_envelopes_wait(check_and_hand_on, const_cast<Handler*>(&handler), nullptr);
}

int never_ready(void*)
{
    ADD_FAILURE() << "ready was called";
    return 1;
}

void wait_for(const std::function<bool()>& ready, const char* name = "wait_for")
{
    const fmpl_wait_words what{name, -1, -1, size(), 0, 0};
    REQUIRE_OK(
        fmpl_wait_until([](void* context) { return (*static_cast<const std::function<bool()>*>(context))() ? 1 : 0; },
            const_cast<std::function<bool()>*>(&ready), &what));
}

bool try_send(int destination, Head head)
{
    head.seal = seal_of(head, rank(), destination);
    if (head.bytes == 0 && head.sequence % 2 == 0) {
        int sent = -1;
        EXPECT_OK(fmpl_envelope_send(destination, &head, &sent));
        return sent == 1;
    }
    void* body = nullptr;
    if (fmpl_envelope_reserve(destination, head.bytes, &body) == 0) return false;
    if (head.bytes > 0) fill_pattern(body, head.bytes, head.seal);
    EXPECT_OK(fmpl_envelope_commit(destination, &head));
    return true;
}

// Sends, and takes what comes meanwhile, so that the receiver can be waiting for room as well.
void send(int destination, const Head& head, const Handler& handler)
{
    wait_for([&] {
        if (try_send(destination, head)) return true;
        poll(handler);
        return false;
    });
}

std::uint64_t random_bytes(std::mt19937_64& random)
{
    switch (random() % 4) {
        case 0:
            return 0;
        case 1:
            return random() % 200;
        case 2:
            return kLimit - random() % 3;
        default:
            return random() % (kLimit + 1);
    }
}

std::mt19937_64 own_random(std::uint64_t salt)
{
    return std::mt19937_64(message_key(seed(), salt, static_cast<std::uint64_t>(rank())));
}

// Counts what comes and checks the order of each source.
struct Ledger {
    std::vector<std::uint64_t> next = std::vector<std::uint64_t>(static_cast<std::size_t>(size()), 0);
    std::uint64_t all = 0;

    void note(int source, const Head& head)
    {
        EXPECT_EQ(head.sequence, next[static_cast<std::size_t>(source)]++) << "from rank " << source;
        ++all;
    }
    Handler handler()
    {
        return [this](int source, const Head& head, const void*) { note(source, head); };
    }
};

// Until so many envelopes have come: by either way to wait, in turn.
void wait_until_all(Ledger& ledger, std::uint64_t number)
{
    if (number % 2 == 0) {
        wait_for([&] {
            poll(ledger.handler());
            return ledger.all == number;
        });
    } else {
        while (ledger.all < number) REQUIRE_OK(wait_and_poll(ledger.handler()));
    }
}

const std::vector<int> kManyCounts = {1, 2, 3, 4, 7, 8, 16};

FMPL_RANKS_TEST_WITH(Envelopes, ManySourcesArriveInTheOrderOfEach, (RanksOptions{.ranks = kManyCounts}))
{
    const fmpl::Session session(1);
    REQUIRE_OK(fmpl_envelopes_open(kRing));
    const std::uint64_t each = size() > 4 ? 150 : 1000;
    const int root = size() / 2;
    Ledger ledger;
    if (rank() == root) {
        wait_for([&] {
            poll(ledger.handler());
            return ledger.all == each * static_cast<std::uint64_t>(size() - 1);
        });
    } else {
        std::mt19937_64 random = own_random(1);
        for (std::uint64_t m = 0; m < each; ++m) send(root, {m, random_bytes(random)}, ledger.handler());
    }
    REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
    EXPECT_EQ(poll(ledger.handler()), 0);
}

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

// Questions of random sizes to everybody, each answered; a rank sends its next ones when all have answered, and does nothing
// but wait in between.
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
            // What has not been returned is less than a quarter; of the bodies' ring, what is skipped at the end as well.
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

// Heads and bodies full of what the next stamps will be, through the same cells again and again; in bursts, so that both the
// ring and the pair cell are used.
FMPL_RANKS_TEST_AT(Envelopes, NoStaleOrForgedStampIsTakenForAnEnvelope, ({2, 3}))
{
    const fmpl::Session session(1);
    REQUIRE_OK(fmpl_envelopes_open(1024));
    constexpr std::uint64_t kEach = 30000;
    const int to = (rank() + 1) % size();
    std::uint64_t received = 0, sent = 0;
    void* unused = nullptr;
    std::mt19937_64 random = own_random(5);
    // Word k of envelope `sent`, whose number is sent + 1: what may stand in a ring or a pair cell next, or a lap later.
    const auto forged = [](std::uint64_t sent_before, std::size_t k) {
        const std::uint64_t numbers[] = {sent_before + 2, sent_before + 65};
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

// After a question nobody looks for its answer for a while, but for the look before a sleep, which nothing else would end.
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

// A layer that polls instead of waiting, with more ranks than CPUs: each look in vain lets those run that have the number.
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
    constexpr std::uint32_t kRounds = 2000;
    for (std::uint32_t round = 0; round < kRounds; ++round) {
        if (rank() != 0) look_for(round + 1);
        EXPECT_TRUE(try_send((rank() + 1) % size(), {round, 0}));
        if (rank() == 0) look_for(round + 1);
    }
    REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
}

// What ends a wait from outside of the job rings no doorbell.
FMPL_RANKS_TEST_AT(LayerCalls, AnotherThreadMayEndAWait, ({1, 2}))
{
    const fmpl::Session session(1);
    const fmpl_wait_words words{"MPI_Wait", -1, -1, size(), 0, 1};
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

// A loop of tests ends with the job, too.
TEST(LayerCalls, ALoopOfTestsEndsWithTheJob)
{
    std::atomic<int> code{0};
    try {
        fmpl::run_ranks(2, [&](int r) {
            const fmpl::Session session(2);
            EXPECT_EQ(fmpl_barrier(FMPL_COMM_WORLD), FMPL_SUCCESS);
            if (r == 1) throw std::runtime_error("thrown by the test");
            int done = 0, in = 0;
            EXPECT_EQ(fmpl_irecv(&in, sizeof in, 1, 0, FMPL_COMM_WORLD), FMPL_SUCCESS);
            while (code == 0) code = fmpl_irecv_test(1, 0, FMPL_COMM_WORLD, &done);
            throw fmpl::Error(code, "the follow-up of the first exception");
        });
    } catch (const std::exception&) {
    }
    EXPECT_EQ(code, FMPL_ERR_ABORTED);
}

FMPL_RANKS_TEST_WITH(LayerCallsSubject, RankOneIsBlocked, (RanksOptions{.ranks = {}}))
{
    const fmpl::Session session(1);
    const auto never = [](void*) { return 0; };
    const fmpl_wait_words receive{"MPI_Recv", 3, 7, 4, 800, 0};
    const fmpl_wait_words send{"MPI_Ssend", 0, -1, 4, 0, 0};
    const fmpl_wait_words any{"MPI_Waitsome_of_a_long_name", -1, -1, 4, 0, 0};
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
        constexpr std::uint64_t kRing = 64;
        std::uint64_t polls = 0;
        const auto taken_one = [&] {
            polls += static_cast<std::uint64_t>(poll(1));
            if (polls == kRing * others) {
                for (std::size_t source = 1; source <= others; ++source) EXPECT_GT(taken.of[source], kEach) << source;
            }
            return polls == kOfRank1 + others - 1;
        };
        wait_until(taken_one, "all envelopes");
    }
    REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
}

FMPL_RANKS_TEST(RemoteRoom, WhatIsWrittenThereIsTheOwnersToRead)
{
    const fmpl::Session session(1);
    RdmaVector<unsigned char> buffer(static_cast<std::size_t>(size()) * 1000);
    std::vector<std::uint64_t> places(static_cast<std::size_t>(size()));
    REQUIRE_OK(fmpl_remote_place(buffer.data(), buffer.size(), &places[static_cast<std::size_t>(rank())]));
    for (int r = 0; r < size(); ++r) {
        REQUIRE_OK(fmpl_bcast(&places[static_cast<std::size_t>(r)], sizeof places[0], r, FMPL_COMM_WORLD));
    }
    for (int r = 0; r < size(); ++r) {
        void* const room =
            fmpl_remote_room(r, places[static_cast<std::size_t>(r)] + static_cast<std::uint64_t>(rank()) * 1000, 1000);
        EXPECT_EQ(room != nullptr, fmpl_is_addressable(r) == 1);
        if (room != nullptr) fill_pattern(room, 1000, message_key(7, static_cast<std::uint64_t>(rank())));
        EXPECT_EQ(fmpl_remote_room(r, 0, 8), nullptr);
    }
    EXPECT_EQ(fmpl_remote_room(size(), places[0], 1), nullptr);
    REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
    for (int r = 0; r < size(); ++r) {
        if (fmpl_is_addressable(r) == 0) continue;
        EXPECT_TRUE(has_pattern(
            buffer.data() + static_cast<std::size_t>(r) * 1000, 1000, message_key(7, static_cast<std::uint64_t>(r))));
    }
    REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
}

// Random traffic: envelopes of all sizes, some of which announce a message of fmpl_isend that the handler posts the receive
// for, and now and then a collective call, in which others' envelopes are served by a progress function.
class Traffic {
public:
    static constexpr int kIndices = 4;
    static constexpr std::uint64_t kLast = 100;
    static constexpr std::uint64_t kLong = 101;

    explicit Traffic(std::uint64_t round) : random_(own_random(1000 + round)), round_(round) {}

    void run(std::uint64_t envelopes)
    {
        REQUIRE_OK(fmpl_layer_progress_set([](void* self) { static_cast<Traffic*>(self)->progress(); }, this));
        for (std::uint64_t k = 0; k < envelopes; ++k) {
            int to = static_cast<int>(random_() % static_cast<std::uint64_t>(size() - 1));
            if (to >= rank()) ++to;
            if (random_() % 8 == 0 && start_long(to)) continue;
            until([&] { return send_now(to, {0, random_bytes(random_), random_() % 50, {round_, random_()}}); });
            if (random_() % 16 == 0) random_delay(random_);
            if (random_() % 8 == 0) progress();
        }
        for (int r = 0; r < size(); ++r) {
            if (r != rank()) until([&] { return send_now(r, {0, 0, kLast}); });
        }
        until([&] { return ended_ == size() - 1 && sends_.empty() && receives_.empty() && announced_.empty(); });
        double sum = 1;
        REQUIRE_OK(fmpl_allreduce(&sum, 1, FMPL_SUM_DOUBLE, FMPL_COMM_WORLD, nullptr));
        EXPECT_EQ(sum, size());
        REQUIRE_OK(fmpl_layer_progress_set(nullptr, nullptr));
        // Envelopes of the next round are not this one's to take.
        REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
        EXPECT_EQ(ended_, size() - 1);
    }

private:
    struct Transfer {
        int peer;
        int index;
        std::uint64_t key;
        GuardedBuffer buffer;
    };
    struct Announced {
        int peer;
        int index;
        std::uint64_t key;
        std::size_t bytes;
    };

    template <class Ready>
    void until(Ready&& ready)
    {
        wait_for([&] {
            if (ready()) return true;
            progress();
            return ready();
        });
    }

    bool send_now(int to, Head head)
    {
        head.sequence = sent_[static_cast<std::size_t>(to)];
        if (!try_send(to, head)) return false;
        ++sent_[static_cast<std::size_t>(to)];
        return true;
    }

    bool start_long(int to)
    {
        const int index = static_cast<int>(random_() % kIndices);
        for (const Transfer& t : sends_) {
            if (t.peer == to && t.index == index) return false;
        }
        const std::uint64_t bytes = random_() % 3 == 0 ? random_() % 200000 : random_() % 300;
        const std::uint64_t key = random_();
        const Place place = kPlaces[random_() % 2];
        sends_.push_back({to, index, key, GuardedBuffer(place, bytes)});
        Transfer& t = sends_.back();
        t.buffer.fill(key);
        REQUIRE_OK(fmpl_isend(t.buffer.data(), bytes, to, index, FMPL_COMM_WORLD));
        until([&] { return send_now(to, {0, 0, kLong, {static_cast<std::uint64_t>(index) << 32 | bytes, key}}); });
        return true;
    }

    void take(int source, const Head& head)
    {
        EXPECT_EQ(head.sequence, received_[static_cast<std::size_t>(source)]++) << "from rank " << source;
        if (head.kind == kLast) ++ended_;
        if (head.kind != kLong) return;
        announced_.push_back(
            {source, static_cast<int>(head.words[0] >> 32), head.words[1], head.words[0] & 0xffffffff});
        start_receives();
    }

    // Of those announced, what is the first over its channel; whether there was any.
    bool start_receives()
    {
        bool any = false;
        std::deque<Announced> left;
        for (const Announced& a : announced_) {
            const auto same = [&](const auto& other) { return other.peer == a.peer && other.index == a.index; };
            if (std::any_of(receives_.begin(), receives_.end(), same) || std::any_of(left.begin(), left.end(), same)) {
                left.push_back(a);
                continue;
            }
            receives_.push_back({a.peer, a.index, a.key, GuardedBuffer(kPlaces[random_() % 2], a.bytes)});
            Transfer& t = receives_.back();
            EXPECT_OK(fmpl_irecv(t.buffer.data(), t.buffer.size(), a.peer, a.index, FMPL_COMM_WORLD));
            any = true;
        }
        announced_.swap(left);
        return any;
    }

    void progress()
    {
        poll([this](int source, const Head& head, const void*) { take(source, head); });
        finish(sends_,
            [](const Transfer& t, int* done) { return fmpl_isend_test(t.peer, t.index, FMPL_COMM_WORLD, done); });
        // A receive that was started may be complete at once; nothing would wake the rank to look at it.
        do {
            finish(receives_,
                [](const Transfer& t, int* done) { return fmpl_irecv_test(t.peer, t.index, FMPL_COMM_WORLD, done); });
        } while (start_receives());
    }

    template <class Test>
    static void finish(std::deque<Transfer>& transfers, Test&& test)
    {
        std::deque<Transfer> left;
        for (Transfer& t : transfers) {
            int done = 0;
            EXPECT_OK(test(t, &done));
            if (done == 0) {
                left.push_back(std::move(t));
            } else {
                EXPECT_TRUE(t.buffer.holds(t.key)) << t.buffer.size() << " bytes, rank " << t.peer;
            }
        }
        transfers.swap(left);
    }

    std::mt19937_64 random_;
    std::uint64_t round_;
    std::vector<std::uint64_t> sent_ = std::vector<std::uint64_t>(static_cast<std::size_t>(size()), 0);
    std::vector<std::uint64_t> received_ = sent_;
    int ended_ = 0;
    std::deque<Transfer> sends_;
    std::deque<Transfer> receives_;
    std::deque<Announced> announced_;
};

FMPL_RANKS_TEST_AT(EnvelopesStress, RandomTrafficArrivesIntact, ({2, 3, 4, 7, 8, 16}))
{
    const fmpl::Session session(Traffic::kIndices);
    REQUIRE_OK(fmpl_envelopes_open(kRing));
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(stress_seconds());
    for (std::uint64_t round = 0;; ++round) {
        SCOPED_TRACE("round " + std::to_string(round));
        Traffic(round).run(200);
        // Rank 0 decides when it is enough.
        char go_on = std::chrono::steady_clock::now() < end && !::testing::Test::HasFailure();
        REQUIRE_OK(fmpl_bcast(&go_on, 1, 0, FMPL_COMM_WORLD));
        if (go_on == 0) break;
    }
}

}  // namespace
