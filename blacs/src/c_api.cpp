// The C names: integers by value, characters as strings. The communication routines come from one table for each type.
// Over FMPL the header is included, so that the compiler compares the names with their declarations.
#ifndef FMPL_BLACS_MPI
#include <blacs_fmpl.h>
#endif

#include "support.hpp"
#include "typed_routines.hpp"

#include <complex>

using namespace fmpl;

extern "C" {

void Cblacs_pinfo(int* mypnum, int* nprocs)
{
    blacs::pinfo("Cblacs_pinfo", mypnum, nprocs);
}

void Cblacs_setup(int* mypnum, int* nprocs)
{
    blacs::pinfo("Cblacs_setup", mypnum, nprocs);
}

void Cblacs_get(int context, int what, int* val)
{
    blacs::get("Cblacs_get", context, what, val);
}

void Cblacs_set(int context, int what, int* val)
{
    blacs::set("Cblacs_set", context, what, val);
}

void Cblacs_gridinit(int* context, const char* order, int nprow, int npcol)
{
    blacs::gridinit("Cblacs_gridinit", context, order, nprow, npcol);
}

void Cblacs_gridmap(int* context, const int* usermap, int ldup, int nprow, int npcol)
{
    blacs::gridmap("Cblacs_gridmap", context, usermap, ldup, nprow, npcol);
}

void Cblacs_gridexit(int context)
{
    blacs::gridexit("Cblacs_gridexit", context);
}

void Cblacs_freebuff(int context, int)
{
    blacs::freebuff("Cblacs_freebuff", context);
}

void Cblacs_exit(int not_done)
{
    blacs::exit("Cblacs_exit", not_done);
}

void Cblacs_abort(int context, int error_number)
{
    blacs::abort("Cblacs_abort", context, error_number);
}

void Cblacs_gridinfo(int context, int* nprow, int* npcol, int* myrow, int* mycol)
{
    blacs::gridinfo("Cblacs_gridinfo", context, nprow, npcol, myrow, mycol);
}

int Cblacs_pnum(int context, int prow, int pcol)
{
    return blacs::pnum("Cblacs_pnum", context, prow, pcol);
}

void Cblacs_pcoord(int context, int pnum, int* prow, int* pcol)
{
    blacs::pcoord("Cblacs_pcoord", context, pnum, prow, pcol);
}

void Cblacs_barrier(int context, const char* scope)
{
    blacs::barrier("Cblacs_barrier", context, scope);
}

double Cdcputime00()
{
    return blacs::cpu_seconds();
}

double Cdwalltime00()
{
    return blacs::wall_seconds();
}

int Cksendid(int context, int, int)
{
    return blacs::message_id("Cksendid", context);
}

int Ckrecvid(int context, int, int)
{
    return blacs::message_id("Ckrecvid", context);
}

int Ckbsid(int context, const char*)
{
    return blacs::message_id("Ckbsid", context);
}

int Ckbrid(int context, const char*, int, int)
{
    return blacs::message_id("Ckbrid", context);
}

int Csys2blacs_handle(blacs::Comm comm)
{
    return blacs::handle_of_comm("Csys2blacs_handle", comm);
}

blacs::Comm Cblacs2sys_handle(int system_context)
{
    return blacs::comm_of_handle("Cblacs2sys_handle", system_context);
}

void Cfree_blacs_system_handle(int system_context)
{
    blacs::free_handle("Cfree_blacs_system_handle", system_context);
}

// t: the letter; Api: the type in the header; T: the element.
#define FMPL_BLACS_C_NAMES(t, Api, T)                                                                                  \
    void C##t##gesd2d(int context, int m, int n, const Api* a, int lda, int rdest, int cdest)                          \
    {                                                                                                                  \
        blacs::send<T>("C" #t "gesd2d", context, nullptr, nullptr, m, n, static_cast<const T*>(a), lda, rdest, cdest); \
    }                                                                                                                  \
    void C##t##gerv2d(int context, int m, int n, Api* a, int lda, int rsrc, int csrc)                                  \
    {                                                                                                                  \
        blacs::receive<T>("C" #t "gerv2d", context, nullptr, nullptr, m, n, static_cast<T*>(a), lda, rsrc, csrc);      \
    }                                                                                                                  \
    void C##t##gebs2d(int context, const char* scope, const char*, int m, int n, const Api* a, int lda)                \
    {                                                                                                                  \
        blacs::broadcast_from_here<T>(                                                                                 \
            "C" #t "gebs2d", context, scope, nullptr, nullptr, m, n, static_cast<const T*>(a), lda);                   \
    }                                                                                                                  \
    void C##t##gebr2d(int context, const char* scope, const char*, int m, int n, Api* a, int lda, int rsrc, int csrc)  \
    {                                                                                                                  \
        blacs::broadcast_from_there<T>(                                                                                \
            "C" #t "gebr2d", context, scope, nullptr, nullptr, m, n, static_cast<T*>(a), lda, rsrc, csrc);             \
    }                                                                                                                  \
    void C##t##trsd2d(                                                                                                 \
        int context, const char* uplo, const char* diag, int m, int n, const Api* a, int lda, int rdest, int cdest)    \
    {                                                                                                                  \
        blacs::send<T>("C" #t "trsd2d", context, uplo, diag, m, n, static_cast<const T*>(a), lda, rdest, cdest);       \
    }                                                                                                                  \
    void C##t##trrv2d(                                                                                                 \
        int context, const char* uplo, const char* diag, int m, int n, Api* a, int lda, int rsrc, int csrc)            \
    {                                                                                                                  \
        blacs::receive<T>("C" #t "trrv2d", context, uplo, diag, m, n, static_cast<T*>(a), lda, rsrc, csrc);            \
    }                                                                                                                  \
    void C##t##trbs2d(int context, const char* scope, const char*, const char* uplo, const char* diag, int m, int n,   \
        const Api* a, int lda)                                                                                         \
    {                                                                                                                  \
        blacs::broadcast_from_here<T>(                                                                                 \
            "C" #t "trbs2d", context, scope, uplo, diag, m, n, static_cast<const T*>(a), lda);                         \
    }                                                                                                                  \
    void C##t##trbr2d(int context, const char* scope, const char*, const char* uplo, const char* diag, int m, int n,   \
        Api* a, int lda, int rsrc, int csrc)                                                                           \
    {                                                                                                                  \
        blacs::broadcast_from_there<T>(                                                                                \
            "C" #t "trbr2d", context, scope, uplo, diag, m, n, static_cast<T*>(a), lda, rsrc, csrc);                   \
    }                                                                                                                  \
    void C##t##gsum2d(                                                                                                 \
        int context, const char* scope, const char*, int m, int n, Api* a, int lda, int rdest, int cdest)              \
    {                                                                                                                  \
        blacs::combine_sum<T>("C" #t "gsum2d", context, scope, m, n, static_cast<T*>(a), lda, rdest, cdest);           \
    }                                                                                                                  \
    void C##t##gamx2d(int context, const char* scope, const char*, int m, int n, Api* a, int lda, int* ra, int* ca,    \
        int ldia, int rdest, int cdest)                                                                                \
    {                                                                                                                  \
        blacs::combine_extreme<T, blacs::Extreme::absolute_maximum>(                                                   \
            "C" #t "gamx2d", context, scope, m, n, static_cast<T*>(a), lda, ra, ca, ldia, rdest, cdest);               \
    }                                                                                                                  \
    void C##t##gamn2d(int context, const char* scope, const char*, int m, int n, Api* a, int lda, int* ra, int* ca,    \
        int ldia, int rdest, int cdest)                                                                                \
    {                                                                                                                  \
        blacs::combine_extreme<T, blacs::Extreme::absolute_minimum>(                                                   \
            "C" #t "gamn2d", context, scope, m, n, static_cast<T*>(a), lda, ra, ca, ldia, rdest, cdest);               \
    }

FMPL_BLACS_C_NAMES(i, int, std::int32_t)
FMPL_BLACS_C_NAMES(s, float, float)
FMPL_BLACS_C_NAMES(d, double, double)
FMPL_BLACS_C_NAMES(c, void, std::complex<float>)
FMPL_BLACS_C_NAMES(z, void, std::complex<double>)
#undef FMPL_BLACS_C_NAMES

}  // extern "C"
