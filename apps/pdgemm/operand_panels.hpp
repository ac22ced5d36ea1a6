// One operand of PxGEMM, delivered panel by panel: op(A)(:, k0 .. k1-1) to every process in the rows of C that the
// process has, or op(B)(k0 .. k1-1, :) in its columns of C.
//
// Words. The *kept* dimension of the operand is the one that C has too (m of op(A), n of op(B)); the *inner* one is
// k. The kept dimension must end on the grid axis on which C has it (`kept_axis`: rows for A, columns for B); panels
// are broadcast along the other one (`root_axis`). In memory a panel has the orientation of the stored matrix,
// transposed or not: the local product transposes, the communication never does.
//
// Two ways:
// - *Direct*: the kept dimension is already distributed as in C and the panel lies in one process column (for A; row
//   for B). Its owners broadcast it from where it lies and multiply from where it lies; no copy is made.
// - *Redistributed*: the processes send the pieces they hold to the process of the root column (row) that has these
//   rows (columns) of C; this covers transposition, other block sizes, other offsets and the gathering of tiny
//   blocks. Then as above. Sends are locally blocking in the BLACS and every process sends before it receives, so no
//   cycle can form. Both sides know the pieces from the descriptors; empty messages are not sent, own pieces are
//   copied.
#pragma once

#include "blacs_calls.hpp"
#include "block_cyclic.hpp"
#include "process_grid.hpp"
#include "redistribution_plan.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

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
class OperandPanels {
public:
    // Blocks of fewer than this many columns are gathered, as long as more than one process has some: below it, the
    // local product and the broadcast are dominated by their fixed costs.
    static constexpr int least_direct_block = 32;

    // `kept_in_c`: C's distribution along kept_axis. Local; panels will have at most `widest` columns.
    OperandPanels(const ProcessGrid& grid, Axis kept_axis, const StoredOperand<T>& stored, const BlockCyclic& kept_in_c,
        int widest)
        : grid_(grid),
          kept_axis_(kept_axis),
          root_axis_(other(kept_axis)),
          stored_(stored),
          kept_on_rows_((kept_axis == Axis::rows) != stored.transposed),
          kept_(kept_on_rows_ ? stored.rows : stored.columns),
          inner_(kept_on_rows_ ? stored.columns : stored.rows),
          kept_count_(kept_in_c.local_count(grid.mine(kept_axis))),
          widest_(widest)
    {
        direct_ = !stored.transposed && kept_.same_layout(kept_in_c) &&
                  (inner_.has_one_owner() || inner_.block() >= least_direct_block);
        if (!direct_) {
            plan_.emplace(kept_, grid.mine(stored_kept_axis()), kept_in_c, grid.mine(kept_axis));
            inner_pieces_.resize(static_cast<std::size_t>(inner_.processes()));
        }
    }

    // Elements of the panel that broadcasts arrive in, and of the messages of a redistribution.
    std::size_t panel_elements() const
    {
        const bool always_in_place = direct_ && grid_.count(root_axis_) == 1;
        return always_in_place ? 0 : elements(kept_count_);
    }
    std::size_t message_elements() const
    {
        if (direct_) return 0;
        return elements(std::max(kept_count_, kept_.local_count(grid_.mine(stored_kept_axis()))));
    }
    // Memory for both, which must outlive this object's use. The message buffer may serve other operands too.
    void use_buffers(T* panel, T* message)
    {
        panel_ = panel;
        message_ = message;
    }

    // Where a panel that begins at k0 must end at the latest.
    int panel_limit(int k0) const
    {
        const bool one_owner_needed = direct_ && grid_.count(root_axis_) > 1;
        return one_owner_needed ? inner_.block_end(k0) : inner_.size();
    }

    // Collective over the grid, in the same order of panels everywhere; `number` counts them. The panel is valid until
    // the next call.
    Panel<T> bring(int k0, int k1, int number)
    {
        const int width = k1 - k0;
        // A transposed operand's inner dimension lies on the other grid axis, so any root is as good: taking turns
        // spreads the work. Otherwise the pieces are nearest to the owner of the first ones.
        const int root = stored_.transposed ? number % grid_.count(root_axis_) : inner_.owner(k0);
        const bool is_root = grid_.mine(root_axis_) == root;
        Panel<T> panel{panel_, kept_on_rows_ ? std::max(1, kept_count_) : width};
        if (direct_) {
            if (is_root) panel = in_place(k0);
        } else {
            redistribute(k0, k1, root);
        }
        if (grid_.count(root_axis_) > 1 && kept_count_ > 0) broadcast(panel, width, root, is_root);
        return panel;
    }

private:
    Axis stored_kept_axis() const { return kept_on_rows_ ? Axis::rows : Axis::columns; }
    std::size_t elements(int kept) const { return static_cast<std::size_t>(kept) * static_cast<std::size_t>(widest_); }

    Panel<T> in_place(int k0) const
    {
        const std::ptrdiff_t index = inner_.local_index(k0);
        const std::ptrdiff_t step = kept_on_rows_ ? stored_.leading_dimension : 1;
        return {stored_.local + index * step, stored_.leading_dimension};
    }

    void broadcast(const Panel<T>& panel, int width, int root, bool is_root)
    {
        const char* scope = root_axis_ == Axis::columns ? "Row" : "Column";
        const int rows = kept_on_rows_ ? kept_count_ : width;
        const int columns = kept_on_rows_ ? width : kept_count_;
        if (is_root) {
            BlacsCalls<T>::broadcast_send(grid_.context, scope, rows, columns, panel.data, panel.leading_dimension);
        } else {
            const int row = kept_axis_ == Axis::rows ? grid_.my_row : root;
            const int column = kept_axis_ == Axis::rows ? root : grid_.my_column;
            BlacsCalls<T>::broadcast_receive(
                grid_.context, scope, rows, columns, panel_, panel.leading_dimension, row, column);
        }
    }

    // Afterwards panel_ of the root processes holds the panel.
    void redistribute(int k0, int k1, int root)
    {
        list_pieces_by_owner(inner_, k0, k1, inner_pieces_);
        const bool is_root = grid_.mine(root_axis_) == root;
        const int panel_leading_dimension = kept_on_rows_ ? std::max(1, kept_count_) : k1 - k0;
        const int my_kept = grid_.mine(stored_kept_axis());
        const int my_inner = grid_.mine(other(stored_kept_axis()));
        const int my_target = grid_.mine(kept_axis_);

        // Each process begins with itself and goes round, so that not all send to the same process first.
        const Pieces& my_inner_pieces = inner_pieces_[static_cast<std::size_t>(my_inner)];
        const int targets = grid_.count(kept_axis_);
        for (int step = 0; step < targets && !my_inner_pieces.empty(); ++step) {
            const int target = (my_target + step) % targets;
            const Pieces& kept_pieces = plan_->outgoing[static_cast<std::size_t>(target)];
            if (kept_pieces.empty()) continue;
            const Pieces& rows = kept_on_rows_ ? kept_pieces : my_inner_pieces;
            const Pieces& columns = kept_on_rows_ ? my_inner_pieces : kept_pieces;
            if (is_root && target == my_target) {
                copy_pieces(stored_.local, stored_.leading_dimension, rows, columns, panel_, panel_leading_dimension);
                continue;
            }
            gather_pieces(stored_.local, stored_.leading_dimension, rows, columns, message_);
            BlacsCalls<T>::send(grid_.context, rows.elements(), columns.elements(), message_, rows.elements(),
                kept_axis_ == Axis::rows ? target : root, kept_axis_ == Axis::rows ? root : target);
        }
        if (!is_root) return;

        const int kept_sources = grid_.count(stored_kept_axis());
        const int inner_sources = inner_.processes();
        for (int inner_step = 0; inner_step < inner_sources; ++inner_step) {
            const int inner_source = (my_inner + inner_step) % inner_sources;
            const Pieces& inner_pieces = inner_pieces_[static_cast<std::size_t>(inner_source)];
            if (inner_pieces.empty()) continue;
            for (int kept_step = 0; kept_step < kept_sources; ++kept_step) {
                const int kept_source = (my_kept + kept_step) % kept_sources;
                const Pieces& kept_pieces = plan_->incoming[static_cast<std::size_t>(kept_source)];
                const bool own = inner_source == my_inner && kept_source == my_kept;
                if (own || kept_pieces.empty()) continue;
                const Pieces& rows = kept_on_rows_ ? kept_pieces : inner_pieces;
                const Pieces& columns = kept_on_rows_ ? inner_pieces : kept_pieces;
                BlacsCalls<T>::receive(grid_.context, rows.elements(), columns.elements(), message_, rows.elements(),
                    kept_on_rows_ ? kept_source : inner_source, kept_on_rows_ ? inner_source : kept_source);
                scatter_pieces(message_, rows, columns, panel_, panel_leading_dimension);
            }
        }
    }

    ProcessGrid grid_;
    Axis kept_axis_;
    Axis root_axis_;
    StoredOperand<T> stored_;
    bool kept_on_rows_;  // the kept dimension is the row dimension of the stored matrix, and so lies on the grid's rows
    BlockCyclic kept_;
    BlockCyclic inner_;
    int kept_count_;  // rows (columns) of C that this process has
    int widest_;
    bool direct_ = false;
    std::optional<RedistributionPlan> plan_;
    std::vector<Pieces> inner_pieces_;  // of the present panel, by owner
    T* panel_ = nullptr;
    T* message_ = nullptr;
};

}  // namespace fmpl::pdgemm
