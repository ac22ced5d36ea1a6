// fmpl_init, fmpl_finalize and what may be called around them.
#include "../support/guarded_buffer.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

namespace {

using namespace fmpl_test;

FMPL_RANKS_TEST(InitFinalize, InitializedTellsWhetherTheRankIsInTheJob)
{
    int flag = -1;
    EXPECT_OK(fmpl_initialized(&flag));
    EXPECT_EQ(flag, 0);
    REQUIRE_OK(fmpl_init(nullptr, nullptr, 4));
    EXPECT_OK(fmpl_initialized(&flag));
    EXPECT_EQ(flag, 1);
    REQUIRE_OK(fmpl_finalize());
    EXPECT_OK(fmpl_initialized(&flag));
    EXPECT_EQ(flag, 0);
}

FMPL_RANKS_TEST(InitFinalize, RankAndSizeAreKnownBeforeInit)
{
    const int rank_before = fmpl_job_rank();
    const int size_before = fmpl_job_size();
    const fmpl::Session session(4);
    int value = -1;
    REQUIRE_OK(fmpl_comm_rank(FMPL_COMM_WORLD, &value));
    EXPECT_EQ(value, rank_before);
    EXPECT_EQ(value, fmpl_job_rank());
    REQUIRE_OK(fmpl_comm_size(FMPL_COMM_WORLD, &value));
    EXPECT_EQ(value, size_before);
    EXPECT_EQ(value, fmpl_job_size());
    // Every rank is there once.
    auto seen = shared_words();
    seen[std::size_t(rank_before)].fetch_add(1);
    REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
    for (int r = 0; r < size_before; ++r) EXPECT_EQ(seen[std::size_t(r)], 1u);
}

FMPL_RANKS_TEST(InitFinalize, InitReturnsWhenAllHaveJoined)
{
    auto& joined = shared_words()[0];
    joined.fetch_add(1);
    const fmpl::Session session(1);
    EXPECT_EQ(joined, static_cast<std::uint64_t>(size()));
}

FMPL_RANKS_TEST_AT(InitFinalize, ASecondInitIsRefused, ({1, 2}))
{
    const fmpl::Session session(4);
    EXPECT_FAILS(
        FMPL_ERR_ALREADY_INITIALIZED, fmpl_init(nullptr, nullptr, 4), "fmpl_init", "rank " + std::to_string(rank()));
    REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
}

FMPL_RANKS_TEST_AT(InitFinalize, ACountOutsideItsLimitsIsRefused, ({1, 2}))
{
    for (const int wrong : {0, -1, -2147483647, 1048577, 2147483647}) {
        EXPECT_FAILS(FMPL_ERR_ARGUMENT, fmpl_init(nullptr, nullptr, wrong), "fmpl_init",
            "rank " + std::to_string(rank()), "count", std::to_string(wrong), "1048576");
    }
    const fmpl::Session session(1);  // the next attempt may succeed
    REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
}

FMPL_RANKS_TEST_WITH(InitFinalize, TheLargestCountWorks, (RanksOptions{.ranks = {1}, .unmapped = false}))
{
    constexpr int count = 1048576;
    REQUIRE_OK(fmpl_init(nullptr, nullptr, count));
    const int peer = size() - 1 - rank();
    for (const int index : {0, count - 1}) {
        int in = -1;
        const int out = rank() + index;
        REQUIRE_OK(fmpl_send(&out, sizeof out, peer, index, FMPL_COMM_WORLD));
        REQUIRE_OK(fmpl_recv(&in, sizeof in, peer, index, FMPL_COMM_WORLD));
        EXPECT_EQ(in, peer + index);
    }
    EXPECT_OK(fmpl_finalize());
}

// As threads only: fmplrun rightly calls a process that ends after this a failed one.
FMPL_RANKS_TEST_WITH(InitFinalize, DifferentCountsAreAMismatch, (RanksOptions{.ranks = {2, 3}, .processes = false}))
{
    const int count = rank() == size() - 1 ? 21 : 17;
    const int code = fmpl_init(nullptr, nullptr, count);
    EXPECT_FAILS(FMPL_ERR_MISMATCH, code, "fmpl_init", "rank " + std::to_string(rank()), "17", "21");
}

FMPL_RANKS_TEST_AT(InitFinalize, OneAreaWithoutTheOtherIsRefused, ({1, 2}))
{
    constexpr int kCount = 4;
    const std::size_t elements = FMPL_AREA_ELEMENTS(kCount, size());
    auto* ma = static_cast<fmpl_match_t*>(fmpl_malloc(elements * sizeof(fmpl_match_t)));
    auto* fa = static_cast<fmpl_flag_t*>(fmpl_malloc(elements * sizeof(fmpl_flag_t)));
    EXPECT_FAILS(FMPL_ERR_ARGUMENT, fmpl_init(ma, nullptr, kCount), "fmpl_init", "fa");
    EXPECT_FAILS(FMPL_ERR_ARGUMENT, fmpl_init(nullptr, fa, kCount), "fmpl_init", "ma");
    fmpl_free(ma);
    fmpl_free(fa);
    const fmpl::Session session(kCount);
    REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
}

FMPL_RANKS_TEST_AT(InitFinalize, AnAreaTooSmallForAllRanksIsRefused, ({1, 2}))
{
    constexpr int kCount = 1000;
    const std::size_t elements = FMPL_AREA_ELEMENTS(kCount, size());
    auto* ma = static_cast<fmpl_match_t*>(fmpl_malloc(elements * sizeof(fmpl_match_t)));
    auto* fa = static_cast<fmpl_flag_t*>(fmpl_malloc(elements / 2 * sizeof(fmpl_flag_t)));
    EXPECT_FAILS(FMPL_ERR_ARGUMENT, fmpl_init(ma, fa, kCount), "fmpl_init", "rank " + std::to_string(rank()), "fa");
    fmpl_free(ma);
    fmpl_free(fa);
    const fmpl::Session session(1);
    REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
}

void exchange_over_all_indices(int count)
{
    const int to = (rank() + 1) % size();
    const int from = (rank() + size() - 1) % size();
    for (int index = 0; index < count; ++index) {
        const std::size_t bytes = kSizes[std::size_t(index) % kSizes.size()] % 10000;
        GuardedBuffer out(kPlaces[index % 2], bytes);
        GuardedBuffer in(kPlaces[index / 2 % 2], bytes);
        out.fill(message_key(index, rank()));
        REQUIRE_OK(fmpl_isend(out.data(), bytes, to, index, FMPL_COMM_WORLD));
        REQUIRE_OK(fmpl_recv(in.data(), bytes, from, index, FMPL_COMM_WORLD));
        REQUIRE_OK(fmpl_isend_wait(to, index, FMPL_COMM_WORLD));
        EXPECT_TRUE(in.holds(message_key(index, from)));
    }
}

FMPL_RANKS_TEST_AT(InitFinalize, AreasOfTheCallerInRemoteDmaMemoryServe, ({1, 2, 3}))
{
    constexpr int kCount = 40;
    const std::size_t elements = FMPL_AREA_ELEMENTS(kCount, size());
    auto* ma = static_cast<fmpl_match_t*>(fmpl_malloc(elements * sizeof(fmpl_match_t)));
    auto* fa = static_cast<fmpl_flag_t*>(fmpl_malloc(elements * sizeof(fmpl_flag_t)));
    if (ma == nullptr || fa == nullptr) throw std::runtime_error(fmpl_error_message());
    // Whatever they contain: the library initializes them.
    std::memset(static_cast<void*>(ma), 0x5A, elements * sizeof(fmpl_match_t));
    std::memset(static_cast<void*>(fa), 0xA5, elements * sizeof(fmpl_flag_t));
    REQUIRE_OK(fmpl_init(ma, fa, kCount));
    exchange_over_all_indices(kCount);
    EXPECT_OK(fmpl_finalize());
}

FMPL_RANKS_TEST_AT(InitFinalize, AreasInOtherMemoryAreLeftAlone, ({1, 2}))
{
    constexpr int kCount = 10;
    const std::size_t elements = FMPL_AREA_ELEMENTS(kCount, size());
    std::vector<fmpl_match_t> ma(elements);
    std::vector<fmpl_flag_t> fa(elements);
    std::memset(static_cast<void*>(ma.data()), 0x5A, elements * sizeof(fmpl_match_t));
    std::memset(static_cast<void*>(fa.data()), 0xA5, elements * sizeof(fmpl_flag_t));
    REQUIRE_OK(fmpl_init(ma.data(), fa.data(), kCount));
    exchange_over_all_indices(kCount);
    EXPECT_OK(fmpl_finalize());
    for (const fmpl_match_t& m : ma) EXPECT_EQ(m.opaque[0], 0x5A);
    for (const fmpl_flag_t& f : fa) EXPECT_EQ(f.opaque[127], 0xA5);
}

// The codes of all ranks' finalize: at least one PENDING whose words contain `words`, all others SUCCESS.
void expect_pending(const std::vector<std::string>& words)
{
    const int code = fmpl_finalize();
    if (code == FMPL_ERR_PENDING) {
        EXPECT_TRUE(fails_with(FMPL_ERR_PENDING, code, words));
        shared_words()[0].fetch_add(1);
    } else {
        EXPECT_EQ(code, FMPL_SUCCESS) << fmpl_error_message();
    }
    shared_words()[1].fetch_add(1);
    wait_until([] { return shared_words()[1] == static_cast<std::uint64_t>(size()); }, "all ranks to finalize");
    EXPECT_GE(shared_words()[0], 1u);
    int flag = 1;
    EXPECT_OK(fmpl_initialized(&flag));
    EXPECT_EQ(flag, 0);  // the job is left all the same
}

FMPL_RANKS_TEST_AT(InitFinalize, AMessageThatNobodyReceivedIsPending, ({1, 2, 4}))
{
    REQUIRE_OK(fmpl_init(nullptr, nullptr, 40));
    const int word = 1;
    if (rank() == 0) REQUIRE_OK(fmpl_send(&word, sizeof word, size() - 1, 33, FMPL_COMM_WORLD));
    expect_pending({"fmpl_finalize", "33", "rank 0"});
}

FMPL_RANKS_TEST_AT(InitFinalize, ASpooledMessageThatNobodyReceivedIsPending, ({1, 2}))
{
    REQUIRE_OK(fmpl_init(nullptr, nullptr, 40));
    REQUIRE_OK(fmpl_sendbuf_set(nullptr, 0, 0));
    const std::vector<char> message(5000);
    if (rank() == 0) REQUIRE_OK(fmpl_send(message.data(), message.size(), size() - 1, 33, FMPL_COMM_WORLD));
    expect_pending({"fmpl_finalize", "33", "5000"});
}

FMPL_RANKS_TEST_AT(InitFinalize, AMessageOfTheAnyDomainThatNobodyReceivedIsPending, ({1, 2}))
{
    REQUIRE_OK(fmpl_init(nullptr, nullptr, 40));
    const int word = 1;
    if (rank() == 0) REQUIRE_OK(fmpl_send_any(&word, sizeof word, size() - 1, 777, FMPL_COMM_WORLD));
    expect_pending({"fmpl_finalize", "777"});
}

FMPL_RANKS_TEST_AT(InitFinalize, ANonblockingSendNeverWaitedForIsPending, ({1, 2}))
{
    REQUIRE_OK(fmpl_init(nullptr, nullptr, 40));
    std::vector<char> message(5000);
    if (rank() == 0) REQUIRE_OK(fmpl_isend(message.data(), message.size(), size() - 1, 33, FMPL_COMM_WORLD));
    if (rank() == size() - 1) {
        std::vector<char> in(5000);
        REQUIRE_OK(fmpl_recv(in.data(), in.size(), 0, 33, FMPL_COMM_WORLD));
    }
    expect_pending({"fmpl_finalize", "33", "fmpl_isend", "waited"});
}

FMPL_RANKS_TEST_AT(InitFinalize, ANonblockingReceiveNeverWaitedForIsPending, ({1, 2}))
{
    REQUIRE_OK(fmpl_init(nullptr, nullptr, 40));
    char byte = 0;
    if (rank() == 0) REQUIRE_OK(fmpl_irecv(&byte, 1, size() - 1, 33, FMPL_COMM_WORLD));
    expect_pending({"fmpl_finalize", "33", "fmpl_irecv", "waited"});
}

FMPL_RANKS_TEST(InitFinalize, FinalizeWaitsForAllRanks)
{
    REQUIRE_OK(fmpl_init(nullptr, nullptr, 1));
    auto& entered = shared_words()[0];
    entered.fetch_add(1);
    EXPECT_OK(fmpl_finalize());
    EXPECT_EQ(entered, static_cast<std::uint64_t>(size()));
}

FMPL_RANKS_TEST_AT(InitFinalize, WtimeIsOneClockForAllRanks, ({1, 2, 3}))
{
    const double before_init = fmpl_wtime();
    const fmpl::Session session(1);
    double mine = fmpl_wtime();
    EXPECT_GE(mine, before_init);
    // A rank's reading after it got a message is not before the sender's reading before it sent it.
    for (int round = 0; round < 20; ++round) {
        for (int sender = 0; sender < size(); ++sender) {
            double theirs = fmpl_wtime();
            REQUIRE_OK(fmpl_bcast(&theirs, sizeof theirs, sender, FMPL_COMM_WORLD));
            EXPECT_GE(fmpl_wtime(), theirs);
        }
    }
    EXPECT_GE(fmpl_wtime(), mine);
}

FMPL_RANKS_TEST_AT(InitFinalize, StatisticsCountCallsAndBytes, ({2}))
{
    const fmpl::Session session(2);
    REQUIRE_OK(fmpl_stats_enable(1));
    std::vector<char> buffer(1000);
    for (int m = 0; m < 5; ++m) {
        if (rank() == 0) {
            REQUIRE_OK(fmpl_send(buffer.data(), buffer.size(), 1, 0, FMPL_COMM_WORLD));
        } else {
            REQUIRE_OK(fmpl_recv(buffer.data(), buffer.size(), 0, 0, FMPL_COMM_WORLD));
        }
    }
    fmpl_call_stats stats[64];
    int n = 0;
    REQUIRE_OK(fmpl_stats_get(stats, 64, &n));
    bool found = false;
    for (int i = 0; i < std::min(n, 64); ++i) {
        if (std::string(stats[i].call) != (rank() == 0 ? "fmpl_send" : "fmpl_recv")) continue;
        found = true;
        EXPECT_EQ(stats[i].calls, 5u);
        EXPECT_EQ(stats[i].bytes, 5000u);
        EXPECT_GE(stats[i].seconds, 0.0);
        EXPECT_GE(fmpl_stats_seconds(), stats[i].seconds * 0.999);
    }
    EXPECT_TRUE(found);
    int only_count = 0;
    EXPECT_OK(fmpl_stats_get(nullptr, 0, &only_count));
    EXPECT_EQ(only_count, n);
}

// Without a launcher.

FMPL_RANKS_TEST_WITH(InitFinalizeAlone, ABody, (RanksOptions{.ranks = {1}, .unmapped = false}))
{
    EXPECT_EQ(fmpl_job_rank(), 0);
    EXPECT_EQ(fmpl_job_size(), 1);
    const fmpl::Session session(4);
    EXPECT_EQ(fmpl::world.size(), 1);
    exchange_over_all_indices(4);
    shared_words()[0] = 4711;
}

TEST(InitFinalizeAlone, AProgramWithoutALauncherIsAJobOfOneRank)
{
    const ProgramResult result = run_body_without_launcher("InitFinalizeAlone.ABody");
    EXPECT_EQ(result.status, 0) << result.output;
    EXPECT_EQ(shared_words()[0], 4711u) << "the body did not run";
}

}  // namespace
