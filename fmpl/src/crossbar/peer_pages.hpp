// Which pages of its peers' memory this process has mapped.
//
// A process that copies to or from a page of a peer for the first time takes a page fault. Asked for together, as
// many pages cost a third of that or less (docs/decisions/0027-pages-of-peers.md). One bit a page remembers what has
// been asked for; a page that its owner has given back and taken again costs a fault, no more.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace fmpl {

class PeerPages {
public:
    // Below, what there is to gain is less than the call costs.
    static constexpr std::size_t kLeastBytes = std::size_t{4} << 10;

    // Of the job's memory, `bytes` from `base`. Address space for the bits, of which only those are touched that are
    // asked for.
    PeerPages(std::byte* base, std::size_t bytes);
    ~PeerPages();
    PeerPages(const PeerPages&) = delete;
    PeerPages& operator=(const PeerPages&) = delete;

    // Has the pages that hold [at, at + bytes) mapped, all of which must hold memory already. Does nothing for what
    // is not the job's memory. Best effort: what the system refuses is mapped by its faults.
    void map(const std::byte* at, std::size_t bytes)
    {
        const auto begin = reinterpret_cast<std::uintptr_t>(at) - reinterpret_cast<std::uintptr_t>(base_);
        if (bits_ == nullptr || bytes == 0 || begin >= bytes_ || bytes > bytes_ - begin) return;
        const std::size_t first = begin >> page_shift_, last = (begin + bytes - 1) >> page_shift_;
        if (!are_mapped(first, last)) [[unlikely]]
            ask(first, last);
    }

private:
    static constexpr std::size_t kWordBits = 64;

    // The bits of [first, last] that lie in word i.
    static std::uint64_t mask(std::size_t i, std::size_t first, std::size_t last)
    {
        std::uint64_t bits = ~std::uint64_t{0};
        if (i == first / kWordBits) bits <<= first % kWordBits;
        if (i == last / kWordBits) bits &= ~std::uint64_t{0} >> (kWordBits - 1 - last % kWordBits);
        return bits;
    }
    bool are_mapped(std::size_t first, std::size_t last) const
    {
        for (std::size_t i = first / kWordBits; i <= last / kWordBits; ++i) {
            if ((~bits_[i] & mask(i, first, last)) != 0) return false;
        }
        return true;
    }
    void ask(std::size_t first, std::size_t last);

    std::byte* base_;
    std::size_t bytes_;
    int page_shift_;
    std::size_t bits_bytes_;
    std::uint64_t* bits_ = nullptr;  // one a page; nullptr: no room for them, and nothing is asked for
};

}  // namespace fmpl
