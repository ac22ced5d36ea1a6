// The comparisons of handles as programs name them that were compiled with Open MPI's module mpi_f08.
#include <mpi.h>

#define FMPL_COMPARISONS(kind)                                                                        \
    extern "C" MPI_Fint __mpi_f08_types_MOD_ompi_##kind##_op_eq(const MPI_Fint* a, const MPI_Fint* b) \
    {                                                                                                 \
        return *a == *b ? 1 : 0;                                                                      \
    }                                                                                                 \
    extern "C" MPI_Fint __mpi_f08_types_MOD_ompi_##kind##_op_ne(const MPI_Fint* a, const MPI_Fint* b) \
    {                                                                                                 \
        return *a != *b ? 1 : 0;                                                                      \
    }

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
