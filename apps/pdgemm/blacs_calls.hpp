// The BLACS calls that PDGEMM and its program make, by their standard C names, and the typed ones as templates.
//
// This is all the communication they use: the same source builds over any BLACS. The declarations stand here rather
// than come from one library's header for the same reason. Semantics, blocking and errors: the BLACS user's guide.
#pragma once

#include <complex>

extern "C" {
void Cblacs_pinfo(int* rank, int* processes);
void Cblacs_get(int context, int what, int* value);
void Cblacs_gridinit(int* context, const char* order, int rows, int columns);
void Cblacs_gridinfo(int context, int* rows, int* columns, int* my_row, int* my_column);
void Cblacs_gridexit(int context);
void Cblacs_barrier(int context, const char* scope);
void Cblacs_abort(int context, int code);
void Cblacs_exit(int keep_going);

void Cigebs2d(int context, const char* scope, const char* topology, int m, int n, const int* a, int lda);
void Cigebr2d(int context, const char* scope, const char* topology, int m, int n, int* a, int lda, int row, int column);
void Cigsum2d(int context, const char* scope, const char* topology, int m, int n, int* a, int lda, int row, int column);
void Cdgsum2d(
    int context, const char* scope, const char* topology, int m, int n, double* a, int lda, int row, int column);
}

namespace fmpl::pdgemm {

// send, receive, broadcast_send, broadcast_receive for float, double and their complex types.
template <class T>
struct BlacsCalls;

}  // namespace fmpl::pdgemm

#define FMPL_PDGEMM_BLACS_CALLS(letter, type, c_type)                                                                 \
    extern "C" {                                                                                                      \
    void C##letter##gesd2d(int context, int m, int n, const c_type* a, int lda, int row, int column);                 \
    void C##letter##gerv2d(int context, int m, int n, c_type* a, int lda, int row, int column);                       \
    void C##letter##gebs2d(                                                                                           \
        int context, const char* scope, const char* topology, int m, int n, const c_type* a, int lda);                \
    void C##letter##gebr2d(                                                                                           \
        int context, const char* scope, const char* topology, int m, int n, c_type* a, int lda, int row, int column); \
    }                                                                                                                 \
    template <>                                                                                                       \
    struct fmpl::pdgemm::BlacsCalls<type> {                                                                           \
        static void send(int context, int m, int n, const type* a, int lda, int row, int column)                      \
        {                                                                                                             \
            C##letter##gesd2d(context, m, n, reinterpret_cast<const c_type*>(a), lda, row, column);                   \
        }                                                                                                             \
        static void receive(int context, int m, int n, type* a, int lda, int row, int column)                         \
        {                                                                                                             \
            C##letter##gerv2d(context, m, n, reinterpret_cast<c_type*>(a), lda, row, column);                         \
        }                                                                                                             \
        static void broadcast_send(int context, const char* scope, int m, int n, const type* a, int lda)              \
        {                                                                                                             \
            C##letter##gebs2d(context, scope, " ", m, n, reinterpret_cast<const c_type*>(a), lda);                    \
        }                                                                                                             \
        static void broadcast_receive(                                                                                \
            int context, const char* scope, int m, int n, type* a, int lda, int row, int column)                      \
        {                                                                                                             \
            C##letter##gebr2d(context, scope, " ", m, n, reinterpret_cast<c_type*>(a), lda, row, column);             \
        }                                                                                                             \
    };

FMPL_PDGEMM_BLACS_CALLS(s, float, float)
FMPL_PDGEMM_BLACS_CALLS(d, double, double)
FMPL_PDGEMM_BLACS_CALLS(c, std::complex<float>, float)
FMPL_PDGEMM_BLACS_CALLS(z, std::complex<double>, double)
#undef FMPL_PDGEMM_BLACS_CALLS
