// The hardware broadcast: the root writes once, all receivers read (paper, sections 3.2 and 4.2).
//
//   in_pieces    pieces.cpp       through the root's library buffers, or of a few bytes in the slot's line
//   whole        whole.cpp        read by all receivers from the root's own buffer, at once; private memory by the
//                                 kernel
//     both       both.cpp         a whole one between two ranks, which both copy
//   partitioned  partitioned.cpp  a whole one where ranks share CPUs: whoever runs copies for all
//
// The root chooses (choose.hpp) and writes the manner in the slot of the use; a receiver follows the slot
// (receiver.cpp). What a receiver offers before the root has come, its buffer, is the one thing that it decides by
// itself: the root takes it or not.
#pragma once

#include "coll/meeting.hpp"
#include "p2p/columns.hpp"
#include "p2p/shared_copy.hpp"

#include <cstddef>

namespace fmpl {

// What the root broadcasts. columns: that the buffer is made of; nullptr: in one piece.
struct OutgoingBroadcast {
    const std::byte* buffer;
    const Columns* columns;
    std::size_t bytes;

    void copy_out(std::size_t begin, std::size_t n, std::byte* to) const
    {
        if (columns != nullptr) {
            columns->gather(buffer, begin, n, to);
        } else {
            copy_across(to, buffer + begin, n);
        }
    }
};
// What a receiver wants, likewise.
struct IncomingBroadcast {
    std::byte* buffer;
    const Columns* columns;
    std::size_t bytes;

    void copy_in(std::size_t begin, std::size_t n, const std::byte* from) const
    {
        if (columns != nullptr) {
            columns->scatter(buffer, begin, n, from);
        } else {
            copy_from_across(buffer + begin, from, n);
        }
    }
};

// A broadcast, by each member. Throws Error: MISMATCH where the members do not agree, MEMORY, ABORTED.
void bcast_hardware(Meeting& m, void* buffer, const Columns* columns, std::size_t bytes, int root);

// From one library buffer for pieces of this size to the next.
inline std::size_t stride_of(std::size_t piece)
{
    return piece <= kShortBufferBytes ? kShortBufferStride : kLongBufferStride;
}

// The root's part by each manner. Pieces until all has been sent, or the rest goes whole; how much has been sent.
std::size_t send_in_pieces(Meeting& m, const OutgoingBroadcast& out);
// Whether there is memory for the library buffers of such a broadcast, which are made.
bool has_library_buffers(Meeting& m, std::size_t bytes);
// What is left when so much has been sent.
void send_whole(Meeting& m, const OutgoingBroadcast& out, std::size_t sent);
// A receiver's part; root: that it expects. Where that is this rank itself, another root has been here: what that
// broadcasts is dropped, so that the next broadcast begins in step.
void receive_broadcast(Meeting& m, const IncomingBroadcast& in, int root);

}  // namespace fmpl
