// The calls that are not there yet (unsupported.def): each fails with MPI_ERR_UNSUPPORTED_OPERATION. What it would make
// is the null handle, so that a program that goes on does not meet an undefined one.
#include "abi/boundary.hpp"

using namespace fmpl::mpi;

namespace {

int processes(const char* name)
{
    return call(name, [](Process&) {
        fail(ErrorClass::unsupported_operation,
            "to start processes, or to connect with those of another job, is not there yet (MPI-3.1, chapter 10); "
            "start "
            "all ranks at once, with fmplrun -n");
    });
}

int windows(const char* name)
{
    return call(name, [](Process&) {
        fail(ErrorClass::unsupported_operation,
            "one-sided communication is not there yet (MPI-3.1, chapter 11); use messages (MPI_Send, MPI_Recv) or "
            "collective calls");
    });
}

int files(const char* name)
{
    return call_on(name, MPI_File{MPI_FILE_NULL}, [](Process&) {
        fail(ErrorClass::unsupported_operation,
            "files are not there yet (MPI-3.1, chapter 13); use those of the programming language, one for each rank, "
            "or gather what one rank then writes");
    });
}

template <class Handle>
void give_null(Handle* made, Handle null)
{
    if (made != nullptr) *made = null;
}

}  // namespace

#define FMPL_UNSUPPORTED(part, name, parameters) \
    int P##name parameters                       \
    {                                            \
        return part(#name);                      \
    }                                            \
    FMPL_MPI_NAME(name)
#define FMPL_UNSUPPORTED_MAKES(part, name, null, parameters) \
    int P##name parameters                                   \
    {                                                        \
        give_null(made, null);                               \
        return part(#name);                                  \
    }                                                        \
    FMPL_MPI_NAME(name)
#include "c/unsupported.def"
