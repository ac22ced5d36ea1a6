// What one rank keeps for the calls of MPI-3.1, chapter 8: the values of the predefined attributes, MPI_INFO_ENV, and which memory of
// MPI_Alloc_mem lies where.
#pragma once

#include "comm/info.hpp"

#include <fmpl/layers.h>
#include <mpi.h>

#include <climits>
#include <unordered_map>

namespace fmpl::mpi {

struct Environment {
    // Programs get the addresses of these (section 8.1.2).
    int tag_upper_bound = INT_MAX;
    int host = MPI_PROC_NULL;             // none of the ranks is special
    int io = MPI_PROC_NULL;               // files are left out
    int wtime_is_global = 1;              // one clock, the host's
    int universe_size = fmpl_job_size();  // none can be added

    InfoPtr info;  // MPI_INFO_ENV; null until asked for

    enum class Origin { remote_dma, heap };
    std::unordered_map<void*, Origin> allocated;  // by MPI_Alloc_mem, not freed yet
};

}  // namespace fmpl::mpi
