// The MPI type of each element type of the BLACS.
#pragma once

#include <mpi.h>

#include <complex>
#include <cstdint>
#include <type_traits>

namespace fmpl::blacs {

template <class T>
MPI_Datatype element_type()
{
    using Element = std::remove_const_t<T>;
    if constexpr (std::is_same_v<Element, std::int32_t>) {
        return MPI_INT;
    } else if constexpr (std::is_same_v<Element, float>) {
        return MPI_FLOAT;
    } else if constexpr (std::is_same_v<Element, double>) {
        return MPI_DOUBLE;
    } else if constexpr (std::is_same_v<Element, std::complex<float>>) {
        return MPI_C_FLOAT_COMPLEX;
    } else {
        static_assert(std::is_same_v<Element, std::complex<double>>);
        return MPI_C_DOUBLE_COMPLEX;
    }
}

}  // namespace fmpl::blacs
