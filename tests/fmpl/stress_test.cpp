// Random traffic of every kind at once, checked byte by byte.
//
// A round is a list of actions that every rank derives from the seed: messages (random ends, communicator, index, size,
// places of the buffers, blocking or not, in one piece or in columns, with wildcard or not, in either domain) and
// collective calls. Every rank takes its own part in each action, in the order of the list. That order makes the
// traffic free of deadlock: the rank that is blocked at the earliest action waits for one that will come to it.
// Nonblocking calls are waited for at a later, random action, but before the next call that their being outstanding
// would forbid or make ambiguous.
//
// FMPL_TEST_SEED repeats a run; FMPL_STRESS_SECONDS (default 1) is the length of one at each rank count.
#include "../support/guarded_buffer.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace {

using namespace fmpl_test;

constexpr int kIndices = 6;
constexpr unsigned char kUntouched = 0x77;

// The same on all ranks of the job: a communicator and the ranks of FMPL_COMM_WORLD in it, in its order.
struct Group {
    std::vector<int> members;
    fmpl_comm_t comm = FMPL_COMM_NULL;  // null for ranks outside

    int rank_of(int world_rank) const
    {
        const auto at = std::find(members.begin(), members.end(), world_rank);
        return at == members.end() ? -1 : static_cast<int>(at - members.begin());
    }
};

enum class Kind { message, any_message, any_storm, barrier, bcast, allreduce, reduce };

struct Action {
    Kind kind = Kind::message;
    int group = 0;
    int source = 0;       // rank in the group; the root of a collective call
    int destination = 0;  // rank in the group
    int index = 0;
    std::size_t bytes = 0;
    std::size_t slack = 0;   // room of the receive buffer beyond the message
    bool truncated = false;  // the receive buffer is one byte too small
    Place source_place = Place::heap;
    Place destination_place = Place::heap;
    std::size_t shift = 0;
    bool send_blocks = true;
    bool receive_blocks = true;
    bool wildcard = false;
    std::size_t source_draw = 0;       // whether a blocking call sends columns, and which
    std::size_t destination_draw = 0;  // the same of a receive
    std::size_t send_wait = 0;         // the action before which the nonblocking send is waited for
    std::size_t receive_wait = 0;      // the same for the receive
};

// Messages of fmpl_isend up to this length show at once wherever they lie.
constexpr std::size_t kShownAtOnce = std::size_t{1} << 20;

std::size_t random_size(std::mt19937_64& random)
{
    switch (random() % 8) {
        case 0:
            return random() % 9;
        case 1:
        case 2:
            return kSizes[random() % kSizes.size()];
        case 3:
            return random() % 200;
        case 4:
            return random() % 5000;
        case 5:
            return random() % 70000;
        default:
            return random() % 300;
    }
}

// The list of one round. Deterministic in `random`.
std::vector<Action> make_round(std::mt19937_64& random, const std::vector<Group>& groups)
{
    // Per (group, source, destination, index): the last action whose send or receive there is nonblocking.
    using Channel = std::tuple<int, int, int, int>;
    using Pair = std::tuple<int, int, int>;
    std::map<Channel, std::size_t> send_outstanding;
    std::map<Channel, std::size_t> receive_outstanding;
    std::map<Pair, std::size_t> wildcard_outstanding;
    std::set<Pair> shown_late;

    const std::size_t length = 30 + random() % 60;
    std::vector<Action> actions(length);
    // Rounds in which a random pair has most of the messages try queues, the others try many peers.
    const bool one_pair = random() % 4 == 0;
    const std::uint64_t pair_draw = random();
    for (std::size_t k = 0; k < length; ++k) {
        Action& a = actions[k];
        a.group = static_cast<int>(random() % groups.size());
        const auto n = groups[std::size_t(a.group)].members.size();
        const auto draw = random() % 100;
        a.kind = draw < 68   ? Kind::message
                 : draw < 85 ? Kind::any_message
                 : draw < 87 ? Kind::any_storm
                 : draw < 89 ? Kind::barrier
                 : draw < 93 ? Kind::bcast
                 : draw < 97 ? Kind::allreduce
                             : Kind::reduce;
        const std::uint64_t ends = one_pair && random() % 4 != 0 ? pair_draw : random();
        a.source = static_cast<int>(ends % n);
        a.destination = static_cast<int>(ends / 64 % n);
        a.index = static_cast<int>(random() % kIndices);
        a.bytes = random_size(random);
        a.slack = random() % 3 == 0 ? random() % 500 : 0;
        a.truncated = a.bytes > 0 && random() % 20 == 0;
        a.source_place = kPlaces[random() % 2];
        a.destination_place = kPlaces[random() % 2];
        a.shift = random() % 4 == 0 ? random() % 64 : 0;
        a.send_blocks = random() % 2 == 0;
        a.receive_blocks = random() % 2 == 0;
        a.wildcard = random() % 5 == 0;
        a.source_draw = random();
        a.destination_draw = random();
        a.send_wait = k + 1 + random() % (length - k);
        a.receive_wait = k + 1 + random() % (length - k);
        if (a.kind != Kind::message) continue;
        if (a.source == a.destination) {
            // One rank at both ends: its receive is posted first, so that a blocking send finds it.
            a.receive_blocks = false;
        }
        const Channel channel = {a.group, a.source, a.destination, a.index};
        const Pair pair = {a.group, a.source, a.destination};
        // Such a message may show late, and a wildcard get a later one (FMPL_ANY_TAG in fmpl.h).
        if (!a.send_blocks && a.source_place == Place::heap && a.bytes > kShownAtOnce) shown_late.insert(pair);
        if (shown_late.count(pair) != 0) a.wildcard = false;
        const auto wait_before = [&](auto& outstanding, const auto& key, std::size_t Action::*wait) {
            if (const auto at = outstanding.find(key); at != outstanding.end()) {
                actions[at->second].*wait = std::min(actions[at->second].*wait, k);
                outstanding.erase(at);
            }
        };
        wait_before(send_outstanding, channel, &Action::send_wait);
        wait_before(receive_outstanding, channel, &Action::receive_wait);
        // Which of two messages an outstanding wildcard gets would depend on time.
        wait_before(wildcard_outstanding, pair, &Action::receive_wait);
        if (!a.send_blocks) send_outstanding[channel] = k;
        if (!a.receive_blocks) {
            if (a.wildcard) {
                wildcard_outstanding[pair] = k;
            } else {
                receive_outstanding[channel] = k;
            }
        }
    }
    return actions;
}

// A message spread over columns, in a third of the cases; the gaps are to stay as they are.
class Spread {
public:
    Spread(Place place, std::size_t bytes, std::size_t draw)
    {
        if (draw % 3 != 0 || bytes == 0) return;
        constexpr std::size_t kMostColumns = 5000;
        std::size_t count = 2 + draw / 3 % 40;
        while (bytes % count != 0 && count <= kMostColumns) ++count;
        if (count > kMostColumns || count > bytes) return;
        const std::size_t length = bytes / count;
        const std::size_t stride = length + draw / 128 % 100;
        shape_ = {length, count, stride, 0, 0, static_cast<std::ptrdiff_t>(length), 0};
        memory_.emplace(place, (count - 1) * stride + length);
        memory_->fill_byte(kUntouched);
    }
    bool used() const { return memory_.has_value(); }
    void* base() { return memory_->data(); }
    const fmpl_columns* shape() const { return &shape_; }
    void clear() { memory_->fill_byte(0); }

    void put(const unsigned char* message)
    {
        for_each_column([&](std::size_t at, std::size_t j) {
            std::copy_n(message + j * shape_.bytes, shape_.bytes, memory_->data() + at);
        });
    }
    // Takes the first `bytes` out; whether nothing but them has changed.
    bool take(unsigned char* message, std::size_t bytes)
    {
        for_each_column([&](std::size_t at, std::size_t j) {
            const std::size_t begin = std::min(j * shape_.bytes, bytes);
            const std::size_t n = std::min(shape_.bytes, bytes - begin);
            std::copy_n(memory_->data() + at, n, message + begin);
            std::fill_n(memory_->data() + at, n, kUntouched);
        });
        return bool(memory_->is_all(kUntouched));
    }

private:
    template <class F>
    void for_each_column(F&& f) const
    {
        for (std::size_t j = 0; j < shape_.count; ++j) f(j * shape_.stride, j);
    }

    fmpl_columns shape_{};
    std::optional<GuardedBuffer> memory_;
};

// The calling rank's part of one round.
class Round {
public:
    Round(const std::vector<Group>& groups, const std::vector<Action>& actions, std::uint64_t key,
        std::mt19937_64& delays)
        : groups_(groups),
          actions_(actions),
          key_(key),
          delays_(delays),
          sends_(actions.size()),
          receives_(actions.size())
    {
    }

    void run()
    {
        for (std::size_t k = 0; k <= actions_.size(); ++k) {
            wait_for_those_due(k);
            if (k == actions_.size()) break;
            random_delay(delays_);
            const Group& group = groups_[std::size_t(actions_[k].group)];
            const int me = group.rank_of(rank());
            if (me >= 0) take_part(k, group, me);
        }
    }

private:
    std::uint64_t key(std::size_t k) const { return message_key(key_, k); }

    std::string describe(std::size_t k) const
    {
        const Action& a = actions_[k];
        return "action " + std::to_string(k) + ": " + std::to_string(a.bytes) + " bytes, " + std::to_string(a.source) +
               " -> " + std::to_string(a.destination) + " of group " + std::to_string(a.group) + ", index " +
               std::to_string(a.index) + (a.wildcard ? " (wildcard)" : "") + (a.truncated ? " (truncated)" : "");
    }

    void require(int code, std::size_t k, const char* what) const
    {
        if (code != FMPL_SUCCESS) {
            throw std::runtime_error(std::string(what) + " in " + describe(k) + ": " + fmpl_error_message());
        }
    }

    GuardedBuffer receive_buffer(const Action& a) const
    {
        GuardedBuffer in(a.destination_place, a.truncated ? a.bytes - 1 : a.bytes + a.slack, (a.shift * 5) % 64);
        in.fill_byte(kUntouched);
        return in;
    }

    // After the receive of action k has returned `code`.
    void check_received(std::size_t k, const GuardedBuffer& in, int code) const
    {
        const Action& a = actions_[k];
        SCOPED_TRACE(describe(k));
        EXPECT_EQ(code, a.truncated ? FMPL_ERR_TRUNCATED : FMPL_SUCCESS) << fmpl_error_message();
        if (a.truncated) {
            EXPECT_TRUE(in.is_all(kUntouched));
        } else {
            EXPECT_TRUE(in.holds(key(k), a.bytes, kUntouched));
        }
        int source = -1;
        int index = -1;
        std::size_t bytes = 0;
        EXPECT_OK(fmpl_received(&source, &index, &bytes));
        EXPECT_EQ(source, a.source);
        EXPECT_EQ(index, a.kind == Kind::any_message ? any_index(a) : a.index);
        EXPECT_EQ(bytes, a.bytes);
    }

    // Tells the source, so that a receive matches that source's messages only and the list decides which one.
    static int any_index(const Action& a) { return a.source + 1000 * a.index; }

    void wait_for_those_due(std::size_t k)
    {
        for (std::size_t j = 0; j < k; ++j) {
            const Action& a = actions_[j];
            const fmpl_comm_t comm = groups_[std::size_t(a.group)].comm;
            if (receives_[j] && a.receive_wait == k) {
                const int code = fmpl_irecv_wait(a.source, a.wildcard ? FMPL_ANY_TAG : a.index, comm);
                check_received(j, *receives_[j], code);
                receives_[j].reset();
            }
            if (sends_[j] && a.send_wait == k) {
                require(fmpl_isend_wait(a.destination, a.index, comm), j, "fmpl_isend_wait");
                sends_[j].reset();
            }
        }
    }

    void take_part(std::size_t k, const Group& group, int me)
    {
        const Action& a = actions_[k];
        switch (a.kind) {
            case Kind::message:
                if (me == a.destination && !a.receive_blocks) {
                    receives_[k].emplace(receive_buffer(a));
                    require(fmpl_irecv(receives_[k]->data(), receives_[k]->size(), a.source,
                                a.wildcard ? FMPL_ANY_TAG : a.index, group.comm),
                        k, "fmpl_irecv");
                }
                if (me == a.source) send(k, group);
                if (me == a.destination && a.receive_blocks) {
                    receive(k, group);
                }
                break;
            case Kind::any_message:
                // To itself a rank sends what needs no receive to be on its way.
                if (a.source == a.destination && a.bytes > 48) break;
                if (me == a.source) {
                    GuardedBuffer out(a.source_place, a.bytes, a.shift);
                    out.fill(key(k));
                    require(fmpl_send_any(out.data(), a.bytes, a.destination, any_index(a), group.comm), k,
                        "fmpl_send_any");
                    out.fill_byte(0);
                }
                if (me == a.destination) {
                    GuardedBuffer in = receive_buffer(a);
                    check_received(k, in, fmpl_recv_any(in.data(), in.size(), any_index(a), group.comm));
                }
                break;
            case Kind::any_storm:
                storm(k, group, me);
                break;
            case Kind::barrier:
                require(fmpl_barrier(group.comm), k, "fmpl_barrier");
                break;
            case Kind::bcast: {
                GuardedBuffer buffer(me % 2 == 0 ? a.source_place : a.destination_place, a.bytes, a.shift);
                if (me == a.source) buffer.fill(key(k));
                Spread spread(a.source_place, a.bytes, me % 2 == 0 ? a.source_draw : a.destination_draw);
                if (spread.used()) {
                    if (me == a.source) spread.put(buffer.data());
                    require(fmpl_bcast_columns(spread.base(), spread.shape(), a.source, group.comm), k,
                        "fmpl_bcast_columns");
                    EXPECT_TRUE(spread.take(buffer.data(), a.bytes)) << describe(k);
                } else {
                    require(fmpl_bcast(buffer.data(), a.bytes, a.source, group.comm), k, "fmpl_bcast");
                }
                EXPECT_TRUE(buffer.holds(key(k))) << describe(k);
                break;
            }
            case Kind::allreduce:
            case Kind::reduce:
                reduce(k, group, me);
                break;
        }
    }

    void send(std::size_t k, const Group& group)
    {
        const Action& a = actions_[k];
        GuardedBuffer out(a.source_place, a.bytes, a.shift);
        out.fill(key(k));
        Spread spread(a.source_place, a.bytes, a.source_draw);
        if (a.send_blocks && spread.used()) {
            spread.put(out.data());
            require(fmpl_send_columns(spread.base(), spread.shape(), a.destination, a.index, group.comm), k,
                "fmpl_send_columns");
            spread.clear();
        } else if (a.send_blocks) {
            require(fmpl_send(out.data(), a.bytes, a.destination, a.index, group.comm), k, "fmpl_send");
            out.fill_byte(0);
        } else {
            require(fmpl_isend(out.data(), a.bytes, a.destination, a.index, group.comm), k, "fmpl_isend");
            sends_[k].emplace(std::move(out));
        }
    }

    void receive(std::size_t k, const Group& group)
    {
        const Action& a = actions_[k];
        const int index = a.wildcard ? FMPL_ANY_TAG : a.index;
        GuardedBuffer in = receive_buffer(a);
        Spread spread(a.destination_place, in.size(), a.destination_draw);
        if (spread.used()) {
            const int code = fmpl_recv_columns(spread.base(), spread.shape(), a.source, index, group.comm);
            EXPECT_TRUE(spread.take(in.data(), a.truncated ? 0 : a.bytes)) << describe(k);
            check_received(k, in, code);
        } else {
            check_received(k, in, fmpl_recv(in.data(), in.size(), a.source, index, group.comm));
        }
    }

    // The first half of the group sends to all of the second half, which takes what comes in any order; then in turn.
    void storm(std::size_t k, const Group& group, int me)
    {
        const int n = static_cast<int>(group.members.size());
        const int half = n / 2;
        constexpr int kEach = 5;
        constexpr int kStormIndex = 500000;
        const std::size_t room = 3000;
        for (const bool first : {true, false}) {
            const bool sends = (me < half) == first;
            const int peers_begin = me < half ? half : 0;
            const int peers_end = me < half ? n : half;
            if (sends) {
                for (int m = 0; m < kEach; ++m) {
                    for (int peer = peers_begin; peer < peers_end; ++peer) {
                        const std::size_t bytes = message_key(key(k), me, m) % room;
                        GuardedBuffer out(kPlaces[m % 2], bytes);
                        out.fill(message_key(key(k), me, peer, m));
                        require(
                            fmpl_send_any(out.data(), bytes, peer, kStormIndex + m, group.comm), k, "fmpl_send_any");
                    }
                }
            } else {
                std::vector<int> next(std::size_t(n), 0);
                for (int m = 0; m < kEach * (peers_end - peers_begin); ++m) {
                    GuardedBuffer in(kPlaces[m % 2], room);
                    in.fill_byte(kUntouched);
                    require(fmpl_recv_any(in.data(), room, FMPL_ANY_TAG, group.comm), k, "fmpl_recv_any");
                    int source = 0;
                    int index = 0;
                    std::size_t bytes = 0;
                    EXPECT_OK(fmpl_received(&source, &index, &bytes));
                    if (source < peers_begin || source >= peers_end) throw std::runtime_error("storm: a wrong source");
                    const int sequence = next[std::size_t(source)]++;
                    EXPECT_EQ(index, kStormIndex + sequence);
                    EXPECT_EQ(bytes, message_key(key(k), source, sequence) % room);
                    EXPECT_TRUE(in.holds(message_key(key(k), source, me, sequence), bytes, kUntouched)) << describe(k);
                }
            }
        }
        // A sender that is ahead must not reach into this storm with the messages of its next action.
        require(fmpl_barrier(group.comm), k, "fmpl_barrier");
    }

    void reduce(std::size_t k, const Group& group, int me)
    {
        const Action& a = actions_[k];
        const std::size_t count = a.bytes / sizeof(std::int64_t) % 20000;
        const auto value = [&](int r, std::size_t i) {
            return static_cast<std::int64_t>(message_key(key(k), r, i) >> 8);
        };
        GuardedBuffer buffer(me % 2 == 0 ? a.source_place : a.destination_place, count * sizeof(std::int64_t));
        auto* numbers = reinterpret_cast<std::int64_t*>(buffer.data());
        for (std::size_t i = 0; i < count; ++i) numbers[i] = value(me, i);
        if (a.kind == Kind::allreduce) {
            require(fmpl_allreduce(numbers, count, FMPL_SUM_INT64, group.comm, nullptr), k, "fmpl_allreduce");
        } else {
            require(fmpl_reduce(numbers, count, FMPL_SUM_INT64, a.source, group.comm, nullptr), k, "fmpl_reduce");
            if (me != a.source) return;
        }
        for (std::size_t i = 0; i < count; ++i) {
            std::int64_t expected = 0;
            for (int r = 0; r < static_cast<int>(group.members.size()); ++r) expected += value(r, i);
            if (numbers[i] == expected) continue;
            ADD_FAILURE() << describe(k) << ": element " << i << " is " << numbers[i] << ", not " << expected;
            break;
        }
    }

    const std::vector<Group>& groups_;
    const std::vector<Action>& actions_;
    const std::uint64_t key_;
    std::mt19937_64& delays_;
    std::vector<std::optional<GuardedBuffer>> sends_;
    std::vector<std::optional<GuardedBuffer>> receives_;
};

// The world, its even ranks in reverse order, and two random subsets.
std::vector<Group> make_groups(std::mt19937_64& random)
{
    std::vector<Group> groups(1);
    groups[0].comm = FMPL_COMM_WORLD;
    for (int r = 0; r < size(); ++r) groups[0].members.push_back(r);

    Group evens;
    for (int r = (size() - 1) / 2 * 2; r >= 0; r -= 2) evens.members.push_back(r);
    if (rank() % 2 == 0) {
        REQUIRE_OK(fmpl_comm_create_group(&evens.comm, evens.members.data(), static_cast<int>(evens.members.size())));
    }
    groups.push_back(evens);

    for (int c = 0; c < 2; ++c) {
        Group subset;
        for (int r = 0; r < size(); ++r) {
            if (random() % 3 != 0) subset.members.push_back(r);
        }
        REQUIRE_OK(fmpl_comm_create(&subset.comm, subset.rank_of(rank()) >= 0 ? 1 : 0));
        if (!subset.members.empty()) groups.push_back(subset);
    }
    return groups;
}

void random_send_buffer(std::mt19937_64& random)
{
    // Messages that were received may still be counted as lying in the present one.
    int pending = 1;
    wait_until(
        [&] {
            REQUIRE_OK(fmpl_sendbuf_check(nullptr, &pending));
            return pending == 0;
        },
        "the send buffer to become empty");
    switch (random() % 5) {
        case 0:
            REQUIRE_OK(fmpl_sendbuf_set(nullptr, 0, 0));
            break;
        case 1:
            REQUIRE_OK(fmpl_sendbuf_set(nullptr, 50000, 0));
            break;
        case 2:
            REQUIRE_OK(fmpl_sendbuf_set(nullptr, 0, 1));
            break;
        default:
            REQUIRE_OK(fmpl_sendbuf_set(nullptr, 0, -1));
            break;
    }
}

void exchange_random_traffic()
{
    const fmpl::Session session(kIndices);
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(stress_seconds());
    std::mt19937_64 common(seed() + static_cast<std::uint64_t>(size()) * 1000003);     // the same on all ranks
    std::mt19937_64 own(seed() * 31 + static_cast<std::uint64_t>(rank()) * 7919 + 1);  // each rank's own
    std::vector<Group> groups = make_groups(common);
    for (std::uint64_t round = 0;; ++round) {
        SCOPED_TRACE("round " + std::to_string(round));
        random_send_buffer(own);
        const std::vector<Action> actions = make_round(common, groups);
        Round(groups, actions, message_key(seed(), round), own).run();
        // Rank 0 decides when it is enough.
        char go_on = std::chrono::steady_clock::now() < end && !::testing::Test::HasFailure();
        REQUIRE_OK(fmpl_bcast(&go_on, 1, 0, FMPL_COMM_WORLD));
        REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
        if (go_on == 0) break;
    }
    for (std::size_t c = 1; c < groups.size(); ++c) {
        if (groups[c].comm != FMPL_COMM_NULL) REQUIRE_OK(fmpl_comm_free(&groups[c].comm));
    }
}

FMPL_RANKS_TEST_AT(Stress, RandomTrafficArrivesIntact, ({2, 3, 4, 7, 8, 16}))
{
    exchange_random_traffic();
}

// Ranks that believe in a CPU for each, as jobs on larger machines have.
FMPL_RANKS_TEST_WITH(Stress, RandomTrafficOfRanksWithCpus,
    (RanksOptions{.ranks = {3, 4, 7, 8, 16}, .environment = {{"FMPL_CPUS", "16"}, {"FMPL_SPIN_US", "3"}}}))
{
    exchange_random_traffic();
}

// Ranks that know who shares their CPU, with shares that may be uneven.
FMPL_RANKS_TEST_AT(Stress, RandomTrafficOfRanksBoundToCpus, ({3, 4, 7, 8, 16}))
{
    bind_to_one_cpu(message_key(seed(), static_cast<std::uint64_t>(rank())));
    exchange_random_traffic();
}

}  // namespace
