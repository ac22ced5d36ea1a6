// fmpl_bcast, in its hardware form and as a tree.
#include "../support/guarded_buffer.hpp"

#include <fmpl/layers.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace fmpl_test;

constexpr std::size_t kBcastSizes[] = {
    0, 1, 8, 48, 112, 113, 128, 4095, 4096, 4097, 65535, 65536, 65537, 1048575, 1048577, 3145728};

FMPL_COLLECTIVE_TEST(Bcast, EverySizeReachesAllRanksFromEveryRoot)
{
    const fmpl::Session session(1);
    for (int root = 0; root < size(); ++root) {
        for (const std::size_t bytes : kBcastSizes) {
            // The largest from two roots only: each costs as much as all the others together.
            if (bytes > 100000 && root != 0 && root != size() - 1) continue;
            for (int variant = 0; variant < 4; ++variant) {
                // Root and others in remote-DMA memory or not, and a mixture.
                const bool rdma = variant == 3 ? rank() % 2 == 0 : (rank() == root ? variant & 1 : variant & 2) != 0;
                GuardedBuffer buffer(rdma ? Place::rdma : Place::heap, bytes);
                const std::uint64_t key = message_key(bytes, root, variant);
                if (rank() == root) {
                    buffer.fill(key);
                } else {
                    buffer.fill_byte(0xEE);
                }
                REQUIRE_OK(fmpl_bcast(buffer.data(), bytes, root, FMPL_COMM_WORLD));
                EXPECT_TRUE(buffer.holds(key)) << bytes << " bytes from root " << root << ", variant " << variant;
            }
        }
    }
}

// The root may overwrite its buffer as soon as its call has returned, and the next broadcasts follow at once.
FMPL_COLLECTIVE_TEST_AT(Bcast, ManyInARowWithChangingRootsDoNotDisturbEachOther, ({2, 3, 4, 7, 16}))
{
    const fmpl::Session session(1);
    constexpr std::size_t kSmall[] = {8, 112, 113, 1000, 4096, 9000, 70000};
    std::vector<GuardedBuffer> buffers;
    for (int b = 0; b < 4; ++b) buffers.emplace_back(kPlaces[b % 2], 70000);
    for (int round = 0; round < 150; ++round) {
        GuardedBuffer& buffer = buffers[std::size_t(round % 4)];
        const std::size_t bytes = kSmall[round % std::size(kSmall)];
        const int root = round / 3 % size();
        if (rank() == root) fill_pattern(buffer.data(), bytes, message_key(round));
        REQUIRE_OK(fmpl_bcast(buffer.data(), bytes, root, FMPL_COMM_WORLD));
        EXPECT_TRUE(has_pattern(buffer.data(), bytes, message_key(round))) << "round " << round;
        std::memset(buffer.data(), round, bytes);
    }
}

// Of two ranks, one may be root many times ahead of the other, whose slots it must not write to; and both copy what
// lies in remote-DMA memory at both ends.
FMPL_COLLECTIVE_TEST_AT(Bcast, TwoRanksOneOfThemFarAheadGetWhatTheRootSends, ({2}))
{
    const fmpl::Session session(1);
    std::mt19937_64 common(seed());  // the same at both ranks
    std::mt19937_64 own(seed() + static_cast<std::uint64_t>(rank()));
    constexpr std::size_t kSizes[] = {8, 100, 4096, 8192, 8200, 20000, 70000, 300000};
    std::vector<GuardedBuffer> buffers;
    for (const Place place : kPlaces) buffers.emplace_back(place, 300000);
    int root = 0;
    std::uint64_t left_of_run = 0;
    bool run_is_private = false;
    for (int round = 0; round < 4000; ++round) {
        if (left_of_run-- == 0) {  // a run of one root: short ones, and some longer than there are slots
            root = static_cast<int>(common() % 2);
            left_of_run = common() % 3 == 0 ? common() % 90 : common() % 2;
            run_is_private = common() % 2 == 0;
        }
        // From private memory mostly of one slot each; 300000 bytes are in ten slots.
        const bool one_slot = run_is_private && common() % 8 != 0;
        const std::size_t bytes = kSizes[common() % (one_slot ? 5 : std::size(kSizes))];
        const std::size_t of_root = run_is_private ? 1 : 0;
        const std::size_t of_receiver = common() % 4 == 0 ? 1 : 0;
        GuardedBuffer& buffer = buffers[rank() == root ? of_root : of_receiver];
        if (own() % 8 == 0) std::this_thread::sleep_for(std::chrono::microseconds(own() % 60));
        if (own() % 128 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(2));
        if (rank() == root) {
            fill_pattern(buffer.data(), bytes, message_key(round));
        } else {
            std::memset(buffer.data(), 0xEE, bytes);
        }
        REQUIRE_OK(fmpl_bcast(buffer.data(), bytes, root, FMPL_COMM_WORLD));
        EXPECT_TRUE(has_pattern(buffer.data(), bytes, message_key(round))) << "round " << round << ", " << bytes;
        std::memset(buffer.data(), round, bytes);
    }
}

// A mistake that would hang some broadcasts later, where nobody could tell what it was.
FMPL_RANKS_TEST_WITH(Bcast, ASecondRootIsToldSoAndTheNextBroadcastsWork,
    (RanksOptions{.ranks = {2, 3, 4}, .unmapped = false, .forms = {"hardware"}}))
{
    const fmpl::Session session(1);
    for (const std::size_t bytes : {0u, 8u, 9000u}) {
        for (int round = 0; round < 12; ++round) {
            GuardedBuffer buffer(Place::heap, bytes);
            buffer.fill(message_key(bytes, round));
            // The second root comes when the first has published, which waits for nobody where it is short.
            char go = 0;
            if (rank() == 1) REQUIRE_OK(fmpl_recv(&go, 1, 0, 0, FMPL_COMM_WORLD));
            const int code = fmpl_bcast(buffer.data(), bytes, rank() == 1 ? 1 : 0, FMPL_COMM_WORLD);
            EXPECT_EQ(code, rank() == 1 ? FMPL_ERR_MISMATCH : FMPL_SUCCESS) << fmpl_error_message();
            if (rank() == 1) {
                EXPECT_NE(std::string(fmpl_error_message()).find("and so does this rank"), std::string::npos);
            }
            EXPECT_TRUE(buffer.holds(message_key(bytes, round)));
            if (rank() == 0) REQUIRE_OK(fmpl_send(&go, 1, 1, 0, FMPL_COMM_WORLD));
            if (round % 3 == 0) {
                std::uint64_t value = rank() == 0 ? 77 : 0;
                REQUIRE_OK(fmpl_bcast(&value, sizeof value, 0, FMPL_COMM_WORLD));
                EXPECT_EQ(value, 77u);
            }
        }
    }
}

// Long ones, which all that run may copy for all that wait: whoever is late, has its buffer elsewhere or in columns
// takes part, the root may overwrite its buffer at once, and nothing beside the buffers is written.
FMPL_COLLECTIVE_TEST_AT(Bcast, LongOnesReachThoseWhoAreLateToo, ({3, 4, 7}))
{
    const fmpl::Session session(1);
    constexpr std::size_t kLong[] = {65536, 100002, 262144, 300002, 1048576};
    std::mt19937_64 same(seed());                                          // on all ranks
    std::mt19937_64 own(seed() + 1 + static_cast<std::uint64_t>(rank()));  // on each its own
    for (int round = 0; round < 24; ++round) {
        const std::size_t bytes = kLong[same() % std::size(kLong)];
        const int root = static_cast<int>(same() % static_cast<std::uint64_t>(size()));
        GuardedBuffer buffer(own() % 4 < (round < 12 ? 1u : 3u) ? Place::heap : Place::rdma, bytes);
        if (rank() == root) {
            buffer.fill(message_key(round, root));
        } else {
            buffer.fill_byte(0xEE);
        }
        if (own() % 3 == 0) std::this_thread::sleep_for(std::chrono::microseconds(own() % 3000));
        if (rank() != root && own() % 5 == 0) {
            const std::size_t half = bytes / 2;
            const fmpl_columns halves = {half, 2, half + 64, 0, 0, static_cast<std::ptrdiff_t>(half), 0};
            GuardedBuffer spread(kPlaces[round % 2], bytes + 64);
            REQUIRE_OK(fmpl_bcast_columns(spread.data(), &halves, root, FMPL_COMM_WORLD));
            std::memcpy(buffer.data(), spread.data(), half);
            std::memcpy(buffer.data() + half, spread.data() + half + 64, half);
        } else {
            REQUIRE_OK(fmpl_bcast(buffer.data(), bytes, root, FMPL_COMM_WORLD));
        }
        EXPECT_TRUE(buffer.holds(message_key(round, root))) << "round " << round << ", " << bytes << " bytes";
        std::memset(buffer.data(), round, bytes);
    }
}

// The first long one from private memory begins in pieces, until all have told that they reach the root: however
// early or late they come, and on a communicator of its own, too.
FMPL_COLLECTIVE_TEST_AT(Bcast, TheFirstLongOneFromPrivateMemoryReachesAll, ({2, 3, 4, 7}))
{
    const fmpl::Session session(1);
    std::mt19937_64 own(seed() + static_cast<std::uint64_t>(rank()));
    for (int round = 0; round < 12; ++round) {
        fmpl::Comm comm = fmpl::Comm::create(true);
        const std::size_t bytes = std::array{32768u, 65536u, 300001u, 2000003u}[static_cast<std::size_t>(round % 4)];
        const int root = round % size();
        GuardedBuffer buffer(Place::heap, bytes);
        if (rank() == root) buffer.fill(message_key(round));
        if (own() % 2 == 0) std::this_thread::sleep_for(std::chrono::microseconds(own() % 1500));
        REQUIRE_OK(fmpl_bcast(buffer.data(), bytes, root, comm.handle()));
        EXPECT_TRUE(buffer.holds(message_key(round))) << "round " << round << ", " << bytes << " bytes";
        std::memset(buffer.data(), round, bytes);
        comm.free();
    }
}

// The root has gone to sleep when its receiver comes, which may need its help.
FMPL_COLLECTIVE_TEST_AT(Bcast, ARootThatSleepsIsWoken, ({2, 3}))
{
    const fmpl::Session session(1);
    for (const std::size_t bytes : {8192u, 70000u, 300000u}) {
        for (int root = 0; root < size(); ++root) {
            GuardedBuffer buffer(Place::rdma, bytes);
            if (rank() == root) buffer.fill(message_key(bytes, root));
            if (rank() != root) std::this_thread::sleep_for(std::chrono::milliseconds(20));
            REQUIRE_OK(fmpl_bcast(buffer.data(), bytes, root, FMPL_COMM_WORLD));
            EXPECT_TRUE(buffer.holds(message_key(bytes, root)));
        }
    }
}

// A root that need not wait for its receivers is ahead of them until there is no slot left, or no buffer, and sleeps
// then.
FMPL_COLLECTIVE_TEST_AT(Bcast, ARootFarAheadOfTheOthersIsWoken, ({2, 3, 7}))
{
    const fmpl::Session session(1);
    for (const std::size_t bytes : {8u, 1000u, 9000u}) {
        for (int root = 0; root < size(); root += size() - 1) {
            // The others are late one after the other, and the last one once more in the midst.
            if (rank() != root) std::this_thread::sleep_for(std::chrono::milliseconds(5 * (rank() + 1)));
            for (int round = 0; round < 150; ++round) {
                if (round == 70 && rank() == 1) std::this_thread::sleep_for(std::chrono::milliseconds(10));
                GuardedBuffer buffer(Place::heap, bytes);
                if (rank() == root) buffer.fill(message_key(round, root));
                REQUIRE_OK(fmpl_bcast(buffer.data(), bytes, root, FMPL_COMM_WORLD));
                EXPECT_TRUE(buffer.holds(message_key(round, root))) << "round " << round << ", " << bytes << " bytes";
            }
        }
    }
}

// Who expects another size is told so, its buffer stays as it is, and the others get theirs.
FMPL_RANKS_TEST_WITH(Bcast, AnotherSizeIsToldAndWritesNothing,
    (RanksOptions{.ranks = {2, 3, 4}, .unmapped = false, .forms = {"hardware"}}))
{
    const fmpl::Session session(1);
    constexpr std::size_t kSizesOf[][2] = {
        {300000, 400000}, {400000, 300000}, {300000, 100}, {100, 300000}, {9000, 300000}, {300000, 0}};
    for (int round = 0; round < 12; ++round) {
        for (const auto& [of_all, of_last] : kSizesOf) {
            const bool differs = rank() == size() - 1;
            const std::size_t bytes = differs ? of_last : of_all;
            GuardedBuffer buffer(kPlaces[(round / 3 + rank()) % 2], bytes);
            if (rank() == 0) {
                buffer.fill(message_key(round, 1));
            } else {
                buffer.fill(message_key(round, 2));
            }
            if (round % 3 == rank()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
            const int code = fmpl_bcast(buffer.data(), bytes, 0, FMPL_COMM_WORLD);
            EXPECT_EQ(code, differs ? FMPL_ERR_MISMATCH : FMPL_SUCCESS) << fmpl_error_message();
            EXPECT_TRUE(buffer.holds(message_key(round, differs ? 2 : 1))) << of_all << " and " << of_last << " bytes";
        }
    }
}

// Two roots with long broadcasts, which wait for their receivers: the second finds the first one's and is told so.
FMPL_RANKS_TEST_WITH(
    Bcast, ASecondRootOfALongOneIsToldSo, (RanksOptions{.ranks = {3, 4}, .unmapped = false, .forms = {"hardware"}}))
{
    const fmpl::Session session(1);
    for (int round = 0; round < 10; ++round) {
        GuardedBuffer buffer(kPlaces[round % 2], 300000);
        buffer.fill(message_key(round, rank() == 1 ? 1 : 0));
        std::atomic<std::uint64_t>& begun = shared_words()[0];
        if (rank() == 0) begun = static_cast<std::uint64_t>(round) + 1;
        if (rank() == 1) {
            wait_until([&] { return begun > static_cast<std::uint64_t>(round); }, "the first root");
            std::this_thread::sleep_for(std::chrono::milliseconds(30));
        }
        const int code = fmpl_bcast(buffer.data(), 300000, rank() == 1 ? 1 : 0, FMPL_COMM_WORLD);
        EXPECT_EQ(code, rank() == 1 ? FMPL_ERR_MISMATCH : FMPL_SUCCESS) << fmpl_error_message();
        EXPECT_TRUE(buffer.holds(message_key(round, rank() == 1 ? 1 : 0)));
        REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
    }
}

// Ranks that broadcast as roots at the very same moment: one of them does, all others are told of it.
FMPL_RANKS_TEST_WITH(Bcast, OfRootsAtTheSameMomentOneBroadcasts,
    (RanksOptions{.ranks = {2, 3, 4}, .unmapped = false, .forms = {"hardware"}}))
{
    const fmpl::Session session(1);
    for (int round = 0; round < 300; ++round) {
        const std::size_t bytes = std::array{8u, 9000u, 70000u, 300000u}[static_cast<std::size_t>(round % 4)];
        GuardedBuffer buffer(round % 3 == 0 ? Place::heap : Place::rdma, bytes);
        const int roots = round % 5 == 0 ? size() : 2;
        const bool is_root = rank() < roots;
        buffer.fill(message_key(round, is_root ? rank() : 99));
        REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
        const int code = fmpl_bcast(buffer.data(), bytes, is_root ? rank() : 0, FMPL_COMM_WORLD);
        EXPECT_TRUE(code == FMPL_SUCCESS || code == FMPL_ERR_MISMATCH) << fmpl_error_message();

        // Every root's word, in turn: the broadcasts are in step, and one of the roots has broadcast.
        int winners = 0;
        int winner = -1;
        for (int r = 0; r < size(); ++r) {
            int won = is_root && code == FMPL_SUCCESS ? 1 : 0;
            REQUIRE_OK(fmpl_bcast(&won, sizeof won, r, FMPL_COMM_WORLD));
            winners += won;
            if (won != 0) winner = r;
        }
        EXPECT_EQ(winners, 1) << "round " << round;
        const bool told_otherwise = !is_root && winner != 0;
        EXPECT_EQ(code == FMPL_SUCCESS, rank() == winner || (!is_root && !told_otherwise)) << "round " << round;
        EXPECT_TRUE(buffer.holds(message_key(round, is_root ? rank() : winner))) << "round " << round;
    }
}

FMPL_COLLECTIVE_TEST_AT(Bcast, WorksInSubgroupsAtTheSameTime, ({4, 7}))
{
    const fmpl::Session session(1);
    const bool odd = rank() % 2 == 1;
    const fmpl::Comm odds = fmpl::Comm::create(odd);
    const fmpl::Comm evens = fmpl::Comm::create(!odd);
    fmpl::Comm mine = odd ? odds : evens;
    for (int round = 0; round < 40; ++round) {
        const std::size_t bytes = kBcastSizes[std::size_t(round) % 13];
        const int root = round % mine.size();
        GuardedBuffer buffer(kPlaces[round % 2], bytes);
        if (mine.rank() == root) buffer.fill(message_key(round, odd));
        REQUIRE_OK(fmpl_bcast(buffer.data(), bytes, root, mine.handle()));
        EXPECT_TRUE(buffer.holds(message_key(round, odd)));
    }
    mine.free();
}

FMPL_COLLECTIVE_TEST_AT(Bcast, LeavesMessagesAlone, ({2, 3}))
{
    const fmpl::Session session(4);
    const int to = (rank() + 1) % size();
    const int from = (rank() + size() - 1) % size();
    for (const std::size_t bytes : {8u, 5000u, 200000u}) {
        GuardedBuffer out(Place::heap, bytes);
        GuardedBuffer in(Place::rdma, bytes);
        GuardedBuffer common(Place::heap, bytes);
        out.fill(message_key(rank()));
        if (rank() == 0) common.fill(message_key(99));
        REQUIRE_OK(fmpl_irecv(in.data(), bytes, from, FMPL_ANY_TAG, FMPL_COMM_WORLD));
        REQUIRE_OK(fmpl_bcast(common.data(), bytes, 0, FMPL_COMM_WORLD));
        REQUIRE_OK(fmpl_isend(out.data(), bytes, to, 1, FMPL_COMM_WORLD));
        REQUIRE_OK(fmpl_bcast(common.data(), bytes, size() - 1, FMPL_COMM_WORLD));
        REQUIRE_OK(fmpl_irecv_wait(from, FMPL_ANY_TAG, FMPL_COMM_WORLD));
        REQUIRE_OK(fmpl_isend_wait(to, 1, FMPL_COMM_WORLD));
        EXPECT_TRUE(in.holds(message_key(from)));
        EXPECT_TRUE(common.holds(message_key(99)));
    }
}

// What the root wrote before the broadcast is visible to all after it; ThreadSanitizer watches the plain bytes.
FMPL_COLLECTIVE_TEST_AT(Bcast, OrdersTheMemoryOfTheRoot, ({2, 4}))
{
    const fmpl::Session session(1);
    unsigned char* const plain = shared_plain().data();
    unsigned char turn = 0;
    for (const std::size_t bytes : {8u, 113u, 70000u, 1048576u}) {
        for (int root = 0; root < size(); ++root) {
            ++turn;
            GuardedBuffer buffer(kPlaces[root % 2], bytes);
            if (rank() == root) plain[0] = turn;
            REQUIRE_OK(fmpl_bcast(buffer.data(), bytes, root, FMPL_COMM_WORLD));
            EXPECT_EQ(plain[0], turn);
            REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
        }
    }
}

// A root that stays goes ahead of its receivers by 32 broadcasts: they begin when it is through.
FMPL_RANKS_TEST_WITH(Bcast, ARootThatStaysGoesAheadOfItsReceivers,
    (RanksOptions{.ranks = {2, 3, 4, 8}, .unmapped = false, .forms = {"hardware"}}))
{
    const fmpl::Session session(1);
    const auto broadcast_so_many = [](int times, std::size_t bytes) {
        for (int i = 0; i < times; ++i) {
            const std::vector<unsigned char> sent(bytes, static_cast<unsigned char>(i + 1));
            std::vector<unsigned char> buffer = rank() == 0 ? sent : std::vector<unsigned char>(bytes);
            REQUIRE_OK(fmpl_bcast(buffer.data(), bytes, 0, FMPL_COMM_WORLD));
            EXPECT_EQ(buffer, sent) << "broadcast " << i;
        }
    };
    constexpr struct {
        int times;
        std::size_t bytes;
    } kRows[] = {{64 - 1, 8}, {32, 64}, {32, 256}, {32, 5000}};
    for (const auto& [times, bytes] : kRows) {
        broadcast_so_many(1, bytes);  // the root is the same in all that follow
        REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
        char word = 0;
        if (rank() != 0) REQUIRE_OK(fmpl_recv_any(&word, 1, 0, FMPL_COMM_WORLD));
        broadcast_so_many(times, bytes);
        for (int to = 1; rank() == 0 && to < size(); ++to) REQUIRE_OK(fmpl_send_any(&word, 1, to, 0, FMPL_COMM_WORLD));
        REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
    }
}

}  // namespace
