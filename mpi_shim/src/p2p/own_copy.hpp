// What this rank has copied of one message by calls of the kernel.
#pragma once

#include <fmpl.h>

#include <cstdint>

namespace fmpl::mpi {

struct OwnCopy {
    std::uint64_t bytes = 0;
    int calls = 0;
    double seconds = 0;
    double end = 0;   // fmpl_wtime, of the last call or calls
    double last = 0;  // seconds that those have taken

    // So many bytes since `begin`.
    void add(std::uint64_t more, int more_calls, double begin)
    {
        end = fmpl_wtime();
        last = end - begin;
        bytes += more;
        calls += more_calls;
        seconds += last;
    }
};

}  // namespace fmpl::mpi
