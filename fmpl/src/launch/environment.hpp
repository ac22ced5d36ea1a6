// The environment variables that FMPL and the BLACS over it read or set: the one table of them, for fmpl_info and the
// documents.
//
// The table explains, and says what is a wrong value; the code that acts on a variable reads it where it is needed.
// tests/fmpl/environment_test.py fails when a variable that is read anywhere under fmpl/ or blacs/ is missing here.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

namespace fmpl {

// What a value is, once it is not empty.
enum class ValueForm {
    words,   // one of `values`, which commas separate, or, where these have commas themselves, semicolons
    number,  // whole, within the limits
    bytes,   // within the limits, with a suffix
    shape,   // of a crossbar
    any
};

struct ValueRule {
    ValueForm form = ValueForm::any;
    std::uint64_t least = 0;
    std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
};

struct EnvironmentVariable {
    const char* name;
    ValueRule rule;
    const char* values;         // what may be written, in words
    const char* default_value;  // what happens without it, in words
    const char* why;            // why that is the default, or why the variable exists
    bool set_by_launcher;       // fmplrun sets it for each rank; not for the user
};

// In the order in which they should be shown. Any thread; the table is constant.
std::span<const EnvironmentVariable> environment_variables();

// What is wrong with the variables of this process, each said by name, value and what is allowed; those that fmplrun
// sets are left out. An empty value counts as none.
std::vector<std::string> wrong_variables();

// Throws Error(ARGUMENT) with the first of them.
void check_environment();

}  // namespace fmpl
