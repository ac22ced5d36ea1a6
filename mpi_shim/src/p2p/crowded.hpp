// Jobs in which messages have to be sparing: of turns on a CPU, or of memory.
#pragma once

#include <fmpl.h>
#include <fmpl/job.h>

namespace fmpl::mpi {

// More than two ranks share a CPU. Each message for which two have to change places then takes a round of them all.
inline bool is_crowded()
{
    return fmpl_ranks_of_cpu() > 2;
}

// Jobs of more ranks have shorter rings: there is one for each pair.
inline constexpr int kManyRanks = 32;

}  // namespace fmpl::mpi
