// What of Fortran's interface is not a routine with ierror: functions with a result, MPI_PCONTROL, MPI_F_SYNC_REG, the
// copy and delete functions for attributes that MPI brings, MPI_CONVERSION_FN_NULL, and the procedures behind the
// generic MPI_SIZEOF.
#include "fortran/sentinels.hpp"

#include <algorithm>
#include <cstddef>

namespace {

template <class Integer>
void copy_attribute(const Integer* in, Integer* out, MPI_Fint* flag, MPI_Fint* ierror)
{
    *out = *in;
    *flag = 1;
    *ierror = MPI_SUCCESS;
}

}  // namespace

// Both names of a function, the first one for tools to take the place of.
#define FMPL_FUNCTION(type, name, function, parameters, arguments) \
    extern "C" __attribute__((weak)) type name##_ parameters       \
    {                                                              \
        return function arguments;                                 \
    }                                                              \
    extern "C" type p##name##_ parameters                          \
    {                                                              \
        return P##function arguments;                              \
    }

FMPL_FUNCTION(double, mpi_wtime, MPI_Wtime, (), ())
FMPL_FUNCTION(double, mpi_wtick, MPI_Wtick, (), ())
FMPL_FUNCTION(MPI_Aint, mpi_aint_add, MPI_Aint_add, (const MPI_Aint* base, const MPI_Aint* disp), (*base, *disp))
FMPL_FUNCTION(MPI_Aint, mpi_aint_diff, MPI_Aint_diff, (const MPI_Aint* addr1, const MPI_Aint* addr2), (*addr1, *addr2))
FMPL_FUNCTION(int, mpi_pcontrol, MPI_Pcontrol, (const MPI_Fint* level), (*level))

// Attribute functions: `kind` is mpi_comm, mpi_type, mpi_win, or, with integers of the usual size, mpi.
#define FMPL_ATTRIBUTE_FUNCTIONS(kind, Integer)                                                        \
    extern "C" void kind##_dup_fn_(                                                                    \
        MPI_Fint*, MPI_Fint*, Integer*, Integer* in, Integer* out, MPI_Fint* flag, MPI_Fint* ierror)   \
    {                                                                                                  \
        copy_attribute(in, out, flag, ierror);                                                         \
    }                                                                                                  \
    extern "C" void kind##_null_copy_fn_(                                                              \
        MPI_Fint*, MPI_Fint*, Integer*, Integer*, Integer*, MPI_Fint* flag, MPI_Fint* ierror)          \
    {                                                                                                  \
        *flag = 0;                                                                                     \
        *ierror = MPI_SUCCESS;                                                                         \
    }                                                                                                  \
    extern "C" void kind##_null_delete_fn_(MPI_Fint*, MPI_Fint*, Integer*, Integer*, MPI_Fint* ierror) \
    {                                                                                                  \
        *ierror = MPI_SUCCESS;                                                                         \
    }

FMPL_ATTRIBUTE_FUNCTIONS(mpi_comm, MPI_Aint)
FMPL_ATTRIBUTE_FUNCTIONS(mpi_type, MPI_Aint)
FMPL_ATTRIBUTE_FUNCTIONS(mpi_win, MPI_Aint)
FMPL_ATTRIBUTE_FUNCTIONS(mpi, MPI_Fint)

// Stands for no conversion (MPI-3.1, section 13.5.3); MPI does not call it.
extern "C" void mpi_conversion_fn_null_(void*, MPI_Fint*, MPI_Fint*, void*, MPI_Offset*, MPI_Aint*, MPI_Fint* ierror)
{
    *ierror = MPI_SUCCESS;
}

// The compiler has to take its argument for changed (section 17.1.8), as it does of what it cannot see into.
extern "C" __attribute__((weak)) void mpi_f_sync_reg_(void*) {}
extern "C" void pmpi_f_sync_reg_(void*) {}

// MPI_SIZEOF answers the size of its argument's type, whatever the argument is. In the module mpi_f08 ierror may be
// missing.
#define FMPL_SIZE(symbol, bytes)                                          \
    extern "C" void symbol(const void*, MPI_Fint* size, MPI_Fint* ierror) \
    {                                                                     \
        *size = bytes;                                                    \
        if (ierror != nullptr) *ierror = MPI_SUCCESS;                     \
    }

// As our modules mpi and mpi_f08 name its specific procedures.
#define FMPL_SIZEOF(type, kind, bytes) FMPL_SIZE(mpi_sizeof_##type##kind##_, bytes)
#include "fortran/sizeof.def"

// As programs name them that were compiled with the module mpi of MPICH: for variables, and with a v for arrays.
#define FMPL_MPICH_SIZEOF(type, bytes)                    \
    FMPL_SIZE(__mpi_sizeofs_MOD_mpi_sizeof_##type, bytes) \
    FMPL_SIZE(__mpi_sizeofs_MOD_mpi_sizeof_##type##v, bytes)
FMPL_MPICH_SIZEOF(ch, 1)
FMPL_MPICH_SIZEOF(l, 4)
FMPL_MPICH_SIZEOF(i, 4)
FMPL_MPICH_SIZEOF(i1, 1)
FMPL_MPICH_SIZEOF(i2, 2)
FMPL_MPICH_SIZEOF(i8, 8)
FMPL_MPICH_SIZEOF(r, 4)
FMPL_MPICH_SIZEOF(d, 8)
FMPL_MPICH_SIZEOF(cx, 8)

// ---- What the module mpi_f08 has otherwise

// Routines without ierror under the names that the module calls.
#define FMPL_F08_NAME(name) extern "C" __attribute__((weak, alias(#name "_"))) decltype(name##_) name##_f08_;
FMPL_F08_NAME(mpi_pcontrol)
FMPL_F08_NAME(pmpi_pcontrol)
FMPL_F08_NAME(mpi_f_sync_reg)
FMPL_F08_NAME(pmpi_f_sync_reg)

// The address of the buffer is given back: the argument is a TYPE(C_PTR).
#define FMPL_BUFFER_DETACH(symbol, function)                                     \
    extern "C" void symbol(void** buffer_addr, MPI_Fint* size, MPI_Fint* ierror) \
    {                                                                            \
        const int code = function(buffer_addr, size);                            \
        if (ierror != nullptr) *ierror = code;                                   \
    }
FMPL_BUFFER_DETACH(mpi_buffer_detach_f08_, MPI_Buffer_detach)
FMPL_BUFFER_DETACH(pmpi_buffer_detach_f08_, PMPI_Buffer_detach)

// Functions that programs pass as arguments, as those name them that were compiled with the module mpi_f08 of Open MPI:
// with the same addresses, since a handle is its INTEGER.
#define FMPL_OPENMPI_CALLBACK(name) \
    extern "C" __attribute__((alias(#name "_"))) decltype(name##_) __mpi_f08_callbacks_MOD_##name;
#define FMPL_OPENMPI_CALLBACKS(kind)           \
    FMPL_OPENMPI_CALLBACK(kind##_dup_fn)       \
    FMPL_OPENMPI_CALLBACK(kind##_null_copy_fn) \
    FMPL_OPENMPI_CALLBACK(kind##_null_delete_fn)
FMPL_OPENMPI_CALLBACKS(mpi_comm)
FMPL_OPENMPI_CALLBACKS(mpi_type)
FMPL_OPENMPI_CALLBACKS(mpi_win)
FMPL_OPENMPI_CALLBACK(mpi_conversion_fn_null)

// Handles are compared by their INTEGERs: operator(==) and operator(/=) of each type, as our module names them and Open
// MPI's.
#define FMPL_COMPARISON(kind, name, sign)                                                \
    extern "C" MPI_Fint mpi_##kind##_##name##_f08_(const MPI_Fint* a, const MPI_Fint* b) \
    {                                                                                    \
        return *a sign * b ? 1 : 0;                                                      \
    }                                                                                    \
    extern "C" __attribute__((                                                           \
        alias("mpi_" #kind "_" #name                                                     \
              "_f08_"))) decltype(mpi_##kind##_##name##_f08_) __mpi_f08_types_MOD_ompi_##kind##_op_##name;
#define FMPL_COMPARISONS(kind)    \
    FMPL_COMPARISON(kind, eq, ==) \
    FMPL_COMPARISON(kind, ne, !=)
FMPL_COMPARISONS(comm)
FMPL_COMPARISONS(datatype)
FMPL_COMPARISONS(errhandler)
FMPL_COMPARISONS(file)
FMPL_COMPARISONS(group)
FMPL_COMPARISONS(info)
FMPL_COMPARISONS(message)
FMPL_COMPARISONS(op)
FMPL_COMPARISONS(request)
FMPL_COMPARISONS(win)

// A status is the same INTEGERs in both forms.
extern "C" {
void mpi_status_f2f08_(const MPI_Fint* from, MPI_Fint* to, MPI_Fint* ierror)
{
    std::copy_n(from, MPI_F_STATUS_SIZE, to);
    if (ierror != nullptr) *ierror = MPI_SUCCESS;
}
void mpi_status_f082f_(const MPI_Fint* from, MPI_Fint* to, MPI_Fint* ierror)
{
    mpi_status_f2f08_(from, to, ierror);
}
}
