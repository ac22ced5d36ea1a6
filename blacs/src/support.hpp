// The support routines, entered from the C and the Fortran names alike: they find the process (those with which a
// program may begin join first), check every argument and do the work. An error ends the job (boundary.hpp).
//
// routine: the name that the user typed, for the words of an error. The arguments are those of the user's guide and of
// blacs_fmpl.h, which says what each routine does and blocks on.
#pragma once

#include "transport.hpp"

namespace fmpl::blacs {

void pinfo(const char* routine, int* mypnum, int* nprocs);
void get(const char* routine, int context, int what, int* val);
void set(const char* routine, int context, int what, const int* val);

void gridinit(const char* routine, int* context, const char* order, int nprow, int npcol);
void gridmap(const char* routine, int* context, const int* usermap, int ldup, int nprow, int npcol);
void gridexit(const char* routine, int context);
void freebuff(const char* routine, int context);
void exit(const char* routine, int not_done);
[[noreturn]] void abort(const char* routine, int context, int error_number);

void gridinfo(const char* routine, int context, int* nprow, int* npcol, int* myrow, int* mycol);
int pnum(const char* routine, int context, int prow, int pcol);
void pcoord(const char* routine, int context, int number, int* prow, int* pcol);
void barrier(const char* routine, int context, const char* scope);

// The index of all messages of a context.
int message_id(const char* routine, int context);

// Seconds of processor time used by this operating-system process.
double cpu_seconds();

int handle_of_comm(const char* routine, Comm comm);
Comm comm_of_handle(const char* routine, int system_context);
void free_handle(const char* routine, int system_context);

}  // namespace fmpl::blacs
