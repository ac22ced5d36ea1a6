// Broadcasts and reductions of private memory whose ranks disagree about the length, on both sides of every length at
// which another way begins, and exchanges of short data: an error on a rank that can see it, and nobody is left
// waiting. What MPI leaves open (MPI-3.1, 5.4 to 5.11).
#include "collective_calls.hpp"

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

using namespace mpi_test;

namespace {

constexpr std::pair<int, int> kBytes[] = {{8, 16}, {4000, 4096}, {16000, 16384}, {32760, 32768}, {32768, 32776},
    {65528, 65536}, {1048568, 1048576}, {1048576, 1048584}, {2000000, 8}, {0, 8}, {0, 65536}, {0, 2000000}};

int failed_on(int code)
{
    int here = code == MPI_SUCCESS ? 0 : 1;
    int everywhere = 0;
    MPI_Allreduce(&here, &everywhere, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    return everywhere;
}

// Of the blocks of an exchange: what fits together for some members and for others not.
constexpr std::pair<int, int> kBlockBytes[] = {{8, 16}, {24, 40}, {8, 2000}, {800, 2048}, {800, 4096}, {8, 65536},
    {65536, 100'000}, {0, 8}, {0, 4096}, {0, 65536}};

// One rank has another length than all others, the longer one or the shorter one.
template <class Call>
void with_another_length_on_one_rank(Call&& call, std::span<const std::pair<int, int>> lengths = kBytes)
{
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    for (const auto& [one, other] : lengths) {
        for (int odd = 0; odd < size(); ++odd) {
            for (const int turn : {0, 1}) {
                const int bytes = (rank() == odd) == (turn == 0) ? one : other;
                std::vector<double> buffer(static_cast<std::size_t>(bytes) / sizeof(double), 1.0);
                const int failures = failed_on(call(buffer));
                EXPECT_GT(failures, 0) << one << " and " << other << " bytes, rank " << odd << " has the other";
            }
        }
    }
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

}  // namespace

MPI_TEST_AT(Lengths, ThatDifferInABroadcastAreAnErrorAndNobodyWaits, ({2, 3, 4}))
{
    with_another_length_on_one_rank([](std::vector<double>& buffer) {
        return MPI_Bcast(buffer.data(), static_cast<int>(buffer.size()), MPI_DOUBLE, 0, MPI_COMM_WORLD);
    });
}

MPI_TEST_AT(Lengths, ThatDifferInAReductionAreAnErrorAndNobodyWaits, ({2, 3, 4}))
{
    with_another_length_on_one_rank([](std::vector<double>& buffer) {
        std::vector<double> result(buffer.size());
        return MPI_Reduce(
            buffer.data(), result.data(), static_cast<int>(buffer.size()), MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    });
}

MPI_TEST_AT(Lengths, ThatDifferInAnAllreductionAreAnErrorAndNobodyWaits, ({2, 3, 4}))
{
    with_another_length_on_one_rank([](std::vector<double>& buffer) {
        std::vector<double> result(buffer.size());
        return MPI_Allreduce(
            buffer.data(), result.data(), static_cast<int>(buffer.size()), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    });
}

// A scan goes from rank to rank: whoever gets another length than its own sees it. Each has one message here: of longer
// ones as messages, with the engine that maps no memory, a rank cannot know how many come.
MPI_TEST_AT(Lengths, ThatDifferInAScanAreAnErrorAndNobodyWaits, ({2, 3, 4}))
{
    constexpr std::pair<int, int> kLengths[] = {{8, 16}, {4000, 4096}, {8, 8200}, {16000, 32768}, {30000, 8}};
    for (const auto scan : {MPI_Scan, MPI_Exscan}) {
        with_another_length_on_one_rank(
            [scan](std::vector<double>& buffer) {
                std::vector<double> result(buffer.size());
                return scan(
                    buffer.data(), result.data(), static_cast<int>(buffer.size()), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
            },
            kLengths);
    }
}

// The call start(out, in, count, request) with other counts of doubles on one rank.
template <class Start>
void with_other_counts(Start&& start, std::span<const std::pair<int, int>> lengths)
{
    with_another_length_on_one_rank(
        [&](std::vector<double>& block) {
            const std::size_t all = block.size() * static_cast<std::size_t>(size());
            std::vector<double> out(all, 1.0), in(all);
            MPI_Request request = MPI_REQUEST_NULL;
            const int code = start(out.data(), in.data(), static_cast<int>(block.size()), &request);
            return code == MPI_SUCCESS ? MPI_Wait(&request, MPI_STATUS_IGNORE) : code;
        },
        lengths);
}

// Ranks meet in exchanges and by messages. On both sides of 64 KiB an allreduction has other messages
// (partitioned_allreduce), which is a deadlock, and ends as one.
MPI_TEST_AT(Lengths, ThatDifferInANonblockingCallAreAnErrorAndNobodyWaits, ({2, 4}))
{
    constexpr std::pair<int, int> kLengths[] = {{8, 16}, {8, 2000}, {16000, 65528}, {65536, 2000000}};
    const auto with = [&](auto start) { with_other_counts(start, kLengths); };
    with([](double* out, double*, int count, MPI_Request* request) {
        return MPI_Ibcast(out, count, MPI_DOUBLE, 0, MPI_COMM_WORLD, request);
    });
    with([](double* out, double* in, int count, MPI_Request* request) {
        return MPI_Ireduce(out, in, count, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD, request);
    });
    with([](double* out, double* in, int count, MPI_Request* request) {
        return MPI_Iallreduce(out, in, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, request);
    });
    with([](double* out, double* in, int count, MPI_Request* request) {
        return MPI_Iallgather(out, count, MPI_DOUBLE, in, count, MPI_DOUBLE, MPI_COMM_WORLD, request);
    });
    with([](double* out, double* in, int count, MPI_Request* request) {
        return MPI_Ialltoall(out, count, MPI_DOUBLE, in, count, MPI_DOUBLE, MPI_COMM_WORLD, request);
    });
}

// One gives its operand in the exchange, and another one sends it.
MPI_TEST_AT(Lengths, ThatAreShortAndLongInANonblockingReductionAreAnErrorAndNobodyWaits, ({2, 3, 7}))
{
    constexpr std::pair<int, int> kLengths[] = {{8, 8200}, {8192, 8200}, {8, 65528}, {8, 65536}, {8, 2000000}};
    with_other_counts(
        [](double* out, double* in, int count, MPI_Request* request) {
            return MPI_Iallreduce(out, in, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, request);
        },
        kLengths);
    with_other_counts(  // which goes by other messages
        [](double* out, double* in, int count, MPI_Request* request) {
            MPI_Op op = MPI_OP_NULL;
            MPI_Op_create(
                [](void* lower, void* sum, int* n, MPI_Datatype*) {
                    for (int i = 0; i < *n; ++i) static_cast<double*>(sum)[i] += static_cast<double*>(lower)[i];
                },
                1, &op);
            const int code = MPI_Iallreduce(out, in, count, MPI_DOUBLE, op, MPI_COMM_WORLD, request);
            MPI_Op_free(&op);
            return code;
        },
        kLengths);
    // Of more, two members that are not root may wait for messages of each other.
    if (size() > 3) return;
    with_other_counts(
        [](double* out, double* in, int count, MPI_Request* request) {
            return MPI_Ireduce(out, in, count, MPI_DOUBLE, MPI_SUM, size() - 1, MPI_COMM_WORLD, request);
        },
        kLengths);
}

MPI_TEST_AT(Lengths, ThatDifferInAnExchangeAreAnErrorAndNobodyWaits, ({2, 3, 4}))
{
    // As many blocks as there are ranks to give, and as many to get.
    const auto with = [](auto call) {
        with_another_length_on_one_rank(
            [&](std::vector<double>& block) {
                const std::size_t all = block.size() * static_cast<std::size_t>(size());
                std::vector<double> out(all), in(all);
                return call(out.data(), in.data(), static_cast<int>(block.size()));
            },
            kBlockBytes);
    };
    with([](const double* out, double* in, int count) {
        return MPI_Allgather(out, count, MPI_DOUBLE, in, count, MPI_DOUBLE, MPI_COMM_WORLD);
    });
    with([](const double* out, double* in, int count) {
        return MPI_Alltoall(out, count, MPI_DOUBLE, in, count, MPI_DOUBLE, MPI_COMM_WORLD);
    });
    with([](const double* out, double* in, int count) {
        return MPI_Reduce_scatter_block(out, in, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    });
}

// The others have given what the root does not take: it is not taken for the next call's.
MPI_TEST_AT(Lengths, AfterAGatherThatItsRootRefusesTheNextIsRight, ({2, 3, 4}))
{
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    for (int number = 0; number < 200; ++number) {
        const bool is_refused = number % 3 == 1;
        const int mine = 1000 * number + rank();
        std::vector<int> all(static_cast<std::size_t>(size()), -1);
        const int count = is_refused && rank() == 0 ? -1 : 1;
        const int code = MPI_Gather(&mine, 1, MPI_INT, all.data(), count, MPI_INT, 0, MPI_COMM_WORLD);
        EXPECT_EQ(code == MPI_SUCCESS, !is_refused || rank() != 0);
        if (rank() != 0 || is_refused) continue;
        for (int r = 0; r < size(); ++r) EXPECT_EQ(all[static_cast<std::size_t>(r)], 1000 * number + r);
    }
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

// More room than there is data, as many programs have it: what is there comes, by whatever way the data or the room
// alone would suggest. And with less room: an error, and nobody waits.
MPI_TEST_AT(Lengths, MayLeaveRoom, ({2, 3, 4, 8}))
{
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    constexpr std::pair<int, int> kCounts[] = {{2, 1000}, {300, 5000}, {5000, 40000}, {1000, 2}, {40000, 300}};
    const std::vector<int> places(static_cast<std::size_t>(size()), 0);
    const auto mine = static_cast<std::size_t>(rank());
    for (const auto& [data, room] : kCounts) {
        SCOPED_TRACE(std::to_string(data) + " ints, room for " + std::to_string(room));
        const std::vector<int> out(static_cast<std::size_t>(data), 7);
        std::vector<int> in(static_cast<std::size_t>(std::max(data, room) * size()), -1);
        std::vector<int> counts(static_cast<std::size_t>(size()), data), rooms(counts.size(), room);
        std::vector<int> room_places;
        for (int r = 0; r < size(); ++r) room_places.push_back(r * room);
        const auto came = [&](std::size_t at) {
            for (std::size_t i = 0; i < static_cast<std::size_t>(data); ++i) {
                if (in[at + i] != 7) return false;
            }
            return in[at + static_cast<std::size_t>(data)] == -1;
        };
        counts[0] = rooms[0] = 0;  // of the root's own block
        int code = MPI_Gatherv(out.data(), rank() == 0 ? 0 : data, MPI_INT, in.data(), rooms.data(), room_places.data(),
            MPI_INT, 0, MPI_COMM_WORLD);
        if (data > room) {
            EXPECT_GT(failed_on(code), 0);
        } else {
            EXPECT_EQ(code, MPI_SUCCESS);
            for (std::size_t r = 1; rank() == 0 && r < counts.size(); ++r)
                EXPECT_TRUE(came(static_cast<std::size_t>(room_places[r])));
        }
        std::fill(in.begin(), in.end(), -1);
        code = MPI_Scatterv(out.data(), counts.data(), places.data(), MPI_INT, in.data(), rank() == 0 ? 0 : room,
            MPI_INT, 0, MPI_COMM_WORLD);
        if (data > room) {
            EXPECT_GT(failed_on(code), 0);
        } else {
            EXPECT_EQ(code, MPI_SUCCESS);
            EXPECT_TRUE(rank() == 0 || came(0));
        }
        std::fill(in.begin(), in.end(), -1);
        code = MPI_Gather(out.data(), data, MPI_INT, in.data(), room, MPI_INT, 0, MPI_COMM_WORLD);
        if (data > room) {
            EXPECT_GT(failed_on(code), 0);
        } else {
            EXPECT_EQ(code, MPI_SUCCESS);
            for (std::size_t r = 1; rank() == 0 && r < counts.size(); ++r) {
                EXPECT_TRUE(came(static_cast<std::size_t>(room_places[r])));
            }
        }
        std::fill(in.begin(), in.end(), -1);
        const std::vector<int> for_all(static_cast<std::size_t>(data * size()), 7);
        code = MPI_Scatter(for_all.data(), data, MPI_INT, in.data(), room, MPI_INT, 0, MPI_COMM_WORLD);
        if (data > room) {
            EXPECT_GT(failed_on(code), 0);
        } else {
            EXPECT_EQ(code, MPI_SUCCESS);
            EXPECT_TRUE(came(0));
        }
        std::fill(in.begin(), in.end(), -1);
        counts.assign(counts.size(), data);
        rooms.assign(rooms.size(), room);
        counts[mine] = rooms[mine] = 0;
        code = MPI_Alltoallv(out.data(), counts.data(), places.data(), MPI_INT, in.data(), rooms.data(),
            room_places.data(), MPI_INT, MPI_COMM_WORLD);
        if (data > room) {
            EXPECT_GT(failed_on(code), 0);
        } else {
            EXPECT_EQ(code, MPI_SUCCESS);
            for (std::size_t r = 0; r < counts.size(); ++r) {
                EXPECT_TRUE(r == mine || came(static_cast<std::size_t>(room_places[r])));
            }
        }
        std::fill(in.begin(), in.end(), -1);
        code = MPI_Alltoall(for_all.data(), data, MPI_INT, in.data(), room, MPI_INT, MPI_COMM_WORLD);
        if (data > room) {
            EXPECT_GT(failed_on(code), 0);
        } else {
            EXPECT_EQ(code, MPI_SUCCESS);
            for (const int at : room_places) EXPECT_TRUE(came(static_cast<std::size_t>(at)));
        }
        std::fill(in.begin(), in.end(), -1);
        code = MPI_Allgather(out.data(), data, MPI_INT, in.data(), room, MPI_INT, MPI_COMM_WORLD);
        if (data > room) {
            EXPECT_GT(failed_on(code), 0);
        } else {
            EXPECT_EQ(code, MPI_SUCCESS);
            for (const int at : room_places) EXPECT_TRUE(came(static_cast<std::size_t>(at)));
        }
    }
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}
