// The functions of mpi.h for attributes that a program may name. "Nothing is copied" and "nothing is done" are null
// pointers.
#include <mpi.h>

#include <cstring>

int MPIR_Dup_fn(MPI_Comm, int, void*, void* value_in, void* value_out, int* flag)
{
    std::memcpy(value_out, &value_in, sizeof value_in);
    *flag = 1;
    return MPI_SUCCESS;
}
