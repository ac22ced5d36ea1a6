// Where the bytes of a message lie that is made of columns, as a block of a column-major matrix is: a general block, or
// a trapezoidal one, whose columns grow or shrink by a fixed number of bytes (fmpl_columns of fmpl/columns.h).
//
// The message has the columns' bytes one after the other. Copies go from place to place without a packed form between.
// For one thread at a time, also when const.
#pragma once

#include "crossbar/crossbar.hpp"

#include <fmpl/columns.h>

#include <algorithm>
#include <cstddef>

namespace fmpl {

class Columns {
public:
    // shape: checked by check_columns.
    explicit Columns(const fmpl_columns& shape);
    // Of a message in one piece.
    static Columns contiguous(std::size_t bytes)
    {
        return Columns({bytes, 1, bytes, 0, 0, static_cast<std::ptrdiff_t>(bytes), 0});
    }

    std::size_t bytes() const { return bytes_; }  // of the message
    // Whether the message lies in one piece, which begins at `first()` bytes from the base.
    bool in_one_piece() const { return in_one_piece_; }
    std::size_t first() const { return shape_.count == 0 ? 0 : part(0).begin; }
    // From the base to the end of what can belong to the message.
    std::size_t extent() const { return shape_.count == 0 ? 0 : (shape_.count - 1) * shape_.stride + shape_.bytes; }
    const fmpl_columns& shape() const { return shape_; }
    bool same_parts() const { return shape_.begin_step == 0 && shape_.end_step == 0; }
    // Whether each column gives all its bytes.
    bool whole() const { return same_parts() && shape_.begin <= 0 && in_column(0).bytes == shape_.bytes; }

    struct Part {
        std::size_t begin;
        std::size_t bytes;
    };
    // What column j gives; it begins so far behind the column's own place.
    static Part in_column(const fmpl_columns& shape, std::size_t j)
    {
        const auto limit = static_cast<std::ptrdiff_t>(shape.bytes);
        const auto column = static_cast<std::ptrdiff_t>(j);
        const std::ptrdiff_t begin = std::clamp<std::ptrdiff_t>(shape.begin + column * shape.begin_step, 0, limit);
        const std::ptrdiff_t end = std::clamp<std::ptrdiff_t>(shape.end + column * shape.end_step, begin, limit);
        return {static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin)};
    }
    Part in_column(std::size_t j) const { return in_column(shape_, j); }
    // The same; it begins so far behind the base.
    Part part(std::size_t j) const
    {
        const Part part = in_column(j);
        return {j * shape_.stride + part.begin, part.bytes};
    }

    // The message [begin, begin + bytes) from and to contiguous memory.
    void gather(const std::byte* base, std::size_t begin, std::size_t bytes, std::byte* to) const;
    void scatter(std::byte* base, std::size_t begin, std::size_t bytes, const std::byte* from) const;

private:
    friend class Cursor;

    fmpl_columns shape_;
    std::size_t bytes_;
    bool in_one_piece_;
    // Where a piece of the message began, for the next one: a column and the bytes of the message before it.
    struct Place {
        std::size_t column = 0;
        std::size_t message_offset = 0;
    };
    mutable Place last_;
};

// Throws Error(ARGUMENT) when the columns overlap, or when there are more bytes than memory has addresses.
void check_columns(const fmpl_columns& shape);

// A block of whole columns, by its BlockWord (p2p/records.hpp) and its bytes.
Columns block_columns(std::uint64_t block_word, std::size_t bytes);

// Copies the first `bytes` of a message between columns that this process addresses.
void copy_columns(
    std::byte* to, const Columns& to_columns, const std::byte* from, const Columns& from_columns, std::size_t bytes);

// Copies the first `bytes` of a message from columns of this process to ones at `to` of a node, mapped or not.
void write_columns(const Crossbar& crossbar, int node, Offset to, const Columns& to_columns, const std::byte* from,
    const Columns& from_columns, std::size_t bytes);

// The part [begin, begin + bytes) of a message that lies contiguously at `from` of a node, into columns of this
// process.
void read_columns(const Crossbar& crossbar, int node, Offset from, std::byte* to, const Columns& to_columns,
    std::size_t begin, std::size_t bytes);

}  // namespace fmpl
