// Whether ranks wait long for their turns on a CPU.
#pragma once

#include <fmpl.h>
#include <fmpl/job.h>

namespace fmpl::mpi {

// More than two of them share one. Each message for which two have to change places then takes a round of them all.
inline bool is_crowded()
{
    return fmpl_ranks_of_cpu() > 2;
}

}  // namespace fmpl::mpi
