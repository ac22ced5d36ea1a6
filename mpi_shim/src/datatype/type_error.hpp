// What the data type engine throws: an error class of the standard and the reason in words, which name the argument.
// Who calls the engine adds the rank and the name of the MPI call.
#pragma once

#include "datatype/constants.hpp"

#include <stdexcept>
#include <string>

namespace fmpl::mpi {

class TypeError : public std::runtime_error {
public:
    TypeError(ErrorClass error_class, const std::string& words) : std::runtime_error(words), class_(error_class) {}

    ErrorClass error_class() const { return class_; }

private:
    ErrorClass class_;
};

}  // namespace fmpl::mpi
