// Sending and receiving a matrix between two processes of a context, whose communicator makes messages of one (context,
// source, destination) arrive in the order sent.
//
// A send copies the matrix, by MPI_Pack where it is not contiguous, and starts MPI_Isend from the copy: MPI promises of
// none of its sends that it returns without a receive. A receive is MPI_Recv into the matrix. A message longer than
// the receiver's matrix is an error; a shorter one fills the first elements by columns.
//
// Of a matrix that travels in pieces all but the last are full, so that the receiver, who does not know the number,
// sees the end: it may be empty.
#pragma once

#include "../process.hpp"
#include "matrix_piece.hpp"

#include <cstring>

namespace fmpl::blacs {

template <class T>
void send_matrix(Process& process, const Context& context, const MatrixView<const T>& a, int destination)
{
    const MPI_Comm comm = context.all().comm;
    SendBuffers& sends = process.job().sends();
    std::size_t first = 0;
    std::size_t count = 0;
    do {
        count = std::min(a.count() - first, kPieceElements<T>);
        const MatrixPiece piece(a, first, count);
        if (piece.contiguous()) {
            const SendBuffers::Buffer copy = sends.take(count * sizeof(T));
            if (count > 0) std::memcpy(copy.memory, piece.address(), count * sizeof(T));
            check(MPI_Isend(
                copy.memory, piece.count(), piece.type(), destination, kMessageIndex, comm, sends.start(copy)));
        } else {
            int bytes = 0;
            check(MPI_Pack_size(piece.count(), piece.type(), comm, &bytes));
            const SendBuffers::Buffer copy = sends.take(static_cast<std::size_t>(bytes));
            int packed = 0;
            check(MPI_Pack(piece.address(), piece.count(), piece.type(), copy.memory, bytes, &packed, comm));
            check(MPI_Isend(copy.memory, packed, MPI_PACKED, destination, kMessageIndex, comm, sends.start(copy)));
        }
        first += count;
    } while (count == kPieceElements<T>);
}

template <class T>
void receive_matrix(Process&, const Context& context, const MatrixView<T>& a, int source)
{
    std::size_t first = 0;
    int received = 0;
    do {
        const MatrixPiece piece(a, first, std::min(a.count() - first, kPieceElements<T>));
        MPI_Status status;
        const int code =
            MPI_Recv(piece.address(), piece.count(), piece.type(), source, kMessageIndex, context.all().comm, &status);
        if (code != MPI_SUCCESS) [[unlikely]] {
            int error_class = 0;
            MPI_Error_class(code, &error_class);
            if (error_class != MPI_ERR_TRUNCATE) fail(code);
            refuse(
                "the message of process {{{},{}}} has more elements than the matrix, which has {}; give the matrix "
                "that "
                "was sent, or a larger one",
                context.grid().row_of(source), context.grid().column_of(source), a.count());
        }
        check(MPI_Get_elements(&status, element_type<T>(), &received));
        first += static_cast<std::size_t>(received);
    } while (static_cast<std::size_t>(received) == kPieceElements<T>);
}

}  // namespace fmpl::blacs
