// The sizes and times at which another way of a message begins to pay (choose_way.hpp). Those of the records, up to
// which a message lies in a lane or a completion flag, are kLaneBytes and kInlineBytes of records.hpp.
#pragma once

#include <fmpl/remote.h>

#include <cstddef>
#include <cstdint>

namespace fmpl {

// From this size on both ranks copy a message between buffers in remote-DMA memory: below, one rank has copied it
// before the other has taken part. Layers know it.
inline constexpr std::size_t kSharedBytes = FMPL_SHARED_BYTES;
// The same when a buffer is private: below, the pipe is as fast as the kernel's calls.
inline constexpr std::size_t kSharedPrivateBytes = 4 * 1024;
// And up to this size the kernel's calls are for a destination that is busy: by way of remote-DMA memory a message is
// copied twice and there sooner.
inline constexpr std::size_t kCopiedBytes = 16 * 1024;
// For so long the destination of a message that was copied away may take to find it. Then it is busy, and where it has
// posted a private buffer the kernel writes to that.
inline constexpr std::uint64_t kPatienceNs = 20'000;

// A private buffer of a nonblocking send up to this size is copied to the arena at once, so that the transfer needs
// this rank no more; a larger one waits for its receive.
inline constexpr std::size_t kStageBytes = std::size_t{1} << 20;

// A destination that has claimed a message in the lane copies it so fast at least, unless it is held up.
inline constexpr std::uint64_t kCopiedBytesPerNs = 4;

// What a core copies of memory that it has at hand.
inline constexpr std::uint64_t kSpoolBytesPerNs = 16;
// Below this, to look at the clock while a receive may be posted soon takes longer than the copy to the send buffer.
inline constexpr std::size_t kPushSoonBytes = 1024;

}  // namespace fmpl
