#include "ft_kernel.hpp"

#include <memory>

int main(int argc, char** argv)
{
    using namespace fmpl::npb;
    return run_program({"FT", "3-D fast Fourier transform"}, argc, argv, [] {
        const auto options = std::make_shared<ft::Options>();
        return Program{[options](Run& run) { return ft::run_kernel(run, *options); },
            [options](CLI::App& app) { ft::add_options(app, *options); }};
    });
}
