// The Fortran names: everything by pointer; the hidden lengths of character arguments, at the end, are not read. The
// communication routines come from one table for each type.
// Over FMPL the header is included, so that the compiler compares the names with their declarations.
#ifndef FMPL_BLACS_MPI
#include <blacs_fmpl.h>
#endif

#include "support.hpp"
#include "typed_routines.hpp"

#include <complex>

using namespace fmpl;

extern "C" {

void blacs_pinfo_(int* mypnum, int* nprocs)
{
    blacs::pinfo("blacs_pinfo", mypnum, nprocs);
}

void blacs_setup_(int* mypnum, int* nprocs)
{
    blacs::pinfo("blacs_setup", mypnum, nprocs);
}

void blacs_get_(const int* context, const int* what, int* val)
{
    blacs::get("blacs_get", *context, *what, val);
}

void blacs_set_(const int* context, const int* what, int* val)
{
    blacs::set("blacs_set", *context, *what, val);
}

void blacs_gridinit_(int* context, const char* order, const int* nprow, const int* npcol)
{
    blacs::gridinit("blacs_gridinit", context, order, *nprow, *npcol);
}

void blacs_gridmap_(int* context, const int* usermap, const int* ldup, const int* nprow, const int* npcol)
{
    blacs::gridmap("blacs_gridmap", context, usermap, *ldup, *nprow, *npcol);
}

void blacs_gridexit_(const int* context)
{
    blacs::gridexit("blacs_gridexit", *context);
}

void blacs_freebuff_(const int* context, const int*)
{
    blacs::freebuff("blacs_freebuff", *context);
}

void blacs_exit_(const int* not_done)
{
    blacs::exit("blacs_exit", *not_done);
}

void blacs_abort_(const int* context, const int* error_number)
{
    blacs::abort("blacs_abort", *context, *error_number);
}

void blacs_gridinfo_(const int* context, int* nprow, int* npcol, int* myrow, int* mycol)
{
    blacs::gridinfo("blacs_gridinfo", *context, nprow, npcol, myrow, mycol);
}

int blacs_pnum_(const int* context, const int* prow, const int* pcol)
{
    return blacs::pnum("blacs_pnum", *context, *prow, *pcol);
}

void blacs_pcoord_(const int* context, const int* pnum, int* prow, int* pcol)
{
    blacs::pcoord("blacs_pcoord", *context, *pnum, prow, pcol);
}

void blacs_barrier_(const int* context, const char* scope)
{
    blacs::barrier("blacs_barrier", *context, scope);
}

double dcputime00_()
{
    return blacs::cpu_seconds();
}

double dwalltime00_()
{
    return blacs::wall_seconds();
}

int ksendid_(const int* context, const int*, const int*)
{
    return blacs::message_id("ksendid", *context);
}

int krecvid_(const int* context, const int*, const int*)
{
    return blacs::message_id("krecvid", *context);
}

int kbsid_(const int* context, const char*)
{
    return blacs::message_id("kbsid", *context);
}

int kbrid_(const int* context, const char*, const int*, const int*)
{
    return blacs::message_id("kbrid", *context);
}

int sys2blacs_handle_(const blacs::FortranComm* comm)
{
    return blacs::handle_of_comm("sys2blacs_handle", blacs::from_fortran(*comm));
}

blacs::FortranComm blacs2sys_handle_(const int* system_context)
{
    return blacs::to_fortran(blacs::comm_of_handle("blacs2sys_handle", *system_context));
}

void free_blacs_system_handle_(const int* system_context)
{
    blacs::free_handle("free_blacs_system_handle", *system_context);
}

// t: the letter; Api: the type in the header; T: the element.
#define FMPL_BLACS_FORTRAN_NAMES(t, Api, T)                                                                           \
    void t##gesd2d_(const int* context, const int* m, const int* n, const Api* a, const int* lda, const int* rdest,   \
        const int* cdest)                                                                                             \
    {                                                                                                                 \
        blacs::send<T>(                                                                                               \
            #t "gesd2d", *context, nullptr, nullptr, *m, *n, static_cast<const T*>(a), *lda, *rdest, *cdest);         \
    }                                                                                                                 \
    void t##gerv2d_(                                                                                                  \
        const int* context, const int* m, const int* n, Api* a, const int* lda, const int* rsrc, const int* csrc)     \
    {                                                                                                                 \
        blacs::receive<T>(#t "gerv2d", *context, nullptr, nullptr, *m, *n, static_cast<T*>(a), *lda, *rsrc, *csrc);   \
    }                                                                                                                 \
    void t##gebs2d_(                                                                                                  \
        const int* context, const char* scope, const char*, const int* m, const int* n, const Api* a, const int* lda) \
    {                                                                                                                 \
        blacs::broadcast_from_here<T>(                                                                                \
            #t "gebs2d", *context, scope, nullptr, nullptr, *m, *n, static_cast<const T*>(a), *lda);                  \
    }                                                                                                                 \
    void t##gebr2d_(const int* context, const char* scope, const char*, const int* m, const int* n, Api* a,           \
        const int* lda, const int* rsrc, const int* csrc)                                                             \
    {                                                                                                                 \
        blacs::broadcast_from_there<T>(                                                                               \
            #t "gebr2d", *context, scope, nullptr, nullptr, *m, *n, static_cast<T*>(a), *lda, *rsrc, *csrc);          \
    }                                                                                                                 \
    void t##trsd2d_(const int* context, const char* uplo, const char* diag, const int* m, const int* n, const Api* a, \
        const int* lda, const int* rdest, const int* cdest)                                                           \
    {                                                                                                                 \
        blacs::send<T>(#t "trsd2d", *context, uplo, diag, *m, *n, static_cast<const T*>(a), *lda, *rdest, *cdest);    \
    }                                                                                                                 \
    void t##trrv2d_(const int* context, const char* uplo, const char* diag, const int* m, const int* n, Api* a,       \
        const int* lda, const int* rsrc, const int* csrc)                                                             \
    {                                                                                                                 \
        blacs::receive<T>(#t "trrv2d", *context, uplo, diag, *m, *n, static_cast<T*>(a), *lda, *rsrc, *csrc);         \
    }                                                                                                                 \
    void t##trbs2d_(const int* context, const char* scope, const char*, const char* uplo, const char* diag,           \
        const int* m, const int* n, const Api* a, const int* lda)                                                     \
    {                                                                                                                 \
        blacs::broadcast_from_here<T>(                                                                                \
            #t "trbs2d", *context, scope, uplo, diag, *m, *n, static_cast<const T*>(a), *lda);                        \
    }                                                                                                                 \
    void t##trbr2d_(const int* context, const char* scope, const char*, const char* uplo, const char* diag,           \
        const int* m, const int* n, Api* a, const int* lda, const int* rsrc, const int* csrc)                         \
    {                                                                                                                 \
        blacs::broadcast_from_there<T>(                                                                               \
            #t "trbr2d", *context, scope, uplo, diag, *m, *n, static_cast<T*>(a), *lda, *rsrc, *csrc);                \
    }                                                                                                                 \
    void t##gsum2d_(const int* context, const char* scope, const char*, const int* m, const int* n, Api* a,           \
        const int* lda, const int* rdest, const int* cdest)                                                           \
    {                                                                                                                 \
        blacs::combine_sum<T>(#t "gsum2d", *context, scope, *m, *n, static_cast<T*>(a), *lda, *rdest, *cdest);        \
    }                                                                                                                 \
    void t##gamx2d_(const int* context, const char* scope, const char*, const int* m, const int* n, Api* a,           \
        const int* lda, int* ra, int* ca, const int* ldia, const int* rdest, const int* cdest)                        \
    {                                                                                                                 \
        blacs::combine_extreme<T, blacs::Extreme::absolute_maximum>(                                                  \
            #t "gamx2d", *context, scope, *m, *n, static_cast<T*>(a), *lda, ra, ca, *ldia, *rdest, *cdest);           \
    }                                                                                                                 \
    void t##gamn2d_(const int* context, const char* scope, const char*, const int* m, const int* n, Api* a,           \
        const int* lda, int* ra, int* ca, const int* ldia, const int* rdest, const int* cdest)                        \
    {                                                                                                                 \
        blacs::combine_extreme<T, blacs::Extreme::absolute_minimum>(                                                  \
            #t "gamn2d", *context, scope, *m, *n, static_cast<T*>(a), *lda, ra, ca, *ldia, *rdest, *cdest);           \
    }

FMPL_BLACS_FORTRAN_NAMES(i, int, std::int32_t)
FMPL_BLACS_FORTRAN_NAMES(s, float, float)
FMPL_BLACS_FORTRAN_NAMES(d, double, double)
FMPL_BLACS_FORTRAN_NAMES(c, void, std::complex<float>)
FMPL_BLACS_FORTRAN_NAMES(z, void, std::complex<double>)
#undef FMPL_BLACS_FORTRAN_NAMES

}  // extern "C"
