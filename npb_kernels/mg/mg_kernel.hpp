// The benchmark MG: V-cycle multigrid for the Poisson problem on a periodic cubic grid (NPB report RNR-94-007, section
// 2.4).
#pragma once

#include "common/program.hpp"
#include "domain.hpp"

#include <vector>

namespace fmpl::npb::mg {

// Runs a class. processes: the process grid; {0, 0, 0}: the kernel chooses. Collective.
// Throws Refusal where the ranks cannot be laid out so, or have too little memory.
Outcome run_mg(Run& run, Triple processes = {0, 0, 0});

// --grid: puts three numbers into `processes`, or none.
void add_options(CLI::App& app, std::vector<int>& processes);

}  // namespace fmpl::npb::mg
