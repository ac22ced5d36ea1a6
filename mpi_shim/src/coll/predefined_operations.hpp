// The predefined reduction operations on the predefined types (MPI-3.1, sections 5.9.2 to 5.9.4).
#pragma once

#include "datatype/predefined.hpp"

#include <fmpl.h>

namespace fmpl::mpi {

// In the order of their handles, from 1.
enum class PredefinedOperation {
    maximum = 1,
    minimum,
    sum,
    product,
    logical_and,
    bitwise_and,
    logical_or,
    bitwise_or,
    logical_exclusive_or,
    bitwise_exclusive_or,
    minimum_place,
    maximum_place,
    replace,
    no_operation
};
inline constexpr int kLastReduction = static_cast<int>(PredefinedOperation::maximum_place);

// "MPI_SUM"
const char* name_of(PredefinedOperation operation);

// inout[i] = in[i] (op) inout[i]; elements lie one extent of the type apart. Null where the standard does not define
// it, as for MPI_REPLACE and MPI_NO_OP, which are for one-sided communication alone.
const fmpl_op* find_reduction(PredefinedOperation operation, Predefined type);

}  // namespace fmpl::mpi
