// The communication routines, entered from the C and the Fortran names alike: they find the process, check every
// argument and run the operation. An error ends the job (boundary.hpp).
//
// routine: the name that the user typed, for the words of an error. uplo, diag: null for a general matrix.
// Instantiated once, in typed_routines.cpp, for int, float, double and the two complex types.
#pragma once

#include "combine_semantics.hpp"

namespace fmpl::blacs {

template <class T>
void send(const char* routine, int context, const char* uplo, const char* diag, int m, int n, const T* a, int lda,
    int rdest, int cdest);

template <class T>
void receive(const char* routine, int context, const char* uplo, const char* diag, int m, int n, T* a, int lda,
    int rsrc, int csrc);

template <class T>
void broadcast_from_here(const char* routine, int context, const char* scope, const char* uplo, const char* diag, int m,
    int n, const T* a, int lda);

template <class T>
void broadcast_from_there(const char* routine, int context, const char* scope, const char* uplo, const char* diag,
    int m, int n, T* a, int lda, int rsrc, int csrc);

template <class T>
void combine_sum(
    const char* routine, int context, const char* scope, int m, int n, T* a, int lda, int rdest, int cdest);

template <class T, Extreme extreme>
void combine_extreme(const char* routine, int context, const char* scope, int m, int n, T* a, int lda, int* ra, int* ca,
    int ldia, int rdest, int cdest);

}  // namespace fmpl::blacs
