// Sending and receiving a matrix between two processes of a context. Each context has a communicator of its own and one
// FMPL index, so messages of one (context, source, destination) are received in the order sent.
//
// Contiguous matrices are sent and received in place; others are packed into, or received into, the packing area. A send
// returns when the matrix may be changed and never waits for the receiver (Process sets FMPL's send buffer for that). A
// message longer than the receiver's matrix is an error; a shorter one fills the first elements by columns.
#pragma once

#include "error.hpp"
#include "matrix_view.hpp"
#include "process.hpp"

namespace fmpl::blacs {

template <class T>
void send_matrix(Process& process, const Context& context, const MatrixView<const T>& a, int destination)
{
    const T* message = a.data();
    if (!a.contiguous()) {
        T* packed = process.workspace().reserve<T>(a.count());
        a.pack(packed);
        message = packed;
    }
    check(fmpl_send(message, a.bytes(), destination, kMessageIndex, context.all().comm));
}

template <class T>
void receive_matrix(Process& process, const Context& context, const MatrixView<T>& a, int source)
{
    const fmpl_comm_t comm = context.all().comm;
    if (a.contiguous()) {
        check(fmpl_recv(a.data(), a.bytes(), source, kMessageIndex, comm));
        return;
    }
    T* packed = process.workspace().reserve<T>(a.count());
    check(fmpl_recv(packed, a.bytes(), source, kMessageIndex, comm));
    std::size_t bytes = 0;
    check(fmpl_received(nullptr, nullptr, &bytes));
    a.unpack(packed, bytes / sizeof(T));
}

}  // namespace fmpl::blacs
