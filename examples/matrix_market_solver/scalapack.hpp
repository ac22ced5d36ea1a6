// What the solver calls of ScaLAPACK, which has no C header. All processes of the context call these routines together;
// matrices are local arrays by columns with a descriptor, and indices count from 1.
#pragma once

#include <cstddef>

extern "C" {

// How many of n rows (or columns), in blocks, the given process has when they are dealt out from process `first` on.
int numroc_(const int* n, const int* block, const int* process, const int* first, const int* processes);

// B := A, of which each may lie on another grid and in other blocks. `context` holds the processes of both; where a
// process is not in a matrix's own grid, the context in that matrix's descriptor is -1.
void pdgemr2d_(const int* m, const int* n, const double* a, const int* ia, const int* ja, const int* desca, double* b,
    const int* ib, const int* jb, const int* descb, const int* context);

// Solves A X = B; B becomes X, A its factors. info > 0: the info-th pivot is 0 (pdgesv), or the leading minor of this
// order is not positive definite (pdposv).
void pdgesv_(const int* n, const int* nrhs, double* a, const int* ia, const int* ja, const int* desca, int* pivots,
    double* b, const int* ib, const int* jb, const int* descb, int* info);
void pdposv_(const char* uplo, const int* n, const int* nrhs, double* a, const int* ia, const int* ja, const int* desca,
    double* b, const int* ib, const int* jb, const int* descb, int* info, std::size_t uplo_length);
}
