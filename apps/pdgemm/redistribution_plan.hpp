// Which elements move between which processes when a dimension changes from one block-cyclic distribution to another,
// and the copies that follow from it.
//
// Two distributions of the same global indices cut them into intervals that have one owner in each. Each interval is a
// Piece: a run of elements that is contiguous where it comes from and where it goes to. Both sides list the pieces
// between a pair of processes in global order, so a message needs no header: the receiver knows what comes in which
// order. Nothing here communicates.
#pragma once

#include "block_cyclic.hpp"
#include "inner_order.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace fmpl::pdgemm {

struct Piece {
    int source;  // the first element's local index at the process that has it
    int target;  // and at the process that needs it
    int length;
};

class Pieces {
public:
    // Pieces come in global order; one that continues the last one on both sides lengthens it.
    void add(int source, int target, int length)
    {
        if (!list_.empty()) {
            Piece& last = list_.back();
            if (last.source + last.length == source && last.target + last.length == target) {
                last.length += length;
                elements_ += length;
                return;
            }
        }
        list_.push_back({source, target, length});
        elements_ += length;
    }
    void clear()
    {
        list_.clear();
        elements_ = 0;
    }
    bool empty() const { return elements_ == 0; }
    int elements() const { return elements_; }
    auto begin() const { return list_.begin(); }
    auto end() const { return list_.end(); }

private:
    std::vector<Piece> list_;
    int elements_ = 0;
};

// One process's part in a change of distribution: outgoing[t] goes to process t of the new distribution, incoming[s]
// comes from process s of the old one. The process is `my_source` in the old distribution and `my_target` in the new
// one.
struct RedistributionPlan {
    RedistributionPlan(const BlockCyclic& from, int my_source, const BlockCyclic& to, int my_target)
        : outgoing(static_cast<std::size_t>(to.processes())),
          incoming(static_cast<std::size_t>(from.processes()))
    {
        std::vector<int> next_source(incoming.size(), 0);
        std::vector<int> next_target(outgoing.size(), 0);
        for (int begin = 0; begin < from.size();) {
            const int end = std::min(from.block_end(begin), to.block_end(begin));
            const auto source = static_cast<std::size_t>(from.owner(begin));
            const auto target = static_cast<std::size_t>(to.owner(begin));
            if (static_cast<int>(source) == my_source) {
                outgoing[target].add(next_source[source], next_target[target], end - begin);
            }
            if (static_cast<int>(target) == my_target) {
                incoming[source].add(next_source[source], next_target[target], end - begin);
            }
            next_source[source] += end - begin;
            next_target[target] += end - begin;
            begin = end;
        }
    }

    std::vector<Pieces> outgoing;
    std::vector<Pieces> incoming;
};

// The indices of a chunk by owner, for a target that stores the chunk as it is. `side`: &Run::a or &Run::b.
inline void list_pieces_by_owner(Chunk chunk, InnerPlace Run::*side, std::vector<Pieces>& by_owner)
{
    for (Pieces& pieces : by_owner) pieces.clear();
    int target = 0;
    for (const Run& run : chunk) {
        const InnerPlace& place = run.*side;
        by_owner[static_cast<std::size_t>(place.owner)].add(place.local, target, run.width);
        target += run.width;
    }
}

// Where the chunk begins, if one owner has all of it in one piece; else owner -1.
inline InnerPlace place_in_one_piece(Chunk chunk, InnerPlace Run::*side)
{
    const InnerPlace first = chunk.front().*side;
    int next = first.local;
    for (const Run& run : chunk) {
        const InnerPlace& place = run.*side;
        if (place.owner != first.owner || place.local != next) return {-1, 0};
        next += run.width;
    }
    return first;
}

// Three copies of the elements rows x columns of a column-major matrix. `dense` holds rows.elements() x
// columns.elements() elements without gaps; the leading dimension is that of the matrix.
template <class T>
void gather_pieces(const T* matrix, int leading_dimension, const Pieces& rows, const Pieces& columns, T* dense)
{
    for (const Piece& column : columns) {
        for (int j = 0; j < column.length; ++j) {
            const T* from = matrix + static_cast<std::ptrdiff_t>(column.source + j) * leading_dimension;
            for (const Piece& row : rows) dense = std::copy_n(from + row.source, row.length, dense);
        }
    }
}

template <class T>
void scatter_pieces(const T* dense, const Pieces& rows, const Pieces& columns, T* matrix, int leading_dimension)
{
    for (const Piece& column : columns) {
        for (int j = 0; j < column.length; ++j) {
            T* to = matrix + static_cast<std::ptrdiff_t>(column.target + j) * leading_dimension;
            for (const Piece& row : rows) {
                std::copy_n(dense, row.length, to + row.target);
                dense += row.length;
            }
        }
    }
}

template <class T>
void copy_pieces(const T* source, int source_leading_dimension, const Pieces& rows, const Pieces& columns, T* target,
    int target_leading_dimension)
{
    for (const Piece& column : columns) {
        for (int j = 0; j < column.length; ++j) {
            const T* from = source + static_cast<std::ptrdiff_t>(column.source + j) * source_leading_dimension;
            T* to = target + static_cast<std::ptrdiff_t>(column.target + j) * target_leading_dimension;
            for (const Piece& row : rows) std::copy_n(from + row.source, row.length, to + row.target);
        }
    }
}

}  // namespace fmpl::pdgemm
