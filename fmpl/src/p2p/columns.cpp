#include "p2p/columns.hpp"

#include "error.hpp"

#include <cstring>

namespace fmpl {

// A place in the message of some columns.
class Cursor {
public:
    Cursor(const Columns& columns, std::size_t message_offset) : columns_(&columns)
    {
        if (columns.same_parts()) {
            const std::size_t length = columns.part(0).bytes;
            if (length > 0) column_ = message_offset / length;
            done_ = message_offset - column_ * length;
            part_ = columns.part(column_);
            return;
        }
        // Pieces of a message come in order: from where the last one began.
        std::size_t before = 0;
        if (columns.last_.message_offset <= message_offset) {
            column_ = columns.last_.column;
            before = columns.last_.message_offset;
        }
        part_ = columns.part(column_);
        while (part_.bytes <= message_offset - before && column_ + 1 < columns.shape().count) {
            before += part_.bytes;
            part_ = columns.part(++column_);
        }
        done_ = message_offset - before;
        columns.last_ = {column_, before};
    }

    std::size_t at() const { return part_.begin + done_; }    // from the base
    std::size_t left() const { return part_.bytes - done_; }  // in this column
    bool begins_column() const { return done_ == 0; }
    std::size_t column() const { return column_; }
    void advance(std::size_t bytes) { done_ += bytes; }
    // To the next column that gives something. Requires that there is one.
    void settle()
    {
        while (done_ == part_.bytes) {
            part_ = columns_->part(++column_);
            done_ = 0;
        }
    }

private:
    const Columns* columns_;
    Columns::Part part_{};
    std::size_t column_ = 0;
    std::size_t done_ = 0;
};

namespace {

// Lines of the target asked for before its bytes are written: as many columns ahead as make up about this.
constexpr std::size_t kAheadBytes = 2048;

// copy(to, from, bytes) for each piece that lies in one column of both sides; offsets are from the bases.
template <class Copy>
void for_each_piece(Cursor to, Cursor from, std::size_t bytes, Copy&& copy)
{
    while (bytes > 0) {
        to.settle();
        from.settle();
        const std::size_t piece = std::min({bytes, to.left(), from.left()});
        copy(to, from.at(), piece);
        to.advance(piece);
        from.advance(piece);
        bytes -= piece;
    }
}

// Asks for the target's lines some columns ahead of the one that is being written: each is likely to be in the cache of
// another core, and no hardware sees them coming.
void ask_ahead(std::byte* base, const Columns& columns, std::size_t column)
{
    const fmpl_columns& shape = columns.shape();
    const std::size_t ahead = column + std::max<std::size_t>(1, kAheadBytes / std::max<std::size_t>(shape.bytes, 1));
    if (ahead >= shape.count) return;
    const Columns::Part part = columns.part(ahead);
    const std::size_t asked = std::min(part.bytes, kAheadBytes);
    for (std::size_t at = 0; at < asked; at += kLineBytes) prefetch_to_write(base + part.begin + at);
}

// Elements of a fixed size a stride apart: rows of matrices, where a call of memcpy for each would dominate.
template <std::size_t Bytes>
void copy_elements(std::byte* to, std::size_t to_stride, const std::byte* from, std::size_t from_stride, std::size_t n)
{
    for (std::size_t i = 0; i < n; ++i) std::memcpy(to + i * to_stride, from + i * from_stride, Bytes);
}

// Whole columns of one length on both sides; whether they were of one of the sizes done here.
bool copy_columns_of_one_element(std::byte* to, std::size_t to_stride, const std::byte* from, std::size_t from_stride,
    std::size_t length, std::size_t n)
{
    switch (length) {
        case 4:
            copy_elements<4>(to, to_stride, from, from_stride, n);
            return true;
        case 8:
            copy_elements<8>(to, to_stride, from, from_stride, n);
            return true;
        case 16:
            copy_elements<16>(to, to_stride, from, from_stride, n);
            return true;
        default:
            return false;
    }
}

// Copies `bytes` of a message between columns that this process addresses.
void copy(std::byte* to, const Columns& to_columns, std::size_t to_begin, const std::byte* from,
    const Columns& from_columns, std::size_t from_begin, std::size_t bytes)
{
    if (bytes == 0) return;
    const Cursor target(to_columns, to_begin);
    const Cursor source(from_columns, from_begin);
    for_each_piece(target, source, bytes, [&](const Cursor& at, std::size_t from_at, std::size_t piece) {
        if (at.begins_column()) ask_ahead(to, to_columns, at.column());
        copy_across(to + at.at(), from + from_at, piece);
    });
}

}  // namespace

Columns::Columns(const fmpl_columns& shape) : shape_(shape), bytes_(0), in_one_piece_(false)
{
    if (shape_.bytes == 0) shape_.count = 0;
    if (same_parts()) {
        bytes_ = shape_.count == 0 ? 0 : part(0).bytes * shape_.count;
        in_one_piece_ =
            shape_.count <= 1 || bytes_ == 0 || (part(0).bytes == shape_.bytes && shape_.stride == shape_.bytes);
        return;
    }
    for (std::size_t j = 0; j < shape_.count; ++j) bytes_ += part(j).bytes;
    in_one_piece_ = shape_.count <= 1 || bytes_ == 0;
}

void Columns::gather(const std::byte* base, std::size_t begin, std::size_t bytes, std::byte* to) const
{
    const std::size_t length = same_parts() && shape_.count > 0 ? part(0).bytes : 0;
    if (length > 0 && begin % length == 0 && bytes % length == 0 &&
        copy_columns_of_one_element(
            to, length, base + part(begin / length).begin, shape_.stride, length, bytes / length)) {
        return;
    }
    copy(to, Columns::contiguous(bytes), 0, base, *this, begin, bytes);
}

void Columns::scatter(std::byte* base, std::size_t begin, std::size_t bytes, const std::byte* from) const
{
    const std::size_t length = same_parts() && shape_.count > 0 ? part(0).bytes : 0;
    if (length > 0 && begin % length == 0 && bytes % length == 0 &&
        copy_columns_of_one_element(
            base + part(begin / length).begin, shape_.stride, from, length, length, bytes / length)) {
        return;
    }
    copy(base, *this, begin, from, Columns::contiguous(bytes), 0, bytes);
}

void check_columns(const fmpl_columns& shape)
{
    const auto reaches = [&](std::ptrdiff_t first, std::ptrdiff_t step) {
        std::ptrdiff_t last = 0;
        return !__builtin_mul_overflow(static_cast<std::ptrdiff_t>(shape.count), step, &last) &&
               !__builtin_add_overflow(first, last, &last);
    };
    if (shape.count > PTRDIFF_MAX || !reaches(shape.begin, shape.begin_step) || !reaches(shape.end, shape.end_step)) {
        fail(FMPL_ERR_ARGUMENT, "begin or end of the last of {} columns is beyond what a ptrdiff_t holds", shape.count);
    }
    if (shape.count > 1 && shape.stride < shape.bytes) {
        fail(FMPL_ERR_ARGUMENT, "the columns overlap: the stride of {} bytes is less than the {} bytes of a column",
            shape.stride, shape.bytes);
    }
    std::size_t extent = 0;
    if (shape.count > 0 && (__builtin_mul_overflow(shape.count - 1, shape.stride, &extent) ||
                               __builtin_add_overflow(extent, shape.bytes, &extent) || extent > PTRDIFF_MAX)) {
        fail(FMPL_ERR_ARGUMENT, "{} columns {} bytes apart have more bytes than memory has addresses", shape.count,
            shape.stride);
    }
}

void write_columns(const Crossbar& crossbar, int node, Offset to, const Columns& to_columns, const std::byte* from,
    const Columns& from_columns, std::size_t bytes)
{
    if (bytes == 0) return;
    if (std::byte* const target = crossbar.mapped(node, to)) {
        const auto gives_whole = [](const Columns& columns) {
            return columns.same_parts() && columns.part(0).begin == 0 && columns.part(0).bytes == columns.shape().bytes;
        };
        const fmpl_columns& here = from_columns.shape();
        const fmpl_columns& there = to_columns.shape();
        const bool alike = gives_whole(from_columns) && gives_whole(to_columns) && here.bytes == there.bytes &&
                           bytes % here.bytes == 0;
        if (alike &&
            copy_columns_of_one_element(target, there.stride, from, here.stride, here.bytes, bytes / here.bytes)) {
            return;
        }
        copy(target, to_columns, 0, from, from_columns, 0, bytes);
        return;
    }
    for_each_piece(Cursor(to_columns, 0), Cursor(from_columns, 0), bytes,
        [&](const Cursor& at, std::size_t from_at, std::size_t piece) {
            crossbar.write(node, to + at.at(), from + from_at, piece);
        });
}

void read_columns(const Crossbar& crossbar, int node, Offset from, std::byte* to, const Columns& to_columns,
    std::size_t begin, std::size_t bytes)
{
    if (bytes == 0) return;
    if (const std::byte* const source = crossbar.mapped(node, from)) {
        to_columns.scatter(to, begin, bytes, source);
        return;
    }
    const Columns whole = Columns::contiguous(bytes);
    for_each_piece(Cursor(to_columns, begin), Cursor(whole, 0), bytes,
        [&](const Cursor& at, std::size_t from_at, std::size_t piece) {
            crossbar.read(node, from + from_at, to + at.at(), piece);
        });
}

}  // namespace fmpl
