// MPI-3.1, section 6.3: groups.
#include "mpi_test.hpp"

#include <algorithm>
#include <vector>

using namespace mpi_test;

namespace {

// A group, freed at the end of its scope.
class Group {
public:
    Group() { MPI_Comm_group(MPI_COMM_WORLD, &group_); }
    // Those ranks of MPI_COMM_WORLD, in that order.
    explicit Group(const std::vector<int>& world_ranks)
    {
        const Group world;
        MPI_Group_incl(world.get(), static_cast<int>(world_ranks.size()), world_ranks.data(), &group_);
    }
    Group(int (*combine)(MPI_Group, MPI_Group, MPI_Group*), const Group& a, const Group& b)
    {
        combine(a.get(), b.get(), &group_);
    }
    ~Group()
    {
        if (group_ != MPI_GROUP_NULL && group_ != MPI_GROUP_EMPTY) MPI_Group_free(&group_);
    }
    Group(const Group&) = delete;
    Group& operator=(const Group&) = delete;

    MPI_Group get() const { return group_; }
    MPI_Group& handle() { return group_; }

    int size() const
    {
        int n = -1;
        MPI_Group_size(group_, &n);
        return n;
    }
    // Its members as ranks of MPI_COMM_WORLD.
    std::vector<int> members() const
    {
        const Group world;
        std::vector<int> own(static_cast<std::size_t>(size()));
        for (std::size_t i = 0; i < own.size(); ++i) own[i] = static_cast<int>(i);
        std::vector<int> in_world(own.size(), -7);
        MPI_Group_translate_ranks(group_, static_cast<int>(own.size()), own.data(), world.get(), in_world.data());
        return in_world;
    }

private:
    MPI_Group group_ = MPI_GROUP_NULL;
};

int compare(const Group& a, const Group& b)
{
    int result = -1;
    MPI_Group_compare(a.get(), b.get(), &result);
    return result;
}

using Ranks = std::vector<int>;

}  // namespace

MPI_TEST(Group, OfTheWorldHasAllRanksInOrder)
{
    const Group world;
    EXPECT_EQ(world.size(), size());
    int own = -1;
    MPI_Group_rank(world.get(), &own);
    EXPECT_EQ(own, rank());
    Ranks all;
    for (int r = 0; r < size(); ++r) all.push_back(r);
    EXPECT_EQ(world.members(), all);
}

MPI_TEST(Group, OfOneselfHasOneMember)
{
    Group self(Ranks{rank()});
    MPI_Group of_comm = MPI_GROUP_NULL;
    MPI_Comm_group(MPI_COMM_SELF, &of_comm);
    int result = -1;
    MPI_Group_compare(self.get(), of_comm, &result);
    EXPECT_EQ(result, MPI_IDENT);
    MPI_Group_free(&of_comm);
    EXPECT_TRUE(of_comm == MPI_GROUP_NULL);
}

MPI_TEST_AT(Group, InclKeepsTheGivenOrder, ({4, 7}))
{
    const Group picked(Ranks{3, 0, 2});
    EXPECT_EQ(picked.members(), (Ranks{3, 0, 2}));
    int own = -1;
    MPI_Group_rank(picked.get(), &own);
    const int expected = rank() == 3 ? 0 : rank() == 0 ? 1 : rank() == 2 ? 2 : MPI_UNDEFINED;
    EXPECT_EQ(own, expected);
}

MPI_TEST_AT(Group, ExclKeepsTheOrderOfTheGroup, ({4, 7}))
{
    const Group picked(Ranks{3, 0, 2, 1});
    const int gone[2] = {2, 0};
    Group rest(Ranks{});
    MPI_Group_excl(picked.get(), 2, gone, &rest.handle());
    EXPECT_EQ(rest.members(), (Ranks{0, 1}));
    Group same(Ranks{});
    MPI_Group_excl(picked.get(), 0, nullptr, &same.handle());
    EXPECT_EQ(compare(picked, same), MPI_IDENT);
}

MPI_TEST_AT(Group, UnionIntersectionAndDifferenceFollowTheFirst, ({4, 7}))
{
    const Group a(Ranks{3, 1, 0});
    const Group b(Ranks{0, 2, 3});
    EXPECT_EQ(Group(MPI_Group_union, a, b).members(), (Ranks{3, 1, 0, 2}));
    EXPECT_EQ(Group(MPI_Group_intersection, a, b).members(), (Ranks{3, 0}));
    EXPECT_EQ(Group(MPI_Group_difference, a, b).members(), (Ranks{1}));
    EXPECT_EQ(Group(MPI_Group_union, b, a).members(), (Ranks{0, 2, 3, 1}));
    EXPECT_EQ(Group(MPI_Group_intersection, b, a).members(), (Ranks{0, 3}));
    EXPECT_EQ(Group(MPI_Group_difference, b, a).members(), (Ranks{2}));
}

MPI_TEST(Group, EmptyResultsAreTheEmptyGroup)
{
    const Group world;
    const Group nothing(Ranks{});
    EXPECT_TRUE(nothing.get() == MPI_GROUP_EMPTY);
    EXPECT_EQ(nothing.size(), 0);
    int own = -1;
    MPI_Group_rank(nothing.get(), &own);
    EXPECT_EQ(own, MPI_UNDEFINED);
    EXPECT_EQ(Group(MPI_Group_intersection, world, nothing).size(), 0);
    EXPECT_EQ(Group(MPI_Group_difference, world, world).size(), 0);
    EXPECT_EQ(compare(Group(MPI_Group_difference, world, world), nothing), MPI_IDENT);
    EXPECT_EQ(compare(Group(MPI_Group_union, nothing, world), world), MPI_IDENT);
    EXPECT_EQ(compare(Group(MPI_Group_union, world, nothing), world), MPI_IDENT);
    EXPECT_EQ(compare(world, nothing), MPI_UNEQUAL);
}

MPI_TEST_AT(Group, CompareTellsOrderFromMembers, ({3, 4, 7}))
{
    const Group a(Ranks{0, 1, 2});
    const Group same(Ranks{0, 1, 2});
    const Group other_order(Ranks{2, 0, 1});
    const Group fewer(Ranks{0, 1});
    const Group others(Ranks{0, 1, 2 % size()});
    EXPECT_EQ(compare(a, same), MPI_IDENT);
    EXPECT_EQ(compare(a, other_order), MPI_SIMILAR);
    EXPECT_EQ(compare(a, fewer), MPI_UNEQUAL);
    EXPECT_EQ(compare(Group(Ranks{0, 1}), Group(Ranks{0, 2})), MPI_UNEQUAL);
    EXPECT_EQ(compare(a, others), MPI_IDENT);
}

MPI_TEST_AT(Group, RangesCountUpAndDownWithStrides, ({7}))
{
    const Group world;
    int ranges[3][3] = {{6, 2, -2}, {1, 1, 5}, {3, 6, 2}};
    Group included(Ranks{});
    MPI_Group_range_incl(world.get(), 3, ranges, &included.handle());
    EXPECT_EQ(included.members(), (Ranks{6, 4, 2, 1, 3, 5}));
    Group excluded(Ranks{});
    MPI_Group_range_excl(world.get(), 3, ranges, &excluded.handle());
    EXPECT_EQ(excluded.members(), (Ranks{0}));
    Group none(Ranks{});
    MPI_Group_range_incl(world.get(), 0, nullptr, &none.handle());
    EXPECT_EQ(none.size(), 0);
    Group all(Ranks{});
    MPI_Group_range_excl(world.get(), 0, nullptr, &all.handle());
    EXPECT_EQ(compare(all, world), MPI_IDENT);
}

MPI_TEST_AT(Group, TranslationGivesUndefinedForThoseWhoAreNotThere, ({4, 7}))
{
    const Group a(Ranks{3, 1, 0});
    const Group b(Ranks{0, 2, 3});
    const int ranks[4] = {0, 1, 2, MPI_PROC_NULL};
    int translated[4] = {-9, -9, -9, -9};
    MPI_Group_translate_ranks(a.get(), 4, ranks, b.get(), translated);
    EXPECT_EQ(translated[0], 2);
    EXPECT_EQ(translated[1], MPI_UNDEFINED);
    EXPECT_EQ(translated[2], 0);
    EXPECT_EQ(translated[3], MPI_PROC_NULL);
}

MPI_TEST(Group, WrongRanksAreErrors)
{
    const ReturnErrors guard;
    const Group world;
    MPI_Group result = MPI_GROUP_NULL;
    const int beyond[1] = {size()};
    EXPECT_CLASS(MPI_ERR_RANK, MPI_Group_incl(world.get(), 1, beyond, &result));
    EXPECT_CLASS(MPI_ERR_RANK, MPI_Group_excl(world.get(), 1, beyond, &result));
    const int twice[2] = {0, 0};
    if (size() > 1 && !excepted("a rank twice in a group")) {
        EXPECT_CLASS(MPI_ERR_RANK, MPI_Group_incl(world.get(), 2, twice, &result));
    }
    int n = 0;
    EXPECT_CLASS(MPI_ERR_GROUP, MPI_Group_size(MPI_GROUP_NULL, &n));
}

MPI_TEST(Group, ManyAreRecycled)
{
    const Group world;
    for (int i = 0; i < 5000; ++i) {
        const Group again(MPI_Group_union, world, world);
        if (i % 1000 == 0) {
            EXPECT_EQ(compare(again, world), MPI_IDENT);
        }
    }
}

MPI_TEST(Group, OutlivesItsCommunicator)
{
    MPI_Comm copy = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Group group = MPI_GROUP_NULL;
    MPI_Comm_group(copy, &group);
    MPI_Comm_free(&copy);
    int n = 0;
    MPI_Group_size(group, &n);
    EXPECT_EQ(n, size());
    MPI_Group_free(&group);
}
