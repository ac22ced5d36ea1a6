// Handles as integers (MPI-5.0, section 20.4.4): what the standard ABI has in place of MPI_Comm_c2f and the like. The
// integers are Fortran's.
#include "abi/boundary.hpp"

using namespace fmpl::mpi;

#define FMPL_MPI_INTEGERS(Kind, Users)                              \
    int PMPI_##Kind##_toint(Users handle)                           \
    {                                                               \
        return fortran_for<Users>(number_of(handle));               \
    }                                                               \
    FMPL_MPI_NAME(MPI_##Kind##_toint)                               \
    Users PMPI_##Kind##_fromint(int number)                         \
    {                                                               \
        return handle_for<Users>(number_of_fortran<Users>(number)); \
    }                                                               \
    FMPL_MPI_NAME(MPI_##Kind##_fromint)

FMPL_MPI_INTEGERS(Comm, MPI_Comm)
FMPL_MPI_INTEGERS(Type, MPI_Datatype)
FMPL_MPI_INTEGERS(Group, MPI_Group)
FMPL_MPI_INTEGERS(Request, MPI_Request)
FMPL_MPI_INTEGERS(Message, MPI_Message)
FMPL_MPI_INTEGERS(Op, MPI_Op)
FMPL_MPI_INTEGERS(Info, MPI_Info)
FMPL_MPI_INTEGERS(Errhandler, MPI_Errhandler)
FMPL_MPI_INTEGERS(Win, MPI_Win)
FMPL_MPI_INTEGERS(File, MPI_File)
