#include "p2p/columns.hpp"

#include "error.hpp"
#include "p2p/records.hpp"
#include "p2p/wide_copy.hpp"

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
    std::size_t column() const { return column_; }
    std::size_t in_column() const { return done_; }
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

constexpr std::size_t columns_ahead(std::size_t length)
{
    return std::max<std::size_t>(1, kAheadBytes / length);
}

// copy(to, from, bytes) for each piece that lies in one column of both sides; offsets are from the bases.
template <class Copy>
void for_each_piece(Cursor to, Cursor from, std::size_t bytes, Copy&& copy)
{
    while (bytes > 0) {
        to.settle();
        from.settle();
        const std::size_t piece = std::min({bytes, to.left(), from.left()});
        copy(to.at(), from.at(), piece);
        to.advance(piece);
        from.advance(piece);
        bytes -= piece;
    }
}

// Elements of a fixed size a stride apart: rows of matrices, where a call of memcpy for each would dominate.
template <std::size_t Bytes>
void copy_elements(std::byte* to, std::size_t to_stride, const std::byte* from, std::size_t from_stride, std::size_t n)
{
    for (std::size_t i = 0; i < n; ++i) std::memcpy(to + i * to_stride, from + i * from_stride, Bytes);
}

// The lines of a column of the target that is written some columns later: they are likely to be in the cache of another
// core, and no hardware sees them coming.
void ask_for(const std::byte* column, std::size_t bytes)
{
    prefetch_to_write(column, std::min(bytes, kAheadBytes));
}

// n columns of one length.
void copy_columns(std::byte* to, std::size_t to_stride, const std::byte* from, std::size_t from_stride,
    std::size_t length, std::size_t n)
{
    switch (length) {
        case 4:
            return copy_elements<4>(to, to_stride, from, from_stride, n);
        case 8:
            return copy_elements<8>(to, to_stride, from, from_stride, n);
        case 16:
            return copy_elements<16>(to, to_stride, from, from_stride, n);
        default:
            break;
    }
    if (!asking_ahead_pays() && length >= kLeastWide && length <= kMostWide) {
        return copy_wide_columns(to, to_stride, from, from_stride, length, n);
    }
    const std::size_t ahead = asking_ahead_pays() && to_stride != length ? columns_ahead(length) : n;
    for (std::size_t j = 0; j < n; ++j) {
        if (j + ahead < n) ask_for(to + (j + ahead) * to_stride, length);
        copy_across(to + j * to_stride, from + j * from_stride, length);
    }
}

// Whether both give the same of each column that both have.
bool alike(const fmpl_columns& a, const fmpl_columns& b)
{
    return a.bytes == b.bytes && a.begin == b.begin && a.begin_step == b.begin_step && a.end == b.end &&
           a.end_step == b.end_step;
}

// One side of a copy by columns. In a packed one, a column lies behind the one before.
struct Side {
    Side(const Columns& columns, std::size_t message_offset)
        : packed(columns.in_one_piece()),
          stride(columns.shape().stride),
          first(packed ? columns.first() + message_offset : 0)
    {
    }
    // The place `in_column` of column j, which is the next after `done` bytes of the copy.
    std::size_t at(std::size_t j, std::size_t in_column, std::size_t done) const
    {
        return packed ? first + done : j * stride + in_column;
    }

    bool packed;
    std::size_t stride;
    std::size_t first;
};

// The bytes of a message from `begin` on, where both sides have the same columns or one is packed: column by column,
// which costs less than to find out piece by piece what lies in one column of both. Whether it was that simple.
bool copy_by_columns(std::byte* to, const Columns& to_columns, std::size_t to_begin, const std::byte* from,
    const Columns& from_columns, std::size_t from_begin, std::size_t bytes)
{
    const Side target(to_columns, to_begin);
    const Side source(from_columns, from_begin);
    const bool same =
        target.packed != source.packed || (to_begin == from_begin && alike(to_columns.shape(), from_columns.shape()));
    if (!same) return false;
    const Columns& columns = target.packed ? from_columns : to_columns;
    const Cursor start(columns, target.packed ? from_begin : to_begin);
    std::size_t j = start.column();
    std::size_t done = 0;
    // Column j from there on, as far as the copy goes.
    const auto copy_column = [&](std::size_t from_there) {
        const Columns::Part part = columns.in_column(j);
        const std::size_t at = part.begin + from_there;
        const std::size_t length = std::min(part.bytes - from_there, bytes - done);
        copy_across(to + target.at(j, at, done), from + source.at(j, at, done), length);
        done += length;
        ++j;
    };
    if (start.in_column() != 0) copy_column(start.in_column());
    if (columns.same_parts()) {
        const Columns::Part part = columns.in_column(0);
        const std::size_t n = (bytes - done) / part.bytes;
        copy_columns(to + target.at(j, part.begin, done), target.packed ? part.bytes : target.stride,
            from + source.at(j, part.begin, done), source.packed ? part.bytes : source.stride, part.bytes, n);
        done += n * part.bytes;
        j += n;
    }
    const std::size_t count = columns.shape().count;
    const std::size_t ahead = asking_ahead_pays() && !target.packed ? columns_ahead(columns.shape().bytes) : count;
    while (done < bytes) {
        if (j + ahead < count) {
            const Columns::Part later = columns.in_column(j + ahead);
            ask_for(to + target.at(j + ahead, later.begin, 0), later.bytes);
        }
        copy_column(0);
    }
    return true;
}

// Copies `bytes` of a message between columns that this process addresses.
void copy(std::byte* to, const Columns& to_columns, std::size_t to_begin, const std::byte* from,
    const Columns& from_columns, std::size_t from_begin, std::size_t bytes)
{
    if (bytes == 0 || copy_by_columns(to, to_columns, to_begin, from, from_columns, from_begin, bytes)) return;
    for_each_piece(Cursor(to_columns, to_begin), Cursor(from_columns, from_begin), bytes,
        [&](std::size_t to_at, std::size_t from_at, std::size_t piece) {
            copy_across(to + to_at, from + from_at, piece);
        });
}

// The sum of first + j * step, each cut to what is between 0 and limit, for j = 0 .. n - 1. Requires n > 0 and limit >=
// 0, and that neither the terms nor their distances to 0 and limit overflow.
std::size_t sum_of_cut(std::ptrdiff_t first, std::ptrdiff_t step, std::ptrdiff_t limit, std::ptrdiff_t n)
{
    if (limit == 0) return 0;
    if (step == 0) return static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(first, 0, limit) * n);
    if (step < 0) {  // from the other end
        first += (n - 1) * step;
        step = -step;
    }
    // Terms below a bound: those of j < (bound - first) / step, rounded up.
    const auto below = [&](std::ptrdiff_t bound) {
        return bound <= first ? 0 : std::min(n, (bound - first - 1) / step + 1);
    };
    const std::ptrdiff_t none = below(0);
    const std::ptrdiff_t cut = below(limit);
    const std::ptrdiff_t between = cut - none;
    return static_cast<std::size_t>(
        between * (first + none * step) + between * (between - 1) / 2 * step + (n - cut) * limit);
}

// The bytes of all columns.
std::size_t bytes_of(const fmpl_columns& shape)
{
    if (shape.count == 0) return 0;
    const auto n = static_cast<std::ptrdiff_t>(shape.count);
    const auto limit = static_cast<std::ptrdiff_t>(shape.bytes);
    // All but what no matrix has: places so far away that their differences might overflow.
    const auto is_near = [&](std::ptrdiff_t first, std::ptrdiff_t step) {
        constexpr std::ptrdiff_t kFar = PTRDIFF_MAX / 4;
        return std::max(first, first + n * step) < kFar && std::min(first, first + n * step) > -kFar;
    };
    const bool near =
        is_near(shape.begin, shape.begin_step) && is_near(shape.end, shape.end_step) && limit < PTRDIFF_MAX / 4;
    if (near && shape.begin_step == 0) {
        const std::ptrdiff_t begin = std::clamp<std::ptrdiff_t>(shape.begin, 0, limit);
        return sum_of_cut(shape.end - begin, shape.end_step, limit - begin, n);
    }
    if (near && shape.end_step == 0) {
        const std::ptrdiff_t end = std::clamp<std::ptrdiff_t>(shape.end, 0, limit);
        return sum_of_cut(end - shape.begin, -shape.begin_step, end, n);
    }
    std::size_t bytes = 0;
    for (std::size_t j = 0; j < shape.count; ++j) bytes += Columns::in_column(shape, j).bytes;
    return bytes;
}

}  // namespace

Columns::Columns(const fmpl_columns& shape) : shape_(shape), bytes_(0), in_one_piece_(false)
{
    if (shape_.bytes == 0) shape_.count = 0;
    bytes_ = bytes_of(shape_);
    const bool is_solid = whole() && shape_.stride == shape_.bytes;
    in_one_piece_ = shape_.count <= 1 || bytes_ == 0 || is_solid;
}

void Columns::gather(const std::byte* base, std::size_t begin, std::size_t bytes, std::byte* to) const
{
    copy(to, Columns::contiguous(bytes), 0, base, *this, begin, bytes);
}

void Columns::scatter(std::byte* base, std::size_t begin, std::size_t bytes, const std::byte* from) const
{
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

Columns block_columns(std::uint64_t block_word, std::size_t bytes)
{
    const std::size_t column = BlockWord::column_bytes(block_word);
    return Columns(
        {column, bytes / column, BlockWord::stride(block_word), 0, 0, static_cast<std::ptrdiff_t>(column), 0});
}

void copy_columns(
    std::byte* to, const Columns& to_columns, const std::byte* from, const Columns& from_columns, std::size_t bytes)
{
    copy(to, to_columns, 0, from, from_columns, 0, bytes);
}

void write_columns(const Crossbar& crossbar, int node, Offset to, const Columns& to_columns, const std::byte* from,
    const Columns& from_columns, std::size_t bytes)
{
    if (bytes == 0) return;
    if (std::byte* const target = crossbar.mapped(node, to)) {
        if (to_columns.in_one_piece()) crossbar.map_pages(target + to_columns.first(), bytes);
        copy(target, to_columns, 0, from, from_columns, 0, bytes);
        return;
    }
    for_each_piece(Cursor(to_columns, 0), Cursor(from_columns, 0), bytes,
        [&](std::size_t to_at, std::size_t from_at, std::size_t piece) {
            crossbar.write(node, to + to_at, from + from_at, piece);
        });
}

void read_columns(const Crossbar& crossbar, int node, Offset from, std::byte* to, const Columns& to_columns,
    std::size_t begin, std::size_t bytes)
{
    if (bytes == 0) return;
    if (const std::byte* const source = crossbar.mapped(node, from)) {
        crossbar.map_pages(source, bytes);
        to_columns.scatter(to, begin, bytes, source);
        return;
    }
    const Columns whole = Columns::contiguous(bytes);
    for_each_piece(Cursor(to_columns, begin), Cursor(whole, 0), bytes,
        [&](std::size_t to_at, std::size_t from_at, std::size_t piece) {
            crossbar.read(node, from + from_at, to + to_at, piece);
        });
}

}  // namespace fmpl
