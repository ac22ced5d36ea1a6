// The options of FT alone.
#include "ft_kernel.hpp"

#include <CLI/CLI.hpp>

namespace fmpl::npb::ft {

void add_options(CLI::App& app, Options& options)
{
    app.add_option("--layout", options.layout,
           "what a rank has of the grid: planes (slab), lines (pencil), or planes while there is one for each rank "
           "(auto)")
        ->check(CLI::IsMember({"auto", "slab", "pencil"}))
        ->capture_default_str();
}

}  // namespace fmpl::npb::ft
