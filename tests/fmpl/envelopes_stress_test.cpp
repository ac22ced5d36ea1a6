// Random traffic of envelopes, messages and collective calls at once.
//
// FMPL_TEST_SEED repeats a run; FMPL_STRESS_SECONDS (default 1) is the length of the test at each rank count.
#include "fmpl/sealed_envelopes.hpp"

#include <algorithm>
#include <chrono>
#include <deque>
#include <random>
#include <string>
#include <vector>

namespace {

using namespace fmpl_test;

// Random traffic: envelopes of all sizes, some of which announce a message of fmpl_isend that the handler posts the
// receive for, and now and then a collective call, in which others' envelopes are served by a progress function.
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

// Bodies of many steps, in both directions at once; a handler that reads a part of one gives back the whole.
FMPL_RANKS_TEST_WITH(EnvelopesStress, LongBodiesComeInSteps,
    (RanksOptions{.ranks = {2, 3, 4, 7, 8}, .environment = {{"FMPL_CPUS", "16"}}}))
{
    constexpr std::size_t kLongest = 256 * 1024;
    const fmpl::Session session(1);
    REQUIRE_OK(fmpl_envelopes_open(4 * kLongest));
    std::mt19937_64 random = own_random(2000);
    const auto others = static_cast<std::uint64_t>(size() - 1);
    const std::uint64_t each = 600 / others;
    Ledger ledger;
    const Handler take = ledger.handler();
    const auto take_some = [](void* context, int source, const void* at, const void* body, std::size_t bytes) {
        Head head;
        std::memcpy(&head, at, sizeof head);
        if (head.sequence % 3 != 0 || bytes == 0) return check_and_hand_on(context, source, at, body, bytes);
        const std::size_t wanted = head.seal % bytes + 1;
        std::size_t there = 0;
        EXPECT_OK(fmpl_envelope_await_body(wanted, &there));
        EXPECT_GE(there, wanted);
        (*static_cast<const Handler*>(context))(source, head, body);
        return 0;
    };
    void* const taken = const_cast<Handler*>(&take);
    for (std::uint64_t k = 0; k < each * others; ++k) {
        const int to = (rank() + 1 + static_cast<int>(k % others)) % size();
        const std::uint64_t bytes = random() % 3 == 0 ? random() % 20000 : random() % (kLongest + 1);
        wait_for([&] {
            if (try_send(to, {k / others, bytes})) return true;
            fmpl_envelopes_poll(take_some, taken);
            return false;
        });
        if (random() % 8 == 0) random_delay(random);
        if (random() % 4 == 0) fmpl_envelopes_poll(take_some, taken);
    }
    wait_for([&] {
        fmpl_envelopes_poll(take_some, taken);
        return ledger.all == each * others;
    });
    REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
}

}  // namespace
