// The examples at the head of the headers for layers (fmpl/include/fmpl): each does what its words say.
//
// They are in layers_examples, one C file for each header. That each header shows its example as it is compiled here,
// layers_headers_test.py sees to.
#include "../support/ranks_test.hpp"

#include <fmpl/joint_copy.h>
#include <fmpl/remote.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

extern "C" {
int send_upper_triangle(int rank, double* a, size_t n, size_t lda);
int send_body(int to, const void* head, const void* body, size_t bytes);
int pass_data(int rank, void* data, size_t bytes);
int pass_words(int rank, char words[16]);
int pair_backwards(fmpl_comm_t* pair, int* first);
void* begin_heap(size_t bytes);
int describe_job(char* words, size_t room);
int start_layer(void);
int my_barrier(void);
int count_my_calls(void);
int ranks_of_mpi(void);
int my_send(const void* buf, size_t bytes, int dst);
int share_of_sum(double mine, double* share);
int read_from_rank_1(int rank, double* number);
int numbers_of_all(struct fmpl_exchanges* x, int rank, int size, int own, int* all);
int pass(int rank, void* data, size_t size, void* record, uint64_t place);
int work_until_received(void* buf, size_t size, int src, void (*work)(void));
int receive_number(int source, int* number);
}

namespace {

using namespace fmpl_test;

FMPL_RANKS_TEST_AT(LayersExamples, ColumnsSendATriangleWithoutGaps, ({2}))
{
    const fmpl::Session session;
    constexpr std::size_t kOrder = 3, kLeading = 4;
    std::vector<double> a(kLeading * kOrder);
    if (rank() == 0) a = {1, 0, 0, 0, 2, 3, 0, 0, 4, 5, 6, 0};
    EXPECT_OK(send_upper_triangle(rank(), a.data(), kOrder, kLeading));
    if (rank() == 1) {
        a.resize(6);
        EXPECT_EQ(a, (std::vector<double>{1, 2, 3, 4, 5, 6}));
    }
}

FMPL_RANKS_TEST_AT(LayersExamples, EnvelopesPassWords, ({2}))
{
    const fmpl::Session session;
    REQUIRE_OK(fmpl_envelopes_open(4096));
    char words[16] = {};
    if (rank() == 0) std::strcpy(words, "from rank 0");
    EXPECT_OK(pass_words(rank(), words));
    EXPECT_STREQ(words, "from rank 0");
}

FMPL_RANKS_TEST_AT(LayersExamples, ABodyArrivesWhetherItIsLentOrNot, ({2}))
{
    const fmpl::Session session;
    REQUIRE_OK(fmpl_envelopes_open(4096));
    const auto take = [](void* taken, int, const void*, const void* body, std::size_t bytes) {
        static_cast<std::string*>(taken)->assign(static_cast<const char*>(body), bytes);
        return 0;
    };
    const std::string sent(512, 'b');
    if (rank() == 0) {
        const std::vector<char> head(FMPL_ENVELOPE_HEAD);
        const std::vector<char, fmpl::Allocator<char>> body(sent.begin(), sent.end());
        EXPECT_OK(send_body(1, head.data(), body.data(), body.size()));
    } else {
        std::string taken;
        EXPECT_OK(fmpl_envelopes_wait(take, &taken, nullptr));
        EXPECT_EQ(taken, sent);
    }
}

FMPL_RANKS_TEST_AT(LayersExamples, ALongBodyIsTakenInSteps, ({2}))
{
    const fmpl::Session session;
    REQUIRE_OK(fmpl_envelopes_open(1 << 20));
    std::vector<double> data(20'000, rank() == 0 ? 2.5 : 0);
    EXPECT_OK(pass_data(rank(), data.data(), data.size() * sizeof(double)));
    EXPECT_EQ(data, std::vector<double>(data.size(), 2.5));
}

FMPL_RANKS_TEST_WITH(LayersExamples, BothCopyAMessage, (RanksOptions{.ranks = {2}, .unmapped = false}))
{
    const fmpl::Session session(1);
    constexpr std::size_t kCount = 20'000;
    std::vector<double> data(kCount, rank() == 0 ? 2.5 : 0);
    auto* const block = static_cast<char*>(fmpl_malloc(2 * FMPL_JOINT_RECORD));
    auto at = reinterpret_cast<std::uintptr_t>(block) + FMPL_JOINT_RECORD - 1;
    void* const record = reinterpret_cast<void*>(at - at % FMPL_JOINT_RECORD);
    std::uint64_t place = 0;
    REQUIRE_OK(fmpl_remote_place(record, FMPL_JOINT_RECORD, &place));
    REQUIRE_OK(fmpl_bcast(&place, sizeof place, 0, FMPL_COMM_WORLD));
    EXPECT_OK(pass(rank(), data.data(), kCount * sizeof(double), record, place));
    EXPECT_EQ(data, std::vector<double>(kCount, 2.5));
    REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
    fmpl_free(block);
}

FMPL_RANKS_TEST_WITH(LayersExamples, NumbersAreExchanged, {.ranks = {2, 3}, .unmapped = false})
{
    const fmpl::Session session;
    fmpl_exchanges* x = nullptr;
    REQUIRE_OK(fmpl_exchanges_of(FMPL_COMM_WORLD, 0, &x));
    std::vector<int> all(static_cast<std::size_t>(size()), -1);
    EXPECT_OK(numbers_of_all(x, rank(), size(), 10 * rank(), all.data()));
    for (int r = 0; r < size(); ++r) EXPECT_EQ(all[static_cast<std::size_t>(r)], rank() == 0 ? 10 * r : -1);
}

FMPL_RANKS_TEST_AT(LayersExamples, AGroupHasItsOwnOrder, ({2, 3}))
{
    const fmpl::Session session;
    if (rank() > 1) return;
    fmpl_comm_t pair = FMPL_COMM_NULL;
    int first = -1, own = -1;
    REQUIRE_OK(pair_backwards(&pair, &first));
    EXPECT_EQ(first, 1);
    EXPECT_OK(fmpl_comm_rank(pair, &own));
    EXPECT_EQ(own, 1 - rank());
    EXPECT_OK(fmpl_comm_free(&pair));
}

FMPL_RANKS_TEST_WITH(LayersExamples, TheHeapBeginsInTheArena, {.ranks = {2}, .threads = false, .unmapped = false})
{
    constexpr std::size_t kBytes = std::size_t{1} << 16;
    void* const begin = begin_heap(kBytes);
    EXPECT_NE(begin, nullptr);
    if (begin != nullptr) std::memset(begin, 1, kBytes);
    const fmpl::Session session;
    EXPECT_EQ(fmpl_is_remote_dma(begin, kBytes), 1);
}

FMPL_RANKS_TEST_AT(LayersExamples, TheJobIsDescribedBeforeItBegins, ({2}))
{
    char words[64] = {};
    EXPECT_GT(describe_job(words, sizeof words), 0);
    EXPECT_EQ(std::string(words).find("rank " + std::to_string(rank()) + " of 2, as "), 0u) << words;
    const fmpl::Session session;
}

FMPL_RANKS_TEST_AT(LayersExamples, ACallIsSaidToBeTheLayersWhileItGoesOn, ({2}))
{
    REQUIRE_OK(start_layer());
    static const char kOuter[] = "outer";
    *fmpl_layer_call() = kOuter;
    EXPECT_OK(my_barrier());
    EXPECT_EQ(*fmpl_layer_call(), kOuter);
    *fmpl_layer_call() = nullptr;
    EXPECT_OK(fmpl_finalize());
}

FMPL_RANKS_TEST_AT(LayersExamples, EachRankCountsItsOwnCalls, ({2}))
{
    for (int call = 1; call <= 2 + rank(); ++call) EXPECT_EQ(count_my_calls(), call);
    const fmpl::Session session;
    EXPECT_OK(fmpl_barrier(FMPL_COMM_WORLD));
    EXPECT_EQ(count_my_calls(), 3 + rank());
}

FMPL_RANKS_TEST_AT(LayersExamples, AProgramWithoutMpiHasNoRanksOfMpi, ({2}))
{
    const fmpl::Session session;
    EXPECT_EQ(ranks_of_mpi(), 0);
}

FMPL_RANKS_TEST_AT(LayersExamples, StatisticsShowTheLayersCall, ({2}))
{
    const fmpl::Session session;
    REQUIRE_OK(fmpl_stats_enable(1));
    char bytes[24] = {};
    if (rank() == 1) {
        EXPECT_OK(fmpl_recv(bytes, sizeof bytes, 0, 0, FMPL_COMM_WORLD));
        return;
    }
    EXPECT_OK(my_send(bytes, sizeof bytes, 1));
    fmpl_call_stats stats[8];
    int n = 0;
    REQUIRE_OK(fmpl_stats_get(stats, 8, &n));
    const fmpl_call_stats* const end = stats + std::min(n, 8);
    const fmpl_call_stats* found = stats;
    while (found != end && std::string_view(found->call) != "my_send") ++found;
    EXPECT_NE(found, end);
    if (found == end) return;
    EXPECT_EQ(found->calls, 1u);
    EXPECT_EQ(found->bytes, sizeof bytes);
}

FMPL_RANKS_TEST_AT(LayersExamples, AReductionKeepsItsOperand, ({2}))
{
    const fmpl::Session session;
    double share = 0;
    EXPECT_OK(share_of_sum(rank() == 0 ? 1 : 3, &share));
    EXPECT_EQ(share, rank() == 0 ? 0.25 : 0.75);
}

FMPL_RANKS_TEST_AT(LayersExamples, ANumberIsReadWhereItLies, ({2}))
{
    const fmpl::Session session;
    double number = 10 + rank();
    EXPECT_OK(read_from_rank_1(rank(), &number));
    EXPECT_EQ(number, rank() == 0 && engine_is_unmapped() ? -1 : 11);
}

FMPL_RANKS_TEST_AT(LayersExamples, WorkGoesOnUntilTheMessageHasCome, ({2}))
{
    const fmpl::Session session;
    thread_local int pieces;
    pieces = 0;
    int number = 5;
    if (rank() == 0) {
        EXPECT_OK(fmpl_send(&number, sizeof number, 1, 0, FMPL_COMM_WORLD));
        return;
    }
    number = 0;
    EXPECT_OK(work_until_received(&number, sizeof number, 0, [] { ++pieces; }));
    EXPECT_EQ(number, 5);
    EXPECT_GT(pieces, 0);
}

FMPL_RANKS_TEST_AT(LayersExamples, AWaitEndsWhenTheReceiveIsComplete, ({2}))
{
    const fmpl::Session session;
    int number = 7;
    if (rank() == 0) {
        EXPECT_OK(fmpl_send(&number, sizeof number, 1, 0, FMPL_COMM_WORLD));
        return;
    }
    number = 0;
    EXPECT_OK(receive_number(0, &number));
    EXPECT_EQ(number, 7);
}

}  // namespace
