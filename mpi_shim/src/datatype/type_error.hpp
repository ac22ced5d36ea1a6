// What the data type layer throws.
#pragma once

#include "datatype/constants.hpp"
#include "error.hpp"

namespace fmpl::mpi {

class TypeError : public Error {
public:
    using Error::Error;

    ErrorClass type_error_class() const { return static_cast<ErrorClass>(code()); }
};

}  // namespace fmpl::mpi
