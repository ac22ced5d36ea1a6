// Groups (MPI-3.1, section 6.3).
#include "abi/boundary.hpp"
#include "group/group.hpp"

#include <span>

using namespace fmpl::mpi;

namespace {

std::span<const int> list_of(const int* ranks, int n, const char* argument)
{
    if (n < 0) fail(ErrorClass::argument, "n = {} is negative; give 0 or more", n);
    if (n > 0) check_pointer(ranks, argument);
    return {ranks, static_cast<std::size_t>(n)};
}

// body(a, b) gives the new group.
template <class Body>
int combine(const char* name, MPI_Group group1, MPI_Group group2, MPI_Group* newgroup, Body&& body)
{
    return call(name, [&](Process& process) {
        const GroupPtr a = process.group(number_of(group1), "group1");
        const GroupPtr b = process.group(number_of(group2), "group2");
        check_pointer(newgroup, "newgroup");
        *newgroup = handle_for<MPI_Group>(process.add(body(*a, *b)));
    });
}

// The same for a group and a list of its ranks. body(group) gives the new group.
template <class Body>
int select(const char* name, MPI_Group group, MPI_Group* newgroup, Body&& body)
{
    return call(name, [&](Process& process) {
        const GroupPtr from = process.group(number_of(group));
        check_pointer(newgroup, "newgroup");
        *newgroup = handle_for<MPI_Group>(process.add(body(*from)));
    });
}

std::vector<int> listed_ranks(const Group& group, int (*ranges)[3], int n)
{
    list_of(n > 0 ? ranges[0] : nullptr, n, "ranges");
    if (n == 0) return {};
    return ranks_in_ranges(group, {ranges[0], 3 * static_cast<std::size_t>(n)});
}

}  // namespace

int PMPI_Group_size(MPI_Group group, int* size)
{
    return call("MPI_Group_size", [&](Process& process) {
        const GroupPtr& of = process.group(number_of(group));
        check_pointer(size, "size");
        *size = of->size();
    });
}
FMPL_MPI_NAME(MPI_Group_size)

int PMPI_Group_rank(MPI_Group group, int* rank)
{
    return call("MPI_Group_rank", [&](Process& process) {
        const GroupPtr& of = process.group(number_of(group));
        check_pointer(rank, "rank");
        *rank = of->rank_of(process.messenger.world_rank()).value_or(MPI_UNDEFINED);
    });
}
FMPL_MPI_NAME(MPI_Group_rank)

int PMPI_Group_translate_ranks(MPI_Group group1, int n, const int ranks1[], MPI_Group group2, int ranks2[])
{
    return call("MPI_Group_translate_ranks", [&](Process& process) {
        const Group& from = *process.group(number_of(group1), "group1");
        const Group& to = *process.group(number_of(group2), "group2");
        const std::span<const int> ranks = list_of(ranks1, n, "ranks1");
        if (n > 0) check_pointer(ranks2, "ranks2");
        for (std::size_t i = 0; i < ranks.size(); ++i) {
            if (ranks[i] == MPI_PROC_NULL) {
                ranks2[i] = MPI_PROC_NULL;
                continue;
            }
            if (ranks[i] < 0 || ranks[i] >= from.size()) {
                fail(ErrorClass::rank, "ranks1[{}] = {} is not a rank of group1; it has {}", i, ranks[i], from.size());
            }
            ranks2[i] = to.rank_of(from.world_rank(ranks[i])).value_or(MPI_UNDEFINED);
        }
    });
}
FMPL_MPI_NAME(MPI_Group_translate_ranks)

int PMPI_Group_compare(MPI_Group group1, MPI_Group group2, int* result)
{
    return call("MPI_Group_compare", [&](Process& process) {
        const Group& a = *process.group(number_of(group1), "group1");
        const Group& b = *process.group(number_of(group2), "group2");
        check_pointer(result, "result");
        *result = comparison_out(compare(a, b));
    });
}
FMPL_MPI_NAME(MPI_Group_compare)

int PMPI_Group_union(MPI_Group group1, MPI_Group group2, MPI_Group* newgroup)
{
    return combine("MPI_Group_union", group1, group2, newgroup, union_of);
}
FMPL_MPI_NAME(MPI_Group_union)

int PMPI_Group_intersection(MPI_Group group1, MPI_Group group2, MPI_Group* newgroup)
{
    return combine("MPI_Group_intersection", group1, group2, newgroup, intersection_of);
}
FMPL_MPI_NAME(MPI_Group_intersection)

int PMPI_Group_difference(MPI_Group group1, MPI_Group group2, MPI_Group* newgroup)
{
    return combine("MPI_Group_difference", group1, group2, newgroup, difference_of);
}
FMPL_MPI_NAME(MPI_Group_difference)

int PMPI_Group_incl(MPI_Group group, int n, const int ranks[], MPI_Group* newgroup)
{
    return select("MPI_Group_incl", group, newgroup,
        [&](const Group& from) { return included(from, list_of(ranks, n, "ranks")); });
}
FMPL_MPI_NAME(MPI_Group_incl)

int PMPI_Group_excl(MPI_Group group, int n, const int ranks[], MPI_Group* newgroup)
{
    return select("MPI_Group_excl", group, newgroup,
        [&](const Group& from) { return excluded(from, list_of(ranks, n, "ranks")); });
}
FMPL_MPI_NAME(MPI_Group_excl)

int PMPI_Group_range_incl(MPI_Group group, int n, int ranges[][3], MPI_Group* newgroup)
{
    return select("MPI_Group_range_incl", group, newgroup,
        [&](const Group& from) { return included(from, listed_ranks(from, ranges, n)); });
}
FMPL_MPI_NAME(MPI_Group_range_incl)

int PMPI_Group_range_excl(MPI_Group group, int n, int ranges[][3], MPI_Group* newgroup)
{
    return select("MPI_Group_range_excl", group, newgroup,
        [&](const Group& from) { return excluded(from, listed_ranks(from, ranges, n)); });
}
FMPL_MPI_NAME(MPI_Group_range_excl)

int PMPI_Group_free(MPI_Group* group)
{
    return call("MPI_Group_free", [&](Process& process) {
        check_pointer(group, "group");
        process.group(number_of(*group));
        // MPI_GROUP_EMPTY is what calls give for a group without members, so programs free it.
        if (*group != MPI_GROUP_EMPTY) process.groups.remove(number_of(*group));
        *group = MPI_GROUP_NULL;
    });
}
FMPL_MPI_NAME(MPI_Group_free)
