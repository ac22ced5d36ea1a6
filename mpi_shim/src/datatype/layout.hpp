// Where the bytes of a data type lie, compiled for moving them.
//
// The compiled form (layout_node.hpp) is a tree of blocks, loops of equal strides, and lists. Neighbouring pieces are
// merged, and what repeats at equal distances stays one loop however often it repeats. The packed form of a message
// is the bytes of its type map in order, without gaps; a range [begin, end) of it can be moved for itself, after a
// search of O(depth * log(entries)), so that a long message can be moved in pieces. No byte outside of the type map
// is read or written.
//
// Immutable; any thread may use one that others use too. `buffer` is the argument of the MPI call (null for MPI_BOTTOM,
// where displacements are addresses). Nothing here blocks or, but for compile, allocates. Errors are TypeErrors: a
// negative count (class count), a range that the message does not have, or a message beyond 64 bits (class argument).
#pragma once

#include "datatype/datatype.hpp"
#include "datatype/layout_node.hpp"

#include <fmpl/columns.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <type_traits>

namespace fmpl::mpi {

class Layout : public std::enable_shared_from_this<Layout> {
    struct Private {
        explicit Private() = default;
    };

public:
    // The message in the form of struct fmpl_columns; the columns begin `offset` bytes after the buffer.
    struct Columns {
        std::int64_t offset;
        fmpl_columns columns;
    };

    static std::shared_ptr<const Layout> compile(const Datatype& type);

    // Bytes of `count` of the type in packed form.
    std::uint64_t bytes(std::int64_t count) const;

    // Where the message lies when it is one piece of memory in order: bytes after the buffer. None if it is not.
    std::optional<std::int64_t> single_piece(std::int64_t count) const;

    // The message as columns, when it is equal blocks at equal distances, or a trapezoid with its rows merged. A
    // message without bytes is no columns.
    std::optional<Columns> columns(std::int64_t count) const;

    // Copies bytes [begin, end) of the packed form of `count` of the type in `buffer` to dense[0 .. end - begin - 1],
    // which must not overlap them; unpack copies them back. Entries that overlap are read by pack as often as they
    // occur; unpack leaves in them what comes last.
    void pack(const void* buffer, std::int64_t count, std::uint64_t begin, std::uint64_t end, void* dense) const;
    void unpack(void* buffer, std::int64_t count, std::uint64_t begin, std::uint64_t end, const void* dense) const;

    // Calls visit(offset, bytes) for the pieces of memory of bytes [begin, end), in order, `offset` bytes after the
    // buffer, until it returns false. For lists of pieces that a system call takes.
    template <class Visit>
    void for_each_piece(std::int64_t count, std::uint64_t begin, std::uint64_t end, Visit&& visit) const
    {
        visit_pieces(
            count, begin, end,
            [](void* context, std::int64_t offset, std::uint64_t bytes) {
                return static_cast<bool>((*static_cast<std::remove_reference_t<Visit>*>(context))(offset, bytes));
            },
            const_cast<void*>(static_cast<const void*>(&visit)));
    }

    // Memory that the compiled form takes.
    std::size_t compiled_bytes() const;

    Layout(Private, const Datatype& type);

private:
    using PieceVisitor = bool (*)(void* context, std::int64_t offset, std::uint64_t bytes);
    void visit_pieces(
        std::int64_t count, std::uint64_t begin, std::uint64_t end, PieceVisitor visit, void* context) const;
    void check(std::int64_t count, std::uint64_t begin, std::uint64_t end) const;
    template <class Mover>
    void move(std::int64_t count, std::uint64_t begin, std::uint64_t end, Mover& mover, std::uint64_t base) const;

    std::int64_t offset_;  // of the first byte of the type map in its order
    LayoutPart root_;
    std::int64_t extent_;
    std::int64_t true_lower_bound_;
    std::int64_t true_upper_bound_;
};

// Copies bytes [begin, end) of the packed form of one message to the same bytes of another, without a packed copy of
// them in between where one of the two is one piece, else by a small buffer on the stack.
void copy_message(const Layout& from_layout, const void* from, std::int64_t from_count, const Layout& to_layout,
    void* to, std::int64_t to_count, std::uint64_t begin, std::uint64_t end);

}  // namespace fmpl::mpi
