// Those of the functions between mpi.h's constants and the core's that go by names alone, so that any interface can
// have them. Included by the numbers.hpp of an interface whose numbers are not the core's.
#pragma once

#include "abi/error_classes.hpp"
#include "datatype/constants.hpp"
#include "standard.hpp"

#include <mpi.h>

namespace fmpl::mpi {

// Error classes, and codes, which are classes or the program's own.
inline int code_in(int code)
{
    return code == MPI_SUCCESS ? kSuccess : error_class_in(code);
}
inline int code_out(int code)
{
    return code == kSuccess ? MPI_SUCCESS : error_class_out(code);
}

// The attributes that MPI sets; a program's own keyvals are the core's.
inline constexpr int keyval_in(int keyval)
{
    switch (keyval) {
        case MPI_TAG_UB:
            return kTagUb;
        case MPI_HOST:
            return kHost;
        case MPI_IO:
            return kIo;
        case MPI_WTIME_IS_GLOBAL:
            return kWtimeIsGlobal;
        case MPI_APPNUM:
            return kAppnum;
        case MPI_LASTUSEDCODE:
            return kLastUsedCode;
        case MPI_UNIVERSE_SIZE:
            return kUniverseSize;
        case MPI_KEYVAL_INVALID:
            return kKeyvalInvalid;
        default:
            return keyval;
    }
}
inline constexpr int keyval_out(int keyval)
{
    return keyval == kKeyvalInvalid ? MPI_KEYVAL_INVALID : keyval;
}

// What arguments of data types name: MPI_ORDER_*, MPI_DISTRIBUTE_*; and of the arguments of distributions
// MPI_DISTRIBUTE_DFLT_DARG.
inline constexpr int order_in(int order)
{
    return order == MPI_ORDER_C ? kOrderC : order == MPI_ORDER_FORTRAN ? kOrderFortran : order;
}
inline constexpr int order_out(int order)
{
    return order == kOrderC ? MPI_ORDER_C : MPI_ORDER_FORTRAN;
}
inline constexpr int distribution_in(int distribution)
{
    switch (distribution) {
        case MPI_DISTRIBUTE_BLOCK:
            return kDistributeBlock;
        case MPI_DISTRIBUTE_CYCLIC:
            return kDistributeCyclic;
        case MPI_DISTRIBUTE_NONE:
            return kDistributeNone;
        default:
            return distribution;
    }
}
inline constexpr int distribution_out(int distribution)
{
    return distribution == kDistributeBlock    ? MPI_DISTRIBUTE_BLOCK
           : distribution == kDistributeCyclic ? MPI_DISTRIBUTE_CYCLIC
                                               : MPI_DISTRIBUTE_NONE;
}
inline constexpr int distribution_argument_in(int argument)
{
    return argument == MPI_DISTRIBUTE_DFLT_DARG ? kDistributeDefault : argument;
}
inline constexpr int distribution_argument_out(int argument)
{
    return argument == kDistributeDefault ? MPI_DISTRIBUTE_DFLT_DARG : argument;
}

}  // namespace fmpl::mpi
