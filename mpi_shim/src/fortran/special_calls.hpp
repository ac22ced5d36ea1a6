// The routines of Fortran that do more than pass their arguments on. Each is a template over the C function that it
// calls, MPI_X or PMPI_X, and gets the addresses that Fortran passes.
#pragma once

#include "abi/boundary.hpp"
#include "fortran/arguments.hpp"

#include <algorithm>
#include <memory>
#include <vector>

namespace fmpl::mpi::fortran {

// ---- Start

template <auto* function>
void init(MPI_Fint* ierror)
{
    *ierror = function(nullptr, nullptr);
}

template <auto* function>
void init_thread(const MPI_Fint* required, MPI_Fint* provided, MPI_Fint* ierror)
{
    *ierror = function(nullptr, nullptr, *required, provided);
}

// ---- Point-to-point communication

// The address of the buffer is not given back: in this form of the interface its argument has the wrong type, and is
// not used (MPI-3.1, section 3.6).
template <auto* function>
void buffer_detach(void*, MPI_Fint* size, MPI_Fint* ierror)
{
    void* address = nullptr;
    *ierror = function(&address, size);
}

// MPI_Waitsome, MPI_Testsome: Fortran's indices begin at 1.
template <auto* function>
void complete_some(const MPI_Fint* incount, MPI_Fint* requests, MPI_Fint* outcount, MPI_Fint* indices,
    MPI_Fint* statuses, MPI_Fint* ierror)
{
    int completed = MPI_UNDEFINED;
    *ierror = function(*incount, requests, &completed, indices, Statuses(statuses).c());
    *outcount = completed;
    for (int i = 0; i < completed; ++i) ++indices[i];
}

// ---- The user's functions. Those for operations and errors get addresses in C too, and the same ones.

template <auto* function>
void op_create(void* user_fn, const MPI_Fint* commute, MPI_Fint* op, MPI_Fint* ierror)
{
    *ierror = function(reinterpret_cast<MPI_User_function*>(user_fn), *commute, op);
}

template <auto* function>
void create_errhandler(void* errhandler_fn, MPI_Fint* errhandler, MPI_Fint* ierror)
{
    *ierror = function(reinterpret_cast<MPI_Comm_errhandler_function*>(errhandler_fn), errhandler);
}

// The functions of a generalized request; the extra state of the C functions that call them. Ends with the request.
struct GeneralizedRequestFunctions {
    void (*query)(MPI_Aint* extra_state, MPI_Fint* status, MPI_Fint* ierror);
    void (*free)(MPI_Aint* extra_state, MPI_Fint* ierror);
    void (*cancel)(MPI_Aint* extra_state, MPI_Fint* complete, MPI_Fint* ierror);
    MPI_Aint extra_state;

    static int query_in_c(void* self, MPI_Status* status)
    {
        auto* const functions = static_cast<GeneralizedRequestFunctions*>(self);
        MPI_Fint code = MPI_SUCCESS;
        functions->query(&functions->extra_state, reinterpret_cast<MPI_Fint*>(status), &code);
        return code;
    }
    static int free_in_c(void* self)
    {
        const std::unique_ptr<GeneralizedRequestFunctions> functions(static_cast<GeneralizedRequestFunctions*>(self));
        MPI_Fint code = MPI_SUCCESS;
        functions->free(&functions->extra_state, &code);
        return code;
    }
    static int cancel_in_c(void* self, int complete)
    {
        auto* const functions = static_cast<GeneralizedRequestFunctions*>(self);
        MPI_Fint code = MPI_SUCCESS;
        functions->cancel(&functions->extra_state, &complete, &code);
        return code;
    }
};

template <auto* function>
void grequest_start(
    void* query_fn, void* free_fn, void* cancel_fn, const MPI_Aint* extra_state, MPI_Fint* request, MPI_Fint* ierror)
{
    using Functions = GeneralizedRequestFunctions;
    std::unique_ptr<Functions> functions(new Functions{reinterpret_cast<decltype(Functions::query)>(query_fn),
        reinterpret_cast<decltype(Functions::free)>(free_fn), reinterpret_cast<decltype(Functions::cancel)>(cancel_fn),
        *extra_state});
    *ierror = function(Functions::query_in_c, Functions::free_in_c, Functions::cancel_in_c, functions.get(), request);
    if (*ierror == MPI_SUCCESS) functions.release();
}

// ---- Info objects: two texts

template <auto* function>
void info_set(const MPI_Fint* info, const char* key, const char* value, MPI_Fint* ierror, std::size_t key_length,
    std::size_t value_length)
{
    *ierror = function(*info, InfoText(key, key_length).c(), InfoText(value, value_length).c());
}

template <auto* function>
void info_get(const MPI_Fint* info, const char* key, const MPI_Fint* valuelen, char* value, MPI_Fint* flag,
    MPI_Fint* ierror, std::size_t key_length, std::size_t value_length)
{
    std::string text(static_cast<std::size_t>(std::max(*valuelen, 0)) + 1, '\0');
    *flag = 0;
    *ierror = function(*info, InfoText(key, key_length).c(), *valuelen, text.data(), flag);
    if (*ierror == MPI_SUCCESS && *flag != 0) give_text(value, value_length, text.c_str());
}

// ---- The deprecated routines, whose addresses are integers of the usual size

inline int give_small(const char* name, MPI_Aint value, MPI_Fint* to)
{
    *to = static_cast<MPI_Fint>(value);
    if (*to == value) return MPI_SUCCESS;
    return handle_error(name, MPI_COMM_NULL, MPI_ERR_ARG,
        "the result does not fit an INTEGER; use the routine of MPI-2 or later, which has INTEGER(MPI_ADDRESS_KIND)");
}

template <auto* function>
void old_address(void* location, MPI_Fint* address, MPI_Fint* ierror)
{
    MPI_Aint found = 0;
    *ierror = function(Buffer(location).c(), &found);
    if (*ierror == MPI_SUCCESS) *ierror = give_small("MPI_Address", found, address);
}

// MPI_Type_extent, _lb, _ub.
template <auto* function>
void old_bound(const MPI_Fint* datatype, MPI_Fint* bound, MPI_Fint* ierror)
{
    MPI_Aint found = 0;
    *ierror = function(*datatype, &found);
    if (*ierror == MPI_SUCCESS) *ierror = give_small("MPI_Type_extent, MPI_Type_lb or MPI_Type_ub", found, bound);
}

template <auto* function>
void old_hvector(const MPI_Fint* count, const MPI_Fint* blocklength, const MPI_Fint* stride, const MPI_Fint* oldtype,
    MPI_Fint* newtype, MPI_Fint* ierror)
{
    *ierror = function(*count, *blocklength, *stride, *oldtype, newtype);
}

inline std::vector<MPI_Aint> widened(const MPI_Fint* displacements, MPI_Fint count)
{
    return std::vector<MPI_Aint>(displacements, displacements + std::max(count, 0));
}

template <auto* function>
void old_hindexed(const MPI_Fint* count, const MPI_Fint* blocklengths, const MPI_Fint* displacements,
    const MPI_Fint* oldtype, MPI_Fint* newtype, MPI_Fint* ierror)
{
    *ierror = function(*count, blocklengths, widened(displacements, *count).data(), *oldtype, newtype);
}

template <auto* function>
void old_struct(const MPI_Fint* count, const MPI_Fint* blocklengths, const MPI_Fint* displacements,
    const MPI_Fint* types, MPI_Fint* newtype, MPI_Fint* ierror)
{
    *ierror = function(*count, blocklengths, widened(displacements, *count).data(), types, newtype);
}

}  // namespace fmpl::mpi::fortran
