// What the data type layer throws: an Error whose class is one of those that its checks know, without mpi.h.
#pragma once

#include "datatype/constants.hpp"
#include "error.hpp"

namespace fmpl::mpi {

class TypeError : public Error {
public:
    TypeError(ErrorClass error_class, const std::string& words) : Error(static_cast<int>(error_class), words) {}

    ErrorClass type_error_class() const { return static_cast<ErrorClass>(error_class()); }
};

}  // namespace fmpl::mpi
