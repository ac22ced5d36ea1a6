// Broadcast of a matrix over a scope. All topologies are MPI_Bcast, from and to the matrices themselves.
//
// Root and receivers may differ in their leading dimensions, and so in their MPI types, not in the number of elements.
#pragma once

#include "../process.hpp"
#include "matrix_piece.hpp"

namespace fmpl::blacs {

template <class T>
void broadcast_pieces(const Scope& scope, int root, const MatrixView<T>& a)
{
    for (std::size_t first = 0; first < a.count(); first += kPieceElements<T>) {
        const MatrixPiece piece(a, first, std::min(a.count() - first, kPieceElements<T>));
        check(MPI_Bcast(piece.address(), piece.count(), piece.type(), root, scope.comm));
    }
}

template <class T>
void broadcast_send(Process&, const Scope& scope, const MatrixView<const T>& a)
{
    if (scope.size > 1) broadcast_pieces(scope, scope.rank, a);
}

template <class T>
void broadcast_receive(Process&, const Scope& scope, int root, const MatrixView<T>& a)
{
    broadcast_pieces(scope, root, a);
}

}  // namespace fmpl::blacs
