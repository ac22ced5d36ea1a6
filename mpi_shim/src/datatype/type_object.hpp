// What a data type handle stands for: a type, its compiled layout once it is committed, and its attributes.
#pragma once

#include "datatype/datatype.hpp"
#include "datatype/layout.hpp"

#include <memory>

namespace fmpl::mpi {

class Attributes;

struct TypeObject {
    DatatypePtr type;
    std::shared_ptr<const Layout> layout;    // null until committed; predefined types are
    std::shared_ptr<Attributes> attributes;  // null: none

    bool is_predefined() const { return type->predefined_id().has_value(); }
};
using TypeObjectPtr = std::shared_ptr<TypeObject>;

}  // namespace fmpl::mpi
