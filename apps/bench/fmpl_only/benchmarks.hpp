// The benchmarks of what only FMPL offers.
#pragma once

#include "../benchmarks.hpp"

namespace fmpl::bench {

void run_remote_write(const Options&, const Job&, Report&);
void run_breakdown(const Options&, const Job&, Report&);

}  // namespace fmpl::bench
