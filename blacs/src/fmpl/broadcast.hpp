// Broadcast of a matrix over a scope. All topologies are fmpl_bcast, which chooses by size and communicator.
//
// The root sends from its matrix and the others receive into theirs, contiguous or by columns. Root and receivers may
// differ in this and in their leading dimensions, not in the number of elements.
#pragma once

#include "../process.hpp"
#include "columns.hpp"

namespace fmpl::blacs {

template <class T>
void broadcast_send(Process&, const Scope& scope, const MatrixView<const T>& a)
{
    if (scope.size == 1) return;
    if (a.contiguous()) {
        // fmpl_bcast takes one buffer for both roles; it only reads the root's.
        check(fmpl_bcast(const_cast<T*>(a.data()), a.bytes(), scope.rank, scope.comm));
    } else {
        const fmpl_columns columns = columns_of(a);
        check(fmpl_bcast_columns(const_cast<T*>(a.array()), &columns, scope.rank, scope.comm));
    }
}

template <class T>
void broadcast_receive(Process&, const Scope& scope, int root, const MatrixView<T>& a)
{
    if (a.contiguous()) {
        check(fmpl_bcast(a.data(), a.bytes(), root, scope.comm));
    } else {
        const fmpl_columns columns = columns_of(a);
        check(fmpl_bcast_columns(a.array(), &columns, root, scope.comm));
    }
}

}  // namespace fmpl::blacs
