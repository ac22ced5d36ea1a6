// fmpl_malloc, fmpl_free, fmpl_is_remote_dma, and what other ranks see of the memory.
#include "../support/guarded_buffer.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <set>
#include <vector>

namespace {

using namespace fmpl_test;

constexpr const char* kSmallArena = "64M";

bool aligned(const void* p)
{
    return reinterpret_cast<std::uintptr_t>(p) % 64 == 0;
}

FMPL_RANKS_TEST_AT(Malloc, GivesAlignedMemoryOfEverySize, ({1, 2}))
{
    const fmpl::Session session(1);
    std::vector<std::pair<unsigned char*, std::size_t>> blocks;
    for (const std::size_t bytes : kSizes) {
        auto* p = static_cast<unsigned char*>(fmpl_malloc(bytes));
        EXPECT_TRUE(aligned(p));
        if (p == nullptr) {
            ADD_FAILURE() << bytes << " bytes: " << fmpl_error_message();
            continue;
        }
        EXPECT_EQ(fmpl_is_remote_dma(p, bytes), 1) << bytes << " bytes";
        fill_pattern(p, bytes, message_key(bytes, rank()));
        blocks.emplace_back(p, bytes);
    }
    for (const auto& [p, bytes] : blocks) EXPECT_TRUE(has_pattern(p, bytes, message_key(bytes, rank())));
    for (const auto& [p, bytes] : blocks) fmpl_free(p);
    fmpl_free(nullptr);
}

FMPL_RANKS_TEST_AT(Malloc, ZeroBytesGiveDistinctPointersThatCanBeFreed, ({1}))
{
    const fmpl::Session session(1);
    std::set<void*> pointers;
    for (int i = 0; i < 10; ++i) {
        void* p = fmpl_malloc(0);
        EXPECT_NE(p, nullptr) << fmpl_error_message();
        EXPECT_TRUE(aligned(p));
        pointers.insert(p);
    }
    EXPECT_EQ(pointers.size(), 10u);
    for (void* p : pointers) fmpl_free(p);
}

FMPL_RANKS_TEST_AT(Malloc, WorksBeforeInit, ({1, 2, 3}))
{
    GuardedBuffer* out = new GuardedBuffer(Place::rdma, 5000);
    GuardedBuffer* in = new GuardedBuffer(Place::rdma, 5000);
    out->fill(message_key(rank()));
    {
        const fmpl::Session session(1);
        const int from = (rank() + size() - 1) % size();
        REQUIRE_OK(fmpl_irecv(in->data(), 5000, from, 0, FMPL_COMM_WORLD));
        REQUIRE_OK(fmpl_send(out->data(), 5000, (rank() + 1) % size(), 0, FMPL_COMM_WORLD));
        REQUIRE_OK(fmpl_irecv_wait(from, 0, FMPL_COMM_WORLD));
        EXPECT_TRUE(in->holds(message_key(from)));
        delete out;
        delete in;
    }
}

FMPL_RANKS_TEST_WITH(Malloc, ExhaustionGivesNullAndSaysHowManyBytesThereAre,
    (RanksOptions{.ranks = {1, 2}, .environment = {{"FMPL_ARENA_SIZE", kSmallArena}}}))
{
    const fmpl::Session session(1);
    const std::string me = "rank " + std::to_string(rank());
    constexpr std::size_t kTooMuch = std::size_t{1} << 40;
    EXPECT_EQ(fmpl_malloc(kTooMuch), nullptr);
    EXPECT_WORDS("fmpl_malloc", me, std::to_string(kTooMuch));
    EXPECT_EQ(fmpl_malloc(~std::size_t{0}), nullptr);
    EXPECT_EQ(fmpl_malloc(~std::size_t{0} - 63), nullptr);
    EXPECT_EQ(fmpl_malloc(~std::size_t{0} / 2), nullptr);

    // Blocks of 1 MiB until there are no more; everything that was given stays intact and comes back.
    for (int round = 0; round < 3; ++round) {
        std::vector<unsigned char*> blocks;
        while (auto* p = static_cast<unsigned char*>(fmpl_malloc(kMiB))) {
            fill_pattern(p, kMiB, message_key(blocks.size(), rank()));
            blocks.push_back(p);
            if (blocks.size() > 64) break;
        }
        EXPECT_LE(blocks.size(), 64u);
        EXPECT_GE(blocks.size(), 32u);
        EXPECT_WORDS("fmpl_malloc", me, std::to_string(kMiB), "FMPL_ARENA_SIZE");
        for (std::size_t b = 0; b < blocks.size(); ++b)
            EXPECT_TRUE(has_pattern(blocks[b], kMiB, message_key(b, rank())));
        // After a part was freed, that part can be had again.
        if (!blocks.empty()) {
            fmpl_free(blocks.back());
            void* again = fmpl_malloc(kMiB);
            EXPECT_NE(again, nullptr) << fmpl_error_message();
            blocks.back() = static_cast<unsigned char*>(again);
        }
        for (unsigned char* p : blocks) fmpl_free(p);
    }
    // Not fragmented by all this: half of the arena in one piece.
    void* large = fmpl_malloc(32 * kMiB);
    EXPECT_NE(large, nullptr) << fmpl_error_message();
    fmpl_free(large);
}

FMPL_RANKS_TEST_WITH(Malloc, FreedNeighboursBecomeOnePiece,
    (RanksOptions{.ranks = {1}, .environment = {{"FMPL_ARENA_SIZE", kSmallArena}}}))
{
    const fmpl::Session session(1);
    std::mt19937_64 random(seed());
    for (int round = 0; round < 4; ++round) {
        std::vector<void*> blocks;
        while (void* p = fmpl_malloc(100 * 1024)) blocks.push_back(p);
        EXPECT_GT(blocks.size(), 300u);
        std::shuffle(blocks.begin(), blocks.end(), random);
        for (void* p : blocks) fmpl_free(p);
        void* large = fmpl_malloc(40 * kMiB);
        EXPECT_NE(large, nullptr) << "round " << round << ": " << fmpl_error_message();
        fmpl_free(large);
    }
}

FMPL_RANKS_TEST_AT(Malloc, RandomUseKeepsEveryBlockIntact, ({1, 2}))
{
    const fmpl::Session session(1);
    std::mt19937_64 random(seed() + static_cast<std::uint64_t>(rank()));
    struct Block {
        unsigned char* p;
        std::size_t bytes;
        std::uint64_t key;
    };
    std::vector<Block> blocks;
    for (int step = 0; step < 3000; ++step) {
        if (blocks.size() < 100 && (blocks.empty() || random() % 3 != 0)) {
            const std::size_t bytes = random() % 8 == 0 ? random() % 100000 : random() % 300;
            Block block = {static_cast<unsigned char*>(fmpl_malloc(bytes)), bytes, random()};
            if (block.p == nullptr) {
                ADD_FAILURE() << fmpl_error_message();
                break;
            }
            EXPECT_TRUE(aligned(block.p));
            fill_pattern(block.p, bytes, block.key);
            blocks.push_back(block);
        } else {
            std::swap(blocks[random() % blocks.size()], blocks.back());
            EXPECT_TRUE(has_pattern(blocks.back().p, blocks.back().bytes, blocks.back().key)) << "step " << step;
            fmpl_free(blocks.back().p);
            blocks.pop_back();
        }
    }
    for (const Block& block : blocks) {
        EXPECT_TRUE(has_pattern(block.p, block.bytes, block.key));
        fmpl_free(block.p);
    }
}

FMPL_RANKS_TEST_AT(Malloc, FreeingWhatIsNotAllocatedIsReportedAndDoesNothing, ({1, 2}))
{
    const fmpl::Session session(1);
    const std::string me = "rank " + std::to_string(rank());
    int local = 3;
    fmpl_free(&local);
    EXPECT_WORDS("fmpl_free", me);
    EXPECT_EQ(local, 3);

    auto* block = static_cast<unsigned char*>(fmpl_malloc(1000));
    auto* other = static_cast<unsigned char*>(fmpl_malloc(1000));
    fill_pattern(block, 1000, 1);
    fill_pattern(other, 1000, 2);
    fmpl_free(block + 64);  // inside a block
    EXPECT_WORDS("fmpl_free", me);
    EXPECT_TRUE(has_pattern(block, 1000, 1));
    EXPECT_TRUE(has_pattern(other, 1000, 2));
    fmpl_free(block);
    fmpl_free(block);  // a second time
    EXPECT_WORDS("fmpl_free", me);
    EXPECT_TRUE(has_pattern(other, 1000, 2));
    fmpl_free(other);
    void* again = fmpl_malloc(1000);
    EXPECT_NE(again, nullptr);
    fmpl_free(again);
}

FMPL_RANKS_TEST_AT(Malloc, IsRemoteDmaTellsArenaMemoryFromOther, ({1, 2}))
{
    const fmpl::Session session(1);
    char local[10] = {};
    std::vector<char> heap(100);
    EXPECT_EQ(fmpl_is_remote_dma(local, sizeof local), 0);
    EXPECT_EQ(fmpl_is_remote_dma(heap.data(), heap.size()), 0);
    EXPECT_EQ(fmpl_is_remote_dma(nullptr, 1), 0);
    auto* p = static_cast<char*>(fmpl_malloc(100));
    EXPECT_EQ(fmpl_is_remote_dma(p, 100), 1);
    EXPECT_EQ(fmpl_is_remote_dma(p + 50, 50), 1);
    EXPECT_EQ(fmpl_is_remote_dma(p, ~std::size_t{0}), 0);
    fmpl_free(p);
}

// The words of a private read where the kernel allows it, and nothing where it does not.
void read_private_memory_of_all(bool is_reached)
{
    const fmpl::Session session(1);
    std::vector<double> own(1000, rank() + 0.5);
    fmpl::Vector<std::int64_t> places(static_cast<std::size_t>(size()), 0);
    places[static_cast<std::size_t>(rank())] = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(own.data()));
    REQUIRE_OK(fmpl_allreduce(places.data(), places.size(), FMPL_SUM_INT64, FMPL_COMM_WORLD, nullptr));
    for (int other = 0; other < size(); ++other) {
        std::vector<double> theirs(own.size(), -1);
        int copied = -1;
        const auto place = static_cast<std::uint64_t>(places[static_cast<std::size_t>(other)]);
        REQUIRE_OK(fmpl_private_read(other, place, theirs.data(), theirs.size() * sizeof(double), &copied));
        EXPECT_EQ(copied, is_reached ? 1 : 0);
        EXPECT_EQ(theirs, std::vector<double>(own.size(), is_reached ? other + 0.5 : -1));
    }
    int copied = 5;
    EXPECT_FAILS(FMPL_ERR_RANK, fmpl_private_read(size(), 0, own.data(), 8, &copied), "fmpl_private_read");
    EXPECT_EQ(copied, 0);
    EXPECT_FAILS(FMPL_ERR_ARGUMENT, fmpl_private_read(0, 0, nullptr, 8, &copied), "to");
    EXPECT_FAILS(FMPL_ERR_ARGUMENT, fmpl_private_read(0, 0, own.data(), 8, nullptr), "copied");
    REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
}

FMPL_RANKS_TEST_WITH(
    Malloc, APrivateReadCopiesTheMemoryOfAnotherRank, (RanksOptions{.ranks = {1, 2, 3}, .unmapped = false}))
{
    read_private_memory_of_all(true);
}

FMPL_RANKS_TEST_WITH(Malloc, APrivateReadSaysWhereItDoesNotReachAnotherRank,
    (RanksOptions{.ranks = {1, 2, 3}, .environment = {{"FMPL_PRIVATE_COPY", "staged"}}}))
{
    read_private_memory_of_all(false);
}

FMPL_RANKS_TEST_AT(Malloc, RemoteViewShowsTheMemoryOfAnotherRank, ({1, 2, 3}))
{
    const fmpl::Session session(1);
    fmpl::Vector<double> own(1000, rank() + 0.5);
    const std::size_t bytes = own.size() * sizeof(double);
    fmpl::Vector<std::uint64_t> places(static_cast<std::size_t>(size()), 0);
    REQUIRE_OK(fmpl_remote_place(own.data(), bytes, &places[static_cast<std::size_t>(rank())]));
    REQUIRE_OK(fmpl_allreduce(places.data(), places.size(), FMPL_SUM_INT64, FMPL_COMM_WORLD, nullptr));
    for (int other = 0; other < size(); ++other) {
        const std::uint64_t place = places[static_cast<std::size_t>(other)];
        const auto* theirs = static_cast<const double*>(fmpl_remote_view(other, place, bytes));
        if (other == rank()) {
            EXPECT_EQ(theirs, own.data());
        }
        EXPECT_EQ(fmpl_is_addressable(other), other == rank() || !engine_is_unmapped() ? 1 : 0);
        ASSERT_EQ(theirs != nullptr, fmpl_is_addressable(other) != 0);
        if (theirs != nullptr) {
            EXPECT_EQ(theirs[0], other + 0.5);
            EXPECT_EQ(theirs[999], other + 0.5);
        }
        EXPECT_EQ(fmpl_remote_view((other + 1) % size(), place, bytes) == nullptr, size() > 1);
        EXPECT_EQ(fmpl_remote_view(other, place, ~std::size_t{0} / 2), nullptr);
    }
    EXPECT_EQ(fmpl_remote_view(-1, places[0], bytes), nullptr);
    EXPECT_EQ(fmpl_remote_view(size(), places[0], bytes), nullptr);
    EXPECT_EQ(fmpl_remote_view(0, 0, 1), nullptr);
    EXPECT_EQ(fmpl_is_addressable(-1) + fmpl_is_addressable(size()), 0);
    REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));

    int local = 0;
    std::uint64_t place = 1;
    EXPECT_FAILS(
        FMPL_ERR_ARGUMENT, fmpl_remote_place(&local, sizeof local, &place), "fmpl_remote_place", "--rdma heap");
    EXPECT_FAILS(FMPL_ERR_ARGUMENT, fmpl_remote_place(own.data(), bytes, nullptr), "place is NULL");
    EXPECT_EQ(place, 1u);
}

FMPL_RANKS_TEST_AT(Malloc, TheAllocatorServesStandardContainers, ({2}))
{
    const fmpl::Session session(1);
    fmpl::Vector<double> values(1000, rank() + 0.5);
    values.resize(5000, -1);
    EXPECT_EQ(fmpl_is_remote_dma(values.data(), values.size() * sizeof(double)), 1);
    if (rank() == 0) {
        fmpl::world.send<double>(values, 1, 0);
    } else {
        fmpl::world.recv<double>(values, 0, 0);
        EXPECT_EQ(values[0], 0.5);
        EXPECT_EQ(values[4999], -1);
    }
    EXPECT_THROW(static_cast<void>(fmpl::Allocator<double>().allocate(std::size_t{1} << 58)), std::bad_alloc);
    EXPECT_THROW(static_cast<void>(fmpl::Allocator<double>().allocate(~std::size_t{0} / 2)), std::bad_array_new_length);
}

FMPL_RANKS_TEST_AT(Malloc, FinalizeFreesWhatIsLeft, ({1, 2}))
{
    REQUIRE_OK(fmpl_init(nullptr, nullptr, 1));
    for (int i = 0; i < 100; ++i) EXPECT_NE(fmpl_malloc(10000), nullptr);
    EXPECT_OK(fmpl_finalize());
}

}  // namespace
