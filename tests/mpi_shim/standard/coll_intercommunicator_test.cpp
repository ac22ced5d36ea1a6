// MPI-3.1, section 5.2.2 and the parts on intercommunicators of 5.3 to 5.12: what one group gives, the other gets.
#include "collective_calls.hpp"
#include "intercommunicator.hpp"

#include <functional>
#include <numeric>
#include <vector>

using namespace mpi_test;

namespace {

// Calls `test` for the two directions of a rooted call and each root: test(groups, from_mine, root argument, root's
// rank in MPI_COMM_WORLD, form); from_mine says that the root is in the caller's group.
void for_each_root(
    const TwoGroups& groups, const std::function<void(bool root_is_mine, int argument, int root, Form)>& test)
{
    for (const bool first_has_root : {true, false}) {
        const bool mine = first_has_root == groups.in_first();
        const int roots = mine ? groups.local_size() : groups.remote_size();
        for (int root = 0; root < roots; ++root) {
            const int world = mine ? groups.world_rank_of_local(root) : groups.world_rank_of_remote(root);
            for (const Form form : kForms) {
                delay(static_cast<unsigned>(root));
                test(mine, mine ? groups.as_root(root) : root, world, form);
            }
        }
    }
}

// The elements of all ranks of the other group.
std::vector<int> of_all_remote(const TwoGroups& groups, int count, int salt = 0)
{
    std::vector<int> all;
    for (int remote = 0; remote < groups.remote_size(); ++remote) {
        append(all, elements(groups.world_rank_of_remote(remote), count, salt));
    }
    return all;
}

std::vector<int> sum_over(const std::vector<int>& world_ranks, int count)
{
    std::vector<int> sum(static_cast<std::size_t>(count));
    for (const int from : world_ranks) {
        for (int i = 0; i < count; ++i) sum[static_cast<std::size_t>(i)] += element(from, i) % 1000;
    }
    return sum;
}

std::vector<int> small_elements(int from, int count)
{
    return sum_over({from}, count);
}

std::vector<int> remote_ranks(const TwoGroups& groups)
{
    std::vector<int> ranks;
    for (int remote = 0; remote < groups.remote_size(); ++remote) ranks.push_back(groups.world_rank_of_remote(remote));
    return ranks;
}

constexpr int kCount = 50;
constexpr std::size_t kRoom = 50;

}  // namespace

MPI_TEST_AT(IntercommunicatorCollective, BarrierWaitsForTheOtherGroup, ({2, 3, 4, 7}))
{
    const TwoGroups groups;
    for (const Form form : kForms) {
        // The first rank of one group enters last; it knows that nobody of the other has left.
        for (const bool first_is_late : {true, false}) {
            const bool mine = groups.in_first() == first_is_late;
            if (mine && groups.local_rank() == 0) {
                for (int remote = 0; remote < groups.remote_size(); ++remote) {
                    MPI_Recv(nullptr, 0, MPI_INT, remote, 1, groups.inter(), MPI_STATUS_IGNORE);
                }
                int left = 0;
                MPI_Iprobe(MPI_ANY_SOURCE, 2, groups.inter(), &left, MPI_STATUS_IGNORE);
                EXPECT_FALSE(left);
            } else if (!mine) {
                MPI_Send(nullptr, 0, MPI_INT, 0, 1, groups.inter());
            }
            call_as(form, MPI_Barrier, MPI_Ibarrier, groups.inter());
            if (!mine) {
                MPI_Send(nullptr, 0, MPI_INT, 0, 2, groups.inter());
            } else if (groups.local_rank() == 0) {
                for (int remote = 0; remote < groups.remote_size(); ++remote) {
                    MPI_Recv(nullptr, 0, MPI_INT, remote, 2, groups.inter(), MPI_STATUS_IGNORE);
                }
            }
        }
    }
}

MPI_TEST_AT(IntercommunicatorCollective, BcastGoesFromARootToTheOtherGroup, ({2, 3, 4, 7}))
{
    const TwoGroups groups;
    for_each_root(groups, [&](bool root_is_mine, int argument, int root, Form form) {
        for (const int count : {0, 1, 20000}) {
            std::vector<int> buffer =
                root == rank() ? elements(root, count) : untouched(static_cast<std::size_t>(count));
            call_as(form, MPI_Bcast, MPI_Ibcast, buffer.data(), count, MPI_INT, argument, groups.inter());
            EXPECT_EQ(buffer,
                root_is_mine && root != rank() ? untouched(static_cast<std::size_t>(count)) : elements(root, count));
        }
    });
}

MPI_TEST_AT(IntercommunicatorCollective, GatherTakesTheOtherGroups, ({2, 3, 4, 7}))
{
    const TwoGroups groups(1 + size() / 3);
    for_each_root(groups, [&](bool root_is_mine, int argument, int root, Form form) {
        const std::vector<int> mine = elements(rank(), kCount);
        std::vector<int> all = untouched(kRoom * static_cast<std::size_t>(groups.remote_size()));
        call_as(form, MPI_Gather, MPI_Igather, mine.data(), kCount, MPI_INT, all.data(), kCount, MPI_INT, argument,
            groups.inter());
        EXPECT_EQ(all, root_is_mine && root == rank() ? of_all_remote(groups, kCount) : untouched(all.size()));
    });
}

MPI_TEST_AT(IntercommunicatorCollective, GathervAndScattervHaveBlocksOfTheOtherGroup, ({2, 3, 4, 7}))
{
    const TwoGroups groups;
    const auto count_of = [](int world) { return (world * 2 + 1) % 4; };
    const Blocks blocks(
        groups.remote_size(), [&](int remote) { return count_of(groups.world_rank_of_remote(remote)); });
    std::vector<int> expected = blocks.buffer();
    for (int remote = 0; remote < groups.remote_size(); ++remote) {
        blocks.put(expected, remote, elements(groups.world_rank_of_remote(remote), blocks.count(remote)));
    }
    const int own = count_of(rank());
    for_each_root(groups, [&](bool, int argument, int root, Form form) {
        const std::vector<int> mine = elements(rank(), own);
        std::vector<int> all = blocks.buffer();
        call_as(form, MPI_Gatherv, MPI_Igatherv, mine.data(), own, MPI_INT, all.data(), blocks.counts.data(),
            blocks.displacements.data(), MPI_INT, argument, groups.inter());
        EXPECT_EQ(all, root == rank() ? expected : blocks.buffer());

        std::vector<int> back = untouched(static_cast<std::size_t>(own));
        call_as(form, MPI_Scatterv, MPI_Iscatterv, expected.data(), blocks.counts.data(), blocks.displacements.data(),
            MPI_INT, back.data(), own, MPI_INT, argument, groups.inter());
        const bool receives = argument != MPI_ROOT && argument != MPI_PROC_NULL;
        EXPECT_EQ(back, receives ? mine : untouched(back.size()));
    });
}

MPI_TEST_AT(IntercommunicatorCollective, ScatterGivesToTheOtherGroup, ({2, 3, 4, 7}))
{
    const TwoGroups groups;
    for_each_root(groups, [&](bool root_is_mine, int argument, int, Form form) {
        const std::vector<int> all = of_all_remote(groups, kCount, 3);
        std::vector<int> mine = untouched(kRoom);
        call_as(form, MPI_Scatter, MPI_Iscatter, all.data(), kCount, MPI_INT, mine.data(), kCount, MPI_INT, argument,
            groups.inter());
        EXPECT_EQ(mine, root_is_mine ? untouched(kRoom) : elements(rank(), kCount, 3));
    });
}

MPI_TEST_AT(IntercommunicatorCollective, AllgatherExchangesTheGroups, ({2, 3, 4, 7}))
{
    const TwoGroups groups(1);
    for (const Form form : kForms) {
        // The two directions may have different counts.
        const int mine_count = groups.in_first() ? 3 : 5;
        const int theirs_count = groups.in_first() ? 5 : 3;
        const std::vector<int> mine = elements(rank(), mine_count);
        const std::vector<int> expected = of_all_remote(groups, theirs_count);
        std::vector<int> all = untouched(expected.size());
        call_as(form, MPI_Allgather, MPI_Iallgather, mine.data(), mine_count, MPI_INT, all.data(), theirs_count,
            MPI_INT, groups.inter());
        EXPECT_EQ(all, expected);

        const Blocks blocks(groups.remote_size(), [=](int) { return theirs_count; });
        std::vector<int> apart = blocks.buffer();
        std::vector<int> expected_apart = blocks.buffer();
        for (int remote = 0; remote < groups.remote_size(); ++remote) {
            blocks.put(expected_apart, remote, elements(groups.world_rank_of_remote(remote), theirs_count));
        }
        call_as(form, MPI_Allgatherv, MPI_Iallgatherv, mine.data(), mine_count, MPI_INT, apart.data(),
            blocks.counts.data(), blocks.displacements.data(), MPI_INT, groups.inter());
        EXPECT_EQ(apart, expected_apart);
    }
}

MPI_TEST_AT(IntercommunicatorCollective, AlltoallExchangesEachWithEachOfTheOther, ({2, 3, 4, 7}))
{
    const TwoGroups groups;
    const auto parcel = [](int from, int to) { return elements(from, kCount, to + 1); };
    std::vector<int> out, expected;
    for (const int peer : remote_ranks(groups)) {
        append(out, parcel(rank(), peer));
        append(expected, parcel(peer, rank()));
    }
    const auto peers = static_cast<std::size_t>(groups.remote_size());
    const std::vector<int> counts(peers, kCount);
    std::vector<int> displacements, bytes;
    for (int peer = 0; peer < groups.remote_size(); ++peer) {
        displacements.push_back(peer * kCount);
        bytes.push_back(peer * kCount * static_cast<int>(sizeof(int)));
    }
    const std::vector<MPI_Datatype> types(peers, MPI_INT);
    for (const Form form : kForms) {
        std::vector<int> in = untouched(expected.size());
        call_as(
            form, MPI_Alltoall, MPI_Ialltoall, out.data(), kCount, MPI_INT, in.data(), kCount, MPI_INT, groups.inter());
        EXPECT_EQ(in, expected);
        in = untouched(in.size());
        call_as(form, MPI_Alltoallv, MPI_Ialltoallv, out.data(), counts.data(), displacements.data(), MPI_INT,
            in.data(), counts.data(), displacements.data(), MPI_INT, groups.inter());
        EXPECT_EQ(in, expected);
        in = untouched(in.size());
        call_as(form, MPI_Alltoallw, MPI_Ialltoallw, out.data(), counts.data(), bytes.data(), types.data(), in.data(),
            counts.data(), bytes.data(), types.data(), groups.inter());
        EXPECT_EQ(in, expected);
    }
}

MPI_TEST_AT(IntercommunicatorCollective, ReduceCombinesTheOtherGroups, ({2, 3, 4, 7}))
{
    const TwoGroups groups;
    for_each_root(groups, [&](bool, int argument, int root, Form form) {
        const std::vector<int> mine = small_elements(rank(), kCount);
        std::vector<int> sum = untouched(kRoom);
        call_as(
            form, MPI_Reduce, MPI_Ireduce, mine.data(), sum.data(), kCount, MPI_INT, MPI_SUM, argument, groups.inter());
        EXPECT_EQ(sum, root == rank() ? sum_over(remote_ranks(groups), kCount) : untouched(kRoom));
    });
}

MPI_TEST_AT(IntercommunicatorCollective, AllreduceGivesEachGroupTheOthersSum, ({2, 3, 4, 7}))
{
    const TwoGroups groups(1 + size() / 4);
    for (const Form form : kForms) {
        const std::vector<int> mine = small_elements(rank(), kCount);
        std::vector<int> sum = untouched(kRoom);
        call_as(form, MPI_Allreduce, MPI_Iallreduce, mine.data(), sum.data(), kCount, MPI_INT, MPI_SUM, groups.inter());
        EXPECT_EQ(sum, sum_over(remote_ranks(groups), kCount));
    }
}

// Both groups give equally many elements, and each distributes the other's sum among its own ranks.
MPI_TEST_AT(IntercommunicatorCollective, ReduceScatterDistributesTheOthersSum, ({2, 3, 4, 7}))
{
    const TwoGroups groups;
    const int all_count = 6 * groups.local_size() * groups.remote_size();
    const int own = all_count / groups.local_size();
    const std::vector<int> total = sum_over(remote_ranks(groups), all_count);
    const auto begin = total.begin() + own * groups.local_rank();
    const std::vector<int> expected(begin, begin + own);
    for (const Form form : kForms) {
        const std::vector<int> mine = small_elements(rank(), all_count);
        std::vector<int> block = untouched(expected.size());
        const std::vector<int> counts(static_cast<std::size_t>(groups.local_size()), own);
        call_as(form, MPI_Reduce_scatter, MPI_Ireduce_scatter, mine.data(), block.data(), counts.data(), MPI_INT,
            MPI_SUM, groups.inter());
        EXPECT_EQ(block, expected);
        block = untouched(block.size());
        call_as(form, MPI_Reduce_scatter_block, MPI_Ireduce_scatter_block, mine.data(), block.data(), own, MPI_INT,
            MPI_SUM, groups.inter());
        EXPECT_EQ(block, expected);
    }
}

MPI_TEST_AT(IntercommunicatorCollective, ScansAreNotDefined, ({2, 3}))
{
    const TwoGroups groups;
    const ReturnErrors guard(groups.inter());
    const int one = 1;
    int sum = 0;
    EXPECT_CLASS(MPI_ERR_COMM, MPI_Scan(&one, &sum, 1, MPI_INT, MPI_SUM, groups.inter()));
    EXPECT_CLASS(MPI_ERR_COMM, MPI_Exscan(&one, &sum, 1, MPI_INT, MPI_SUM, groups.inter()));
}
