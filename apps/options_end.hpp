// How reading a program's command line ends when there is nothing to run.
#pragma once

#include <stdexcept>
#include <string>

namespace fmpl::command_line {

// The command line cannot be used, or (exit_code 0) asked for text only, as --help does. what() is the text.
class OptionsEnd : public std::runtime_error {
public:
    OptionsEnd(int exit_code, const std::string& text) : std::runtime_error(text), exit_code_(exit_code) {}
    int exit_code() const noexcept { return exit_code_; }

private:
    int exit_code_;
};

}  // namespace fmpl::command_line
