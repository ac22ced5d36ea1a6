#include "cycle_counter.hpp"

#include <fstream>

namespace fmpl::bench {

bool has_cycle_counter()
{
#if defined(__x86_64__)
    std::ifstream in("/proc/cpuinfo");
    for (std::string line; std::getline(in, line);) {
        if (!line.starts_with("flags")) continue;
        line += ' ';
        const auto has = [&line](const char* flag) { return line.find(flag) != std::string::npos; };
        return has(" constant_tsc ") && has(" nonstop_tsc ") && has(" rdtscp ");
    }
#endif
    return false;
}

}  // namespace fmpl::bench
