// Arithmetic that reports an overflow of 64 bits as an error (class argument) instead of wrapping around.
#pragma once

#include "datatype/type_error.hpp"

#include <cstdint>

namespace fmpl::mpi {

[[noreturn]] inline void fail_overflow()
{
    throw TypeError(ErrorClass::argument,
        "counts, strides or displacements are so large that a size or an address of the data type exceeds 64 bits; "
        "make them smaller");
}

template <class T>
T checked_add(T a, T b)
{
    T sum;
    if (__builtin_add_overflow(a, b, &sum)) fail_overflow();
    return sum;
}

template <class T>
T checked_subtract(T a, T b)
{
    T difference;
    if (__builtin_sub_overflow(a, b, &difference)) fail_overflow();
    return difference;
}

template <class T>
T checked_multiply(T a, T b)
{
    T product;
    if (__builtin_mul_overflow(a, b, &product)) fail_overflow();
    return product;
}

}  // namespace fmpl::mpi
