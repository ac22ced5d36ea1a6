// fmpl_comm_create, fmpl_comm_create_group, fmpl_comm_free, and the separation of communicators.
#include "../support/guarded_buffer.hpp"

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

namespace {

using namespace fmpl_test;

// The ranks of `members` (in the order of the communicator) find themselves in comm, all collectives and messages work.
void expect_usable(fmpl_comm_t comm, const std::vector<int>& members)
{
    const auto mine = std::find(members.begin(), members.end(), rank());
    if (mine == members.end()) return;
    const int me = static_cast<int>(mine - members.begin());
    const int n = static_cast<int>(members.size());
    int value = -1;
    REQUIRE_OK(fmpl_comm_rank(comm, &value));
    EXPECT_EQ(value, me);
    REQUIRE_OK(fmpl_comm_size(comm, &value));
    EXPECT_EQ(value, n);
    for (int r = 0; r < n; ++r) {
        REQUIRE_OK(fmpl_comm_world_rank(comm, r, &value));
        EXPECT_EQ(value, members[std::size_t(r)]);
    }
    REQUIRE_OK(fmpl_barrier(comm));
    for (int root = 0; root < n; root += std::max(1, n - 1)) {
        int word = me == root ? 1000 + root : 0;
        REQUIRE_OK(fmpl_bcast(&word, sizeof word, root, comm));
        EXPECT_EQ(word, 1000 + root);
    }
    std::int32_t sum = rank();
    REQUIRE_OK(fmpl_allreduce(&sum, 1, FMPL_SUM_INT32, comm, nullptr));
    EXPECT_EQ(sum, std::accumulate(members.begin(), members.end(), 0));
    int out = rank();
    int in = -1;
    REQUIRE_OK(fmpl_isend(&out, sizeof out, (me + 1) % n, 0, comm));
    REQUIRE_OK(fmpl_recv(&in, sizeof in, (me + n - 1) % n, 0, comm));
    REQUIRE_OK(fmpl_isend_wait((me + 1) % n, 0, comm));
    EXPECT_EQ(in, members[std::size_t((me + n - 1) % n)]);
    int source = -1;
    REQUIRE_OK(fmpl_received(&source, nullptr, nullptr));
    EXPECT_EQ(source, (me + n - 1) % n);
    REQUIRE_OK(fmpl_send_any(&out, sizeof out, (me + 1) % n, 7, comm));
    REQUIRE_OK(fmpl_recv_any(&in, sizeof in, 7, comm));
    EXPECT_EQ(in, members[std::size_t((me + n - 1) % n)]);
}

std::vector<int> ranks_where(const std::function<bool(int)>& member)
{
    std::vector<int> result;
    for (int r = 0; r < size(); ++r) {
        if (member(r)) result.push_back(r);
    }
    return result;
}

void create_use_free(const std::function<bool(int)>& member)
{
    const std::vector<int> members = ranks_where(member);
    fmpl_comm_t comm = 12345;
    REQUIRE_OK(fmpl_comm_create(&comm, member(rank()) ? 1 : 0));
    if (!member(rank())) {
        EXPECT_EQ(comm, FMPL_COMM_NULL);
        return;
    }
    EXPECT_NE(comm, FMPL_COMM_NULL);
    EXPECT_NE(comm, FMPL_COMM_WORLD);
    expect_usable(comm, members);
    const fmpl_comm_t former = comm;
    REQUIRE_OK(fmpl_comm_free(&comm));
    EXPECT_EQ(comm, FMPL_COMM_NULL);
    EXPECT_FAILS(FMPL_ERR_COMM, fmpl_barrier(former), "fmpl_barrier", "rank " + std::to_string(rank()));
}

FMPL_RANKS_TEST(Communicators, WorldHasAllRanksInOrder)
{
    const fmpl::Session session(2);
    expect_usable(FMPL_COMM_WORLD, ranks_where([](int) { return true; }));
}

FMPL_RANKS_TEST(Communicators, ConsistOfTheRanksWithKeyOne)
{
    const fmpl::Session session(2);
    create_use_free([](int) { return true; });
    create_use_free([](int) { return false; });
    create_use_free([](int r) { return r == 0; });
    create_use_free([](int r) { return r == size() - 1; });
    create_use_free([](int r) { return r % 2 == 1; });
    create_use_free([](int r) { return r % 2 == 0; });
    create_use_free([](int r) { return r != 0; });
    create_use_free([](int r) { return r * 2 < size(); });
}

FMPL_RANKS_TEST(Communicators, ManyMayExistAtATime)
{
    const fmpl::Session session(3);
    std::vector<fmpl_comm_t> comms;
    std::vector<std::vector<int>> members;
    for (int c = 0; c < 12; ++c) {
        const auto member = [c](int r) { return ((c + 1) >> (r % 4) & 1) != 0; };
        fmpl_comm_t comm = FMPL_COMM_NULL;
        REQUIRE_OK(fmpl_comm_create(&comm, member(rank()) ? 1 : 0));
        comms.push_back(comm);
        members.push_back(ranks_where(member));
        EXPECT_EQ(comm == FMPL_COMM_NULL, !member(rank()));
    }
    for (std::size_t c = 0; c < comms.size(); ++c) expect_usable(comms[c], members[c]);
    for (std::size_t c = comms.size(); c-- > 0;) expect_usable(comms[c], members[c]);
    for (fmpl_comm_t& comm : comms) {
        if (comm != FMPL_COMM_NULL) REQUIRE_OK(fmpl_comm_free(&comm));
    }
}

FMPL_RANKS_TEST_AT(Communicators, MayBeCreatedAndFreedHundredsOfTimes, ({1, 2, 4, 7}))
{
    const fmpl::Session session(8);
    for (int cycle = 0; cycle < 300; ++cycle) {
        const auto member = [cycle](int r) { return (r + cycle) % 3 != 0 || cycle % 5 == 0; };
        fmpl_comm_t comm = FMPL_COMM_NULL;
        REQUIRE_OK(fmpl_comm_create(&comm, member(rank()) ? 1 : 0));
        if (!member(rank())) continue;
        std::int32_t ones = 1;
        REQUIRE_OK(fmpl_allreduce(&ones, 1, FMPL_SUM_INT32, comm, nullptr));
        EXPECT_EQ(ones, static_cast<std::int32_t>(ranks_where(member).size()));
        if (cycle % 17 == 0) expect_usable(comm, ranks_where(member));
        REQUIRE_OK(fmpl_comm_free(&comm));
    }
}

FMPL_RANKS_TEST_AT(Communicators, MessagesInDifferentOnesDoNotMix, ({2, 3, 4}))
{
    const fmpl::Session session(4);
    constexpr int kComms = 5;
    std::vector<fmpl_comm_t> comms = {FMPL_COMM_WORLD};
    for (int c = 1; c < kComms; ++c) {
        fmpl_comm_t comm = FMPL_COMM_NULL;
        REQUIRE_OK(fmpl_comm_create(&comm, 1));
        comms.push_back(comm);
    }
    const int to = (rank() + 1) % size();
    const int from = (rank() + size() - 1) % size();
    for (const std::size_t bytes : {8u, 4000u, 100000u}) {
        std::vector<GuardedBuffer> out;
        for (int c = 0; c < kComms; ++c) {
            out.emplace_back(kPlaces[c % 2], bytes);
            out.back().fill(message_key(rank(), c));
            REQUIRE_OK(fmpl_isend(out.back().data(), bytes, to, 2, comms[std::size_t(c)]));
        }
        for (int c = kComms - 1; c >= 0; --c) {
            GuardedBuffer in(kPlaces[c / 2 % 2], bytes);
            REQUIRE_OK(fmpl_recv(in.data(), bytes, from, c % 2 == 0 ? 2 : FMPL_ANY_TAG, comms[std::size_t(c)]));
            EXPECT_TRUE(in.holds(message_key(from, c)));
        }
        for (int c = 0; c < kComms; ++c) REQUIRE_OK(fmpl_isend_wait(to, 2, comms[std::size_t(c)]));
    }
    for (int c = 1; c < kComms; ++c) REQUIRE_OK(fmpl_comm_free(&comms[std::size_t(c)]));
}

FMPL_RANKS_TEST_AT(Communicators, ListsInDifferentOrdersAreRefusedAtAllRanks, ({2, 3, 4}))
{
    const fmpl::Session session(1);
    std::vector<int> list(std::size_t(size()), 0);
    std::iota(list.begin(), list.end(), 0);
    // Each rank puts itself first.
    std::rotate(list.begin(), list.begin() + rank(), list.end());
    for (int round = 0; round < 5; ++round) {
        fmpl_comm_t comm = FMPL_COMM_NULL;
        EXPECT_EQ(fmpl_comm_create_group(&comm, list.data(), size()), FMPL_ERR_MISMATCH);
        EXPECT_NE(std::string(fmpl_error_message()).find("different lists"), std::string::npos) << fmpl_error_message();
        EXPECT_EQ(comm, FMPL_COMM_NULL);
    }
    std::sort(list.begin(), list.end());
    fmpl_comm_t comm = FMPL_COMM_NULL;
    REQUIRE_OK(fmpl_comm_create_group(&comm, list.data(), size()));
    REQUIRE_OK(fmpl_barrier(comm));
    REQUIRE_OK(fmpl_comm_free(&comm));
}

FMPL_RANKS_TEST(Communicators, AGroupHasTheListedRanksInTheListedOrder)
{
    const fmpl::Session session(2);
    // All ranks in reverse.
    std::vector<int> reversed(std::size_t(size()), 0);
    std::iota(reversed.rbegin(), reversed.rend(), 0);
    fmpl_comm_t comm = FMPL_COMM_NULL;
    REQUIRE_OK(fmpl_comm_create_group(&comm, reversed.data(), size()));
    expect_usable(comm, reversed);
    REQUIRE_OK(fmpl_comm_free(&comm));
    // Rotated by one, without the last.
    std::vector<int> rotated;
    for (int r = 0; r < size() - 1; ++r) rotated.push_back((r + 1) % (size() - 1));
    if (!rotated.empty() && rank() != size() - 1) {
        REQUIRE_OK(fmpl_comm_create_group(&comm, rotated.data(), size() - 1));
        expect_usable(comm, rotated);
        REQUIRE_OK(fmpl_comm_free(&comm));
    }
    // Each alone.
    const int me = rank();
    REQUIRE_OK(fmpl_comm_create_group(&comm, &me, 1));
    expect_usable(comm, {me});
    REQUIRE_OK(fmpl_comm_free(&comm));
}

// A grid's rows and columns: every rank is in one of each, and those who share no rank are created at the same time.
FMPL_RANKS_TEST_AT(Communicators, GroupsMayOverlap, ({4, 6}))
{
    const fmpl::Session session(2);
    const int columns = 2;
    const int rows = size() / columns;
    const int my_row = rank() / columns;
    const int my_column = rank() % columns;
    std::vector<int> row;
    std::vector<int> column;
    for (int c = 0; c < columns; ++c) row.push_back(my_row * columns + c);
    for (int r = 0; r < rows; ++r) column.push_back(r * columns + my_column);
    for (int cycle = 0; cycle < 100; ++cycle) {
        fmpl_comm_t row_comm = FMPL_COMM_NULL;
        fmpl_comm_t column_comm = FMPL_COMM_NULL;
        REQUIRE_OK(fmpl_comm_create_group(&row_comm, row.data(), columns));
        REQUIRE_OK(fmpl_comm_create_group(&column_comm, column.data(), rows));
        if (cycle % 20 == 0) {
            expect_usable(row_comm, row);
            expect_usable(column_comm, column);
        }
        std::int32_t sum = rank();
        REQUIRE_OK(fmpl_allreduce(&sum, 1, FMPL_SUM_INT32, row_comm, nullptr));
        REQUIRE_OK(fmpl_allreduce(&sum, 1, FMPL_SUM_INT32, column_comm, nullptr));
        EXPECT_EQ(sum, size() * (size() - 1) / 2);
        REQUIRE_OK(fmpl_comm_free(cycle % 2 == 0 ? &row_comm : &column_comm));
        REQUIRE_OK(fmpl_comm_free(cycle % 2 == 0 ? &column_comm : &row_comm));
    }
}

FMPL_RANKS_TEST_AT(Communicators, AGroupWithAWrongListIsRefused, ({3}))
{
    const fmpl::Session session(2);
    const std::string me = "rank " + std::to_string(rank());
    fmpl_comm_t comm = FMPL_COMM_NULL;
    const int all[] = {0, 1, 2};
    const int twice[] = {rank(), (rank() + 1) % 3, rank()};
    const int others[] = {(rank() + 1) % 3, (rank() + 2) % 3};
    const int outside[] = {0, 1, 2, 3};
    const int negative[] = {-1, rank()};
    EXPECT_FAILS(FMPL_ERR_ARGUMENT, fmpl_comm_create_group(&comm, all, 0), "fmpl_comm_create_group", me);
    EXPECT_FAILS(FMPL_ERR_ARGUMENT, fmpl_comm_create_group(&comm, all, -1), "fmpl_comm_create_group", me);
    EXPECT_FAILS(FMPL_ERR_ARGUMENT, fmpl_comm_create_group(&comm, nullptr, 3), "fmpl_comm_create_group", me);
    EXPECT_FAILS(FMPL_ERR_ARGUMENT, fmpl_comm_create_group(nullptr, all, 3), "fmpl_comm_create_group", me);
    EXPECT_FAILS(FMPL_ERR_ARGUMENT, fmpl_comm_create_group(&comm, twice, 3), "fmpl_comm_create_group", me,
        std::to_string(rank()));
    EXPECT_FAILS(FMPL_ERR_ARGUMENT, fmpl_comm_create_group(&comm, others, 2), "fmpl_comm_create_group", me);
    EXPECT_FAILS(FMPL_ERR_RANK, fmpl_comm_create_group(&comm, outside, 4), "fmpl_comm_create_group", me, "3");
    EXPECT_FAILS(FMPL_ERR_RANK, fmpl_comm_create_group(&comm, negative, 2), "fmpl_comm_create_group", me, "-1");
    REQUIRE_OK(fmpl_comm_create_group(&comm, all, 3));
    expect_usable(comm, {0, 1, 2});
    REQUIRE_OK(fmpl_comm_free(&comm));
}

FMPL_RANKS_TEST_AT(Communicators, AreNotFreedWhileACallIsOutstanding, ({2}))
{
    const fmpl::Session session(2);
    fmpl_comm_t comm = FMPL_COMM_NULL;
    REQUIRE_OK(fmpl_comm_create(&comm, 1));
    int in = 0;
    const int out = rank() + 1;
    const int peer = 1 - rank();
    REQUIRE_OK(fmpl_irecv(&in, sizeof in, peer, 1, comm));
    EXPECT_FAILS(FMPL_ERR_BUSY, fmpl_comm_free(&comm), "fmpl_comm_free", "rank " + std::to_string(rank()), "1");
    EXPECT_NE(comm, FMPL_COMM_NULL);
    REQUIRE_OK(fmpl_send(&out, sizeof out, peer, 1, comm));
    REQUIRE_OK(fmpl_irecv_wait(peer, 1, comm));
    EXPECT_EQ(in, peer + 1);
    REQUIRE_OK(fmpl_isend(&out, sizeof out, peer, 0, comm));
    EXPECT_FAILS(FMPL_ERR_BUSY, fmpl_comm_free(&comm), "fmpl_comm_free");
    REQUIRE_OK(fmpl_recv(&in, sizeof in, peer, 0, comm));
    REQUIRE_OK(fmpl_isend_wait(peer, 0, comm));
    REQUIRE_OK(fmpl_comm_free(&comm));
}

FMPL_RANKS_TEST_AT(Communicators, OnceFreedNoCallAcceptsThem, ({2}))
{
    const fmpl::Session session(2);
    fmpl_comm_t comm = FMPL_COMM_NULL;
    REQUIRE_OK(fmpl_comm_create(&comm, 1));
    fmpl_comm_t former = comm;
    REQUIRE_OK(fmpl_comm_free(&comm));
    char byte = 0;
    int value = 0;
    std::int32_t number = 0;
    for (fmpl_comm_t dead : {former, FMPL_COMM_NULL, fmpl_comm_t{4711}, fmpl_comm_t{-7}, fmpl_comm_t{2147483647}}) {
        EXPECT_FAILS(FMPL_ERR_COMM, fmpl_send(&byte, 1, 0, 0, dead), "fmpl_send");
        EXPECT_FAILS(FMPL_ERR_COMM, fmpl_recv(&byte, 1, 0, 0, dead), "fmpl_recv");
        EXPECT_FAILS(FMPL_ERR_COMM, fmpl_isend(&byte, 1, 0, 0, dead), "fmpl_isend");
        EXPECT_FAILS(FMPL_ERR_COMM, fmpl_irecv(&byte, 1, 0, 0, dead), "fmpl_irecv");
        EXPECT_FAILS(FMPL_ERR_COMM, fmpl_isend_wait(0, 0, dead), "fmpl_isend_wait");
        EXPECT_FAILS(FMPL_ERR_COMM, fmpl_irecv_wait(0, 0, dead), "fmpl_irecv_wait");
        EXPECT_FAILS(FMPL_ERR_COMM, fmpl_send_any(&byte, 1, 0, 0, dead), "fmpl_send_any");
        EXPECT_FAILS(FMPL_ERR_COMM, fmpl_recv_any(&byte, 1, 0, dead), "fmpl_recv_any");
        EXPECT_FAILS(FMPL_ERR_COMM, fmpl_barrier(dead), "fmpl_barrier");
        EXPECT_FAILS(FMPL_ERR_COMM, fmpl_bcast(&byte, 1, 0, dead), "fmpl_bcast");
        EXPECT_FAILS(FMPL_ERR_COMM, fmpl_reduce(&number, 1, FMPL_SUM_INT32, 0, dead, nullptr), "fmpl_reduce");
        EXPECT_FAILS(FMPL_ERR_COMM, fmpl_allreduce(&number, 1, FMPL_SUM_INT32, dead, nullptr), "fmpl_allreduce");
        EXPECT_FAILS(FMPL_ERR_COMM, fmpl_comm_rank(dead, &value), "fmpl_comm_rank");
        EXPECT_FAILS(FMPL_ERR_COMM, fmpl_comm_size(dead, &value), "fmpl_comm_size");
        EXPECT_FAILS(FMPL_ERR_COMM, fmpl_comm_world_rank(dead, 0, &value), "fmpl_comm_world_rank");
        EXPECT_FAILS(FMPL_ERR_COMM, fmpl_comm_free(&dead), "fmpl_comm_free");
    }
    // The next communicator may get the freed one's handle, but nothing of its messages.
    REQUIRE_OK(fmpl_comm_create(&comm, 1));
    expect_usable(comm, {0, 1});
    REQUIRE_OK(fmpl_comm_free(&comm));
}

FMPL_RANKS_TEST_AT(Communicators, WorldIsNotFreed, ({2}))
{
    const fmpl::Session session(2);
    fmpl_comm_t comm = FMPL_COMM_WORLD;
    EXPECT_FAILS(FMPL_ERR_COMM, fmpl_comm_free(&comm), "fmpl_comm_free", "FMPL_COMM_WORLD");
    EXPECT_FAILS(FMPL_ERR_ARGUMENT, fmpl_comm_free(nullptr), "fmpl_comm_free");
    expect_usable(FMPL_COMM_WORLD, {0, 1});
}

}  // namespace
