// Broadcast of a matrix over a scope. All topologies are fmpl_bcast, which chooses by size and communicator.
//
// The root sends from its matrix and the others receive into theirs when contiguous; otherwise they pass through the
// packing area. Root and receivers may differ in this and in their leading dimensions, not in the number of elements.
#pragma once

#include "error.hpp"
#include "matrix_view.hpp"
#include "process.hpp"

namespace fmpl::blacs {

template <class T>
void broadcast_send(Process& process, const Scope& scope, const MatrixView<const T>& a)
{
    if (scope.size == 1 || a.count() == 0) return;
    if (a.contiguous()) {
        // fmpl_bcast takes one buffer for both roles; it only reads the root's.
        check(fmpl_bcast(const_cast<T*>(a.data()), a.bytes(), scope.rank, scope.comm));
        return;
    }
    T* packed = process.workspace().reserve<T>(a.count());
    a.pack(packed);
    check(fmpl_bcast(packed, a.bytes(), scope.rank, scope.comm));
}

template <class T>
void broadcast_receive(Process& process, const Scope& scope, int root, const MatrixView<T>& a)
{
    if (a.count() == 0) return;
    if (a.contiguous()) {
        check(fmpl_bcast(a.data(), a.bytes(), root, scope.comm));
        return;
    }
    T* packed = process.workspace().reserve<T>(a.count());
    check(fmpl_bcast(packed, a.bytes(), root, scope.comm));
    a.unpack(packed, a.count());
}

}  // namespace fmpl::blacs
