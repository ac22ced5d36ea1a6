// The command line of dgemm-limit.
#pragma once

#include <string>

namespace fmpl::bench {

struct LimitOptions {
    int order = 640;
    int samples = 11;
    std::string json_file;
};

// Throws command_line::OptionsEnd.
LimitOptions read_limit_options(int argc, const char* const* argv);

}  // namespace fmpl::bench
