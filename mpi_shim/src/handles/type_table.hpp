// The data types that a rank has handles of: those of calls, and the predefined ones, each under its handle of mpi.h.
#pragma once

#include "datatype/type_object.hpp"
#include "handles/handles.hpp"

#include <array>

namespace fmpl::mpi {

using TypeTable = HandleTable<TypeObjectPtr, HandleKind::datatype, 20>;
using BuiltinTypes = std::array<TypeObjectPtr, kBuiltinTypeSlots>;  // by builtin_type_slot()

// The predefined types that a rank begins with, committed. Fills `builtin`, and puts the pairs that have numbers of
// `types` there, which must be empty.
void add_predefined_types(BuiltinTypes& builtin, TypeTable& types);

// A handle for the type. Throws Error (MPI_ERR_TYPE) when there is none left.
HandleNumber add_type(TypeTable& types, const TypeObjectPtr& type);

}  // namespace fmpl::mpi
