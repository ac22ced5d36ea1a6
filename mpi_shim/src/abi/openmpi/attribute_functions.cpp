// The functions of mpi.h for attributes that a program may name.
#include <mpi.h>

#include <cstring>

namespace {

int copy_nothing(int* flag)
{
    *flag = 0;
    return MPI_SUCCESS;
}

int copy(void* value_in, void* value_out, int* flag)
{
    std::memcpy(value_out, &value_in, sizeof value_in);
    *flag = 1;
    return MPI_SUCCESS;
}

}  // namespace

#define FMPL_ATTRIBUTE_FUNCTIONS(Kind, Handle)                                                     \
    int OMPI_C_MPI_##Kind##_NULL_DELETE_FN(Handle, int, void*, void*)                              \
    {                                                                                              \
        return MPI_SUCCESS;                                                                        \
    }                                                                                              \
    int OMPI_C_MPI_##Kind##_NULL_COPY_FN(Handle, int, void*, void*, void*, int* flag)              \
    {                                                                                              \
        return copy_nothing(flag);                                                                 \
    }                                                                                              \
    int OMPI_C_MPI_##Kind##_DUP_FN(Handle, int, void*, void* value_in, void* value_out, int* flag) \
    {                                                                                              \
        return copy(value_in, value_out, flag);                                                    \
    }

FMPL_ATTRIBUTE_FUNCTIONS(COMM, MPI_Comm)
FMPL_ATTRIBUTE_FUNCTIONS(TYPE, MPI_Datatype)
FMPL_ATTRIBUTE_FUNCTIONS(WIN, MPI_Win)

int OMPI_C_MPI_NULL_DELETE_FN(MPI_Comm, int, void*, void*)
{
    return MPI_SUCCESS;
}
int OMPI_C_MPI_NULL_COPY_FN(MPI_Comm, int, void*, void*, void*, int* flag)
{
    return copy_nothing(flag);
}
int OMPI_C_MPI_DUP_FN(MPI_Comm, int, void*, void* value_in, void* value_out, int* flag)
{
    return copy(value_in, value_out, flag);
}
