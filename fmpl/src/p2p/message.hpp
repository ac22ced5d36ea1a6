// A message as it lies in memory of this process: in one piece, or as columns that make it up one after the other.
#pragma once

#include "crossbar/crossbar.hpp"
#include "p2p/columns.hpp"
#include "p2p/records.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace fmpl {

// Byte: std::byte where a message may be written, const std::byte where it is sent from.
template <class Byte>
class MessageOf {
    using Void = std::conditional_t<std::is_const_v<Byte>, const void, void>;

public:
    MessageOf() = default;
    MessageOf(Void* data, std::size_t bytes) : data_(static_cast<Byte*>(data)), bytes_(bytes) {}
    // The columns must live as long as the message.
    MessageOf(Byte* base, const Columns& columns)
        : data_(columns.in_one_piece() ? base + columns.first() : base),
          columns_(columns.in_one_piece() ? nullptr : &columns),
          bytes_(columns.bytes())
    {
    }

    Byte* data() const { return data_; }  // the columns' base
    std::size_t bytes() const { return bytes_; }
    bool in_one_piece() const { return columns_ == nullptr; }
    const Columns& columns() const { return *columns_; }  // requires !in_one_piece()
    // Whether all of it is remote-DMA memory.
    bool in_arena(const Crossbar& crossbar) const
    {
        return crossbar.contains(data_, in_one_piece() ? bytes_ : columns_->extent());
    }
    // The BlockWord of columns that make a block of whole ones, else kNoOffset.
    std::uint64_t block_word() const
    {
        if (in_one_piece() || !columns_->whole()) return kNoOffset;
        const fmpl_columns& shape = columns_->shape();
        return BlockWord::fits(shape.bytes, shape.stride) ? BlockWord::make(shape.bytes, shape.stride) : kNoOffset;
    }

    // The bytes [begin, begin + bytes) to contiguous memory of this process.
    void gather(std::size_t begin, std::size_t bytes, std::byte* to) const
    {
        if (!in_one_piece()) {
            columns_->gather(data_, begin, bytes, to);
        } else if (bytes > 0) {
            std::memcpy(to, data_ + begin, bytes);
        }
    }
    // The same bytes from `from` of a node on, where they lie contiguously.
    void read(const Crossbar& crossbar, int node, Offset from, std::size_t begin, std::size_t bytes) const
    {
        if (in_one_piece()) {
            crossbar.read(node, from, data_ + begin, bytes);
        } else {
            read_columns(crossbar, node, from, data_, *columns_, begin, bytes);
        }
    }
    // All bytes to a node: to `to` contiguously, or to columns from there on.
    void write(const Crossbar& crossbar, int node, Offset to, const Columns* target = nullptr) const
    {
        if (in_one_piece() && target == nullptr) return crossbar.write(node, to, data_, bytes_);
        const Columns whole = Columns::contiguous(bytes_);
        write_columns(
            crossbar, node, to, target != nullptr ? *target : whole, data_, in_one_piece() ? whole : *columns_, bytes_);
    }

private:
    Byte* data_ = nullptr;
    const Columns* columns_ = nullptr;  // nullptr: in one piece
    std::size_t bytes_ = 0;
};

using Message = MessageOf<const std::byte>;
using Room = MessageOf<std::byte>;  // for a message: bytes() is its capacity

}  // namespace fmpl
