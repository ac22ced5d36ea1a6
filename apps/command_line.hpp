// What the programs do alike to read their command lines.
#pragma once

#include "options_end.hpp"

#include <CLI/CLI.hpp>

#include <charconv>
#include <optional>
#include <sstream>
#include <string_view>

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

// Lets app read the arguments. Throws OptionsEnd with the text that --help or --version asks for; calls
// refuse(const CLI::ParseError&), which must throw, for arguments that app does not accept.
template <class Refuse>
void parse(CLI::App& app, int argc, const char* const* argv, const Refuse& refuse)
{
    try {
        app.parse(argc, argv);
    } catch (const CLI::Success& success) {
        std::ostringstream text, ignored;
        app.exit(success, text, ignored);
        throw OptionsEnd(0, text.str());
    } catch (const CLI::ParseError& error) {
        refuse(error);
    }
}

}  // namespace fmpl::command_line
