// Memory for a message in one piece, or in blocks with gaps; with guards, in remote-DMA memory or not.
#pragma once

#include "mpi_shim/p2p/require.hpp"
#include "mpi_shim/standard/message.hpp"

#include <fmpl.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <vector>

namespace mpi_test {

// draw: chooses the form.
class StridedMemory {
public:
    StridedMemory(std::size_t bytes, std::uint64_t draw) : bytes_(bytes)
    {
        const bool strided = draw % 3 == 0 && bytes > 0;
        block_ = strided ? std::array<std::size_t, 6>{1, 3, 8, 40, 512, 5000}[draw / 3 % 6]
                         : std::max<std::size_t>(bytes, 1);
        // Not too many pieces of a long message.
        if (strided && bytes / block_ > 20000) block_ = 64;
        stride_ = strided ? block_ + 1 + draw / 18 % 33 : block_;
        extent_ = bytes == 0 ? 0 : (bytes - 1) / block_ * stride_ + (bytes - 1) % block_ + 1;
        const std::size_t all = extent_ + 2 * kGuard;
        if (draw / 1024 % 2 == 0) {
            remote_ = static_cast<unsigned char*>(fmpl_malloc(all));
            if (remote_ == nullptr) throw std::bad_alloc();
            begin_ = remote_;
        } else {
            heap_ = std::make_unique<unsigned char[]>(all);
            begin_ = heap_.get();
        }
        std::memset(begin_, kUntouched, all);
        if (strided) make_type();
    }
    StridedMemory(const StridedMemory&) = delete;
    StridedMemory& operator=(const StridedMemory&) = delete;
    ~StridedMemory()
    {
        if (type_ != MPI_BYTE) MPI_Type_free(&type_);
        fmpl_free(remote_);
    }

    void* data() { return begin_ + kGuard; }
    int count() const { return type_ == MPI_BYTE ? static_cast<int>(bytes_) : 1; }
    MPI_Datatype type() const { return type_; }

    void fill(std::uint64_t key)
    {
        for_each_byte(bytes_, [&](std::size_t i, std::size_t at) { begin_[kGuard + at] = pattern_byte(key, i); });
    }
    void spoil()
    {
        for_each_byte(bytes_, [&](std::size_t, std::size_t at) { begin_[kGuard + at] = 0xee; });
    }

    // The message `key` of so many bytes is there, and nothing else has changed.
    ::testing::AssertionResult holds(std::uint64_t key, std::size_t bytes) const
    {
        std::vector<unsigned char> expected(extent_ + 2 * kGuard, kUntouched);
        for_each_byte(bytes, [&](std::size_t i, std::size_t at) { expected[kGuard + at] = pattern_byte(key, i); });
        return same(expected, "message");
    }
    // Whatever is in the message's own bytes, nothing else has changed.
    ::testing::AssertionResult has_gaps_untouched() const
    {
        std::vector<unsigned char> expected(extent_ + 2 * kGuard, kUntouched);
        for_each_byte(bytes_, [&](std::size_t, std::size_t at) { expected[kGuard + at] = begin_[kGuard + at]; });
        return same(expected, "gap");
    }

private:
    static constexpr std::size_t kGuard = 64;
    static constexpr unsigned char kUntouched = 0x5a;

    template <class Visit>
    void for_each_byte(std::size_t bytes, Visit&& visit) const
    {
        std::size_t i = 0;
        for (std::size_t at = 0; i < bytes; at += stride_) {
            const std::size_t end = std::min(bytes, i + block_);
            for (std::size_t in_block = at; i < end; ++i, ++in_block) visit(i, in_block);
        }
    }

    ::testing::AssertionResult same(const std::vector<unsigned char>& expected, const char* what) const
    {
        if (std::memcmp(expected.data(), begin_, expected.size()) == 0) return ::testing::AssertionSuccess();
        std::size_t at = 0;
        while (expected[at] == begin_[at]) ++at;
        return ::testing::AssertionFailure()
               << what << ": byte " << static_cast<std::ptrdiff_t>(at) - static_cast<std::ptrdiff_t>(kGuard) << " of "
               << bytes_ << " (block " << block_ << ", stride " << stride_ << ") is " << int{begin_[at]}
               << " instead of " << int{expected[at]};
    }

    // Whole blocks, and what is left of one.
    void make_type()
    {
        const int whole = static_cast<int>(bytes_ / block_);
        const int rest = static_cast<int>(bytes_ % block_);
        MPI_Datatype blocks = MPI_DATATYPE_NULL;
        require(MPI_Type_vector(whole, static_cast<int>(block_), static_cast<int>(stride_), MPI_BYTE, &blocks),
            "MPI_Type_vector");
        const int lengths[2] = {1, rest};
        const MPI_Aint places[2] = {0, static_cast<MPI_Aint>(static_cast<std::size_t>(whole) * stride_)};
        const MPI_Datatype types[2] = {blocks, MPI_BYTE};
        require(MPI_Type_create_struct(2, lengths, places, types, &type_), "MPI_Type_create_struct");
        require(MPI_Type_commit(&type_), "MPI_Type_commit");
        require(MPI_Type_free(&blocks), "MPI_Type_free");
    }

    std::size_t bytes_;
    std::size_t block_;
    std::size_t stride_;
    std::size_t extent_;
    unsigned char* begin_ = nullptr;
    unsigned char* remote_ = nullptr;
    std::unique_ptr<unsigned char[]> heap_;
    MPI_Datatype type_ = MPI_BYTE;
};

}  // namespace mpi_test
