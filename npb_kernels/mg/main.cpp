// mg: the NAS Parallel Benchmark MG. See mg_kernel.hpp.
#include "mg_kernel.hpp"

#include <vector>

int main(int argc, char** argv)
{
    std::vector<int> processes;
    return fmpl::npb::run_program(
        {"MG", "V-cycle multigrid on a periodic cubic grid"}, argc, argv,
        [&processes](fmpl::npb::Run& run) {
            fmpl::npb::mg::Triple grid{0, 0, 0};
            if (processes.size() == grid.size()) grid = {processes[0], processes[1], processes[2]};
            return fmpl::npb::mg::run_mg(run, grid);
        },
        [&processes](CLI::App& app) { fmpl::npb::mg::add_options(app, processes); });
}
