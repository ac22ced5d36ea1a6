// Sending and receiving a matrix between two processes of a context. Each context has a communicator of its own and one
// FMPL index, so messages of one (context, source, destination) are received in the order sent.
//
// Contiguous matrices are sent and received in place; others go from their columns to the receiver's, at once when
// the receive is posted in remote-DMA memory, else by way of FMPL's send buffer. A send returns when the matrix may
// be changed and never waits for a receiver that has not come (Job sets FMPL's send buffer for that). A message
// longer than the receiver's matrix is an error; a shorter one fills the first elements by columns.
#pragma once

#include "../process.hpp"
#include "columns.hpp"

namespace fmpl::blacs {

template <class T>
void send_matrix(Process&, const Context& context, const MatrixView<const T>& a, int destination)
{
    const Comm comm = context.all().comm;
    if (a.contiguous()) {
        check(fmpl_send(a.data(), a.bytes(), destination, kMessageIndex, comm));
    } else {
        const fmpl_columns columns = columns_of(a);
        check(fmpl_send_columns(a.array(), &columns, destination, kMessageIndex, comm));
    }
}

template <class T>
void receive_matrix(Process&, const Context& context, const MatrixView<T>& a, int source)
{
    const Comm comm = context.all().comm;
    if (a.contiguous()) {
        check(fmpl_recv(a.data(), a.bytes(), source, kMessageIndex, comm));
    } else {
        const fmpl_columns columns = columns_of(a);
        check(fmpl_recv_columns(a.array(), &columns, source, kMessageIndex, comm));
    }
}

}  // namespace fmpl::blacs
