#include "program_options.hpp"

#include "../../apps/command_line.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace fmpl::npb {

ProgramOptions read_options(const ProgramText& text, int argc, const char* const* argv, const AddOptions& add_options)
{
    const auto refuse = [&](const std::string& words) {
        throw command_line::OptionsEnd(
            kRefused, fmt::format("{}: {}\nRun with --help for the options.\n", text.name, words));
    };
    ProgramOptions options;
    std::string class_text = "S";
    CLI::App app(fmt::format("NAS Parallel Benchmark {}: {}", text.name, text.title));
    app.add_option("--class", class_text, "size of the problem: S, W, A, B, C or D")->capture_default_str();
    app.add_option("--json", options.json_file, "write all figures to this file");
    if (add_options) add_options(app);
    app.footer("Exit status: 0 only if verified, 1 if not, 2 for wrong arguments and for a problem that does not fit.");
    command_line::parse(app, argc, argv, [&](const CLI::ParseError& error) { refuse(error.what()); });

    const auto found = std::find_if(kProblemClasses.begin(), kProblemClasses.end(), [&](ProblemClass candidate) {
        return class_text.size() == 1 && letter(candidate) == std::toupper(static_cast<unsigned char>(class_text[0]));
    });
    if (found == kProblemClasses.end()) refuse(fmt::format("--class '{}': give one of S, W, A, B, C, D", class_text));
    options.problem_class = *found;
    return options;
}

}  // namespace fmpl::npb
