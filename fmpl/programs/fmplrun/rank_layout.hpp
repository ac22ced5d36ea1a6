// What the ranks of a job are to the system, processes or threads of one, and on which CPUs they run.
#pragma once

#include "options.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace fmpl::launcher {

class RankLayout {
public:
    RankLayout() = default;
    // cpus: that the job may use. Reads OMP_NUM_THREADS, OPENBLAS_NUM_THREADS and the program's file. Throws Error
    // (ARGUMENT: --ranks-as threads cannot be had; SYSTEM: --bind-to core cannot).
    RankLayout(const Options& options, int cpus);

    // On which one process runs all ranks; 0: each rank is a process.
    int process_threads() const { return process_threads_; }
    bool is_one_process() const { return process_threads_ > 0; }
    int ranks_of_a_process() const { return is_one_process() ? ranks() : 1; }
    // Whether ranks take turns on a CPU as processes.
    bool processes_share_cpus() const { return ranks() > cpus_ && !is_one_process(); }

    // How many threads each rank's libraries should have, so that those of several ranks do not fight over the CPUs.
    int library_threads() const { return cpus_ > ranks() ? cpus_ / ranks() : 1; }
    // The rank is bound to these; empty: it is not bound.
    const std::vector<int>& cpus_of(int rank) const { return cpus_of_[static_cast<std::size_t>(rank)]; }
    // How many CPUs the ranks are bound to and may lend each other; 0: they may not.
    std::uint32_t lent_cpus() const { return lent_cpus_; }

    // Of processes, by their first ranks. Ranks that are bound to the same CPU come not one after the other: all CPUs
    // are to have something to start from the beginning.
    std::vector<int> starting_order() const;
    // A sentence for each rank.
    std::vector<std::string> bindings_in_words() const;

private:
    int ranks() const { return static_cast<int>(cpus_of_.size()); }
    void choose_manner(const Options& options);
    void bind_threads();
    void bind_processes(const Options& options);

    int cpus_ = 1;
    int process_threads_ = 0;
    std::vector<std::vector<int>> cpus_of_;
    std::uint32_t lent_cpus_ = 0;
};

}  // namespace fmpl::launcher
