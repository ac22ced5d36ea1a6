// Jobs in which messages have to be sparing: of turns on a CPU, or of memory.
#pragma once

#include <fmpl.h>
#include <fmpl/job.h>

#include <cstddef>

namespace fmpl::mpi {

// More than two ranks share a CPU. Each message for which two have to change places then takes a round of them all.
inline bool is_crowded()
{
    return fmpl_ranks_of_cpu() > 2;
}

// Jobs of more ranks have shorter rings: there is one for each pair.
inline constexpr int kManyRanks = 32;

// Up to so many bytes a message goes with its envelope, whatever memory it lies in, where that is crowded; and in jobs
// of many ranks (Settings).
inline constexpr std::size_t kEagerAnywhereCrowded = 8 * 1024;
inline constexpr std::size_t kEagerBytesOfMany = 4 * 1024;

}  // namespace fmpl::mpi
