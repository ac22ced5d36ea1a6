// MPI-3.1, sections 17.2.4 and 17.2.5: handles and statuses between C and Fortran. Where a handle is the same number in
// both, mpi.h has macros of these names; here are the functions, for who takes their address.
#include "abi/boundary.hpp"

#include <mpi.h>

#include <cstring>

#undef MPI_Comm_c2f
#undef MPI_Comm_f2c
#undef MPI_Type_c2f
#undef MPI_Type_f2c
#undef MPI_Group_c2f
#undef MPI_Group_f2c
#undef MPI_Request_c2f
#undef MPI_Request_f2c
#undef MPI_Message_c2f
#undef MPI_Message_f2c
#undef MPI_Op_c2f
#undef MPI_Op_f2c
#undef MPI_Info_c2f
#undef MPI_Info_f2c
#undef MPI_Errhandler_c2f
#undef MPI_Errhandler_f2c
#undef MPI_Win_c2f
#undef MPI_Win_f2c
#undef PMPI_Comm_c2f
#undef PMPI_Comm_f2c
#undef PMPI_Type_c2f
#undef PMPI_Type_f2c
#undef PMPI_Group_c2f
#undef PMPI_Group_f2c
#undef PMPI_Request_c2f
#undef PMPI_Request_f2c
#undef PMPI_Message_c2f
#undef PMPI_Message_f2c
#undef PMPI_Op_c2f
#undef PMPI_Op_f2c
#undef PMPI_Info_c2f
#undef PMPI_Info_f2c
#undef PMPI_Errhandler_c2f
#undef PMPI_Errhandler_f2c
#undef PMPI_Win_c2f
#undef PMPI_Win_f2c

using namespace fmpl::mpi;

#define FMPL_MPI_CONVERSIONS(Kind)                                            \
    extern "C" MPI_Fint PMPI_##Kind##_c2f(MPI_##Kind handle)                  \
    {                                                                         \
        return fortran_for<MPI_##Kind>(number_of(handle));                    \
    }                                                                         \
    FMPL_MPI_NAME(MPI_##Kind##_c2f)                                           \
    extern "C" MPI_##Kind PMPI_##Kind##_f2c(MPI_Fint handle)                  \
    {                                                                         \
        return handle_for<MPI_##Kind>(number_of_fortran<MPI_##Kind>(handle)); \
    }                                                                         \
    FMPL_MPI_NAME(MPI_##Kind##_f2c)

using MPI_Type = MPI_Datatype;
FMPL_MPI_CONVERSIONS(Comm)
FMPL_MPI_CONVERSIONS(Type)
FMPL_MPI_CONVERSIONS(Group)
FMPL_MPI_CONVERSIONS(Request)
FMPL_MPI_CONVERSIONS(Message)
FMPL_MPI_CONVERSIONS(Op)
FMPL_MPI_CONVERSIONS(Info)
FMPL_MPI_CONVERSIONS(Errhandler)
FMPL_MPI_CONVERSIONS(Win)
FMPL_MPI_CONVERSIONS(File)

static_assert(sizeof(MPI_Status) == MPI_F_STATUS_SIZE * sizeof(MPI_Fint));

int PMPI_Status_c2f(const MPI_Status* c_status, MPI_Fint* f_status)
{
    return call("MPI_Status_c2f", [&](Process&) {
        check_pointer(c_status, "c_status");
        check_pointer(f_status, "f_status");
        if (c_status == MPI_STATUS_IGNORE) {
            fail(ErrorClass::argument,
                "c_status is MPI_STATUS_IGNORE, which has no fields; use MPI_F_STATUS_IGNORE in its place");
        }
        std::memcpy(f_status, c_status, sizeof *c_status);
    });
}
FMPL_MPI_NAME(MPI_Status_c2f)

int PMPI_Status_f2c(const MPI_Fint* f_status, MPI_Status* c_status)
{
    return call("MPI_Status_f2c", [&](Process&) {
        check_pointer(f_status, "f_status");
        check_pointer(c_status, "c_status");
        if (f_status == MPI_F_STATUS_IGNORE || f_status == MPI_F_STATUSES_IGNORE) {
            fail(ErrorClass::argument,
                "f_status is MPI_F_STATUS_IGNORE, which has no fields; use MPI_STATUS_IGNORE in its place");
        }
        std::memcpy(c_status, f_status, sizeof *c_status);
    });
}
FMPL_MPI_NAME(MPI_Status_f2c)
