// The options of MG alone.
#include "mg_kernel.hpp"

#include <CLI/CLI.hpp>

namespace fmpl::npb::mg {

void add_options(CLI::App& app, std::vector<int>& processes)
{
    app.add_option("--grid", processes, "processes in x, y and z (default: the layout of the least communication)")
        ->delimiter('x')
        ->expected(3)
        ->check(CLI::PositiveNumber);
}

}  // namespace fmpl::npb::mg
