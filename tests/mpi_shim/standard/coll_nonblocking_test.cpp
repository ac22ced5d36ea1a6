// MPI-3.1, section 5.12: non-blocking collective calls together with each other and with other traffic.
#include "collective_calls.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <numeric>
#include <random>
#include <thread>
#include <vector>

using namespace mpi_test;

namespace {

// A communicator of one's own, freed at the end of its scope.
class Duplicate {
public:
    Duplicate() { MPI_Comm_dup(MPI_COMM_WORLD, &comm_); }
    ~Duplicate()
    {
        if (comm_ != MPI_COMM_NULL) MPI_Comm_free(&comm_);
    }
    Duplicate(const Duplicate&) = delete;
    Duplicate& operator=(const Duplicate&) = delete;

    MPI_Comm get() const { return comm_; }
    MPI_Comm& handle() { return comm_; }

private:
    MPI_Comm comm_ = MPI_COMM_NULL;
};

// A collective operation that has been started, its buffers and what must be in them at the end.
struct Started {
    std::vector<int> out;
    std::vector<int> in;
    std::vector<int> expected;
    std::vector<int> counts;
    std::vector<int> displacements;
};

constexpr int kKinds = 8;

// Starts operation `index` on the communicator; its kind and root follow from the index.
MPI_Request start(Started& s, int index, MPI_Comm comm)
{
    MPI_Request request = MPI_REQUEST_NULL;
    const int count = (index % 3 == 2) ? 3000 : 1 + index % 5;
    const int root = index % size();
    const auto room = static_cast<std::size_t>(count);
    const auto ranks = static_cast<std::size_t>(size());
    s.out = elements(rank(), count, index);
    switch (index % kKinds) {
        case 0:
            s.in = rank() == root ? s.out : untouched(room);
            s.expected = elements(root, count, index);
            MPI_Ibcast(s.in.data(), count, MPI_INT, root, comm, &request);
            break;
        case 1:
            s.in = untouched(room);
            s.expected = elements(0, count, index);
            for (int from = 1; from < size(); ++from) {
                const std::vector<int> other = elements(from, count, index);
                for (std::size_t i = 0; i < room; ++i) s.expected[i] = std::max(s.expected[i], other[i]);
            }
            MPI_Iallreduce(s.out.data(), s.in.data(), count, MPI_INT, MPI_MAX, comm, &request);
            break;
        case 2:
            s.in = untouched(room * ranks);
            for (int from = 0; from < size(); ++from) append(s.expected, elements(from, count, index));
            MPI_Iallgather(s.out.data(), count, MPI_INT, s.in.data(), count, MPI_INT, comm, &request);
            break;
        case 3:
            s.out.clear();
            s.in = untouched(room * ranks);
            for (int peer = 0; peer < size(); ++peer) {
                append(s.out, elements(rank(), count, index + peer));
                append(s.expected, elements(peer, count, index + rank()));
            }
            MPI_Ialltoall(s.out.data(), count, MPI_INT, s.in.data(), count, MPI_INT, comm, &request);
            break;
        case 4:
            MPI_Ibarrier(comm, &request);
            break;
        case 5:
            s.in = untouched(room);
            s.expected = untouched(room);
            if (rank() == root) {
                std::fill(s.expected.begin(), s.expected.end(), 0);
                for (int from = 0; from < size(); ++from) {
                    const std::vector<int> other = elements(from, count, index);
                    for (std::size_t i = 0; i < room; ++i) s.expected[i] ^= other[i];
                }
            }
            MPI_Ireduce(s.out.data(), s.in.data(), count, MPI_INT, MPI_BXOR, root, comm, &request);
            break;
        case 6:
            s.in = untouched(room);
            s.expected = elements(0, count, index);
            for (int from = 1; from <= rank(); ++from) {
                const std::vector<int> other = elements(from, count, index);
                for (std::size_t i = 0; i < room; ++i) s.expected[i] = std::min(s.expected[i], other[i]);
            }
            MPI_Iscan(s.out.data(), s.in.data(), count, MPI_INT, MPI_MIN, comm, &request);
            break;
        default:
            s.counts.assign(ranks, count);
            for (int from = 0; from < size(); ++from) s.displacements.push_back(from * count);
            s.in = untouched(rank() == root ? room * ranks : 0);
            if (rank() == root) {
                for (int from = 0; from < size(); ++from) append(s.expected, elements(from, count, index));
            }
            MPI_Igatherv(s.out.data(), count, MPI_INT, s.in.data(), s.counts.data(), s.displacements.data(), MPI_INT,
                root, comm, &request);
            break;
    }
    return request;
}

}  // namespace

MPI_TEST(NonblockingCollective, ManyOutstandingOnOneCommunicatorInAnyOrderOfCompletion)
{
    constexpr int kOperations = 150;  // more than there are slots for what is laid down
    std::vector<Started> started(kOperations);
    std::vector<MPI_Request> requests;
    for (int i = 0; i < kOperations; ++i) {
        if (i % 25 == 0) delay(static_cast<unsigned>(i));
        requests.push_back(start(started[static_cast<std::size_t>(i)], i, MPI_COMM_WORLD));
    }
    // Each rank completes them in an order of its own.
    std::vector<std::size_t> order(kOperations);
    for (std::size_t i = 0; i < kOperations; ++i) order[i] = i;
    std::mt19937_64 random(seed() + static_cast<std::uint64_t>(rank()));
    std::shuffle(order.begin(), order.end(), random);
    for (const std::size_t i : order) {
        if (i % 2 == 0) {
            MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
        } else {
            test_until_done(requests[i]);
        }
        EXPECT_EQ(started[i].in, started[i].expected) << "operation " << i;
    }
}

MPI_TEST(NonblockingCollective, CompletesByWaitallTestallAndTheSomeAndAnyForms)
{
    constexpr int kOperations = 16;
    for (int way = 0; way < 6; ++way) {
        std::vector<Started> started(kOperations);
        std::vector<MPI_Request> requests;
        for (int i = 0; i < kOperations; ++i) {
            requests.push_back(start(started[static_cast<std::size_t>(i)], i + way, MPI_COMM_WORLD));
        }
        int indices[kOperations];
        int completed = 0;
        while (completed < kOperations) {
            int count = 0;
            int flag = 0;
            switch (way) {
                case 0:
                    MPI_Waitall(kOperations, requests.data(), MPI_STATUSES_IGNORE);
                    count = kOperations;
                    break;
                case 1:
                    MPI_Testall(kOperations, requests.data(), &flag, MPI_STATUSES_IGNORE);
                    count = flag ? kOperations : 0;
                    break;
                case 2:
                    MPI_Waitsome(kOperations, requests.data(), &count, indices, MPI_STATUSES_IGNORE);
                    break;
                case 3:
                    MPI_Testsome(kOperations, requests.data(), &count, indices, MPI_STATUSES_IGNORE);
                    break;
                case 4:
                    MPI_Waitany(kOperations, requests.data(), indices, MPI_STATUS_IGNORE);
                    count = 1;
                    break;
                default:
                    MPI_Testany(kOperations, requests.data(), indices, &flag, MPI_STATUS_IGNORE);
                    count = flag ? 1 : 0;
                    break;
            }
            REQUIRE(count != MPI_UNDEFINED);
            completed += count;
        }
        for (const MPI_Request request : requests) EXPECT_TRUE(request == MPI_REQUEST_NULL);
        for (const Started& s : started) EXPECT_EQ(s.in, s.expected) << "way " << way;
    }
}

MPI_TEST(NonblockingCollective, DuplicatesDoNotDisturbEachOther)
{
    const Duplicate duplicate;
    const Duplicate another;
    const MPI_Comm pairs[][2] = {{duplicate.get(), another.get()}, {MPI_COMM_WORLD, duplicate.get()}};
    for (const auto& [first, second] : pairs) {
        std::vector<Started> started(30);
        std::vector<MPI_Request> requests(30);
        // On each communicator all ranks start the same operations in the same order; between communicators the order
        // of the starts depends on the rank.
        std::size_t on_first = 0;
        std::size_t on_second = 15;
        for (std::size_t step = 0; step < 30; ++step) {
            const bool take_first =
                on_second == 30 || (on_first < 15 && (step + static_cast<std::size_t>(rank())) % 3 != 0);
            std::size_t& next = take_first ? on_first : on_second;
            requests[next] = start(started[next], static_cast<int>(next), take_first ? first : second);
            ++next;
        }
        MPI_Waitall(30, requests.data(), MPI_STATUSES_IGNORE);
        for (std::size_t i = 0; i < 30; ++i) EXPECT_EQ(started[i].in, started[i].expected) << "operation " << i;
    }
}

// Of some ranks, with blocking calls before, so that they may go as those do, and between.
MPI_TEST(NonblockingCollective, CommunicatorsOfTheSameRanksMayBeUsedInAnOrderOfEachRank)
{
    MPI_Comm comms[2] = {MPI_COMM_NULL, MPI_COMM_NULL};
    MPI_Comm_split(MPI_COMM_WORLD, rank() % 2, 0, &comms[0]);
    MPI_Comm_dup(comms[0], &comms[1]);
    int members = 0;
    int own = 0;
    MPI_Comm_size(comms[0], &members);
    MPI_Comm_rank(comms[0], &own);
    for (const MPI_Comm comm : comms) MPI_Barrier(comm);
    for (int round = 0; round < 100; ++round) {
        int gathered[2][3][16];
        const int mine[2] = {1000 * round + own, 1000 * round + 500 + own};
        MPI_Request requests[4];
        for (int i = 0; i < 2; ++i) {
            const int which = (i + own + round) % 2;
            for (int of : {0, 1}) {
                MPI_Iallgather(
                    &mine[which], 1, MPI_INT, gathered[which][of], 1, MPI_INT, comms[which], &requests[2 * which + of]);
            }
        }
        const int blocking = round % 2;
        MPI_Allgather(&mine[blocking], 1, MPI_INT, gathered[blocking][2], 1, MPI_INT, comms[blocking]);
        MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
        for (int which : {0, 1}) {
            for (int of = 0; of < (which == blocking ? 3 : 2); ++of) {
                for (int r = 0; r < members; ++r) {
                    EXPECT_EQ(gathered[which][of][r], 1000 * round + 500 * which + r) << "round " << round;
                }
            }
        }
    }
    for (MPI_Comm& comm : comms) MPI_Comm_free(&comm);
}

MPI_TEST(NonblockingCollective, BlockingCallsOnTheSameCommunicatorOvertakeThem)
{
    for (int round = 0; round < 5; ++round) {
        Started bcast;
        Started gather;
        MPI_Request requests[2] = {
            start(bcast, kKinds * (1 + round), MPI_COMM_WORLD), start(gather, kKinds - 1, MPI_COMM_WORLD)};
        int value = rank() == 0 ? 100 + round : kUntouched;
        MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);
        EXPECT_EQ(value, 100 + round);
        MPI_Barrier(MPI_COMM_WORLD);
        int sum = 0;
        const int one = 1;
        MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        EXPECT_EQ(sum, size());
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        EXPECT_EQ(bcast.in, bcast.expected);
        EXPECT_EQ(gather.in, gather.expected);
    }
}

MPI_TEST(NonblockingCollective, BlockingCallsOnAnotherCommunicatorGoOnMeanwhile)
{
    const Duplicate other;
    std::vector<Started> started(10);
    std::vector<MPI_Request> requests;
    for (int i = 0; i < 10; ++i) {
        requests.push_back(start(started[static_cast<std::size_t>(i)], i, other.get()));
        int sum = 0;
        MPI_Allreduce(&i, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        EXPECT_EQ(sum, i * size());
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Waitall(10, requests.data(), MPI_STATUSES_IGNORE);
    for (const Started& s : started) EXPECT_EQ(s.in, s.expected);
}

// Receives for any source and any tag are posted before the collective calls start: they must get the point-to-point
// messages and nothing else.
MPI_TEST(NonblockingCollective, PointToPointReceivesNeverTakeTheirMessages)
{
    if (size() == 1 && excepted("collective calls of one rank beside receives from any source")) return;
    constexpr int kMessages = 20;
    const int next = (rank() + 1) % size();
    const int previous = (rank() + size() - 1) % size();
    std::vector<int> received(kMessages, kUntouched);
    std::vector<MPI_Request> receives(kMessages);
    for (std::size_t i = 0; i < kMessages; ++i) {
        MPI_Irecv(&received[i], 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &receives[i]);
    }
    std::vector<Started> started(kMessages);
    std::vector<MPI_Request> collectives;
    for (int i = 0; i < kMessages; ++i) {
        collectives.push_back(start(started[static_cast<std::size_t>(i)], i, MPI_COMM_WORLD));
        if (i % 4 == 0) MPI_Barrier(MPI_COMM_WORLD);
    }
    for (std::size_t i = 0; i < kMessages; ++i) {
        int done = 0;
        MPI_Request_get_status(receives[i], &done, MPI_STATUS_IGNORE);
        if (done) {
            EXPECT_EQ(received[i], previous * 1000 + static_cast<int>(i));
        }
    }
    for (int i = 0; i < kMessages; ++i) {
        const int value = rank() * 1000 + i;
        MPI_Send(&value, 1, MPI_INT, next, i, MPI_COMM_WORLD);
    }
    for (int i = 0; i < kMessages; ++i) {
        MPI_Status status;
        MPI_Wait(&receives[static_cast<std::size_t>(i)], &status);
        EXPECT_EQ(received[static_cast<std::size_t>(i)], previous * 1000 + i);
        EXPECT_EQ(status.MPI_SOURCE, previous);
        EXPECT_EQ(status.MPI_TAG, i);
    }
    MPI_Waitall(kMessages, collectives.data(), MPI_STATUSES_IGNORE);
    for (const Started& s : started) EXPECT_EQ(s.in, s.expected);
}

MPI_TEST(NonblockingCollective, AProbeDoesNotSeeTheirMessages)
{
    Started started;
    MPI_Request request = start(started, 0, MPI_COMM_WORLD);
    int found = 0;
    for (int attempt = 0; attempt < 20; ++attempt) {
        MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
        EXPECT_FALSE(found);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    EXPECT_EQ(started.in, started.expected);
}

MPI_TEST(NonblockingCollective, WaitsTogetherWithPointToPointRequests)
{
    const int next = (rank() + 1) % size();
    const int previous = (rank() + size() - 1) % size();
    const int value = rank();
    int received = kUntouched;
    Started started;
    MPI_Request requests[4];
    MPI_Irecv(&received, 1, MPI_INT, previous, 0, MPI_COMM_WORLD, &requests[0]);
    requests[1] = start(started, 2, MPI_COMM_WORLD);
    MPI_Isend(&value, 1, MPI_INT, next, 0, MPI_COMM_WORLD, &requests[2]);
    requests[3] = MPI_REQUEST_NULL;
    MPI_Status statuses[4];
    MPI_Waitall(4, requests, statuses);
    EXPECT_EQ(received, previous);
    EXPECT_EQ(statuses[0].MPI_SOURCE, previous);
    EXPECT_EQ(started.in, started.expected);
}

MPI_TEST(NonblockingCollective, TypesAndCommunicatorsMayBeFreedAfterTheStart)
{
    for (int round = 0; round < 5; ++round) {
        Duplicate comm;
        CommittedType type(CommittedType::strided(500, 2));
        const std::vector<int> expected = spread(elements(0, 500), 2);
        std::vector<int> buffer = rank() == 0 ? expected : untouched(1000);
        MPI_Request request = MPI_REQUEST_NULL;
        MPI_Ibcast(buffer.data(), 1, type.get(), 0, comm.get(), &request);
        MPI_Type_free(&type.handle());
        MPI_Comm_free(&comm.handle());
        EXPECT_TRUE(comm.get() == MPI_COMM_NULL);
        delay(static_cast<unsigned>(round));
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        EXPECT_EQ(buffer, expected);
    }
}

MPI_TEST(NonblockingCollective, TypesOfBlocksMayBeFreedAfterTheStart)
{
    for (const int count : {3, 40, 700, 5000}) {
        const std::vector<int> own = spread(elements(rank(), count), 2);
        const std::vector<int> all = spread(everybodys<int>(count), 2);
        std::vector<int> to_all;  // the same block for each rank
        for (int r = 0; r < size(); ++r) append(to_all, own);
        std::vector<int> counts(static_cast<std::size_t>(size()), 1);
        std::vector<int> displacements(counts.size());
        std::iota(displacements.begin(), displacements.end(), 0);
        const auto check = [&](auto&& start, const std::vector<int>& expected) {
            MPI_Request request = MPI_REQUEST_NULL;
            std::vector<int> in = untouched(expected.size());
            {
                const CommittedType type(CommittedType::strided(count, 2));
                start(in.data(), type.get(), &request);
            }
            {
                const CommittedType another(CommittedType::strided(count + 1, 3));  // where the memory was
                delay(static_cast<unsigned>(count));
                MPI_Wait(&request, MPI_STATUS_IGNORE);
            }
            EXPECT_EQ(in, expected);
        };
        const MPI_Comm comm = MPI_COMM_WORLD;
        check([&](int* in, MPI_Datatype t, MPI_Request* r) { MPI_Igather(own.data(), 1, t, in, 1, t, 0, comm, r); },
            rank() == 0 ? all : untouched(all.size()));
        check([&](int* in, MPI_Datatype t,
                  MPI_Request* r) { MPI_Iscatter(all.data(), 1, t, in, 1, t, size() - 1, comm, r); },
            own);
        check(
            [&](int* in, MPI_Datatype t, MPI_Request* r) { MPI_Iallgather(own.data(), 1, t, in, 1, t, comm, r); }, all);
        check([&](int* in, MPI_Datatype t, MPI_Request* r) { MPI_Ialltoall(to_all.data(), 1, t, in, 1, t, comm, r); },
            all);
        check(
            [&](int* in, MPI_Datatype t, MPI_Request* r) {
                MPI_Ialltoallv(to_all.data(), counts.data(), displacements.data(), t, in, counts.data(),
                    displacements.data(), t, comm, r);
            },
            all);
        check(
            [&](int* in, MPI_Datatype t, MPI_Request* r) {
                MPI_Iscatterv(all.data(), counts.data(), displacements.data(), t, in, 1, t, 0, comm, r);
            },
            own);
    }
}

MPI_TEST(NonblockingCollective, ProgressesWhileARankIsInABlockingReceive)
{
    if (size() < 2) return;
    // Rank 0 starts the broadcast and blocks in a receive that is answered only after the others have the broadcast.
    int value = rank() == 0 ? 7 : kUntouched;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Ibcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD, &request);
    if (rank() == 0) {
        for (int from = 1; from < size(); ++from) {
            int word = 0;
            MPI_Recv(&word, 1, MPI_INT, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            EXPECT_EQ(word, 7);
        }
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
}

MPI_TEST(NonblockingCollective, RequestsCannotBeFreed)
{
    const ReturnErrors guard;
    Started started;
    MPI_Request request = start(started, 1, MPI_COMM_WORLD);
    MPI_Request copy = request;
    REQUIRE(MPI_Request_free(&copy) != MPI_SUCCESS);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    EXPECT_EQ(started.in, started.expected);
}

MPI_TEST(NonblockingCollective, DuplicationOfACommunicatorMayBeStarted)
{
    for (int round = 0; round < 3; ++round) {
        MPI_Comm copies[3] = {MPI_COMM_NULL, MPI_COMM_NULL, MPI_COMM_NULL};
        MPI_Request requests[3];
        Started between;
        MPI_Comm_idup(MPI_COMM_WORLD, &copies[0], &requests[0]);
        MPI_Comm_idup(MPI_COMM_WORLD, &copies[1], &requests[1]);
        MPI_Request other = start(between, 1, MPI_COMM_WORLD);
        MPI_Comm_idup(MPI_COMM_WORLD, &copies[2], &requests[2]);
        MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
        MPI_Wait(&other, MPI_STATUS_IGNORE);
        EXPECT_EQ(between.in, between.expected);
        for (MPI_Comm& copy : copies) {
            int comparison = MPI_UNEQUAL;
            MPI_Comm_compare(MPI_COMM_WORLD, copy, &comparison);
            EXPECT_EQ(comparison, MPI_CONGRUENT);
            int sum = 0;
            const int one = 1;
            MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, copy);
            EXPECT_EQ(sum, size());
            MPI_Comm_free(&copy);
        }
    }
}

// On a communicator of some ranks that has met before, so that its nonblocking calls go as blocking ones do; long
// blocks go as messages even there.
MPI_TEST_AT(NonblockingCollective, LongBlocksOfNeighboursMeetEachOther, ({3, 4, 7}))
{
    MPI_Comm some = MPI_COMM_NULL;
    MPI_Comm ring = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, rank() % 2, 0, &some);
    int members = 0;
    MPI_Comm_size(some, &members);
    const int periodic = 1;
    MPI_Cart_create(some, 1, &members, &periodic, 0, &ring);
    int own = 0;
    MPI_Comm_rank(ring, &own);
    MPI_Barrier(ring);
    for (const int count : {1, 300, 20000, 200000}) {
        const auto n = static_cast<std::size_t>(count);
        const std::vector<int> out(2 * n, own);
        std::vector<int> all(2 * n, -1);
        std::vector<int> gathered(2 * n, -1);
        MPI_Request requests[2];
        MPI_Ineighbor_alltoall(out.data(), count, MPI_INT, all.data(), count, MPI_INT, ring, &requests[0]);
        MPI_Ineighbor_allgather(out.data(), count, MPI_INT, gathered.data(), count, MPI_INT, ring, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        std::vector<int> expected(n, (own + members - 1) % members);
        expected.resize(2 * n, (own + 1) % members);
        EXPECT_TRUE(all == expected) << count;
        EXPECT_TRUE(gathered == expected) << count;
    }
    MPI_Comm_free(&ring);
    MPI_Comm_free(&some);
}

// Section 10.5.4: also for what goes without a message.
MPI_TEST_AT(NonblockingCollective, ADisconnectWaitsForThem, ({3, 4}))
{
    // MPICH 4.0 frees the communicator without waiting.
    char library[MPI_MAX_LIBRARY_VERSION_STRING];
    int length = 0;
    MPI_Get_library_version(library, &length);
    if (std::strncmp(library, "MPICH", 5) == 0) return;
    MPI_Comm some = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, rank() == 2 ? 1 : 0, 0, &some);
    MPI_Barrier(some);
    int members = 0;
    int own = 0;
    MPI_Comm_size(some, &members);
    MPI_Comm_rank(some, &own);
    std::vector<int> gathered(static_cast<std::size_t>(members), -1);
    MPI_Request request = MPI_REQUEST_NULL;
    if (own == members - 1) std::this_thread::sleep_for(std::chrono::milliseconds(30));
    MPI_Iallgather(&own, 1, MPI_INT, gathered.data(), 1, MPI_INT, some, &request);
    MPI_Comm_disconnect(&some);
    int done = 0;
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    EXPECT_EQ(done, 1);
    for (int r = 0; r < members; ++r) EXPECT_EQ(gathered[static_cast<std::size_t>(r)], r);
    if (done == 0) MPI_Wait(&request, MPI_STATUS_IGNORE);
}

// Of what arrives, too little is noticed as too much is; the next call finds nothing left over.
MPI_TEST_AT(NonblockingCollective, ABroadcastOfAnotherLengthIsAnErrorWhereItArrives, ({2, 3}))
{
    const ReturnErrors guard;
    for (const int root_count : {4, 12}) {
        std::vector<int> values(12, rank());
        MPI_Request request = MPI_REQUEST_NULL;
        EXPECT_SUCCESS(MPI_Ibcast(values.data(), rank() == 0 ? root_count : 8, MPI_INT, 0, MPI_COMM_WORLD, &request));
        const int code = MPI_Wait(&request, MPI_STATUS_IGNORE);
        EXPECT_EQ(code != MPI_SUCCESS, rank() != 0) << root_count;
    }
    int value = rank() == 0 ? 17 : 0;
    MPI_Request request = MPI_REQUEST_NULL;
    EXPECT_SUCCESS(MPI_Ibcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD, &request));
    EXPECT_SUCCESS(MPI_Wait(&request, MPI_STATUS_IGNORE));
    EXPECT_EQ(value, 17);
}
