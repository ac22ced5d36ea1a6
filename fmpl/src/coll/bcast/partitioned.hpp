// A partitioned broadcast: a whole one where ranks share CPUs. Whoever waits, the root among them, copies chunks of
// it for all receivers that wait by then, so that a CPU reads the root's buffer once for all its ranks
// (docs/decisions/0016-whoever-runs-copies.md).
//
// Cost with p ranks on c CPUs and n bytes: (p - 1) n / c / copy bandwidth.
#pragma once

#include "coll/meeting.hpp"

#include <cstddef>
#include <cstdint>

namespace fmpl {

// By a receiver, which waits for a broadcast from now on: if it is partitioned, others may write to its buffer.
void open_reception(Meeting& m, std::uint64_t use, const std::byte* buffer, std::size_t bytes);
// The broadcast is of another manner or length: nobody has taken the offer, and nobody will.
void close_reception(Meeting& m);
struct RootBuffer {
    int root;
    Offset at;  // or a private address
    std::size_t bytes;
};
// By a receiver whose reception is open, when the root has come: until all chunks have been copied.
void await_reception(Meeting& m, std::uint64_t use, const RootBuffer& from);
// Copies chunks to the receivers that wait for them, until there is none left. This rank has not left the use, so its
// slot and the root's buffer stay; and who is not in it is told by the tag. A receiver of private memory copies for
// itself alone, its root for all.
void copy_for_all(Meeting& m, std::uint64_t use, const RootBuffer& from);

}  // namespace fmpl
