// Combine operations over a scope: MPI_Reduce and MPI_Allreduce with MPI_SUM, or with an operation of our own for the
// element largest or smallest in absolute value.
//
// MPI's operations take no strided types of different leading dimensions, so that matrices that are not contiguous are
// packed. Whether a sum is the same bit by bit on all processes and in every run is MPI's choice of algorithm, whatever
// the settings of the context say. On processes that do not get the result, the matrix is unspecified afterwards.
#pragma once

#include "../combine_semantics.hpp"
#include "../process.hpp"
#include "element_type.hpp"
#include "matrix_piece.hpp"

#include <algorithm>

namespace fmpl::blacs {

// Combines `count` elements of `data` over the scope. Returns where the result is, for those that get it: in data or in
// work, which has the same size. Not in place to one process: MPICH 4.0 crashes in that where the root is not rank 0
// (pmodels/mpich issue 6540).
template <class E>
E* reduce(E* data, E* work, std::size_t count, MPI_Datatype type, MPI_Op op, int destination, const Scope& scope)
{
    for (std::size_t first = 0; first < count; first += kPieceElements<E>) {
        const int n = static_cast<int>(std::min(count - first, kPieceElements<E>));
        if (destination == kToAll) {
            check(MPI_Allreduce(MPI_IN_PLACE, data + first, n, type, op, scope.comm));
        } else {
            check(MPI_Reduce(data + first, work + first, n, type, op, destination, scope.comm));
        }
    }
    return destination == kToAll ? data : work;
}

// Combines element by element with an operation on T.
template <class T>
void combine_elements(Process& process, const Scope& scope, const MatrixView<T>& a, MPI_Op op, int destination)
{
    if (scope.size == 1 || a.count() == 0) return;
    T* const work = process.workspace().reserve<T>(2 * a.count());
    T* data = a.data();
    if (!a.contiguous()) {
        data = work + a.count();
        a.pack(data);
    }
    const T* result = reduce(data, work, a.count(), element_type<T>(), op, destination, scope);
    if (result != a.data() && gets_result(scope, destination)) a.unpack(result, a.count());
}

template <class T>
void sum(Process& process, const Scope& scope, const MatrixView<T>& a, int destination)
{
    combine_elements(process, scope, a, MPI_SUM, destination);
}

template <class T, Extreme extreme>
void find_extreme(Process& process, const Context& context, const Scope& scope, const MatrixView<T>& a,
    const Winners& winners, int destination)
{
    OperationTable& operations = process.job().operations();
    if (winners.row == nullptr) {
        combine_elements(process, scope, a, operations.find_extreme<T, extreme>(), destination);
        return;
    }
    const std::size_t count = a.count();
    if (count == 0) return;
    Candidate<T>* candidates = process.workspace().reserve<Candidate<T>>(2 * count);
    enter_candidates(a, context.grid(), candidates);
    if (scope.size > 1) {
        candidates = reduce(candidates, candidates + count, count, operations.candidate<T>(),
            operations.find_extreme_candidate<T, extreme>(), destination, scope);
    }
    if (gets_result(scope, destination)) take_winners(candidates, context.grid(), a, winners);
}

}  // namespace fmpl::blacs
