#include "rank_layout.hpp"

#include "core_binding.hpp"
#include "crossbar/host.hpp"
#include "error.hpp"
#include "launch/thread_layout.hpp"
#include "program_file.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <utility>

namespace fmpl::launcher {

RankLayout::RankLayout(const Options& options, int cpus)
    : cpus_(cpus),
      cpus_of_(static_cast<std::size_t>(options.ranks))
{
    choose_manner(options);
    if (is_one_process()) {
        bind_threads();
    } else if (options.binding != Binding::none) {
        bind_processes(options);
    }
}

void RankLayout::choose_manner(const Options& options)
{
    if (options.ranks_as == RanksAs::processes) return;
    const bool has_to = options.ranks_as == RanksAs::threads;
    // What is done to processes: their lines are tagged, their libraries and their heap exchanged, each is bound.
    const bool wants_processes = options.tag_output || options.blacs || options.mpi || !options.pdgemm.empty() ||
                                 options.rdma == "heap" || options.binding != Binding::automatic;
    if (!has_to && (wants_processes || options.ranks <= cpus_)) return;
    const std::string path = found_program(options.program.front(), environment_with(options.variables));
    if (!path.empty() && ranks_may_share_a_process(path)) {
        if (has_to && wants_processes) {
            fail(FMPL_ERR_ARGUMENT,
                "--ranks-as threads does not go with --bind-to, --tag-output, --rdma heap, --pdgemm, --blacs and "
                "--mpi, which are for processes; leave one of them out");
        }
        process_threads_ = std::min(options.ranks, cpus_);
    } else if (has_to) {
        fail(FMPL_ERR_ARGUMENT,
            "--ranks-as threads: {} does not say that its ranks may share a process (FMPL_RANKS_MAY_SHARE_A_PROCESS in "
            "fmpl/fmpl.hpp); start it without that option",
            options.program.front());
    }
}

void RankLayout::bind_threads()
{
    const std::vector<int> cpus = cpus_of_threads(process_threads_);
    for (int t = 0; t < process_threads_ && !cpus.empty(); ++t) {
        for (const int rank : ranks_of_thread(t, process_threads_, ranks()))
            cpus_of_[static_cast<std::size_t>(rank)] = {cpus[static_cast<std::size_t>(t)]};
    }
}

void RankLayout::bind_processes(const Options& options)
{
    const bool by_default = options.binding == Binding::automatic;
    const auto threads_of = [this](const char* variable) {
        const char* set = std::getenv(variable);
        return set != nullptr ? std::atoi(set) : library_threads();
    };
    const int threads = std::max(threads_of("OMP_NUM_THREADS"), threads_of("OPENBLAS_NUM_THREADS"));
    if (by_default && ranks() > cpus_) {
        if (threads > 1 || !divides_evenly(ranks(), cpus_)) return;
        const std::vector<int> cpus = affinity_cpus();
        for (std::size_t r = 0; r < cpus_of_.size(); ++r) cpus_of_[r] = {cpus[r * cpus.size() / cpus_of_.size()]};
        lent_cpus_ = static_cast<std::uint32_t>(cpus.size());
        return;
    }
    // One rank that uses all CPUs is bound to them already.
    if (by_default && ranks() == 1 && threads >= cpus_) return;
    try {
        cpus_of_ = bind_to_cores(ranks(), threads);
    } catch (const Error&) {
        if (!by_default) throw;
    }
}

std::vector<int> RankLayout::starting_order() const
{
    if (is_one_process()) return {0};
    std::map<std::vector<int>, int> started;
    std::vector<std::pair<int, int>> turns;  // of each rank on its CPUs
    for (int rank = 0; rank < ranks(); ++rank) {
        const std::vector<int>& cpus = cpus_of(rank);
        turns.emplace_back(cpus.empty() ? 0 : started[cpus]++, rank);
    }
    std::sort(turns.begin(), turns.end());
    std::vector<int> order;
    for (const auto& [turn, rank] : turns) order.push_back(rank);
    return order;
}

std::vector<std::string> RankLayout::bindings_in_words() const
{
    std::vector<std::string> words;
    for (int rank = 0; rank < ranks(); ++rank) {
        const std::vector<int>& cpus = cpus_of(rank);
        words.push_back(cpus.empty() ? fmt::format("rank {} is not bound (CPUs {})", rank, cpu_list(affinity_cpus()))
                                     : fmt::format("rank {} is bound to CPU{} {}", rank, cpus.size() > 1 ? "s" : "",
                                           cpu_list(cpus)));
    }
    return words;
}

}  // namespace fmpl::launcher
