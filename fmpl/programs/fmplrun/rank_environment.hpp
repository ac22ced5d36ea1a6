// The environment of a job's ranks: the launcher's own, what FMPL tells them, and what libraries had better know,
// unless the user has set it.
#pragma once

#include "rank_layout.hpp"

#include <string>
#include <vector>

namespace fmpl::launcher {

class RankEnvironment {
public:
    // job_id: see JobIdentity; job_fd: the job's memory, in the ranks.
    RankEnvironment(const RankLayout& layout, int ranks, std::string job_id, int job_fd);

    // NAME=VALUE each.
    std::vector<std::string> of(int rank) const;

private:
    int ranks_;
    std::string job_id_;
    int job_fd_;
    int process_threads_;
    bool processes_share_cpus_;
    int library_threads_;
};

}  // namespace fmpl::launcher
