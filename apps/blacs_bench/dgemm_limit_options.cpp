#include "dgemm_limit_options.hpp"

#include "../command_line.hpp"
#include "exact_product.hpp"

#include <fmt/format.h>

namespace fmpl::bench {
namespace {

constexpr int kBadOptions = 2;  // the exit status
constexpr int kMostSamples = 100'000;

[[noreturn]] void refuse(const std::string& words)
{
    throw command_line::OptionsEnd(
        kBadOptions, fmt::format("dgemm-limit: {}\ndgemm-limit --help explains the options.\n", words));
}

}  // namespace

LimitOptions read_limit_options(int argc, const char* const* argv)
{
    LimitOptions options;
    std::string order = "640", samples = "11";
    CLI::App app("Time of OpenBLAS's dgemm in one process, with OPENBLAS_NUM_THREADS threads.");
    app.name("dgemm-limit");
    app.add_option("--order", order, "Rows and columns of each matrix")->type_name("N")->capture_default_str();
    app.add_option("--samples", samples, "Timed repetitions, after one that is not timed")
        ->type_name("N")
        ->capture_default_str();
    app.add_option("--json", options.json_file, "Also write machine and every sample to this file")->type_name("FILE");
    command_line::parse(app, argc, argv, [](const CLI::ParseError& error) { refuse(error.what()); });

    const auto count = [](const char* option, const std::string& text, int most) {
        const auto value = command_line::number<int>(text);
        if (!value || *value < 1 || *value > most) {
            refuse(fmt::format("{} '{}': give a whole number from 1 to {}", option, text, most));
        }
        return *value;
    };
    options.order = count("--order", order, exact_product::kMostOrder);
    options.samples = count("--samples", samples, kMostSamples);
    return options;
}

}  // namespace fmpl::bench
