// Ranks that are bound to CPUs and share them: in a barrier and a reduction they arrive by CPU, and the last of a CPU
// does not make room for the others, which wait for the same.
#include "../support/cpu_of_process.hpp"
#include "../support/guarded_buffer.hpp"

#include <fmpl/exchange.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include <sched.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

namespace {

using namespace fmpl_test;

// A communicator of random ranks in random order, this one perhaps among them; the same on all.
struct Group {
    std::vector<int> members;
    fmpl::Comm comm{FMPL_COMM_NULL};

    explicit Group(std::mt19937_64& random)
    {
        for (int r = 0; r < size(); ++r) members.push_back(r);
        std::shuffle(members.begin(), members.end(), random);
        members.resize(1 + random() % members.size());
        if (std::find(members.begin(), members.end(), rank()) == members.end()) return;
        fmpl_comm_t handle = FMPL_COMM_NULL;
        REQUIRE_OK(fmpl_comm_create_group(&handle, members.data(), static_cast<int>(members.size())));
        comm = fmpl::Comm(handle);
    }
};

double value_of(int member, int round, std::size_t i)
{
    return static_cast<double>(message_key(static_cast<std::uint64_t>(member * 1009 + round), i) % 1000);
}

// A sum of doubles over the members, to all or to one of them, in the heap or in remote-DMA memory.
void check_sum(const Group& group, int round, std::size_t count, int root, double* operand)
{
    const int members = group.comm.size();
    const int own = group.comm.rank();
    std::vector<double> expected(count);
    for (std::size_t i = 0; i < count; ++i) {
        operand[i] = value_of(own, round, i);
        for (int m = 0; m < members; ++m) expected[i] += value_of(m, round, i);
    }
    std::vector<double> work(count);
    const fmpl_comm_t comm = group.comm.handle();
    if (root < 0) {
        REQUIRE_OK(fmpl_allreduce(operand, count, FMPL_SUM_DOUBLE, comm, work.data()));
    } else {
        REQUIRE_OK(fmpl_reduce(operand, count, FMPL_SUM_DOUBLE, root, comm, work.data()));
    }
    if (root < 0 || root == own) {
        EXPECT_TRUE(std::equal(expected.begin(), expected.end(), operand)) << "root " << root;
    }
}

// Of the calling thread, in ns; 0 where it cannot be chosen (sched_getattr tells it since Linux 6.12).
std::uint64_t time_slice()
{
    struct {
        std::uint32_t size, policy;
        std::uint64_t flags;
        std::int32_t nice;
        std::uint32_t priority;
        std::uint64_t runtime, deadline, period;
    } attributes{};
    const bool found = syscall(SYS_sched_getattr, 0, &attributes, sizeof attributes, 0) == 0;
    return found && attributes.policy == SCHED_OTHER ? attributes.runtime : 0;
}

// Whether ranks that yield are known to run in laps whose order they can change: from Linux 6.18 on.
bool laps_can_be_ordered()
{
    if (kIsSanitized) return false;
    utsname system{};
    int major = 0;
    int minor = 0;
    if (uname(&system) != 0 || std::sscanf(system.release, "%d.%d", &major, &minor) != 2) return false;
    return time_slice() != 0 && (major > 6 || (major == 6 && minor >= 18));
}

void meet_in_all_ways()
{
    const fmpl::Session session(2);
    std::mt19937_64 common(seed() + static_cast<std::uint64_t>(size()));
    std::mt19937_64 own(seed() * 31 + static_cast<std::uint64_t>(rank()));
    std::vector<Group> groups;
    for (int g = 0; g < 6; ++g) groups.emplace_back(common);
    constexpr std::size_t kMost = 6000;  // elements: more than a library buffer has
    double* const dma = static_cast<double*>(fmpl_malloc(kMost * sizeof(double)));
    std::vector<double> heap(kMost);
    for (int round = 0; round < 150; ++round) {
        const std::size_t g = common() % groups.size();
        const Group& group = groups[g];
        const std::uint64_t kind = common() % 4;
        constexpr std::size_t kCounts[] = {1, 40, 1000, kMost};
        const std::size_t count = kCounts[common() % 4];
        const int root = static_cast<int>(common() % group.members.size());
        const bool in_dma = common() % 2 == 0;
        if (!group.comm) continue;
        random_delay(own);
        if (kind < 2) {
            // Plain bytes that the others read after the barrier: ThreadSanitizer sees whether it orders them.
            unsigned char* const plain = shared_plain().data() + g * 256;
            plain[group.comm.rank()] = static_cast<unsigned char>(round);
            group.comm.barrier();
            for (int m = 0; m < group.comm.size(); ++m) EXPECT_EQ(plain[m], static_cast<unsigned char>(round));
            group.comm.barrier();
        } else {
            check_sum(group, round, count, kind == 2 ? -1 : root, in_dma ? dma : heap.data());
        }
    }
    fmpl_free(dma);
    for (Group& group : groups) {
        if (group.comm) group.comm.free();
    }
}

FMPL_RANKS_TEST_AT(CpuMates, MeetWithUnevenShares, ({3, 4, 7, 8, 16}))
{
    bind_to_one_cpu(message_key(seed(), static_cast<std::uint64_t>(rank())));
    meet_in_all_ways();
}

// Of the communicators, those without rank 0 know where their members run, the others do not.
FMPL_RANKS_TEST_WITH(CpuMates, MeetWithOneThatRunsAnywhere, (RanksOptions{.ranks = {4, 7}, .processes = false}))
{
    if (rank() != 0) bind_to_one_cpu(static_cast<std::uint64_t>(rank()));
    meet_in_all_ways();
}

// Doubles of widely different magnitude: equal bits of their sum mean an equal order of the additions.
double rough_value(int r, std::size_t i)
{
    const std::uint64_t h = message_key(static_cast<std::uint64_t>(r), i, 77);
    const double mantissa = 1.0 + static_cast<double>(h >> 12) * 0x1p-52;
    return std::ldexp(h & 1 ? mantissa : -mantissa, static_cast<int>(h >> 4 & 63) - 32);
}

void keep_lower(const void* in, void* inout, std::size_t count)
{
    std::memcpy(inout, in, count * sizeof(double));
}
constexpr fmpl_op kKeepLower = {keep_lower, sizeof(double), "the lower rank's value", 0, nullptr};

// Ranks that share a CPU combine their operands first: in the same order whoever is late, and wherever each rank's
// operand lies, whether or not the operation combines two operands in one pass. One that does not commute is applied in
// the order of the ranks.
void combine_in_the_same_order()
{
    const fmpl::Session session(2);
    std::mt19937_64 own(seed() * 31 + static_cast<std::uint64_t>(rank()));
    constexpr std::size_t kMost = 40000;
    fmpl_op sum_in_place = *FMPL_SUM_DOUBLE;
    sum_in_place.combine = nullptr;
    double* const dma = static_cast<double*>(fmpl_malloc(kMost * sizeof(double)));
    std::vector<double> heap(kMost);
    // In the deposit, in short and long library buffers, in pieces, and what the kernel may copy.
    for (const std::size_t count : {1u, 2u, 60u, 1000u, 4096u, 8000u, 40000u}) {
        for (int root = -1; root < size(); ++root) {  // -1: allreduce
            if (count > 8000 && root > 0) continue;
            std::vector<double> first;
            for (int repetition = 0; repetition < 6; ++repetition) {
                double* const data = (repetition < 4 ? repetition % 2 : own() % 2) == 0 ? heap.data() : dma;
                for (std::size_t i = 0; i < count; ++i) data[i] = rough_value(rank(), i);
                random_delay(own);
                const fmpl_op_t sum = own() % 3 == 0 ? &sum_in_place : FMPL_SUM_DOUBLE;
                REQUIRE_OK(root < 0 ? fmpl_allreduce(data, count, sum, FMPL_COMM_WORLD, nullptr)
                                    : fmpl_reduce(data, count, sum, root, FMPL_COMM_WORLD, nullptr));
                if (root >= 0 && root != rank()) continue;
                if (first.empty()) first.assign(data, data + count);
                EXPECT_EQ(std::memcmp(first.data(), data, count * sizeof(double)), 0)
                    << count << " elements, root " << root << ", repetition " << repetition;
            }
            double* const data = own() % 2 == 0 ? heap.data() : dma;
            std::fill_n(data, count, rank() + 1.0);
            REQUIRE_OK(root < 0 ? fmpl_allreduce(data, count, &kKeepLower, FMPL_COMM_WORLD, nullptr)
                                : fmpl_reduce(data, count, &kKeepLower, root, FMPL_COMM_WORLD, nullptr));
            if (root < 0 || root == rank()) {
                EXPECT_EQ(std::count(data, data + count, 1.0), static_cast<std::ptrdiff_t>(count));
            }
        }
    }
    fmpl_free(dma);
}

FMPL_RANKS_TEST_AT(CpuMates, CombineInTheSameOrder, ({3, 4, 7, 8}))
{
    bind_to_one_cpu(static_cast<std::uint64_t>(rank()));
    combine_in_the_same_order();
}

FMPL_RANKS_TEST_AT(CpuMates, CombineInTheSameOrderWithUnevenShares, ({4, 7}))
{
    bind_to_one_cpu(message_key(seed(), static_cast<std::uint64_t>(rank())));
    combine_in_the_same_order();
}

// Two ranks share a CPU, the third has one of its own and comes to each meeting when they have long been there. Each
// meeting then costs that CPU one change of the process; if the last of the two made room for the other, several. Of
// many batches the best counts, since other programs may run there, too.
FMPL_RANKS_TEST_WITH(CpuMates, TheLastOfACpuStaysWhileItWaits, (RanksOptions{.ranks = {3}, .unmapped = false}))
{
    const std::size_t cpus = bind_to_one_cpu(rank() == 2 ? 1 : 0);
    const fmpl::Session session(1);
    constexpr int kBatches = 50;
    constexpr int kMeetings = 100;
    for (const bool sums : {false, true}) {
        std::int64_t fewest = std::int64_t{kMeetings} * 1000;
        for (int batch = 0; batch < kBatches; ++batch) {
            const std::int64_t before = changes_of_process();
            for (int i = 0; i < kMeetings; ++i) {
                const double begin = fmpl_wtime();
                while (rank() == 2 && fmpl_wtime() < begin + 10e-6) {
                }
                double one = 1;
                REQUIRE_OK(sums ? fmpl_allreduce(&one, 1, FMPL_SUM_DOUBLE, FMPL_COMM_WORLD, nullptr)
                                : fmpl_barrier(FMPL_COMM_WORLD));
            }
            std::int64_t all = rank() == 2 ? 0 : changes_of_process() - before;
            REQUIRE_OK(fmpl_allreduce(&all, 1, FMPL_SUM_INT64, FMPL_COMM_WORLD, nullptr));
            fewest = std::min(fewest, all);
        }
        if (cpus >= 2) {
            EXPECT_LT(fewest, kMeetings * 3 / 2) << (sums ? "sums" : "barriers");
        }
    }
}

// A member that waits in the barrier has messages under way which others need before they come.
FMPL_RANKS_TEST_AT(CpuMates, MessagesGoOnWhileMembersMeet, ({4, 8}))
{
    bind_to_one_cpu(static_cast<std::uint64_t>(rank()) / 2);
    const fmpl::Session session(1);
    constexpr std::size_t kBytes = kMiB;
    for (int round = 0; round < 10; ++round) {
        const bool sends = rank() < size() / 2;
        const int peer = (rank() + size() / 2) % size();
        GuardedBuffer buffer(Place::heap, kBytes);
        const std::uint64_t key =
            message_key(static_cast<std::uint64_t>(round), static_cast<std::uint64_t>(sends ? rank() : peer));
        if (sends) {
            buffer.fill(key);
            REQUIRE_OK(fmpl_isend(buffer.data(), kBytes, peer, 0, FMPL_COMM_WORLD));
            REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
            REQUIRE_OK(fmpl_isend_wait(peer, 0, FMPL_COMM_WORLD));
        } else {
            REQUIRE_OK(fmpl_recv(buffer.data(), kBytes, peer, 0, FMPL_COMM_WORLD));
            EXPECT_TRUE(buffer.holds(key));
            REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
        }
    }
}

// A number of each of four ranks, on all of them.
std::array<double, 4> numbers_of_all(double own)
{
    std::array<double, 4> numbers{}, work{};
    numbers[static_cast<std::size_t>(rank())] = own;
    REQUIRE_OK(fmpl_allreduce(numbers.data(), numbers.size(), FMPL_SUM_DOUBLE, FMPL_COMM_WORLD, work.data()));
    return numbers;
}

// Rank 3 has been sent a number, and rank 2 computes on their CPU; the other CPU has nothing to do
// (docs/decisions/0060-idle-cpus-take-ranks.md). Only where fmplrun has bound two ranks to each of two CPUs.
FMPL_RANKS_TEST_WITH(
    CpuMates, AnIdleCpuTakesOneThatWaits, (RanksOptions{.ranks = {4}, .threads = false, .unmapped = false}))
{
    const int home = only_cpu();
    const fmpl::Session session(1);
    if (!four_share_two_cpus(home, numbers_of_all(home))) return;
    // Until it is seen, since other programs may have the other CPU.
    double taken = 0;
    for (int round = 0; round < 1000 && taken == 0; ++round) {
        if (rank() == 2) {
            REQUIRE_OK(fmpl_send(&round, sizeof round, 3, 0, FMPL_COMM_WORLD));
            for (const double end = fmpl_wtime() + 2e-3; fmpl_wtime() < end;) {
            }
        } else if (rank() == 3) {
            int got = -1;
            REQUIRE_OK(fmpl_recv(&got, sizeof got, 2, 0, FMPL_COMM_WORLD));
            EXPECT_EQ(got, round);
            if (only_cpu() != home) taken = 1;
        }
        taken = numbers_of_all(taken)[3];
    }
    EXPECT_EQ(taken, 1);
}

// Ranks 2 and 3 wait, for longer than until they sleep, for 0 and 1, which go on together. Until the two have been on
// two CPUs, since other programs may have the other one. together(said): the sum of what both say, after what they do.
template <class Together>
void two_go_on_while_the_others_wait(Together&& together)
{
    const int home = only_cpu();
    const fmpl::Session session(1);
    if (!four_share_two_cpus(home, numbers_of_all(home))) return;
    constexpr double kPatience = 20;
    const std::array<int, 2> both{0, 1};
    fmpl_comm_t pair = FMPL_COMM_NULL;
    if (rank() < 2) REQUIRE_OK(fmpl_comm_create_group(&pair, both.data(), 2));
    REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
    bool have_two = false;
    for (const double end = fmpl_wtime() + kPatience; rank() < 2 && !have_two;) {
        std::array<double, 3> said{};  // the CPU of each, and whether it is late
        said[static_cast<std::size_t>(rank())] = only_cpu();
        said[2] = fmpl_wtime() > end ? 1 : 0;
        together(pair, said);
        have_two = said[0] != said[1];
        if (said[2] != 0) break;
    }
    EXPECT_TRUE(have_two || rank() >= 2);
    if (rank() < 2) REQUIRE_OK(fmpl_comm_free(&pair));
}

void sum_up(fmpl_comm_t pair, std::array<double, 3>& said)
{
    std::array<double, 3> work{};
    REQUIRE_OK(fmpl_allreduce(said.data(), said.size(), FMPL_SUM_DOUBLE, pair, work.data()));
}

FMPL_RANKS_TEST_WITH(CpuMates, TwoThatSendWhileTheOthersWaitHaveACpuEach,
    (RanksOptions{.ranks = {4}, .threads = false, .unmapped = false}))
{
    two_go_on_while_the_others_wait([](fmpl_comm_t, std::array<double, 3>& said) {
        std::array<double, 3> other{};
        if (rank() == 0) REQUIRE_OK(fmpl_send(said.data(), sizeof said, 1, 0, FMPL_COMM_WORLD));
        REQUIRE_OK(fmpl_recv(other.data(), sizeof other, 1 - rank(), 0, FMPL_COMM_WORLD));
        if (rank() == 1) {
            for (std::size_t i = 0; i < said.size(); ++i) said[i] += other[i];
            REQUIRE_OK(fmpl_send(said.data(), sizeof said, 0, 0, FMPL_COMM_WORLD));
        } else {
            said = other;
        }
    });
}

FMPL_RANKS_TEST_WITH(CpuMates, TwoThatMeetWhileTheOthersWaitHaveACpuEach,
    (RanksOptions{.ranks = {4}, .threads = false, .unmapped = false}))
{
    two_go_on_while_the_others_wait(sum_up);
}

// Who sleeps takes one of them when it wakes.
FMPL_RANKS_TEST_WITH(CpuMates, TwoThatComputeWhileTheOthersWaitHaveACpuEach,
    (RanksOptions{.ranks = {4}, .threads = false, .unmapped = false}))
{
    two_go_on_while_the_others_wait([](fmpl_comm_t pair, std::array<double, 3>& said) {
        for (const double until = fmpl_wtime() + 0.1; fmpl_wtime() < until;) {
        }
        said[static_cast<std::size_t>(rank())] = only_cpu();
        sum_up(pair, said);
    });
}

// Partners on two CPUs that they share with others go on together for long, by few changes of the process: if each that
// waits made room for the others, every answer would cost one. Of many batches the best counts.
template <class Answer>
void partners_run_together(Answer&& answer)
{
    constexpr int kBatches = 50;
    constexpr int kQuestions = 500;
    double fewest = 1e9;
    for (int batch = 0; batch < kBatches; ++batch) {
        const std::int64_t before = changes_of_process();
        for (int i = 0; i < kQuestions; ++i) EXPECT_EQ(answer(i), i);
        double all = 0;
        for (const double of_one : numbers_of_all(static_cast<double>(changes_of_process() - before))) all += of_one;
        fewest = std::min(fewest, all);
    }
    if (!kIsSanitized) {
        EXPECT_LT(fewest, kQuestions);
    }
}

FMPL_RANKS_TEST_WITH(
    CpuMates, PartnersOnTwoCpusRunTogether, (RanksOptions{.ranks = {4}, .threads = false, .unmapped = false}))
{
    const int home = only_cpu();
    const fmpl::Session session(1);
    if (!four_share_two_cpus(home, numbers_of_all(home))) return;
    const int partner = (rank() + 2) % 4;
    partners_run_together([&](int i) {
        int got = -1;
        if (rank() < 2) REQUIRE_OK(fmpl_send(&i, sizeof i, partner, 0, FMPL_COMM_WORLD));
        REQUIRE_OK(fmpl_recv(&got, sizeof got, partner, 0, FMPL_COMM_WORLD));
        if (rank() >= 2) REQUIRE_OK(fmpl_send(&got, sizeof got, partner, 0, FMPL_COMM_WORLD));
        return got;
    });
    const std::array<int, 2> both{rank() % 2, rank() % 2 + 2};
    fmpl_comm_t pair = FMPL_COMM_NULL;
    REQUIRE_OK(fmpl_comm_create_group(&pair, both.data(), 2));
    partners_run_together([&](int i) {
        std::int64_t half = i / 2 + (rank() < 2 ? i % 2 : 0);
        REQUIRE_OK(fmpl_allreduce(&half, 1, FMPL_SUM_INT64, pair, nullptr));
        return static_cast<int>(half);
    });
    partners_run_together([&](int i) {
        REQUIRE_OK(fmpl_barrier(pair));
        return i;
    });
    partners_run_together([&](int i) {
        const int root = i % 2;
        int value = (rank() < 2 ? 0 : 1) == root ? i : -1;
        REQUIRE_OK(fmpl_bcast(&value, sizeof value, root, pair));
        return value;
    });
    REQUIRE_OK(fmpl_comm_free(&pair));
}

// Two ranks on each of two CPUs are root in turn of an operation: each rank is brought back once in a turn of all. If
// all that wait made room for the others, it would be twice. Of many batches the best counts.
template <class Operation>
void is_brought_back_once_in_a_turn(Operation&& operation, std::size_t cpus)
{
    constexpr int kBatches = 100;
    constexpr int kTurns = 100;
    std::int64_t fewest = std::int64_t{kTurns} * 1000;
    for (int batch = 0; batch < kBatches; ++batch) {
        const std::int64_t before = changes_of_process();
        for (int i = 0; i < kTurns * size(); ++i) operation(i % size(), i);
        std::int64_t all = changes_of_process() - before;
        REQUIRE_OK(fmpl_allreduce(&all, 1, FMPL_SUM_INT64, FMPL_COMM_WORLD, nullptr));
        fewest = std::min(fewest, all);
    }
    if (cpus >= 2 && !kIsSanitized) {
        EXPECT_LT(fewest, kTurns * size() * 3 / 2);
    }
}

// Who is to be the next root of its CPU stays there.
FMPL_RANKS_TEST_WITH(CpuMates, TheNextRootOfACpuStays, (RanksOptions{.ranks = {4}, .unmapped = false}))
{
    const std::size_t cpus = bind_to_one_cpu(static_cast<std::uint64_t>(rank() / 2));
    const fmpl::Session session(1);
    const auto bcast = [](int root, int i) {
        int value = rank() == root ? i : -1;
        REQUIRE_OK(fmpl_bcast(&value, sizeof value, root, FMPL_COMM_WORLD));
        EXPECT_EQ(value, i);
    };
    is_brought_back_once_in_a_turn(bcast, cpus);
}

// In exchanges, too: of a root that gives, and of one that takes, where a rank also stays whose mates are there.
FMPL_RANKS_TEST_WITH(CpuMates, SoItDoesInExchanges, (RanksOptions{.ranks = {4}, .unmapped = false}))
{
    const std::size_t cpus = bind_to_one_cpu(static_cast<std::uint64_t>(rank() / 2));
    const fmpl::Session session(1);
    fmpl_exchanges* x = nullptr;
    REQUIRE_OK(fmpl_exchanges_of(FMPL_COMM_WORLD, 0, &x));
    for (const bool gives : {true, false}) {
        const auto exchange = [=](int root, int i) {
            std::uint64_t number = 0;
            REQUIRE_OK(fmpl_exchange_begin(x, &number));
            REQUIRE_OK(fmpl_exchange_root(x, root));
            if ((rank() == root) == gives) {
                void* room = nullptr;
                REQUIRE_OK(fmpl_exchange_room(x, number, sizeof i, &room));
                *static_cast<int*>(room) = i;
                fmpl_exchange_show(x, number, gives ? -1 : root);
            } else {
                for (int from = 0; from < size(); ++from) {
                    if (from == rank() || (gives && from != root)) continue;
                    const void* data = nullptr;
                    std::size_t bytes = 0;
                    REQUIRE_OK(fmpl_exchange_take(x, number, from, &data, &bytes));
                    EXPECT_EQ(*static_cast<const int*>(data), i);
                }
            }
            fmpl_exchange_end(x, number);
        };
        is_brought_back_once_in_a_turn(exchange, cpus);
    }
}

// Six ranks on each of two CPUs are root in turn: however their CPU takes them at first, they come to run in the
// order of their turns, in a turn of all each once where they broadcast, three times where they reduce (there are
// eight slots only). In a random order it would be two to four times, and four to six.
FMPL_RANKS_TEST_WITH(CpuMates, RootsComeToRunInTheirOrder, (RanksOptions{.ranks = {12}, .unmapped = false}))
{
    const std::size_t cpus = bind_to_one_cpu(static_cast<std::uint64_t>(rank() / 6));
    const fmpl::Session session(1);
    std::mt19937_64 random(seed() * 31 + static_cast<std::uint64_t>(rank()));
    const std::uint64_t slice = time_slice();
    constexpr int kBatches = 30;
    constexpr int kTurns = 100;
    for (int shuffle = 0; shuffle < 6; ++shuffle) {
        const bool reduces = shuffle % 2 != 0;
        // They come back to their CPU in another order.
        std::this_thread::sleep_for(std::chrono::microseconds(random() % 20000));
        const std::int64_t limit = kTurns * size() * (reduces ? 20 : 9) / 6;
        std::int64_t fewest = limit;
        for (int batch = 0; batch < kBatches && fewest >= limit; ++batch) {
            const std::int64_t before = changes_of_process();
            for (int i = 0; i < kTurns * size(); ++i) {
                const int root = i % size();
                std::int64_t value = reduces || rank() == root ? i : -1;
                if (reduces) {
                    REQUIRE_OK(fmpl_reduce(&value, 1, FMPL_SUM_INT64, root, FMPL_COMM_WORLD, nullptr));
                    EXPECT_TRUE(rank() != root || value == std::int64_t{size()} * i);
                } else {
                    REQUIRE_OK(fmpl_bcast(&value, sizeof value, root, FMPL_COMM_WORLD));
                    EXPECT_EQ(value, i);
                }
            }
            std::int64_t all = changes_of_process() - before;
            REQUIRE_OK(fmpl_allreduce(&all, 1, FMPL_SUM_INT64, FMPL_COMM_WORLD, nullptr));
            fewest = std::min(fewest, all);
        }
        if (cpus >= 2 && laps_can_be_ordered()) {
            EXPECT_LT(fewest, limit) << (reduces ? "reduces" : "broadcasts");
        }
        EXPECT_EQ(time_slice(), slice);
    }
}

}  // namespace
