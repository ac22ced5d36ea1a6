// What of Fortran's interface is not a routine with ierror: functions with a result, MPI_PCONTROL, the copy and delete
// functions for attributes that MPI brings, and the procedures behind the generic MPI_SIZEOF.
#include "fortran/sentinels.hpp"

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

// MPI_SIZEOF answers the size of its argument's type, whatever the argument is.
#define FMPL_SIZE(symbol, bytes)                                          \
    extern "C" void symbol(const void*, MPI_Fint* size, MPI_Fint* ierror) \
    {                                                                     \
        *size = bytes;                                                    \
        *ierror = MPI_SUCCESS;                                            \
    }

// As our module mpi names its specific procedures.
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
