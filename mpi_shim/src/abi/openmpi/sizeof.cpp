// MPI_SIZEOF as programs name its procedures that were compiled with Open MPI's mpif.h or modules: by the type of the
// argument and its rank.
#include <mpi.h>

#define FMPL_SIZE(name, bytes)                                          \
    extern "C" void name(const void*, MPI_Fint* size, MPI_Fint* ierror) \
    {                                                                   \
        *size = bytes;                                                  \
        if (ierror != nullptr) *ierror = MPI_SUCCESS;                   \
    }
#define FMPL_SIZES(type, rank, bytes)               \
    FMPL_SIZE(mpi_sizeof_##type##_##rank##_, bytes) \
    FMPL_SIZE(pmpi_sizeof_##type##_##rank##_, bytes)
#define FMPL_SIZES_OF(type, bytes)  \
    FMPL_SIZES(type, scalar, bytes) \
    FMPL_SIZES(type, r1, bytes)     \
    FMPL_SIZES(type, r2, bytes)     \
    FMPL_SIZES(type, r3, bytes)     \
    FMPL_SIZES(type, r4, bytes)     \
    FMPL_SIZES(type, r5, bytes)     \
    FMPL_SIZES(type, r6, bytes)     \
    FMPL_SIZES(type, r7, bytes)     \
    FMPL_SIZES(type, r8, bytes)     \
    FMPL_SIZES(type, r9, bytes)     \
    FMPL_SIZES(type, r10, bytes)    \
    FMPL_SIZES(type, r11, bytes)    \
    FMPL_SIZES(type, r12, bytes)    \
    FMPL_SIZES(type, r13, bytes)    \
    FMPL_SIZES(type, r14, bytes)    \
    FMPL_SIZES(type, r15, bytes)

// The number behind a type is the bits of a real number, also of a complex one's parts.
FMPL_SIZES_OF(character, 1)
FMPL_SIZES_OF(logical, 4)
FMPL_SIZES_OF(int8, 1)
FMPL_SIZES_OF(int16, 2)
FMPL_SIZES_OF(int32, 4)
FMPL_SIZES_OF(int64, 8)
FMPL_SIZES_OF(real32, 4)
FMPL_SIZES_OF(real64, 8)
FMPL_SIZES_OF(real128, 16)
FMPL_SIZES_OF(complex32, 8)
FMPL_SIZES_OF(complex64, 16)
FMPL_SIZES_OF(complex128, 32)
