// Handles of the standard ABI (MPI-5.0, section 20.5): what is predefined has a small number for an address, the same
// as its INTEGER in Fortran; what a call has made is as abi/pointer_handles.hpp says. Every interface has the functions
// there.
#pragma once

#include "abi/pointer_handles.hpp"

#include <array>
#include <cstddef>

namespace fmpl::mpi {

// All that are predefined lie below; the ABI leaves room up to 4095.
inline constexpr std::size_t kPredefinedHandles = 0x300;

// The core's numbers of the predefined handles, kNoHandle elsewhere (predefined.cpp).
extern const std::array<HandleNumber, kPredefinedHandles> kPredefinedNumbers;

inline HandleNumber predefined_number(const void* address)
{
    const auto handle = reinterpret_cast<std::uint64_t>(address);
    return handle < kPredefinedHandles ? kPredefinedNumbers[handle] : kNoHandle;
}
inline HandleNumber predefined_number_of_fortran(HandleKind, MPI_Fint fortran)
{
    return predefined_number(reinterpret_cast<const void*>(static_cast<std::uintptr_t>(fortran)));
}
inline MPI_Fint predefined_fortran(HandleKind kind, HandleNumber number)
{
    const void* const address = predefined_address(kind, number);
    return address != nullptr ? static_cast<MPI_Fint>(reinterpret_cast<std::uintptr_t>(address)) : -1;
}

}  // namespace fmpl::mpi
