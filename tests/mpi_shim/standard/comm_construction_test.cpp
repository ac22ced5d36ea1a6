// MPI-3.1, section 6.4: making, comparing and freeing communicators.
#include "mpi_test.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

using namespace mpi_test;

namespace {

int compare(MPI_Comm a, MPI_Comm b)
{
    int result = -1;
    MPI_Comm_compare(a, b, &result);
    return result;
}

int rank_in(MPI_Comm comm)
{
    int result = -1;
    MPI_Comm_rank(comm, &result);
    return result;
}

int size_of(MPI_Comm comm)
{
    int result = -1;
    MPI_Comm_size(comm, &result);
    return result;
}

// The ranks in MPI_COMM_WORLD of the communicator's members, found by communication.
std::vector<int> members(MPI_Comm comm)
{
    std::vector<int> all(static_cast<std::size_t>(size_of(comm)), -1);
    const int mine = rank();
    MPI_Allgather(&mine, 1, MPI_INT, all.data(), 1, MPI_INT, comm);
    return all;
}

MPI_Group group_of(const std::vector<int>& world_ranks)
{
    MPI_Group world = MPI_GROUP_NULL;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group group = MPI_GROUP_NULL;
    MPI_Group_incl(world, static_cast<int>(world_ranks.size()), world_ranks.data(), &group);
    MPI_Group_free(&world);
    return group;
}

void free_group(MPI_Group group)
{
    if (group != MPI_GROUP_EMPTY) MPI_Group_free(&group);
}

std::vector<int> every(int step, int first = 0)
{
    std::vector<int> ranks;
    for (int r = first; r < size(); r += step) ranks.push_back(r);
    return ranks;
}

bool contains(const std::vector<int>& ranks, int r)
{
    return std::find(ranks.begin(), ranks.end(), r) != ranks.end();
}

}  // namespace

MPI_TEST(Communicator, WorldAndSelfAreThere)
{
    EXPECT_EQ(rank_in(MPI_COMM_SELF), 0);
    EXPECT_EQ(size_of(MPI_COMM_SELF), 1);
    EXPECT_EQ(members(MPI_COMM_WORLD), every(1));
    EXPECT_EQ(members(MPI_COMM_SELF), std::vector<int>{rank()});
}

MPI_TEST(Communicator, DupIsCongruentAndIsolated)
{
    MPI_Comm copy = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    EXPECT_EQ(compare(MPI_COMM_WORLD, copy), MPI_CONGRUENT);
    EXPECT_EQ(compare(copy, copy), MPI_IDENT);
    EXPECT_EQ(members(copy), every(1));
    MPI_Comm_free(&copy);
    EXPECT_TRUE(copy == MPI_COMM_NULL);
}

MPI_TEST(Communicator, DupWithInfoTakesTheGivenHints)
{
    MPI_Info info = MPI_INFO_NULL;
    MPI_Info_create(&info);
    MPI_Comm copy = MPI_COMM_NULL;
    MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &copy);
    MPI_Info_free(&info);
    EXPECT_EQ(members(copy), every(1));
    MPI_Info kept = MPI_INFO_NULL;
    MPI_Comm_get_info(copy, &kept);
    EXPECT_TRUE(kept != MPI_INFO_NULL);
    MPI_Info_free(&kept);
    MPI_Comm_free(&copy);
}

MPI_TEST(Communicator, CompareKnowsSimilarAndUnequal)
{
    MPI_Comm reversed = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank(), &reversed);
    EXPECT_EQ(compare(MPI_COMM_WORLD, reversed), size() == 1 ? MPI_CONGRUENT : MPI_SIMILAR);
    EXPECT_EQ(compare(MPI_COMM_WORLD, MPI_COMM_SELF), size() == 1 ? MPI_CONGRUENT : MPI_UNEQUAL);
    MPI_Comm_free(&reversed);
}

MPI_TEST(Communicator, CreateGivesTheGroupItsCommunicator)
{
    std::vector<int> even = every(2);
    std::reverse(even.begin(), even.end());
    const MPI_Group group = group_of(even);
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_create(MPI_COMM_WORLD, group, &comm);
    free_group(group);
    EXPECT_EQ(comm != MPI_COMM_NULL, contains(even, rank()));
    if (comm == MPI_COMM_NULL) return;
    EXPECT_EQ(members(comm), even);
    MPI_Comm_free(&comm);
}

// Since MPI-2.2 the ranks may pass disjoint groups.
MPI_TEST(Communicator, CreateTakesDisjointGroups)
{
    const std::vector<int> mine = every(2, rank() % 2);
    const MPI_Group group = group_of(mine);
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_create(MPI_COMM_WORLD, group, &comm);
    free_group(group);
    REQUIRE(comm != MPI_COMM_NULL);
    EXPECT_EQ(members(comm), mine);
    MPI_Comm_free(&comm);
}

MPI_TEST(Communicator, CreateOfTheEmptyGroupGivesNone)
{
    MPI_Comm comm = MPI_COMM_SELF;
    MPI_Comm_create(MPI_COMM_WORLD, MPI_GROUP_EMPTY, &comm);
    EXPECT_TRUE(comm == MPI_COMM_NULL);
}

// Only the members call it.
MPI_TEST(Communicator, CreateGroupNeedsOnlyTheMembers)
{
    for (int round = 0; round < 5; ++round) {
        const std::vector<int> odd = every(2, 1);
        if (contains(odd, rank())) {
            const MPI_Group group = group_of(odd);
            MPI_Comm comm = MPI_COMM_NULL;
            MPI_Comm_create_group(MPI_COMM_WORLD, group, round, &comm);
            free_group(group);
            EXPECT_EQ(members(comm), odd);
            MPI_Comm_free(&comm);
        }
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

// Groups that overlap, made at the same time with different tags, the pairs along a ring in two waves.
MPI_TEST_AT(Communicator, CreateGroupOfOverlappingGroups, ({3, 4, 7}))
{
    std::vector<MPI_Comm> comms;
    // Every pair {i, i + 1}: each rank is in up to two, and makes the one of lower number first.
    for (int low = std::max(0, rank() - 1); low <= rank() && low + 1 < size(); ++low) {
        const MPI_Group group = group_of({low, low + 1});
        MPI_Comm comm = MPI_COMM_NULL;
        MPI_Comm_create_group(MPI_COMM_WORLD, group, 100 + low, &comm);
        free_group(group);
        comms.push_back(comm);
    }
    for (MPI_Comm& comm : comms) {
        EXPECT_EQ(size_of(comm), 2);
        int sum = 0;
        const int mine = rank();
        MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, comm);
        EXPECT_EQ(sum, rank_in(comm) == 0 ? 2 * rank() + 1 : 2 * rank() - 1);
        MPI_Comm_free(&comm);
    }
}

MPI_TEST(Communicator, SplitByColourWithUndefined)
{
    const int colour = rank() % 3 == 2 ? MPI_UNDEFINED : rank() % 3;
    MPI_Comm comm = MPI_COMM_SELF;
    MPI_Comm_split(MPI_COMM_WORLD, colour, 0, &comm);
    EXPECT_EQ(comm == MPI_COMM_NULL, colour == MPI_UNDEFINED);
    if (comm == MPI_COMM_NULL) return;
    EXPECT_EQ(members(comm), every(3, colour));
    MPI_Comm_free(&comm);
}

MPI_TEST(Communicator, SplitOrdersByKeyAndEqualKeysByRank)
{
    MPI_Comm same = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, 7, 3, &same);
    EXPECT_EQ(members(same), every(1));
    MPI_Comm_free(&same);

    MPI_Comm reversed = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, 0, 100 - rank(), &reversed);
    std::vector<int> expected = every(1);
    std::reverse(expected.begin(), expected.end());
    EXPECT_EQ(members(reversed), expected);

    // A split of the reversed one: equal keys follow the ranks there. Keys may be negative.
    MPI_Comm mixed = MPI_COMM_NULL;
    MPI_Comm_split(reversed, 1, rank() % 2 == 0 ? 5 : -5, &mixed);
    std::stable_partition(expected.begin(), expected.end(), [](int r) { return r % 2 == 1; });
    EXPECT_EQ(members(mixed), expected);
    MPI_Comm_free(&mixed);
    MPI_Comm_free(&reversed);
}

MPI_TEST(Communicator, SplitTypeSharedGathersThoseWhoShareMemory)
{
    MPI_Comm node = MPI_COMM_NULL;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank(), MPI_INFO_NULL, &node);
    EXPECT_EQ(members(node), every(1));
    MPI_Comm_free(&node);
    MPI_Comm reversed = MPI_COMM_NULL;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, -rank(), MPI_INFO_NULL, &reversed);
    EXPECT_EQ(rank_in(reversed), size() - 1 - rank());
    MPI_Comm_free(&reversed);
    MPI_Comm none = MPI_COMM_SELF;
    MPI_Comm_split_type(MPI_COMM_WORLD, rank() == 0 ? MPI_UNDEFINED : MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &none);
    EXPECT_EQ(none == MPI_COMM_NULL, rank() == 0);
    if (none != MPI_COMM_NULL) {
        EXPECT_EQ(members(none), every(1, 1));
        MPI_Comm_free(&none);
    }
}

MPI_TEST(Communicator, OfOneselfCanBeDuplicatedByEachRankAlone)
{
    // Different numbers on different ranks: nobody else takes part.
    for (int i = 0; i < 3 + rank() * 5; ++i) {
        MPI_Comm copy = MPI_COMM_NULL;
        MPI_Comm_dup(MPI_COMM_SELF, &copy);
        int value = i;
        MPI_Bcast(&value, 1, MPI_INT, 0, copy);
        MPI_Sendrecv_replace(&value, 1, MPI_INT, 0, 1, 0, 1, copy, MPI_STATUS_IGNORE);
        EXPECT_EQ(value, i);
        MPI_Comm_free(&copy);
    }
}

MPI_TEST(Communicator, DisconnectWaitsAndFrees)
{
    MPI_Comm copy = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    const int next = (rank() + 1) % size();
    const int previous = (rank() + size() - 1) % size();
    int value = rank();
    MPI_Sendrecv_replace(&value, 1, MPI_INT, next, 0, previous, 0, copy, MPI_STATUS_IGNORE);
    MPI_Comm_disconnect(&copy);
    EXPECT_TRUE(copy == MPI_COMM_NULL);
    EXPECT_EQ(value, previous);
}

// Section 6.4.3: free marks for deallocation; what is pending completes normally.
MPI_TEST(Communicator, FreedWithPendingMessagesStillDeliversThem)
{
    MPI_Comm copy = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    const int next = (rank() + 1) % size();
    const int previous = (rank() + size() - 1) % size();
    std::vector<int> in(50000, -1);
    const std::vector<int> out(50000, rank());
    MPI_Request requests[2];
    MPI_Irecv(in.data(), 50000, MPI_INT, previous, 3, copy, &requests[0]);
    MPI_Isend(out.data(), 50000, MPI_INT, next, 3, copy, &requests[1]);
    MPI_Comm_free(&copy);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    EXPECT_EQ(in, std::vector<int>(50000, previous));
}

MPI_TEST(Communicator, WrongUsesAreErrors)
{
    const ReturnErrors guard;
    MPI_Comm none = MPI_COMM_NULL;
    int n = 0;
    EXPECT_CLASS(MPI_ERR_COMM, MPI_Comm_size(MPI_COMM_NULL, &n));
    EXPECT_CLASS(MPI_ERR_COMM, MPI_Comm_rank(MPI_COMM_NULL, &n));
    EXPECT_CLASS(MPI_ERR_COMM, MPI_Comm_dup(MPI_COMM_NULL, &none));
    EXPECT_CLASS(MPI_ERR_COMM, MPI_Comm_free(&none));
    MPI_Comm world = MPI_COMM_WORLD;
    EXPECT_CLASS(MPI_ERR_COMM, MPI_Comm_free(&world));
    EXPECT_CLASS(MPI_ERR_GROUP, MPI_Comm_create(MPI_COMM_WORLD, MPI_GROUP_NULL, &none));
    if (!excepted("MPI_Comm_remote_size of an intracommunicator is an error")) {
        EXPECT_CLASS(MPI_ERR_COMM, MPI_Comm_remote_size(MPI_COMM_WORLD, &n));
    }
    int inter = 1;
    MPI_Comm_test_inter(MPI_COMM_WORLD, &inter);
    EXPECT_FALSE(inter);
}
