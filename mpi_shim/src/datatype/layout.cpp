#include "datatype/layout.hpp"

#include "datatype/address.hpp"
#include "datatype/checked.hpp"
#include "datatype/layout_node.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <span>
#include <unordered_set>

namespace fmpl::mpi {
namespace {

using NodeKind = LayoutNode::Kind;

Address stepped(Address at, std::uint64_t steps, std::int64_t stride)
{
    return at + steps * static_cast<std::uint64_t>(stride);
}

template <std::size_t kBytes>
void copy_ends(char* to, const char* from, std::size_t bytes)
{
    // The two copies may overlap, and together are all of it: kBytes <= bytes <= 2 * kBytes.
    char first[kBytes];
    char last[kBytes];
    std::memcpy(first, from, kBytes);
    std::memcpy(last, from + bytes - kBytes, kBytes);
    std::memcpy(to, first, kBytes);
    std::memcpy(to + bytes - kBytes, last, kBytes);
}

// A copy of unknown length that is usually short, without a call.
inline void copy(char* to, const char* from, std::size_t bytes)
{
    if (bytes > 128) {
        std::memcpy(to, from, bytes);
    } else if (bytes > 32) {
        std::size_t done = 0;
        for (; done + 32 < bytes; done += 32) std::memcpy(to + done, from + done, 32);
        copy_ends<16>(to + bytes - 32, from + bytes - 32, 32);
    } else if (bytes >= 16) {
        copy_ends<16>(to, from, bytes);
    } else if (bytes >= 8) {
        copy_ends<8>(to, from, bytes);
    } else if (bytes >= 4) {
        copy_ends<4>(to, from, bytes);
    } else if (bytes >= 2) {
        copy_ends<2>(to, from, bytes);
    } else if (bytes == 1) {
        *to = *from;
    }
}

// Moves between the buffer and the packed form, which advances.
template <bool kPacks>
class Copier {
public:
    static constexpr bool kStops = false;
    using Dense = std::conditional_t<kPacks, char*, const char*>;

    explicit Copier(Dense dense) : dense_(dense) {}

    bool stopped() const { return false; }

    void block(Address at, std::uint64_t bytes)
    {
        one(at, dense_, bytes);
        dense_ += bytes;
    }

    void blocks(Address at, std::uint64_t count, std::int64_t stride, std::uint64_t bytes)
    {
        with_size(bytes, [&](auto size) {
            Dense dense = dense_;
            for (std::uint64_t i = 0; i < count; ++i) {
                one(at, dense, size);
                at = moved(at, stride);
                dense += size;
            }
            dense_ = dense;
        });
    }

    void blocks(Address at, std::uint64_t outer_count, std::int64_t outer_stride, std::uint64_t count,
        std::int64_t stride, std::uint64_t bytes)
    {
        with_size(bytes, [&](auto size) {
            Dense dense = dense_;
            for (std::uint64_t i = 0; i < outer_count; ++i) {
                Address here = at;
                for (std::uint64_t j = 0; j < count; ++j) {
                    one(here, dense, size);
                    here = moved(here, stride);
                    dense += size;
                }
                at = moved(at, outer_stride);
            }
            dense_ = dense;
        });
    }

    void blocks(Address at, std::span<const std::int64_t> displacements, std::uint64_t bytes)
    {
        with_size(bytes, [&](auto size) {
            Dense dense = dense_;
            for (const std::int64_t displacement : displacements) {
                one(moved(at, displacement), dense, size);
                dense += size;
            }
            dense_ = dense;
        });
    }

private:
    template <std::size_t kBytes>
    struct Size {
        constexpr operator std::size_t() const { return kBytes; }
    };

    // Calls f with the size as a constant where that makes the copies single instructions.
    template <class F>
    static void with_size(std::uint64_t bytes, F&& f)
    {
        switch (bytes) {
            case 1:
                return f(Size<1>());
            case 2:
                return f(Size<2>());
            case 4:
                return f(Size<4>());
            case 8:
                return f(Size<8>());
            case 12:
                return f(Size<12>());
            case 16:
                return f(Size<16>());
            case 24:
                return f(Size<24>());
            case 32:
                return f(Size<32>());
            case 48:
                return f(Size<48>());
            case 64:
                return f(Size<64>());
            default:
                return f(static_cast<std::size_t>(bytes));
        }
    }

    static void both(char* to, const char* from, std::size_t bytes) { copy(to, from, bytes); }
    template <std::size_t kBytes>
    static void both(char* to, const char* from, Size<kBytes>)
    {
        std::memcpy(to, from, kBytes);
    }

    template <class Bytes>
    static void one(Address at, Dense dense, Bytes bytes)
    {
        if constexpr (kPacks) {
            both(dense, reinterpret_cast<const char*>(at), bytes);
        } else {
            both(reinterpret_cast<char*>(at), dense, bytes);
        }
    }

    Dense dense_;
};

// Reports the pieces of memory, neighbours joined.
class Pieces {
public:
    static constexpr bool kStops = true;
    using Visit = bool (*)(void*, std::int64_t, std::uint64_t);

    Pieces(Visit visit, void* context) : visit_(visit), context_(context) {}

    bool stopped() const { return stopped_; }

    void block(Address at, std::uint64_t bytes)
    {
        if (stopped_) return;
        if (bytes_ > 0 && at_ + bytes_ == at) {
            bytes_ += bytes;
            return;
        }
        finish();
        at_ = at;
        bytes_ = bytes;
    }

    void blocks(Address at, std::uint64_t count, std::int64_t stride, std::uint64_t bytes)
    {
        for (std::uint64_t i = 0; i < count && !stopped_; ++i) block(stepped(at, i, stride), bytes);
    }

    void blocks(Address at, std::uint64_t outer_count, std::int64_t outer_stride, std::uint64_t count,
        std::int64_t stride, std::uint64_t bytes)
    {
        for (std::uint64_t i = 0; i < outer_count && !stopped_; ++i) {
            blocks(stepped(at, i, outer_stride), count, stride, bytes);
        }
    }

    void blocks(Address at, std::span<const std::int64_t> displacements, std::uint64_t bytes)
    {
        for (std::size_t i = 0; i < displacements.size() && !stopped_; ++i) block(moved(at, displacements[i]), bytes);
    }

    // The last piece, which no other was joined to.
    void finish()
    {
        if (bytes_ > 0 && !stopped_) stopped_ = !visit_(context_, static_cast<std::int64_t>(at_), bytes_);
        bytes_ = 0;
    }

private:
    Visit visit_;
    void* context_;
    Address at_ = 0;
    std::uint64_t bytes_ = 0;
    bool stopped_ = false;
};

template <class Mover>
void move_whole(const LayoutPart& part, Address at, Mover& mover);

template <class Mover>
void move_whole_loop(std::uint64_t count, std::int64_t stride, const LayoutPart& child, Address at, Mover& mover)
{
    if (child.is_block()) {
        mover.blocks(at, count, stride, child.size);
    } else if (const LayoutNode& inner = *child.node; inner.kind == NodeKind::loop && inner.child.is_block()) {
        mover.blocks(at, count, stride, inner.count, inner.stride, inner.child.size);
    } else {
        for (std::uint64_t i = 0; i < count; ++i) {
            if (Mover::kStops && mover.stopped()) return;
            move_whole(child, stepped(at, i, stride), mover);
        }
    }
}

// All bytes of the part.
template <class Mover>
void move_whole(const LayoutPart& part, Address at, Mover& mover)
{
    if (part.is_block()) {
        mover.block(at, part.size);
        return;
    }
    const LayoutNode& node = *part.node;
    switch (node.kind) {
        case NodeKind::loop:
            move_whole_loop(node.count, node.stride, node.child, at, mover);
            return;
        case NodeKind::indexed:
            if (node.child.is_block()) {
                mover.blocks(at, node.displacements, node.child.size);
                return;
            }
            for (const std::int64_t displacement : node.displacements) {
                if (Mover::kStops && mover.stopped()) return;
                move_whole(node.child, moved(at, displacement), mover);
            }
            return;
        case NodeKind::runs:
            for (std::size_t i = 0; i < node.displacements.size(); ++i) {
                if (Mover::kStops && mover.stopped()) return;
                mover.block(moved(at, node.displacements[i]), node.begins[i + 1] - node.begins[i]);
            }
            return;
        case NodeKind::list:
            for (std::size_t i = 0; i < node.displacements.size(); ++i) {
                if (Mover::kStops && mover.stopped()) return;
                move_whole(node.children[i], moved(at, node.displacements[i]), mover);
            }
            return;
    }
}

template <class Mover>
void move_part(const LayoutPart& part, Address at, std::uint64_t begin, std::uint64_t end, Mover& mover);

// Bytes [begin, end) of children of equal size: the rest of the one that `begin` is in, whole ones, and the beginning
// of the one that `end` is in. place(i) is where child i lies, whole(i, n) moves n of them from child i on.
template <class Mover, class Place, class Whole>
void move_part_of_equals(
    const LayoutPart& child, std::uint64_t begin, std::uint64_t end, Mover& mover, Place&& place, Whole&& whole)
{
    std::uint64_t first = begin / child.size;
    const std::uint64_t skipped = begin % child.size;
    const std::uint64_t last = end / child.size;
    const std::uint64_t rest = end % child.size;
    if (first == last) {
        move_part(child, place(first), skipped, rest, mover);
        return;
    }
    if (skipped > 0) {
        move_part(child, place(first), skipped, child.size, mover);
        ++first;
    }
    if (first < last) whole(first, last - first);
    if (rest > 0) move_part(child, place(last), 0, rest, mover);
}

template <class Mover>
void move_part_of_loop(std::uint64_t count, std::int64_t stride, const LayoutPart& child, Address at,
    std::uint64_t begin, std::uint64_t end, Mover& mover)
{
    if (begin == 0 && end == count * child.size) {
        move_whole_loop(count, stride, child, at, mover);
        return;
    }
    move_part_of_equals(
        child, begin, end, mover, [&](std::uint64_t i) { return stepped(at, i, stride); },
        [&](std::uint64_t i, std::uint64_t n) { move_whole_loop(n, stride, child, stepped(at, i, stride), mover); });
}

// Bytes [begin, end) of the part's packed form.
template <class Mover>
void move_part(const LayoutPart& part, Address at, std::uint64_t begin, std::uint64_t end, Mover& mover)
{
    if (begin == end || (Mover::kStops && mover.stopped())) return;
    if (begin == 0 && end == part.size) {
        move_whole(part, at, mover);
        return;
    }
    if (part.is_block()) {
        mover.block(at + begin, end - begin);
        return;
    }
    const LayoutNode& node = *part.node;
    switch (node.kind) {
        case NodeKind::loop:
            move_part_of_loop(node.count, node.stride, node.child, at, begin, end, mover);
            return;
        case NodeKind::indexed: {
            const std::span<const std::int64_t> displacements = node.displacements;
            const LayoutPart& child = node.child;
            move_part_of_equals(
                child, begin, end, mover, [&](std::uint64_t i) { return moved(at, displacements[i]); },
                [&](std::uint64_t i, std::uint64_t n) {
                    if (child.is_block()) {
                        mover.blocks(at, displacements.subspan(i, n), child.size);
                        return;
                    }
                    for (std::uint64_t j = i; j < i + n; ++j) {
                        if (Mover::kStops && mover.stopped()) return;
                        move_whole(child, moved(at, displacements[j]), mover);
                    }
                });
            return;
        }
        case NodeKind::runs:
        case NodeKind::list: {
            const auto after = std::upper_bound(node.begins.begin(), node.begins.end(), begin);
            for (std::size_t i = static_cast<std::size_t>(after - node.begins.begin()) - 1; node.begins[i] < end; ++i) {
                if (Mover::kStops && mover.stopped()) return;
                const std::uint64_t from = std::max(begin, node.begins[i]) - node.begins[i];
                const std::uint64_t to = std::min(end, node.begins[i + 1]) - node.begins[i];
                const Address place = moved(at, node.displacements[i]);
                if (node.kind == NodeKind::runs) {
                    mover.block(place + from, to - from);
                } else {
                    move_part(node.children[i], place, from, to, mover);
                }
            }
            return;
        }
    }
}

// True when a part that is a loop goes on in the next element of a message where it ended in this one.
bool continues(const LayoutPart& part, std::int64_t extent)
{
    if (part.is_block() || part.node->kind != NodeKind::loop) return false;
    std::int64_t whole;
    return !__builtin_mul_overflow(static_cast<std::int64_t>(part.node->count), part.node->stride, &whole) &&
           whole == extent;
}

// Of the nodes that a part has.
std::size_t memory_of(const LayoutPart& part, std::unordered_set<const LayoutNode*>& counted)
{
    if (part.is_block() || !counted.insert(part.node.get()).second) return 0;
    const LayoutNode& node = *part.node;
    std::size_t bytes = sizeof node + node.displacements.capacity() * sizeof(std::int64_t) +
                        node.begins.capacity() * sizeof(std::uint64_t) + node.children.capacity() * sizeof(LayoutPart);
    bytes += memory_of(node.child, counted);
    for (const LayoutPart& child : node.children) bytes += memory_of(child, counted);
    return bytes;
}

}  // namespace

std::shared_ptr<const Layout> Layout::compile(const Datatype& type)
{
    return std::make_shared<const Layout>(Private(), type);
}

Layout::Layout(Private, const Datatype& type)
    : offset_(0),
      extent_(type.extent()),
      true_lower_bound_(type.true_lower_bound()),
      true_upper_bound_(type.true_upper_bound())
{
    Shape shape = compile_shape(type);
    offset_ = shape.offset;
    root_ = std::move(shape.part);
}

std::uint64_t Layout::bytes(std::int64_t count) const
{
    if (count < 0) {
        throw TypeError(ErrorClass::count, fmt::format("the count is {}; it must not be negative", count));
    }
    if (count <= 1 || root_.size == 0) return static_cast<std::uint64_t>(count) * root_.size;
    // Neither the number of bytes nor the place of any of them may exceed 64 bits.
    const std::int64_t last = checked_multiply(count - 1, extent_);
    checked_add(last, true_lower_bound_);
    checked_add(last, true_upper_bound_);
    return static_cast<std::uint64_t>(checked_multiply(count, static_cast<std::int64_t>(root_.size)));
}

std::optional<std::int64_t> Layout::single_piece(std::int64_t count) const
{
    const std::uint64_t size = bytes(count);
    if (size == 0) return 0;
    if (!root_.is_block()) return std::nullopt;
    if (count > 1 && extent_ != static_cast<std::int64_t>(root_.size)) return std::nullopt;
    return offset_;
}

void Layout::check(std::int64_t count, std::uint64_t begin, std::uint64_t end) const
{
    const std::uint64_t size = bytes(count);
    if (begin > end || end > size) {
        throw TypeError(ErrorClass::argument,
            fmt::format("bytes {} to {} of a message of {} bytes; give a range inside of it", begin, end, size));
    }
}

template <class Mover>
void Layout::move(std::int64_t count, std::uint64_t begin, std::uint64_t end, Mover& mover, std::uint64_t base) const
{
    if (begin == end) return;
    const Address at = moved(base, offset_);
    if (count == 1) {
        move_part(root_, at, begin, end, mover);
    } else if (root_.is_block() && extent_ == static_cast<std::int64_t>(root_.size)) {
        mover.block(at + begin, end - begin);
    } else if (continues(root_, extent_)) {
        const LayoutNode& loop = *root_.node;
        move_part_of_loop(
            static_cast<std::uint64_t>(count) * loop.count, loop.stride, loop.child, at, begin, end, mover);
    } else {
        move_part_of_loop(static_cast<std::uint64_t>(count), extent_, root_, at, begin, end, mover);
    }
}

void Layout::pack(const void* buffer, std::int64_t count, std::uint64_t begin, std::uint64_t end, void* dense) const
{
    check(count, begin, end);
    Copier<true> copier(static_cast<char*>(dense));
    move(count, begin, end, copier, reinterpret_cast<Address>(buffer));
}

void Layout::unpack(void* buffer, std::int64_t count, std::uint64_t begin, std::uint64_t end, const void* dense) const
{
    check(count, begin, end);
    Copier<false> copier(static_cast<const char*>(dense));
    move(count, begin, end, copier, reinterpret_cast<Address>(buffer));
}

void Layout::visit_pieces(
    std::int64_t count, std::uint64_t begin, std::uint64_t end, PieceVisitor visit, void* context) const
{
    check(count, begin, end);
    Pieces pieces(visit, context);
    move(count, begin, end, pieces, 0);
    pieces.finish();
}

std::size_t Layout::compiled_bytes() const
{
    std::unordered_set<const LayoutNode*> counted;
    return sizeof *this + memory_of(root_, counted);
}

void copy_message(const Layout& from_layout, const void* from, std::int64_t from_count, const Layout& to_layout,
    void* to, std::int64_t to_count, std::uint64_t begin, std::uint64_t end)
{
    // The layout with many pieces walks; the other side is plain memory.
    if (const auto piece = to_layout.single_piece(to_count); piece && end <= to_layout.bytes(to_count)) {
        const Address at = moved(reinterpret_cast<Address>(to), *piece) + begin;
        from_layout.pack(from, from_count, begin, end, reinterpret_cast<void*>(at));
        return;
    }
    if (const auto piece = from_layout.single_piece(from_count); piece && end <= from_layout.bytes(from_count)) {
        const Address at = moved(reinterpret_cast<Address>(from), *piece) + begin;
        to_layout.unpack(to, to_count, begin, end, reinterpret_cast<const void*>(at));
        return;
    }
    // Small enough to stay in the first-level cache.
    char some[8192];
    if (begin >= end || end > to_layout.bytes(to_count)) {
        to_layout.unpack(to, to_count, begin, end, some);  // moves nothing, or says what is wrong with the range
        return;
    }
    while (begin < end) {
        const std::uint64_t until = begin + std::min<std::uint64_t>(sizeof some, end - begin);
        from_layout.pack(from, from_count, begin, until, some);
        to_layout.unpack(to, to_count, begin, until, some);
        begin = until;
    }
}

}  // namespace fmpl::mpi
