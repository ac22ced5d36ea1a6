#include "options.hpp"

#include "../../../apps/command_line.hpp"

#include "crossbar/control_block.hpp"

#include <fmpl.h>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <charconv>
#include <cstdio>

namespace fmpl::info {
namespace {

constexpr const char* kFooter =
    "A job of -n N ranks is explained as fmplrun with the same options would start it here.\n"
    "Exit status: 0; 1 when a variable has a value that FMPL cannot use; 2 for wrong arguments.\n"
    "Example: fmpl_info -n 6 --crossbar 4x2 --profile sr8000";

int ranks_from(const std::string& text)
{
    int ranks = 0;
    const char* end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, ranks);
    if (error != std::errc{} || rest != end || ranks < 1 || ranks > kMaxRanks) {
        throw CLI::ValidationError("-n", fmt::format("the number of ranks is 1 to {}, not \"{}\"", kMaxRanks, text));
    }
    return ranks;
}

std::string profile_from(const std::string& text)
{
    if (text == "host" || text == "sr8000") return text;
    throw CLI::ValidationError("--profile", fmt::format("\"{}\" is neither host nor sr8000", text));
}

}  // namespace

CommandLine parse_command_line(int argc, const char* const* argv)
{
    Options options;
    CLI::App app("Explains what this installation of FMPL and this machine offer, and how a job would run here.");
    app.name("fmpl_info");
    app.footer(kFooter);
    app.set_help_flag("-h,--help", "Print this and exit");
    app.set_version_flag("--version",
        fmt::format("fmpl_info (FMPL) {}.{}.{}", FMPL_VERSION_MAJOR, FMPL_VERSION_MINOR, FMPL_VERSION_PATCH),
        "Print the version and exit");
    app.add_option_function<std::string>(
           "-n,--np", [&](const std::string& text) { options.ranks = ranks_from(text); },
           "Ranks of the job to explain (default: as many as there are CPUs)")
        ->type_name("N");
    app.add_option("--crossbar", options.crossbar, "Shape of its crossbar, as in 8x2")->type_name("SHAPE");
    app.add_option_function<std::string>(
           "--profile", [&](const std::string& text) { options.profile = profile_from(text); },
           "What the emulated hardware allows")
        ->type_name("host|sr8000");
    app.add_flag("--json", options.json, "Print all of it as JSON");
    try {
        command_line::parse_strictly(app, [&] { app.parse(argc, argv); });
    } catch (const CLI::Success& answered) {
        return {std::nullopt, app.exit(answered)};
    } catch (const CLI::ParseError& mistake) {
        fmt::print(stderr, "fmpl_info: {}\nfmpl_info --help lists the options.\n", mistake.what());
        return {std::nullopt, kWrongArguments};
    }
    return {std::move(options), 0};
}

}  // namespace fmpl::info
