// Handles of an interface whose mpi.h has pointers for them: what is predefined has addresses that the interface
// knows; what a call has made has an address that no object has: a mark in its upper half, and in its lower one the
// core's number (handles/handles.hpp). Included by such an interface's handles.hpp.
#pragma once

#include "handles/handles.hpp"
#include "standard.hpp"

#include <mpi.h>

#include <cstdint>

namespace fmpl::mpi {

// Stands for nothing, of whatever kind.
inline constexpr HandleNumber kNoHandle = 0;

template <class Handle>
inline constexpr HandleKind kKindOf = HandleKind::communicator;
template <>
inline constexpr HandleKind kKindOf<MPI_Group> = HandleKind::group;
template <>
inline constexpr HandleKind kKindOf<MPI_Datatype> = HandleKind::datatype;
template <>
inline constexpr HandleKind kKindOf<MPI_Op> = HandleKind::operation;
template <>
inline constexpr HandleKind kKindOf<MPI_Errhandler> = HandleKind::errhandler;
template <>
inline constexpr HandleKind kKindOf<MPI_Info> = HandleKind::info;
template <>
inline constexpr HandleKind kKindOf<MPI_Request> = HandleKind::request;
template <>
inline constexpr HandleKind kKindOf<MPI_Message> = HandleKind::message;
template <>
inline constexpr HandleKind kKindOf<MPI_Win> = HandleKind::window;
template <>
inline constexpr HandleKind kKindOf<MPI_File> = HandleKind::file;

// Not canonical on x86-64, nor a user's address elsewhere.
inline constexpr std::uint64_t kMark = 0x464d'5000'0000'0000;
inline constexpr int kMarkShift = 32;

// What the interface defines. The predefined objects: number by address, kNoHandle where none is; address by kind and
// number, null likewise; number by kind and Fortran's INTEGER, and the reverse, -1 likewise.
HandleNumber predefined_number(const void* address);
void* predefined_address(HandleKind kind, HandleNumber number);
HandleNumber predefined_number_of_fortran(HandleKind kind, MPI_Fint fortran);
MPI_Fint predefined_fortran(HandleKind kind, HandleNumber number);

// What the core knows a handle of the program's as; a number that stands for nothing where it is no handle.
template <class Users>
inline HandleNumber number_of(Users* handle)
{
    const auto bits = reinterpret_cast<std::uint64_t>(handle);
    if (bits >> kMarkShift == kMark >> kMarkShift) return static_cast<HandleNumber>(bits);
    return predefined_number(handle);
}

// The program's handle, of type Handle, of what the core knows by that number.
template <class Handle>
inline Handle handle_for(HandleNumber number)
{
    if constexpr (kKindOf<Handle> != HandleKind::request) {
        if (void* const predefined = predefined_address(kKindOf<Handle>, number))
            return static_cast<Handle>(predefined);
    } else if (number == kRequestNull) {
        return MPI_REQUEST_NULL;
    }
    return reinterpret_cast<Handle>(kMark | static_cast<std::uint32_t>(number));
}

// The same for Fortran's handles of the kind that C has as Handle. Of what a call has made it is the core's number,
// which is negative.
template <class Handle>
inline HandleNumber number_of_fortran(MPI_Fint handle)
{
    return handle < 0 ? handle : predefined_number_of_fortran(kKindOf<Handle>, handle);
}
template <class Handle>
inline MPI_Fint fortran_for(HandleNumber number)
{
    const MPI_Fint predefined = predefined_fortran(kKindOf<Handle>, number);
    return predefined >= 0 ? predefined : number;
}

}  // namespace fmpl::mpi
