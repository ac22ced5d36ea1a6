// Where the installed MPIs do not do what the tests expect.
#pragma once

#include "mpi_test.hpp"

#include <span>

namespace mpi_test {

struct Exception {
    Library library;
    const char* what;  // "Suite.Name" of a body, or the name of a part of one, as given to excepted()
    const char* why;
};

std::span<const Exception> exceptions();

}  // namespace mpi_test
