#include "crossbar/peer_pages.hpp"

#include "crossbar/populate.hpp"

#include <cerrno>

#include <sys/mman.h>
#include <unistd.h>

namespace fmpl {

PeerPages::PeerPages(std::byte* base, std::size_t bytes)
    : base_(base),
      bytes_(bytes),
      page_shift_(std::countr_zero(static_cast<std::size_t>(sysconf(_SC_PAGESIZE)))),
      bits_bytes_((((bytes >> page_shift_) + kWordBits) / kWordBits) * sizeof(std::uint64_t))
{
    // Not from malloc, which may be remote-DMA memory, held in full.
    void* const room =
        mmap(nullptr, bits_bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (room == MAP_FAILED) return;
    madvise(room, bits_bytes_, MADV_NOHUGEPAGE);  // few of them are ever touched, far apart
    bits_ = static_cast<std::uint64_t*>(room);
}

PeerPages::~PeerPages()
{
    if (bits_ != nullptr) munmap(bits_, bits_bytes_);
}

void PeerPages::ask(std::size_t first, std::size_t last)
{
    // From the first page that is not mapped to the last such: those between cost a tenth of a fault each.
    const auto is_mapped = [&](std::size_t page) { return (bits_[page / kWordBits] >> page % kWordBits & 1) != 0; };
    while (is_mapped(first)) ++first;
    while (is_mapped(last)) --last;
    const int saved_errno = errno;
    madvise(base_ + (first << page_shift_), (last - first + 1) << page_shift_, MADV_POPULATE_WRITE);
    errno = saved_errno;
    for (std::size_t i = first / kWordBits; i <= last / kWordBits; ++i) bits_[i] |= mask(i, first, last);
}

}  // namespace fmpl
