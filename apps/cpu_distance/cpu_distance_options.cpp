#include "cpu_distance_options.hpp"

#include "../command_line.hpp"

#include <fmt/format.h>

namespace fmpl {

namespace {

constexpr int kBadOptions = 2;

}  // namespace

std::vector<int> read_cpus(int argc, const char* const* argv)
{
    std::vector<int> cpus;
    CLI::App app("Time that a cache line takes from one CPU to another and back, in nanoseconds.");
    app.name("cpu-distance");
    app.add_option("CPUS", cpus, "The two CPUs, by their numbers")->required()->expected(2);
    command_line::parse(app, argc, argv, [](const CLI::ParseError& error) {
        throw command_line::OptionsEnd(
            kBadOptions, fmt::format("cpu-distance: {}\ncpu-distance --help explains the options.\n", error.what()));
    });
    return cpus;
}

}  // namespace fmpl
