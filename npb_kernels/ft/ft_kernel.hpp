// Kernel FT of the NAS Parallel Benchmarks: a partial differential equation, du/dt = alpha laplace u, solved through
// three-dimensional Fourier transforms (RNR-94-007, section 2.2.4; sizes, timed region and operation count of NPB 3.4).
#pragma once

#include "distribution.hpp"

#include "../common/program.hpp"

#include <string>

namespace fmpl::npb::ft {

struct Options {
    std::string layout = "auto";
};

void add_options(CLI::App& app, Options& options);

// Collective over the job. Throws Refusal for a number of ranks that cannot share the grid, and for a grid that the
// memory does not hold.
Outcome run_kernel(Run& run, const Options& options);

}  // namespace fmpl::npb::ft
