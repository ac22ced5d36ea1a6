// Which FMPL_ variables belong to a result.
#pragma once

#include <string_view>

namespace fmpl::bench {

// Whether the environment variable changes how FMPL works, beyond saying which job this is.
inline bool is_fmpl_setting(std::string_view variable)
{
    return variable.starts_with("FMPL_") && variable != "FMPL_JOB_ID" && variable != "FMPL_JOB_FD" &&
           variable != "FMPL_RANK" && variable != "FMPL_SIZE" && variable != "FMPL_PROCESS_THREADS";
}

}  // namespace fmpl::bench
