// One operand of PxGEMM, op(A) or op(B), as the processes of the grid store it and as the product needs it.
//
// Words. The *kept* dimension of the operand is the one that C has too (m of op(A), n of op(B)); the *inner* one is k.
// A
// *panel* is a chunk of the inner dimension (inner_order.hpp) with the part of the kept dimension that this process has
// of C: its `kept_axis` is the axis of the grid over which C distributes it, rows for A, columns for B. In memory a
// panel has the orientation of the stored matrix, transposed or not: the local product transposes, the communication
// never does.
#pragma once

#include "block_cyclic.hpp"
#include "inner_order.hpp"
#include "process_grid.hpp"

#include <algorithm>
#include <cstddef>

namespace fmpl::pdgemm {

// A sub(A) or sub(B) where it lies: its distributions, the local array from its first local element on, and the local
// leading dimension.
template <class T>
struct StoredOperand {
    BlockCyclic rows;
    BlockCyclic columns;
    const T* local;
    int leading_dimension;
    bool transposed;  // op is T or C
};

template <class T>
struct Panel {
    const T* data;
    int leading_dimension;
};

template <class T>
struct Operand {
    // side: the operand's places in a run, &Run::a or &Run::b. kept_in_c: C's distribution along kept_axis.
    Operand(const ProcessGrid& process_grid, Axis axis, InnerPlace Run::*side_of_runs, const StoredOperand<T>& matrix,
        const BlockCyclic& kept_in_c)
        : grid(process_grid),
          kept_axis(axis),
          side(side_of_runs),
          stored(matrix),
          kept_on_rows((axis == Axis::rows) != matrix.transposed),
          kept(kept_on_rows ? matrix.rows : matrix.columns),
          inner(kept_on_rows ? matrix.columns : matrix.rows),
          kept_as_in_c(kept.same_layout(kept_in_c)),
          kept_count(kept_in_c.local_count(process_grid.mine(axis)))
    {
    }

    // The axes of the grid over which the stored matrix has the two dimensions.
    Axis stored_kept_axis() const { return kept_on_rows ? Axis::rows : Axis::columns; }
    Axis stored_inner_axis() const { return other(stored_kept_axis()); }

    // Of a panel without gaps.
    int panel_leading_dimension(int width) const { return std::max(1, kept_on_rows ? kept_count : width); }
    std::size_t panel_elements(int width) const
    {
        return static_cast<std::size_t>(kept_count) * static_cast<std::size_t>(width);
    }

    // The panel that begins at this local inner index of a stored part of the matrix.
    Panel<T> in_place(const T* part, int leading_dimension, int local) const
    {
        const std::ptrdiff_t step = kept_on_rows ? leading_dimension : 1;
        return {part + local * step, leading_dimension};
    }

    ProcessGrid grid;
    Axis kept_axis;
    InnerPlace Run::*side;
    StoredOperand<T> stored;
    bool kept_on_rows;  // the kept dimension is the row dimension of the stored matrix, and so lies on the grid's rows
    BlockCyclic kept;
    BlockCyclic inner;
    bool kept_as_in_c;  // each kept index has the number of its owner in C, if perhaps along the other axis of the grid
    int kept_count;     // rows (columns) of C that this process has
};

}  // namespace fmpl::pdgemm
