// The environment variables that FMPL and the BLACS over it read or set: the one table of them, for fmpl_info and the
// documents.
//
// The table explains; the code that acts on a variable reads it where it is needed. tests/fmpl/environment_test.py
// fails when a variable that is read anywhere under fmpl/ or blacs/ is missing here.
#pragma once

#include <span>

namespace fmpl {

struct EnvironmentVariable {
    const char* name;
    const char* values;         // what may be written
    const char* default_value;  // what happens without it, in words
    const char* why;            // why that is the default, or why the variable exists
    bool set_by_launcher;       // fmplrun sets it for each rank; not for the user
};

// In the order in which they should be shown. Any thread; the table is constant.
std::span<const EnvironmentVariable> environment_variables();

}  // namespace fmpl
