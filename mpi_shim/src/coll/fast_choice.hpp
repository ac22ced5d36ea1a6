// Which of FMPL's own collective calls are worth it, where a call could be a schedule of messages too.
//
// All members of a communicator have to choose the same, so the choice is by what all of them know: the bytes of the call and facts
// of the whole job, not where a rank's buffer happens to lie. Private memory goes through FMPL's collective calls with two copies, and
// through a message of 32 KiB or more with one.
#pragma once

#include <cstdint>

namespace fmpl::mpi {

class FastChoice {
public:
    // heap_is_remote_dma: the whole malloc heap of every rank is (fmplrun --rdma heap).
    constexpr FastChoice(int job_size, bool heap_is_remote_dma)
        : job_size_(job_size),
          heap_is_remote_dma_(heap_is_remote_dma)
    {
    }

    // Between two ranks one message is the whole broadcast. Among more, a tree of messages loses by its rounds what the copy saves,
    // up to a megabyte.
    constexpr bool bcast(std::uint64_t bytes) const
    {
        return heap_is_remote_dma_ || bytes < (job_size_ == 2 ? kMessageBytes : kTreeBytes);
    }
    constexpr bool reduce(std::uint64_t bytes) const { return heap_is_remote_dma_ || bytes < kMessageBytes; }

private:
    static constexpr std::uint64_t kMessageBytes = 32u << 10;
    static constexpr std::uint64_t kTreeBytes = 1u << 20;

    int job_size_;
    bool heap_is_remote_dma_;
};

}  // namespace fmpl::mpi
