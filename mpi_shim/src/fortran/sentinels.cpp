#include "sentinels.hpp"

extern "C" {

FmplMpipriv1 mpipriv1_;
FmplMpipriv2 mpipriv2_;
FmplMpiprivc mpiprivc_;
MPI_Fint mpifcmb5_;
MPI_Fint mpifcmb9_;

// For C that calls Fortran's routines, or is called by them (MPI-3.1, section 17.2.5).
MPI_Fint* MPI_F_STATUS_IGNORE = mpipriv1_.status_ignore;
MPI_Fint* MPI_F_STATUSES_IGNORE = mpipriv2_.statuses_ignore;
}
