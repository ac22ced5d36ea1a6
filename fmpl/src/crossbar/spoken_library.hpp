// Which library the program of a rank calls, so that messages name the calls that its author knows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace fmpl {

// In the order of enum fmpl_spoken_library (fmpl/layer_calls.h).
enum class SpokenLibrary : std::uint32_t { fmpl, mpi, blacs };

struct LibraryCalls {
    const char *joins, *leaves;
};

constexpr LibraryCalls calls_of(SpokenLibrary library)
{
    switch (library) {
        case SpokenLibrary::mpi:
            return {"MPI_Init", "MPI_Finalize"};
        case SpokenLibrary::blacs:
            return {"blacs_pinfo", "blacs_exit"};
        case SpokenLibrary::fmpl:
            break;
    }
    return {"fmpl_init", "fmpl_finalize"};
}

// The call of the library that makes this one of FMPL's; the latter where there is none.
constexpr const char* spoken_name(SpokenLibrary library, const char* call)
{
    const LibraryCalls ours = calls_of(SpokenLibrary::fmpl), spoken = calls_of(library);
    if (std::string_view(call) == ours.joins) return spoken.joins;
    if (std::string_view(call) == ours.leaves) return spoken.leaves;
    return call;
}

}  // namespace fmpl
