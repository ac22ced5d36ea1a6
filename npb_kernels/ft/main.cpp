#include "ft_kernel.hpp"

int main(int argc, char** argv)
{
    using namespace fmpl::npb;
    ft::Options options;
    return run_program(
        {"FT", "3-D fast Fourier transform"}, argc, argv, [&](Run& run) { return ft::run_kernel(run, options); },
        [&](CLI::App& app) { ft::add_options(app, options); });
}
