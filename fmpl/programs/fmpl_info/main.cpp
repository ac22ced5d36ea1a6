// fmpl_info: what this installation of FMPL and this machine offer, and why a job would run here as it does.
#include "job.hpp"
#include "library.hpp"
#include "machine.hpp"
#include "options.hpp"

#include "crossbar/host.hpp"
#include "crossbar/job_memory.hpp"
#include "launch/environment.hpp"

#include <fmpl/fmpl.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

namespace fmpl::info {
namespace {

using Json = nlohmann::ordered_json;

// The table of variables with the values of this process, before options change them.
Json variables()
{
    Json list = Json::array();
    for (const EnvironmentVariable& variable : environment_variables()) {
        const char* value = std::getenv(variable.name);
        list.push_back({{"name", variable.name}, {"value", value != nullptr ? Json(value) : Json(nullptr)},
            {"values", variable.values}, {"default", variable.default_value}, {"why", variable.why},
            {"set_by_fmplrun", variable.set_by_launcher}});
    }
    return list;
}

struct Answer {
    std::vector<Section> sections;
    std::vector<CrossbarRow> crossbars;
    Json variables;
    std::vector<std::string> problems;  // variables that FMPL cannot use
};

Answer answer(const Options& options)
{
    Answer result;
    result.variables = variables();
    // As fmplrun does it: an option wins over the variable of the same meaning.
    if (!options.crossbar.empty()) setenv("FMPL_CROSSBAR", options.crossbar.c_str(), 1);
    if (!options.profile.empty()) setenv("FMPL_PROFILE", options.profile.c_str(), 1);
    result.sections = {installation(), machine(), limits()};
    result.problems = wrong_variables();
    const auto add = [&result](auto&& section) {
        try {
            result.sections.push_back(section());
        } catch (const Error& error) {
            // Of a variable that is wrong, one sentence is enough.
            const std::string words = error.what();
            const std::string name = words.substr(0, words.find('=') + 1);
            const auto is_known = [&](const std::string& problem) {
                return problem == words || (!name.empty() && problem.starts_with(name));
            };
            if (std::none_of(result.problems.begin(), result.problems.end(), is_known))
                result.problems.push_back(words);
        }
    };
    add(waiting);
    add([&] { return job(options.ranks > 0 ? options.ranks : available_cpus()); });
    result.crossbars = default_crossbars();
    return result;
}

// "  name  words - why", the why on a line of its own where one line would be too long.
void print_fact(const Fact& fact)
{
    constexpr std::size_t line_length = 118;
    constexpr std::size_t indent = 36;  // the longest name ends before
    std::string name = fact.key;
    std::replace(name.begin(), name.end(), '_', ' ');
    const bool fits = indent + fact.words.size() + fact.why.size() + 3 <= line_length;
    const std::string_view joint = fact.why.empty() ? "" : fits ? " - " : "\n";
    const std::size_t before_why = joint == "\n" ? indent : 0;
    fmt::print("  {:<{}}{}{}{:{}}{}\n", name, indent - 2, fact.words, joint, "", before_why, fact.why);
}

void print_text(const Answer& answer)
{
    for (const Section& section : answer.sections) {
        fmt::print("{}\n", section.title);
        for (const Fact& fact : section.facts) print_fact(fact);
        fmt::print("\n");
    }

    const auto form = [](bool hardware, int ranks) { return ranks == 1 ? "-" : hardware ? "hardware" : "tree"; };
    fmt::print("Crossbar chosen for a number of ranks, and the form of barrier and broadcast on it\n");
    fmt::print("  {:>6}  {:<9}{:<11}{:<10}{}\n", "ranks", "shape", "rectangle", "host", "sr8000");
    for (const CrossbarRow& row : answer.crossbars) {
        fmt::print("  {:>6}  {:<9}{:<11}{:<10}{}\n", row.ranks, row.shape, row.rectangle ? "yes" : "no",
            form(row.hardware_on_host, row.ranks), form(row.hardware_on_sr8000, row.ranks));
    }

    fmt::print("\nEnvironment variables\n");
    const auto text = [](const Json& json) { return json.get<std::string>(); };
    for (const Json& variable : answer.variables) {
        fmt::print("  {}\n", text(variable["name"]));
        fmt::print("      now      {}\n", variable["value"].is_null() ? "not set" : text(variable["value"]));
        fmt::print("      values   {}\n", text(variable["values"]));
        fmt::print("      default  {}\n", text(variable["default"]));
        fmt::print("      why      {}\n", text(variable["why"]));
    }
}

void print_json(const Answer& answer)
{
    Json document;
    for (const Section& section : answer.sections) {
        for (const Fact& fact : section.facts) document[section.key][fact.key] = fact.value;
    }
    document["crossbars"] = Json::array();
    for (const CrossbarRow& row : answer.crossbars) {
        document["crossbars"].push_back({{"ranks", row.ranks}, {"shape", row.shape}, {"rectangle", row.rectangle},
            {"hardware_on_host", row.hardware_on_host}, {"hardware_on_sr8000", row.hardware_on_sr8000}});
    }
    document["variables"] = answer.variables;
    document["problems"] = answer.problems;
    fmt::print("{}\n", document.dump(2, ' ', false, Json::error_handler_t::replace));
}

int run(const Options& options)
{
    const int ranks = options.ranks > 0 ? options.ranks : available_cpus();
    if (!options.crossbar.empty()) {
        try {
            int shape[3];
            parse_crossbar_shape(options.crossbar, ranks, shape);
        } catch (const Error& error) {
            fmt::print(stderr, "fmpl_info: --crossbar: {}\n", error.what());
            return kWrongArguments;
        }
    }
    const Answer result = answer(options);
    if (options.json) {
        print_json(result);
    } else {
        print_text(result);
    }
    if (std::fflush(stdout) != 0) {
        std::perror("fmpl_info: standard output");
        return 1;
    }
    for (const std::string& problem : result.problems) fmt::print(stderr, "fmpl_info: {}\n", problem);
    return result.problems.empty() ? 0 : 1;
}

}  // namespace
}  // namespace fmpl::info

int main(int argc, char** argv)
{
    const auto command = fmpl::info::parse_command_line(argc, argv);
    if (!command.options) return command.status;
    try {
        return fmpl::info::run(*command.options);
    } catch (const std::exception& error) {
        fmt::print(stderr, "fmpl_info: {}\n", error.what());
        return 1;
    }
}
