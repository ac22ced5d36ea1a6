// Operations of intercommunicators: within each group as those of an intracommunicator, with rank 0 for the whole
// group; between the groups one message each way, or one at all: L + B more.
#include "coll/algorithms.hpp"

#include <numeric>
#include <vector>

namespace fmpl::mpi {

void inter_barrier(Schedule& schedule)
{
    const Members& between = schedule.members();
    dissemination_barrier(schedule, schedule.local_members());
    if (between.rank() == 0) {
        schedule.receive(between, {}, 0);
        schedule.send(between, {}, 0);
        schedule.end_round();
    }
    binomial_bcast(schedule, schedule.local_members(), {}, 0);
}

void inter_bcast(Schedule& schedule, const MessageBuffer& buffer, int root)
{
    const Members& between = schedule.members();
    if (root == kProcNull) return;
    if (root == kRoot) {
        schedule.send(between, buffer, 0);
        schedule.end_round();
        return;
    }
    if (between.rank() == 0) {
        schedule.receive(between, buffer, root);
        schedule.end_round();
    }
    binomial_bcast(schedule, schedule.local_members(), buffer, 0);
}

void inter_reduce(Schedule& schedule, const void* contribution, void* result, std::int64_t count, int root)
{
    const Members& between = schedule.members();
    if (root == kProcNull) return;
    if (root == kRoot) {
        schedule.receive(between, schedule.elements(result, count), 0);
        schedule.end_round();
        return;
    }
    void* const sum = between.rank() == 0 ? schedule.element_memory(count) : nullptr;
    binomial_reduce(schedule, schedule.local_members(), contribution, sum, count, 0);
    if (between.rank() == 0) {
        schedule.send(between, schedule.elements(sum, count), root);
        schedule.end_round();
    }
}

namespace {

// Rank 0 of each group gets in `theirs` what the other group's contributions come to.
void exchange_reductions(Schedule& schedule, const void* contribution, void* theirs, std::int64_t count)
{
    const Members& between = schedule.members();
    void* const ours = between.rank() == 0 ? schedule.element_memory(count) : nullptr;
    binomial_reduce(schedule, schedule.local_members(), contribution, ours, count, 0);
    if (between.rank() == 0) {
        schedule.receive(between, schedule.elements(theirs, count), 0);
        schedule.send(between, schedule.elements(ours, count), 0);
        schedule.end_round();
    }
}

}  // namespace

void inter_allreduce(Schedule& schedule, const void* contribution, void* result, std::int64_t count)
{
    exchange_reductions(schedule, contribution, result, count);
    binomial_bcast(schedule, schedule.local_members(), schedule.elements(result, count), 0);
}

void inter_reduce_scatter(
    Schedule& schedule, const void* contribution, void* result, std::span<const std::int64_t> counts)
{
    const Members& local = schedule.local_members();
    const std::int64_t total = std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
    void* const sum = local.rank() == 0 ? schedule.element_memory(total) : nullptr;
    exchange_reductions(schedule, contribution, sum, total);

    std::vector<std::int64_t> first(counts.size());
    std::exclusive_scan(counts.begin(), counts.end(), first.begin(), std::int64_t{0});
    const auto part = [&](int r) {
        const auto index = static_cast<std::size_t>(r);
        return schedule.elements(schedule.element(sum, first[index]), counts[index]);
    };
    const MessageBuffer mine = schedule.elements(result, counts[static_cast<std::size_t>(local.rank())]);
    if (local.rank() == 0) schedule.copy(part(0), mine);
    linear_scatter(schedule, local, part, mine, 0);
}

}  // namespace fmpl::mpi
