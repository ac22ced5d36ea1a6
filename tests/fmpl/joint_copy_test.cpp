// Messages that both of their ranks copy: by either alone and by both, at any length.
#include "../support/ranks_test.hpp"

#include <fmpl/joint_copy.h>
#include <fmpl/remote.h>

#include <chrono>
#include <cstdint>
#include <cstring>
#include <random>
#include <thread>
#include <vector>

namespace {

using namespace fmpl_test;

// passing: the source passes on what it claims.
enum class Who { source, destination, both, passing };

struct Announcement {
    std::uint64_t record, address, bytes;
};

// Of one pair of ranks: the record and the buffers that are used again and again.
class Pair {
public:
    Pair(int source, int destination) : source_(source), destination_(destination), data_(kMost), room_(kMost)
    {
        block_ = static_cast<std::byte*>(fmpl_malloc(2 * FMPL_JOINT_RECORD));
        auto at = reinterpret_cast<std::uintptr_t>(block_) + FMPL_JOINT_RECORD - 1;
        record_ = reinterpret_cast<void*>(at - at % FMPL_JOINT_RECORD);
        REQUIRE_OK(fmpl_remote_place(record_, FMPL_JOINT_RECORD, &place_));
        remote_room_ = static_cast<unsigned char*>(fmpl_malloc(kMost));
    }
    ~Pair()
    {
        fmpl_free(block_);
        fmpl_free(remote_room_);
    }

    void pass(std::size_t bytes, unsigned number, Who who, bool to_remote_dma)
    {
        rank() == source_ ? give(bytes, number, who) : take(bytes, number, who, to_remote_dma);
    }

    static constexpr std::size_t kMost = 300'000;
    static constexpr std::size_t kChunk = 20'032;

private:
    static unsigned char byte(unsigned number, std::size_t i) { return static_cast<unsigned char>(i * 7 + number); }

    void give(std::size_t bytes, unsigned number, Who who)
    {
        for (std::size_t i = 0; i < bytes; ++i) data_[i] = byte(number, i);
        REQUIRE_OK(fmpl_joint_prepare(record_));
        const Announcement announced{place_, reinterpret_cast<std::uintptr_t>(data_.data()), bytes};
        REQUIRE_OK(fmpl_send(&announced, sizeof announced, destination_, 0, FMPL_COMM_WORLD));
        int done = 0;
        if (who == Who::passing) pass_on(bytes, number);
        if (who == Who::source || who == Who::both) {
            wait_until(
                [&] {
                    REQUIRE_OK(fmpl_joint_give(destination_, record_, data_.data(), bytes, &done));
                    return done != 0;
                },
                "the message");
        }
        REQUIRE_OK(fmpl_recv(&done, sizeof done, destination_, 1, FMPL_COMM_WORLD));
        EXPECT_EQ(done, 1);
        std::memset(data_.data(), 0, bytes);
    }

    // Up to so many chunks, as messages: (begin, bytes), then the bytes; at last (0, 0).
    void pass_on(std::size_t bytes, unsigned number)
    {
        int done = 0;
        std::size_t chunk[2];
        const std::size_t longest = number % 5 == 0 ? kChunk - 1 : kChunk;
        for (unsigned most = number % 8; most-- > 0;) {
            wait_until(
                [&] {
                    REQUIRE_OK(fmpl_joint_claim(destination_, record_, bytes, longest, &chunk[0], &chunk[1], &done));
                    if (chunk[1] == 0) {
                        REQUIRE_OK(fmpl_joint_give(destination_, record_, data_.data(), bytes, &done));
                    }
                    return chunk[1] != 0 || done != 0;
                },
                "a chunk");
            if (chunk[1] == 0) break;
            sleep_at_times(number);
            REQUIRE_OK(fmpl_send(chunk, sizeof chunk, destination_, 2, FMPL_COMM_WORLD));
            REQUIRE_OK(fmpl_send(data_.data() + chunk[0], chunk[1], destination_, 3, FMPL_COMM_WORLD));
        }
        chunk[0] = chunk[1] = 0;
        REQUIRE_OK(fmpl_send(chunk, sizeof chunk, destination_, 2, FMPL_COMM_WORLD));
    }
    static void sleep_at_times(unsigned number)
    {
        if (number % 16 == 0) std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
    // Of them; whether all of the message has arrived so.
    int take_passed(std::uint64_t record, unsigned char* to, std::size_t bytes)
    {
        int done = 0;
        for (std::size_t chunks = 1;; ++chunks) {
            std::size_t chunk[2];
            REQUIRE_OK(fmpl_recv(chunk, sizeof chunk, source_, 2, FMPL_COMM_WORLD));
            if (chunk[1] == 0) return done;
            EXPECT_EQ(done, 0);
            EXPECT_LE(chunk[1], kChunk);
            REQUIRE_OK(fmpl_recv(to + chunk[0], chunk[1], source_, 3, FMPL_COMM_WORLD));
            REQUIRE_OK(fmpl_joint_arrived(source_, record, bytes, chunks, &done));
        }
    }

    void take(std::size_t bytes, unsigned number, Who who, bool to_remote_dma)
    {
        unsigned char* const to = to_remote_dma ? remote_room_ : room_.data();
        std::memset(to, 0xee, kMost);
        Announcement announced{};
        REQUIRE_OK(fmpl_recv(&announced, sizeof announced, source_, 0, FMPL_COMM_WORLD));
        ASSERT_EQ(announced.bytes, bytes);
        int opened = 0;
        int done = 0;
        std::size_t copied = 0;
        std::size_t copied_here = 0;
        const int alone = number % 3 == 0 ? 1 : 0;
        const std::size_t chunk = who == Who::passing ? kChunk : 0;
        REQUIRE_OK(fmpl_joint_open(source_, announced.record, to, bytes, chunk, &opened));
        ASSERT_EQ(opened, 1);
        if (who == Who::passing) done = take_passed(announced.record, to, bytes);
        if (who == Who::source) std::this_thread::sleep_for(std::chrono::milliseconds(2));
        wait_until(
            [&] {
                if (done != 0) return true;
                REQUIRE_OK(
                    fmpl_joint_take(source_, announced.record, announced.address, to, bytes, alone, &copied, &done));
                copied_here += copied;
                return done != 0;
            },
            "the message");
        EXPECT_LE(copied_here, bytes);
        if (who == Who::destination) {
            EXPECT_EQ(copied_here, bytes);
        }
        REQUIRE_OK(fmpl_send(&done, sizeof done, source_, 1, FMPL_COMM_WORLD));
        std::size_t wrong = 0;
        for (std::size_t i = 0; i < kMost; ++i) wrong += to[i] != (i < bytes ? byte(number, i) : 0xee);
        EXPECT_EQ(wrong, 0u) << bytes << " bytes, message " << number;
    }

    int source_, destination_;
    std::vector<unsigned char> data_, room_;
    std::byte* block_;
    void* record_;
    std::uint64_t place_ = 0;
    unsigned char* remote_room_;
};

const RanksOptions kAddressed{.ranks = {2, 3, 4}, .unmapped = false};

FMPL_RANKS_TEST_WITH(JointCopy, ArrivesWhoeverCopies, kAddressed)
{
    const fmpl::Session session(4);
    const int partner = rank() ^ 1;
    if (partner < size()) {
        Pair even(rank() & ~1, rank() | 1), odd(rank() | 1, rank() & ~1);
        std::mt19937 random(17 + static_cast<unsigned>(rank() / 2));  // the same on both
        for (unsigned number = 0; number < 150; ++number) {
            const std::size_t bytes = 1 + random() % (random() % 2 == 0 ? Pair::kMost : 40'000);
            const auto who = static_cast<Who>(random() % 4);
            const bool to_remote_dma = random() % 2 == 0;
            (random() % 2 == 0 ? even : odd).pass(bytes, number, who, to_remote_dma);
        }
        for (const std::size_t bytes : {1, 63, 64, 16'383, 16'384, 16'385, 32'768, 65'536, 262'144, 300'000}) {
            even.pass(bytes, 3, Who::both, false);
        }
    }
    REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
}

FMPL_RANKS_TEST_WITH(JointCopy, IsNotOpenedWhereMemoryIsNotReached,
    (RanksOptions{.ranks = {2}, .unmapped = false, .environment = {{"FMPL_PRIVATE_COPY", "staged"}}}))
{
    const fmpl::Session session(1);
    void* const block = fmpl_malloc(FMPL_JOINT_RECORD);
    std::uint64_t place = 0;
    REQUIRE_OK(fmpl_remote_place(block, FMPL_JOINT_RECORD, &place));
    char room[100];
    int opened = 1;
    REQUIRE_OK(fmpl_joint_open(1 - rank(), place, room, sizeof room, 0, &opened));
    EXPECT_EQ(opened, 0);
    REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
}

// Of the one who opens a copy and the other who withdraws it, one succeeds.
FMPL_RANKS_TEST_WITH(JointCopy, IsOpenedOrWithdrawn, (RanksOptions{.ranks = {2}, .unmapped = false}))
{
    const fmpl::Session session(1);
    auto* const block = static_cast<char*>(fmpl_malloc(2 * FMPL_JOINT_RECORD));
    const auto at = reinterpret_cast<std::uintptr_t>(block) + FMPL_JOINT_RECORD - 1;
    void* const record = reinterpret_cast<void*>(at - at % FMPL_JOINT_RECORD);
    std::uint64_t place = 0;
    if (rank() == 0) {
        REQUIRE_OK(fmpl_remote_place(record, FMPL_JOINT_RECORD, &place));
    }
    REQUIRE_OK(fmpl_bcast(&place, sizeof place, 0, FMPL_COMM_WORLD));
    std::vector<unsigned char> data(100'000), room(100'000);
    int opened = 0, withdrawn = 0, done = 0;
    for (int round = 0; round < 2000; ++round) {
        if (rank() == 0) REQUIRE_OK(fmpl_joint_prepare(record));
        REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
        for (int pause = round % 50; pause > 0; --pause) std::atomic_signal_fence(std::memory_order_seq_cst);
        opened = withdrawn = 0;
        if (rank() == 0) {
            REQUIRE_OK(fmpl_joint_withdraw(record, &withdrawn));
        } else {
            REQUIRE_OK(fmpl_joint_open(0, place, room.data(), room.size(), 0, &opened));
        }
        std::int32_t successes = opened + withdrawn;
        REQUIRE_OK(fmpl_allreduce(&successes, 1, FMPL_SUM_INT32, FMPL_COMM_WORLD, nullptr));
        EXPECT_EQ(successes, 1) << "round " << round;
        if (rank() == 0 && withdrawn == 1) {
            REQUIRE_OK(fmpl_joint_give(1, record, data.data(), data.size(), &done));
            EXPECT_EQ(done, 0);
            REQUIRE_OK(fmpl_joint_withdraw(record, &withdrawn));
            EXPECT_EQ(withdrawn, 0) << "twice";
        }
        if (rank() == 1 && opened == 0) {
            REQUIRE_OK(fmpl_joint_open(0, place, room.data(), room.size(), 0, &opened));
            EXPECT_EQ(opened, 0);
        }
        REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
    }
    if (rank() == 0) {
        EXPECT_FAILS(FMPL_ERR_ARGUMENT, fmpl_joint_withdraw(record, nullptr), "withdrawn");
        EXPECT_FAILS(FMPL_ERR_ARGUMENT, fmpl_joint_withdraw(&place, &withdrawn), "record");
    }
    fmpl_free(block);
    REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
}

FMPL_RANKS_TEST_WITH(JointCopy, ArgumentsAreChecked, (RanksOptions{.ranks = {1}, .unmapped = false}))
{
    const fmpl::Session session(1);
    alignas(FMPL_JOINT_RECORD) char local[FMPL_JOINT_RECORD];
    char buffer[100];
    auto* const block = static_cast<char*>(fmpl_malloc(3 * FMPL_JOINT_RECORD));
    auto at = reinterpret_cast<std::uintptr_t>(block) + FMPL_JOINT_RECORD - 1;
    void* const record = reinterpret_cast<void*>(at - at % FMPL_JOINT_RECORD);
    std::uint64_t place = 0;
    REQUIRE_OK(fmpl_remote_place(record, FMPL_JOINT_RECORD, &place));
    int flag = 5;
    std::size_t copied = 0;
    EXPECT_FAILS(FMPL_ERR_ARGUMENT, fmpl_joint_prepare(local), "record");
    EXPECT_FAILS(FMPL_ERR_ARGUMENT, fmpl_joint_prepare(static_cast<char*>(record) + 8), "record");
    REQUIRE_OK(fmpl_joint_prepare(record));
    EXPECT_FAILS(FMPL_ERR_RANK, fmpl_joint_open(size(), place, buffer, 1, 0, &flag), "world_rank");
    EXPECT_FAILS(FMPL_ERR_ARGUMENT, fmpl_joint_open(0, place, nullptr, 1, 0, &flag), "to");
    EXPECT_FAILS(FMPL_ERR_ARGUMENT, fmpl_joint_open(0, place, buffer, 1, 0, nullptr), "opened");
    EXPECT_FAILS(FMPL_ERR_ARGUMENT, fmpl_joint_open(0, place, buffer, 0, 0, &flag), "size");
    EXPECT_FAILS(FMPL_ERR_ARGUMENT, fmpl_joint_open(0, place, buffer, 1, 65, &flag), "chunk");
    REQUIRE_OK(fmpl_joint_open(0, place + 1, buffer, 1, 0, &flag));
    EXPECT_EQ(flag, 0);
    EXPECT_FAILS(FMPL_ERR_ARGUMENT, fmpl_joint_take(0, place + 1, 0, buffer, 1, 0, &copied, &flag), "record");
    EXPECT_FAILS(FMPL_ERR_ARGUMENT, fmpl_joint_take(0, place, 0, buffer, 1, 0, &copied, nullptr), "done");
    EXPECT_FAILS(FMPL_ERR_ARGUMENT, fmpl_joint_take(0, place, 0, buffer, 1, 0, nullptr, &flag), "copied");
    EXPECT_FAILS(FMPL_ERR_RANK, fmpl_joint_give(-1, record, buffer, 1, &flag), "world_rank");
    EXPECT_FAILS(FMPL_ERR_ARGUMENT, fmpl_joint_give(0, record, nullptr, 1, &flag), "from");
    REQUIRE_OK(fmpl_joint_give(0, record, buffer, 1, &flag));
    EXPECT_EQ(flag, 0);
    // What another process has written is checked: here more bytes than the message has.
    REQUIRE_OK(fmpl_joint_open(0, place, buffer, 50, 0, &flag));
    EXPECT_FAILS(FMPL_ERR_INTERNAL, fmpl_joint_give(0, record, buffer + 50, 49, &flag), "49");
    std::size_t begin = 0;
    EXPECT_FAILS(FMPL_ERR_INTERNAL, fmpl_joint_claim(0, record, 49, 64, &begin, &copied, &flag), "49");
    EXPECT_FAILS(FMPL_ERR_ARGUMENT, fmpl_joint_claim(0, record, 50, 64, &begin, nullptr, &flag), "bytes");
    EXPECT_FAILS(FMPL_ERR_ARGUMENT, fmpl_joint_claim(0, record, 50, 64, nullptr, &copied, &flag), "begin");
    EXPECT_FAILS(FMPL_ERR_ARGUMENT, fmpl_joint_claim(0, buffer, 50, 64, &begin, &copied, &flag), "record");
    EXPECT_FAILS(FMPL_ERR_RANK, fmpl_joint_claim(-1, record, 50, 64, &begin, &copied, &flag), "world_rank");
    EXPECT_FAILS(FMPL_ERR_ARGUMENT, fmpl_joint_arrived(0, place, 50, 0, nullptr), "done");
    EXPECT_FAILS(FMPL_ERR_ARGUMENT, fmpl_joint_arrived(0, place + 1, 50, 0, &flag), "record");
    EXPECT_FAILS(FMPL_ERR_RANK, fmpl_joint_arrived(size(), place, 50, 0, &flag), "world_rank");
    REQUIRE_OK(fmpl_joint_claim(0, record, 50, 64, &begin, &copied, &flag));  // it is not to be passed on
    EXPECT_EQ(copied, 0u);
    fmpl_free(block);
}

constexpr std::uint64_t kNowhere = 64;

// Rank 0 copies what is not there, as rank 1 has told it, which waits for an answer.
FMPL_RANKS_TEST_WITH(JointCopySubject, TakesFromNowhere, (RanksOptions{.ranks = {}}))
{
    const fmpl::Session session(1);
    std::uint64_t place = 0;
    if (rank() == 1) {
        void* const record = fmpl_malloc(FMPL_JOINT_RECORD);
        REQUIRE_OK(fmpl_remote_place(record, FMPL_JOINT_RECORD, &place));
        REQUIRE_OK(fmpl_joint_prepare(record));
        REQUIRE_OK(fmpl_send(&place, sizeof place, 0, 0, FMPL_COMM_WORLD));
        fmpl_recv(nullptr, 0, 0, 0, FMPL_COMM_WORLD);
        return;
    }
    std::vector<char> room(40'000);
    REQUIRE_OK(fmpl_recv(&place, sizeof place, 1, 0, FMPL_COMM_WORLD));
    int opened = 0;
    int done = 0;
    std::size_t copied = 0;
    REQUIRE_OK(fmpl_joint_open(1, place, room.data(), room.size(), 0, &opened));
    EXPECT_FAILS(FMPL_ERR_SYSTEM, fmpl_joint_take(1, place, kNowhere, room.data(), room.size(), 0, &copied, &done),
        "cannot be read");
}

FMPL_RANKS_TEST_WITH(JointCopySubject, ReadsFromNowhere, (RanksOptions{.ranks = {}}))
{
    const fmpl::Session session(1);
    if (rank() == 1) {
        fmpl_recv(nullptr, 0, 0, 0, FMPL_COMM_WORLD);
        return;
    }
    char room[100];
    int copied = 0;
    EXPECT_FAILS(FMPL_ERR_SYSTEM, fmpl_private_read(1, kNowhere, room, sizeof room, &copied), "cannot be read");
}

TEST(JointCopy, ACopyThatTheKernelRefusesEndsTheJob)
{
    if (modes_without_processes()) GTEST_SKIP() << "FMPL_TEST_MODES=threads";
    for (const char* const subject : {"JointCopySubject.TakesFromNowhere", "JointCopySubject.ReadsFromNowhere"}) {
        const ProgramResult result = run_body_under_launcher(subject, 2);
        EXPECT_EQ(result.status, FMPL_ERR_SYSTEM) << result.output;
        EXPECT_EQ(result.output.find("Failure"), std::string::npos) << result.output;
    }
}

}  // namespace
