// Collective calls of many kinds one after the other, in an order and with lengths and roots that nobody chose, with
// messages between them and calls under way beside them: each gets its own data, however far a rank is ahead.
#include "collective_calls.hpp"

#include <cstdint>
#include <functional>
#include <random>
#include <vector>

using namespace mpi_test;

namespace {

using Numbers = std::vector<int>;

// Of one call of the sequence: the same on all ranks.
struct Call {
    int number;
    int count;  // of each block, in ints
    int root;
    bool in_place;
};

int value(const Call& call, int from, int to, int i)
{
    return call.number * 1000003 + from * 1009 + to * 101 + i;
}

// Blocks for `members` ranks; the one for or of each by fill(r, i).
template <class Fill>
Numbers blocks(const Call& call, int members, Fill&& fill)
{
    Numbers all(static_cast<std::size_t>(members * call.count));
    for (int r = 0; r < members; ++r) {
        for (int i = 0; i < call.count; ++i) all[static_cast<std::size_t>(r * call.count + i)] = fill(r, i);
    }
    return all;
}

void gather(const Call& c)
{
    const Numbers mine = blocks(c, 1, [&](int, int i) { return value(c, rank(), c.root, i); });
    const bool is_root = rank() == c.root;
    const Numbers right = blocks(c, size(), [&](int r, int i) { return value(c, r, c.root, i); });
    Numbers all(is_root ? right.size() : 0);
    if (is_root && c.in_place) {
        std::copy(mine.begin(), mine.end(), all.begin() + static_cast<std::ptrdiff_t>(c.root * c.count));
    }
    const void* const from = is_root && c.in_place ? MPI_IN_PLACE : mine.data();
    EXPECT_EQ(MPI_Gather(from, c.count, MPI_INT, all.data(), c.count, MPI_INT, c.root, MPI_COMM_WORLD), MPI_SUCCESS);
    if (is_root) {
        EXPECT_EQ(all, right) << "call " << c.number;
    }
}

void scatter(const Call& c)
{
    const Numbers all = blocks(c, size(), [&](int r, int i) { return value(c, c.root, r, i); });
    const Numbers right = blocks(c, 1, [&](int, int i) { return value(c, c.root, rank(), i); });
    Numbers mine(right.size());
    const bool stays = rank() == c.root && c.in_place;
    void* const to = stays ? MPI_IN_PLACE : mine.data();
    EXPECT_EQ(MPI_Scatter(all.data(), c.count, MPI_INT, to, c.count, MPI_INT, c.root, MPI_COMM_WORLD), MPI_SUCCESS);
    if (!stays) {
        EXPECT_EQ(mine, right) << "call " << c.number;
    }
}

void allgather(const Call& c)
{
    const Numbers mine = blocks(c, 1, [&](int, int i) { return value(c, rank(), 0, i); });
    const Numbers right = blocks(c, size(), [&](int r, int i) { return value(c, r, 0, i); });
    Numbers all(right.size());
    if (c.in_place) std::copy(mine.begin(), mine.end(), all.begin() + static_cast<std::ptrdiff_t>(rank() * c.count));
    const void* const from = c.in_place ? MPI_IN_PLACE : mine.data();
    EXPECT_EQ(MPI_Allgather(from, c.count, MPI_INT, all.data(), c.count, MPI_INT, MPI_COMM_WORLD), MPI_SUCCESS);
    EXPECT_EQ(all, right) << "call " << c.number;
}

// A column of a matrix goes out, and arrives in one piece.
void allgather_of_a_column(const Call& c)
{
    MPI_Datatype column = MPI_DATATYPE_NULL;
    MPI_Type_vector(c.count, 1, 3, MPI_INT, &column);
    MPI_Type_commit(&column);
    Numbers matrix(static_cast<std::size_t>(3 * c.count + 1));
    for (int i = 0; i < c.count; ++i) matrix[static_cast<std::size_t>(3 * i)] = value(c, rank(), 0, i);
    const Numbers right = blocks(c, size(), [&](int r, int i) { return value(c, r, 0, i); });
    Numbers all(right.size());
    EXPECT_EQ(MPI_Allgather(matrix.data(), 1, column, all.data(), c.count, MPI_INT, MPI_COMM_WORLD), MPI_SUCCESS);
    EXPECT_EQ(all, right) << "call " << c.number;
    MPI_Type_free(&column);
}

void alltoall(const Call& c)
{
    Numbers out = blocks(c, size(), [&](int r, int i) { return value(c, rank(), r, i); });
    const Numbers right = blocks(c, size(), [&](int r, int i) { return value(c, r, rank(), i); });
    Numbers in = c.in_place ? out : Numbers(right.size());
    const void* const from = c.in_place ? MPI_IN_PLACE : out.data();
    EXPECT_EQ(MPI_Alltoall(from, c.count, MPI_INT, in.data(), c.count, MPI_INT, MPI_COMM_WORLD), MPI_SUCCESS);
    EXPECT_EQ(in, right) << "call " << c.number;
}

// Blocks of r + 1 parts of the count.
void alltoallv(const Call& c)
{
    Numbers counts, places;
    int total = 0;
    for (int r = 0; r < size(); ++r) {
        counts.push_back((c.count + r + rank()) % (c.count + 1));
        places.push_back(total);
        total += counts.back();
    }
    Numbers out(static_cast<std::size_t>(total)), in(out.size());
    Numbers right(out.size());
    for (int r = 0; r < size(); ++r) {
        for (int i = 0; i < counts[static_cast<std::size_t>(r)]; ++i) {
            const auto at = static_cast<std::size_t>(places[static_cast<std::size_t>(r)] + i);
            out[at] = value(c, rank(), r, i);
            right[at] = value(c, r, rank(), i);
        }
    }
    EXPECT_EQ(MPI_Alltoallv(out.data(), counts.data(), places.data(), MPI_INT, in.data(), counts.data(), places.data(),
                  MPI_INT, MPI_COMM_WORLD),
        MPI_SUCCESS);
    EXPECT_EQ(in, right) << "call " << c.number;
}

template <class Scan>
void scan_of(const Call& c, Scan&& scan, int last)
{
    const Numbers mine = blocks(c, 1, [&](int, int i) { return value(c, rank(), 0, i) % 1000; });
    const Numbers right = blocks(c, 1, [&](int, int i) {
        int sum = 0;
        for (int r = 0; r <= last; ++r) sum += value(c, r, 0, i) % 1000;
        return sum;
    });
    Numbers sum = c.in_place ? mine : Numbers(right.size());
    const void* const from = c.in_place ? MPI_IN_PLACE : mine.data();
    EXPECT_EQ(scan(from, sum.data(), c.count, MPI_INT, MPI_SUM, MPI_COMM_WORLD), MPI_SUCCESS);
    if (last >= 0) {
        EXPECT_EQ(sum, right) << "call " << c.number;
    }
}

void scan(const Call& c)
{
    scan_of(c, MPI_Scan, rank());
}
void exscan(const Call& c)
{
    scan_of(c, MPI_Exscan, rank() - 1);
}

// Parts of unequal lengths.
void reduce_scatter(const Call& c)
{
    Numbers counts;
    int total = 0, first = 0;
    for (int r = 0; r < size(); ++r) {
        if (r == rank()) first = total;
        counts.push_back((c.count + r) % (c.count + 1));
        total += counts.back();
    }
    const auto own = static_cast<std::size_t>(counts[static_cast<std::size_t>(rank())]);
    Numbers operand(static_cast<std::size_t>(total)), right(own);
    for (int i = 0; i < total; ++i) operand[static_cast<std::size_t>(i)] = value(c, rank(), 0, i) % 1000;
    for (std::size_t i = 0; i < own; ++i) {
        for (int r = 0; r < size(); ++r) right[i] += value(c, r, 0, first + static_cast<int>(i)) % 1000;
    }
    Numbers sum = c.in_place ? operand : Numbers(own);
    const void* const from = c.in_place ? MPI_IN_PLACE : operand.data();
    EXPECT_EQ(MPI_Reduce_scatter(from, sum.data(), counts.data(), MPI_INT, MPI_SUM, MPI_COMM_WORLD), MPI_SUCCESS);
    sum.resize(own);
    EXPECT_EQ(sum, right) << "call " << c.number;
}

void bcast(const Call& c)
{
    const Numbers right = blocks(c, 1, [&](int, int i) { return value(c, c.root, 0, i); });
    Numbers data = rank() == c.root ? right : Numbers(right.size());
    EXPECT_EQ(MPI_Bcast(data.data(), c.count, MPI_INT, c.root, MPI_COMM_WORLD), MPI_SUCCESS);
    EXPECT_EQ(data, right) << "call " << c.number;
}

void ring(const Call& c)
{
    const int next = (rank() + 1) % size(), before = (rank() + size() - 1) % size();
    const Numbers out = blocks(c, 1, [&](int, int i) { return value(c, rank(), next, i); });
    const Numbers right = blocks(c, 1, [&](int, int i) { return value(c, before, rank(), i); });
    Numbers in(right.size());
    EXPECT_EQ(MPI_Sendrecv(out.data(), c.count, MPI_INT, next, 0, in.data(), c.count, MPI_INT, before, 0,
                  MPI_COMM_WORLD, MPI_STATUS_IGNORE),
        MPI_SUCCESS);
    EXPECT_EQ(in, right) << "call " << c.number;
}

void some_calls(std::uint32_t seed, int calls)
{
    constexpr void (*kCalls[])(const Call&) = {gather, gather, scatter, scatter, allgather, allgather_of_a_column,
        alltoall, alltoallv, scan, exscan, reduce_scatter, bcast, ring};
    std::mt19937 random(seed);
    Numbers beside(static_cast<std::size_t>(size()), -1);
    MPI_Request request = MPI_REQUEST_NULL;
    const int own = 10 * rank();
    int again = 0;
    void (*kind)(const Call&) = gather;
    for (int number = 0; number < calls; ++number) {
        if (again-- == 0) {  // a few alike in a row, so that ranks get ahead of each other
            kind = kCalls[random() % std::size(kCalls)];
            again = static_cast<int>(random() % 60);
        }
        const unsigned length = random() % 4;
        const int count = static_cast<int>(random() % (length == 0 ? 900 : length == 1 ? 150 : 9));
        const Call call{number, count, static_cast<int>(random() % static_cast<unsigned>(size())), random() % 3 == 0};
        if (number % 16 == 0) delay(static_cast<unsigned>(number));
        if (number % 32 == 0) {
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            for (int r = 0; number > 0 && r < size(); ++r) EXPECT_EQ(beside[static_cast<std::size_t>(r)], 10 * r);
            MPI_Iallgather(&own, 1, MPI_INT, beside.data(), 1, MPI_INT, MPI_COMM_WORLD, &request);
        }
        kind(call);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

}  // namespace

MPI_TEST_AT(MixedCalls, EachGetsItsOwnData, ({1, 2, 3, 4, 7, 8, 16}))
{
    const int calls = size() > 7 ? 1500 : 6000;
    std::uint32_t seed = std::random_device()();
    MPI_Bcast(&seed, 1, MPI_UINT32_T, 0, MPI_COMM_WORLD);
    SCOPED_TRACE("seed " + std::to_string(seed));
    some_calls(seed, calls);
}
