// The tables of fmplrun --stats.
#pragma once

#include "job_statistics.hpp"

#include <string>

namespace fmpl::launcher {

// Lines that end. Times by rank, calls by rank, and who sent to whom.
std::string statistics_text(const JobStatistics& statistics);

}  // namespace fmpl::launcher
