// MPI-3.1, section 6.6: intercommunicators.
#include "intercommunicator.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

using namespace mpi_test;

namespace {

std::vector<int> world_ranks_of(MPI_Group group)
{
    int n = 0;
    MPI_Group_size(group, &n);
    std::vector<int> own(static_cast<std::size_t>(n));
    for (std::size_t i = 0; i < own.size(); ++i) own[i] = static_cast<int>(i);
    std::vector<int> in_world(own.size());
    MPI_Group world = MPI_GROUP_NULL;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_translate_ranks(group, n, own.data(), world, in_world.data());
    MPI_Group_free(&world);
    return in_world;
}

std::vector<int> ascending(int first, int last)
{
    std::vector<int> ranks;
    for (int r = first; r < last; ++r) ranks.push_back(r);
    return ranks;
}

// One message from each rank to each of the other group, with its rank in MPI_COMM_WORLD.
void expect_all_to_all(MPI_Comm inter, const std::vector<int>& remote_world_ranks)
{
    const int mine = rank();
    std::vector<MPI_Request> sends(remote_world_ranks.size());
    for (std::size_t remote = 0; remote < sends.size(); ++remote) {
        MPI_Isend(&mine, 1, MPI_INT, static_cast<int>(remote), 4, inter, &sends[remote]);
    }
    for (std::size_t i = 0; i < remote_world_ranks.size(); ++i) {
        int got = -1;
        MPI_Status status;
        MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 4, inter, &status);
        REQUIRE(status.MPI_SOURCE >= 0 && status.MPI_SOURCE < static_cast<int>(remote_world_ranks.size()));
        EXPECT_EQ(got, remote_world_ranks[static_cast<std::size_t>(status.MPI_SOURCE)]);
    }
    MPI_Waitall(static_cast<int>(sends.size()), sends.data(), MPI_STATUSES_IGNORE);
}

std::vector<int> remote_ranks(const TwoGroups& groups)
{
    std::vector<int> ranks;
    for (int remote = 0; remote < groups.remote_size(); ++remote) ranks.push_back(groups.world_rank_of_remote(remote));
    return ranks;
}

// The members by communication over an intracommunicator.
std::vector<int> members(MPI_Comm comm)
{
    int n = 0;
    MPI_Comm_size(comm, &n);
    std::vector<int> all(static_cast<std::size_t>(n), -1);
    const int mine = rank();
    MPI_Allgather(&mine, 1, MPI_INT, all.data(), 1, MPI_INT, comm);
    return all;
}

}  // namespace

MPI_TEST_AT(Intercommunicator, KnowsBothGroups, ({2, 3, 4, 7}))
{
    const TwoGroups groups;
    int flag = 0;
    MPI_Comm_test_inter(groups.inter(), &flag);
    EXPECT_TRUE(flag);
    MPI_Comm_test_inter(groups.local(), &flag);
    EXPECT_FALSE(flag);
    int n = -1;
    MPI_Comm_size(groups.inter(), &n);
    EXPECT_EQ(n, groups.local_size());
    MPI_Comm_remote_size(groups.inter(), &n);
    EXPECT_EQ(n, groups.remote_size());
    MPI_Comm_rank(groups.inter(), &n);
    EXPECT_EQ(n, groups.local_rank());
    MPI_Group mine = MPI_GROUP_NULL;
    MPI_Group theirs = MPI_GROUP_NULL;
    MPI_Comm_group(groups.inter(), &mine);
    MPI_Comm_remote_group(groups.inter(), &theirs);
    const int boundary = (size() + 1) / 2;
    const std::vector<int> first = ascending(0, boundary);
    const std::vector<int> second = ascending(boundary, size());
    EXPECT_EQ(world_ranks_of(mine), groups.in_first() ? first : second);
    EXPECT_EQ(world_ranks_of(theirs), groups.in_first() ? second : first);
    MPI_Group_free(&mine);
    MPI_Group_free(&theirs);
}

MPI_TEST_AT(Intercommunicator, MessagesGoToTheOtherGroup, ({2, 3, 4, 7}))
{
    for (int first_ranks = 1; first_ranks < size(); ++first_ranks) {
        const TwoGroups groups(first_ranks);
        expect_all_to_all(groups.inter(), remote_ranks(groups));
    }
}

MPI_TEST_AT(Intercommunicator, LongMessagesAndProbes, ({2, 3, 4}))
{
    const TwoGroups groups;
    constexpr int kCount = 70000;
    const int peer = groups.local_rank();
    if (peer >= groups.remote_size()) return;
    std::vector<int> out(kCount, rank());
    std::vector<int> in(kCount, -1);
    MPI_Request send = MPI_REQUEST_NULL;
    MPI_Isend(out.data(), kCount, MPI_INT, peer, 8, groups.inter(), &send);
    MPI_Status status;
    MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, groups.inter(), &status);
    EXPECT_EQ(status.MPI_SOURCE, peer);
    EXPECT_EQ(status.MPI_TAG, 8);
    MPI_Recv(in.data(), kCount, MPI_INT, status.MPI_SOURCE, 8, groups.inter(), &status);
    EXPECT_EQ(in, std::vector<int>(kCount, groups.world_rank_of_remote(peer)));
    MPI_Wait(&send, MPI_STATUS_IGNORE);
}

MPI_TEST_AT(Intercommunicator, LeadersNeedNotBeTheFirst, ({3, 4, 7}))
{
    const bool in_first = rank() % 2 == 0;
    MPI_Comm local = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, in_first ? 0 : 1, -rank(), &local);
    // In each group the last rank leads: in reverse order, that is 0 of the even ones and 1 of the odd ones.
    int n = 0;
    MPI_Comm_size(local, &n);
    MPI_Comm inter = MPI_COMM_NULL;
    MPI_Intercomm_create(local, n - 1, MPI_COMM_WORLD, in_first ? 1 : 0, 77, &inter);
    std::vector<int> theirs;
    for (int r = size() - 1; r >= 0; --r) {
        if ((r % 2 == 0) != in_first) theirs.push_back(r);
    }
    expect_all_to_all(inter, theirs);
    MPI_Comm_free(&inter);
    MPI_Comm_free(&local);
}

// The bridge may be any communicator of the leaders; the other ranks' arguments for it do not count.
MPI_TEST_AT(Intercommunicator, OnlyTheLeadersNeedTheBridge, ({2, 4, 7}))
{
    const TwoGroups groups;
    const bool leads = groups.local_rank() == 0;
    MPI_Comm bridge = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, leads ? 0 : MPI_UNDEFINED, rank(), &bridge);
    MPI_Comm inter = MPI_COMM_NULL;
    MPI_Intercomm_create(groups.local(), 0, bridge, groups.in_first() ? 1 : 0, 5, &inter);
    expect_all_to_all(inter, remote_ranks(groups));
    MPI_Comm_free(&inter);
    if (bridge != MPI_COMM_NULL) MPI_Comm_free(&bridge);
}

MPI_TEST_AT(Intercommunicator, MergePutsTheHighGroupLast, ({2, 3, 4, 7}))
{
    const TwoGroups groups;
    const int boundary = (size() + 1) / 2;
    for (const bool first_is_high : {false, true}) {
        MPI_Comm merged = MPI_COMM_NULL;
        MPI_Intercomm_merge(groups.inter(), groups.in_first() == first_is_high ? 1 : 0, &merged);
        std::vector<int> expected = ascending(0, size());
        if (first_is_high) std::rotate(expected.begin(), expected.begin() + boundary, expected.end());
        EXPECT_EQ(members(merged), expected);
        MPI_Comm_free(&merged);
    }
    // The same value everywhere leaves the order to the library, but all ranks see the same.
    MPI_Comm merged = MPI_COMM_NULL;
    MPI_Intercomm_merge(groups.inter(), 1, &merged);
    std::vector<int> order = members(merged);
    std::vector<int> of_first = order;
    MPI_Bcast(of_first.data(), size(), MPI_INT, 0, merged);
    EXPECT_EQ(order, of_first);
    std::sort(order.begin(), order.end());
    EXPECT_EQ(order, ascending(0, size()));
    MPI_Comm_free(&merged);
}

MPI_TEST_AT(Intercommunicator, DupIsAnother, ({2, 3, 4, 7}))
{
    const TwoGroups groups;
    for (int i = 0; i < 20; ++i) {
        MPI_Comm copy = MPI_COMM_NULL;
        MPI_Comm_dup(groups.inter(), &copy);
        int comparison = -1;
        MPI_Comm_compare(groups.inter(), copy, &comparison);
        EXPECT_EQ(comparison, MPI_CONGRUENT);
        MPI_Comm_compare(copy, MPI_COMM_WORLD, &comparison);
        EXPECT_EQ(comparison, MPI_UNEQUAL);
        if (i % 5 == 0) expect_all_to_all(copy, remote_ranks(groups));
        MPI_Comm_free(&copy);
    }
}

MPI_TEST_AT(Intercommunicator, SplitMakesOneOfEachColourInBothGroups, ({4, 7}))
{
    const TwoGroups groups;
    MPI_Comm part = MPI_COMM_NULL;
    MPI_Comm_split(groups.inter(), groups.local_rank() % 2, -groups.local_rank(), &part);
    std::vector<int> theirs;
    for (int remote = groups.remote_size() - 1; remote >= 0; --remote) {
        if (remote % 2 == groups.local_rank() % 2) theirs.push_back(groups.world_rank_of_remote(remote));
    }
    if (theirs.empty()) {
        EXPECT_TRUE(part == MPI_COMM_NULL);
        return;
    }
    REQUIRE(part != MPI_COMM_NULL);
    int flag = 0;
    MPI_Comm_test_inter(part, &flag);
    EXPECT_TRUE(flag);
    expect_all_to_all(part, theirs);
    MPI_Comm_free(&part);
}

// A colour that only one group has gives no communicator.
MPI_TEST_AT(Intercommunicator, SplitOfAColourOfOneSideOnlyGivesNone, ({2, 4}))
{
    const TwoGroups groups;
    MPI_Comm part = MPI_COMM_SELF;
    MPI_Comm_split(groups.inter(), groups.in_first() ? 1 : 2, 0, &part);
    EXPECT_TRUE(part == MPI_COMM_NULL);
}

MPI_TEST_AT(Intercommunicator, CreateTakesAGroupOfEachSide, ({4, 7}))
{
    const TwoGroups groups;
    MPI_Group mine = MPI_GROUP_NULL;
    MPI_Comm_group(groups.inter(), &mine);
    const int last[1] = {groups.local_size() - 1};
    MPI_Group chosen = MPI_GROUP_NULL;
    MPI_Group_incl(mine, 1, last, &chosen);
    MPI_Comm pair = MPI_COMM_NULL;
    MPI_Comm_create(groups.inter(), chosen, &pair);
    MPI_Group_free(&chosen);
    MPI_Group_free(&mine);
    EXPECT_EQ(pair != MPI_COMM_NULL, groups.local_rank() == last[0]);
    if (pair == MPI_COMM_NULL) return;
    expect_all_to_all(pair, {groups.world_rank_of_remote(groups.remote_size() - 1)});
    MPI_Comm_free(&pair);
}

MPI_TEST_AT(Intercommunicator, MadeAndFreedInALoop, ({2, 3}))
{
    for (int i = 0; i < 200; ++i) {
        const TwoGroups groups(1);
        if (i % 50 == 0) expect_all_to_all(groups.inter(), remote_ranks(groups));
    }
}
