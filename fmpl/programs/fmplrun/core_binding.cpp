#include "core_binding.hpp"

#include "crossbar/host.hpp"
#include "error.hpp"

#include <algorithm>
#include <memory>
#include <set>

#include <hwloc.h>

namespace fmpl::launcher {
namespace {

// The cores that this process may use, each as the CPU numbers of its hardware threads.
std::vector<std::vector<int>> usable_cores()
{
    hwloc_topology_t raw = nullptr;
    if (hwloc_topology_init(&raw) != 0) fail_system("the machine's topology cannot be examined (hwloc)");
    const std::unique_ptr<hwloc_topology, decltype(&hwloc_topology_destroy)> topology(raw, hwloc_topology_destroy);
    // Cores and nothing else: caches, devices and the processor's own account of itself would take most of the time.
    hwloc_topology_set_all_types_filter(raw, HWLOC_TYPE_FILTER_KEEP_NONE);
    hwloc_topology_set_type_filter(raw, HWLOC_OBJ_CORE, HWLOC_TYPE_FILTER_KEEP_ALL);
    hwloc_topology_set_components(raw, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, "x86");
    if (hwloc_topology_load(raw) != 0) fail_system("the machine's topology cannot be examined (hwloc)");

    const std::vector<int> affinity = affinity_cpus();
    std::set<int> left(affinity.begin(), affinity.end());
    std::vector<std::vector<int>> cores;
    for (hwloc_obj_t core = nullptr; (core = hwloc_get_next_obj_by_type(raw, HWLOC_OBJ_CORE, core)) != nullptr;) {
        std::vector<int> cpus;
        for (int cpu = -1; (cpu = hwloc_bitmap_next(core->cpuset, cpu)) >= 0;) {
            if (left.erase(cpu) > 0) cpus.push_back(cpu);
        }
        if (!cpus.empty()) cores.push_back(std::move(cpus));
    }
    // A machine that does not tell its cores: each CPU counts as one.
    for (const int cpu : left) cores.push_back({cpu});
    return cores;
}

}  // namespace

std::vector<std::vector<int>> bind_to_cores(int ranks, int threads_per_rank)
{
    const auto cores = usable_cores();
    const auto n = static_cast<std::size_t>(ranks);
    if (cores.empty()) fail(FMPL_ERR_SYSTEM, "ranks cannot be bound: the CPUs of this process are unknown");
    std::vector<std::vector<int>> bindings(n);
    if (n <= cores.size()) {
        const std::size_t share = cores.size() / n;
        const std::size_t width = std::min(share, static_cast<std::size_t>(std::max(1, threads_per_rank)));
        for (std::size_t rank = 0; rank < n; ++rank) {
            for (std::size_t core = rank * share; core < rank * share + width; ++core) {
                bindings[rank].insert(bindings[rank].end(), cores[core].begin(), cores[core].end());
            }
            std::sort(bindings[rank].begin(), bindings[rank].end());
        }
        return bindings;
    }
    std::size_t most_threads = 0;
    for (const auto& core : cores) most_threads = std::max(most_threads, core.size());
    std::vector<int> in_turn;
    for (std::size_t thread = 0; thread < most_threads; ++thread) {
        for (const auto& core : cores) {
            if (thread < core.size()) in_turn.push_back(core[thread]);
        }
    }
    const std::size_t threads = in_turn.size();
    for (std::size_t rank = 0; rank < n; ++rank) {
        bindings[rank] = {in_turn[n > threads ? rank * threads / n : rank]};
    }
    return bindings;
}

bool divides_evenly(int ranks, int cpus)
{
    return ranks % cpus == 0 && affinity_cpus().size() == static_cast<std::size_t>(cpus);
}

std::string cpu_list(const std::vector<int>& cpus)
{
    std::string text;
    for (std::size_t i = 0; i < cpus.size();) {
        std::size_t last = i;
        while (last + 1 < cpus.size() && cpus[last + 1] == cpus[last] + 1) ++last;
        if (!text.empty()) text += ',';
        text += last == i ? fmt::format("{}", cpus[i]) : fmt::format("{}-{}", cpus[i], cpus[last]);
        i = last + 1;
    }
    return text;
}

}  // namespace fmpl::launcher
