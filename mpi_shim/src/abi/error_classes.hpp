// Error classes of the program's mpi.h and the core's (ErrorClass), for interfaces that number them in another way.
#pragma once

#include "standard.hpp"

#include <mpi.h>

namespace fmpl::mpi {

struct ErrorClassNumbers {
    int core;
    int users;
};
inline constexpr ErrorClassNumbers kErrorClasses[] = {
#define FMPL_ERROR_CLASS(core, users) {code_of(ErrorClass::core), MPI_ERR_##users},
#include "abi/error_classes.def"
#undef FMPL_ERROR_CLASS
};

// The core's number of a class of mpi.h, and the reverse. What the other does not know is an unknown error; numbers
// behind the last class, the program's own, are the same in both.
[[gnu::cold]] inline int error_class_in(int error_class)
{
    for (const auto& numbers : kErrorClasses) {
        if (numbers.users == error_class) return numbers.core;
    }
    return error_class >= 0 && error_class < MPI_ERR_LASTCODE ? code_of(ErrorClass::unknown) : error_class;
}
[[gnu::cold]] inline int error_class_out(int error_class)
{
    for (const auto& numbers : kErrorClasses) {
        if (numbers.core == error_class) return numbers.users;
    }
    return error_class >= 0 && error_class < MPI_ERR_LASTCODE ? MPI_ERR_UNKNOWN : error_class;
}

}  // namespace fmpl::mpi
