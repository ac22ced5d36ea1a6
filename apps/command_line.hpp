// What the programs do alike to read their command lines.
#pragma once

#include "options_end.hpp"

#include <CLI/CLI.hpp>

#include <charconv>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace fmpl::command_line {

// The whole text as a number; nothing where it is none, or out of range.
template <class Number>
std::optional<Number> number(std::string_view text)
{
    Number value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return value;
}

// Calls parse(), which lets app read arguments, so that a flag with a value (--verify=3) is an error, of app and of its
// subcommands.
template <class Parse>
void parse_strictly(CLI::App& app, const Parse& parse)
{
    const auto every = [](const auto*) { return true; };
    std::vector<CLI::App*> apps = app.get_subcommands(every);
    apps.push_back(&app);
    for (CLI::App* each : apps) {
        for (CLI::Option* option : each->get_options()) {
            if (option->get_items_expected_max() == 0) option->disable_flag_override();
        }
    }
    try {
        parse();
    } catch (const CLI::ArgumentMismatch& error) {
        const std::string words = error.what();
        const auto flag = words.find(" was given a disallowed flag override");
        if (flag == std::string::npos) throw;
        throw CLI::ArgumentMismatch("--" + words.substr(0, flag) + " takes no value; leave out what follows its name");
    }
}

// Lets app read the arguments. Throws OptionsEnd with the text that --help or --version asks for; calls
// refuse(const CLI::ParseError&), which must throw, for arguments that app does not accept.
template <class Refuse>
void parse(CLI::App& app, int argc, const char* const* argv, const Refuse& refuse)
{
    try {
        parse_strictly(app, [&] { app.parse(argc, argv); });
    } catch (const CLI::Success& success) {
        std::ostringstream text, ignored;
        app.exit(success, text, ignored);
        throw OptionsEnd(0, text.str());
    } catch (const CLI::ParseError& error) {
        refuse(error);
    }
}

}  // namespace fmpl::command_line
