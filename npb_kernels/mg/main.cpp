// mg: the NAS Parallel Benchmark MG. See mg_kernel.hpp.
#include "mg_kernel.hpp"

#include <memory>
#include <vector>

int main(int argc, char** argv)
{
    using namespace fmpl::npb;
    return run_program({"MG", "V-cycle multigrid on a periodic cubic grid"}, argc, argv, [] {
        const auto processes = std::make_shared<std::vector<int>>();
        const auto kernel = [processes](Run& run) {
            mg::Triple grid{0, 0, 0};
            if (processes->size() == grid.size()) grid = {(*processes)[0], (*processes)[1], (*processes)[2]};
            return mg::run_mg(run, grid);
        };
        return Program{kernel, [processes](CLI::App& app) { mg::add_options(app, *processes); }};
    });
}
