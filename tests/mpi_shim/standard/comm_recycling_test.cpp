// MPI-3.1, sections 6.1 and 6.4: contexts keep messages apart, and are used again without limit.
#include "mpi_test.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <random>
#include <vector>

using namespace mpi_test;

namespace {

int next_rank()
{
    return (rank() + 1) % size();
}

int previous_rank()
{
    return (rank() + size() - 1) % size();
}

// A message around the ring of the communicator, which has the ranks of MPI_COMM_WORLD.
void expect_ring(MPI_Comm comm, int value)
{
    int passed = value * 100 + rank();
    MPI_Sendrecv_replace(&passed, 1, MPI_INT, next_rank(), 0, previous_rank(), 0, comm, MPI_STATUS_IGNORE);
    EXPECT_EQ(passed, value * 100 + previous_rank());
}

}  // namespace

MPI_TEST_AT(Context, ThousandsOfDuplicatesOneAfterAnother, ({1, 2, 3}))
{
    for (int i = 0; i < 3000; ++i) {
        MPI_Comm copy = MPI_COMM_NULL;
        MPI_Comm_dup(MPI_COMM_WORLD, &copy);
        if (i % 100 == 0) expect_ring(copy, i);
        MPI_Comm_free(&copy);
    }
}

MPI_TEST_AT(Context, HundredsAtTheSameTime, ({2, 4}))
{
    for (int round = 0; round < 2; ++round) {
        std::vector<MPI_Comm> copies(300, MPI_COMM_NULL);
        for (MPI_Comm& copy : copies) MPI_Comm_dup(MPI_COMM_WORLD, &copy);
        for (std::size_t i = 0; i < copies.size(); i += 37) expect_ring(copies[i], static_cast<int>(i));
        // Freed out of order, the same on all ranks.
        std::mt19937_64 random(seed());
        std::shuffle(copies.begin(), copies.end(), random);
        for (MPI_Comm& copy : copies) MPI_Comm_free(&copy);
    }
}

MPI_TEST_AT(Context, SplitsAndFreesInALoop, ({3, 4, 7}))
{
    for (int i = 0; i < 200; ++i) {
        const int parts = 1 + i % 3;
        MPI_Comm part = MPI_COMM_NULL;
        MPI_Comm_split(MPI_COMM_WORLD, rank() % parts, i % 2 == 0 ? rank() : -rank(), &part);
        int sum = 0;
        const int one = 1;
        MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, part);
        EXPECT_EQ(sum, (size() - rank() % parts + parts - 1) / parts);
        MPI_Comm_free(&part);
    }
}

// The ranks do not all belong to the same communicators, so that their free contexts differ when the next one is made.
MPI_TEST_AT(Context, OverlappingCommunicatorsMadeInDifferentOrders, ({3, 4, 7}))
{
    std::vector<MPI_Comm> kept;
    MPI_Group world = MPI_GROUP_NULL;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    for (int step = 1; step < size(); ++step) {
        // Pairs at distance `step`; their members make some communicators of their own in between.
        for (int low = 0; low + step < size(); ++low) {
            if (rank() != low && rank() != low + step) continue;
            const int pair[2] = {low, low + step};
            MPI_Group group = MPI_GROUP_NULL;
            MPI_Group_incl(world, 2, pair, &group);
            MPI_Comm comm = MPI_COMM_NULL;
            MPI_Comm_create_group(MPI_COMM_WORLD, group, step, &comm);
            MPI_Group_free(&group);
            kept.push_back(comm);
        }
    }
    MPI_Group_free(&world);
    EXPECT_EQ(kept.size(), static_cast<std::size_t>(size() - 1));
    MPI_Comm all = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &all);
    expect_ring(all, 5);
    // All pairs talk at once: each has its context.
    std::vector<int> out(kept.size());
    std::vector<int> in(kept.size(), -1);
    std::vector<MPI_Request> requests;
    for (std::size_t i = 0; i < kept.size(); ++i) {
        int mine = 0;
        MPI_Comm_rank(kept[i], &mine);
        out[i] = rank() * 1000 + static_cast<int>(i);
        requests.emplace_back();
        MPI_Irecv(&in[i], 1, MPI_INT, 1 - mine, 0, kept[i], &requests.back());
        requests.emplace_back();
        MPI_Isend(&out[i], 1, MPI_INT, 1 - mine, 0, kept[i], &requests.back());
    }
    MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
    std::vector<int> partners;
    for (std::size_t i = 0; i < kept.size(); ++i) {
        partners.push_back(in[i] / 1000);
        MPI_Comm_free(&kept[i]);
    }
    std::sort(partners.begin(), partners.end());
    std::vector<int> expected;
    for (int other = 0; other < size(); ++other) {
        if (other != rank()) expected.push_back(other);
    }
    EXPECT_EQ(partners, expected);
    MPI_Comm_free(&all);
}

// Receives with wildcards on one communicator do not see what travels on another.
MPI_TEST(Context, KeepsMessagesApart)
{
    constexpr int kComms = 5;
    MPI_Comm comms[kComms];
    for (MPI_Comm& comm : comms) MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    std::vector<int> in(kComms, -1);
    std::vector<int> out(kComms);
    std::vector<MPI_Request> requests(2 * kComms);
    for (int c = 0; c < kComms; ++c) {
        const auto i = static_cast<std::size_t>(c);
        MPI_Irecv(&in[i], 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comms[c], &requests[i]);
    }
    // Sent in the opposite order.
    for (int c = kComms - 1; c >= 0; --c) {
        const auto i = static_cast<std::size_t>(c);
        out[i] = c * 100 + rank();
        MPI_Isend(&out[i], 1, MPI_INT, next_rank(), 9, comms[c], &requests[kComms + i]);
    }
    MPI_Waitall(2 * kComms, requests.data(), MPI_STATUSES_IGNORE);
    for (int c = 0; c < kComms; ++c) EXPECT_EQ(in[static_cast<std::size_t>(c)], c * 100 + previous_rank());
    for (MPI_Comm& comm : comms) MPI_Comm_free(&comm);
}

// A message that comes unexpected on one communicator is not for another that is made after it was sent.
MPI_TEST(Context, OfANewCommunicatorGetsNoOldMessages)
{
    MPI_Comm first = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &first);
    const int value = rank();
    MPI_Request send = MPI_REQUEST_NULL;
    MPI_Isend(&value, 1, MPI_INT, next_rank(), 0, first, &send);
    MPI_Comm second = MPI_COMM_NULL;
    MPI_Comm_dup(first, &second);
    int found = 0;
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, second, &found, MPI_STATUS_IGNORE);
    EXPECT_FALSE(found);
    int received = -1;
    MPI_Recv(&received, 1, MPI_INT, previous_rank(), 0, first, MPI_STATUS_IGNORE);
    EXPECT_EQ(received, previous_rank());
    MPI_Wait(&send, MPI_STATUS_IGNORE);
    MPI_Comm_free(&second);
    MPI_Comm_free(&first);
}

// Section 10.5.4: MPI_Comm_disconnect waits for what is under way; a synchronous send is, until its receive is there.
MPI_TEST_AT(Disconnect, WaitsForPendingCommunication, ({2, 3, 4}))
{
    // MPICH 4.0 frees the communicator without waiting.
    char library[MPI_MAX_LIBRARY_VERSION_STRING];
    int length = 0;
    MPI_Get_library_version(library, &length);
    if (std::strncmp(library, "MPICH", 5) == 0) return;
    MPI_Comm copy = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    int received = -1;
    const int sent = rank();
    MPI_Request requests[2];
    MPI_Irecv(&received, 1, MPI_INT, previous_rank(), 5, copy, &requests[0]);
    MPI_Issend(&sent, 1, MPI_INT, next_rank(), 5, copy, &requests[1]);
    MPI_Comm_disconnect(&copy);
    EXPECT_EQ(copy, MPI_COMM_NULL);
    EXPECT_EQ(received, previous_rank());
    for (MPI_Request& request : requests) {
        int done = 0;
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
        EXPECT_EQ(done, 1);
    }
}
