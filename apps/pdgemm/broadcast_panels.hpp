// The panels of an operand by messages of the BLACS, for the algorithm `summa`.
//
// A panel is broadcast along the axis of the grid that C does not distribute the operand over. Two ways:
// - *In place*: the kept dimension is distributed as in C, along the same axis, and one process column (for A; row for
//   B) has the chunk in one piece. Its owners broadcast it from where it lies and multiply from where it lies; no copy
//   is made.
// - *Gathered*: the processes send the pieces they hold to the process of the root column (row) that has these rows
//   (columns) of C; this covers transposition, other block sizes, other offsets and runs of several owners. Then as
//   above. Sends are locally blocking in the BLACS and every process sends before it receives, so no cycle can form.
//   Both sides know the pieces from the descriptors; empty messages are not sent, own pieces are copied.
#pragma once

#include "blacs_calls.hpp"
#include "operand.hpp"
#include "redistribution_plan.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace fmpl::pdgemm {

template <class T>
class BroadcastPanels {
public:
    // Local.
    BroadcastPanels(const Operand<T>& operand, const BlockCyclic& kept_in_c, const InnerOrder& order)
        : operand_(operand),
          root_axis_(other(operand.kept_axis)),
          widest_(order.widest())
    {
        for (std::size_t i = 0; i < order.size(); ++i) all_in_place_ = all_in_place_ && is_in_place(order[i]);
        if (!all_in_place_) {
            const ProcessGrid& grid = operand.grid;
            plan_.emplace(operand.kept, grid.mine(operand.stored_kept_axis()), kept_in_c, grid.mine(operand.kept_axis));
            inner_pieces_.resize(static_cast<std::size_t>(operand.inner.processes()));
        }
    }

    // Elements of one of the two panels that broadcasts arrive in, in turn, and of the messages by which they are
    // gathered.
    std::size_t panel_elements() const
    {
        const bool never_used = all_in_place_ && operand_.grid.count(root_axis_) == 1;
        return never_used ? 0 : operand_.panel_elements(widest_);
    }
    std::size_t message_elements() const
    {
        if (all_in_place_) return 0;
        const int stored = operand_.kept.local_count(operand_.grid.mine(operand_.stored_kept_axis()));
        return static_cast<std::size_t>(std::max(operand_.kept_count, stored)) * static_cast<std::size_t>(widest_);
    }
    // Memory for them, which must outlive this object's use. The message buffer may serve other operands too.
    void use_buffers(T* panel, T* other_panel, T* message)
    {
        panel_ = panel;
        other_panel_ = other_panel;
        message_ = message;
    }

    // Collective over the grid, in the same order of chunks everywhere; `number` counts them. The panel is valid until
    // the call after the next.
    Panel<T> bring(Chunk chunk, std::size_t number)
    {
        std::swap(panel_, other_panel_);
        const int width = width_of(chunk);
        const InnerPlace place = chunk.front().*operand_.side;
        // A transposed operand's inner dimension lies on the other axis of the grid, so any root is as good: taking
        // turns spreads the work. Otherwise the pieces are nearest to the owner of the first ones.
        const int processes = operand_.grid.count(root_axis_);
        const int root =
            operand_.stored.transposed ? static_cast<int>(number % static_cast<std::size_t>(processes)) : place.owner;
        const bool is_root = operand_.grid.mine(root_axis_) == root;
        Panel<T> panel{panel_, operand_.panel_leading_dimension(width)};
        if (!is_in_place(chunk)) {
            gather(chunk, width, root);
        } else if (is_root) {
            panel = operand_.in_place(operand_.stored.local, operand_.stored.leading_dimension, place.local);
        }
        if (processes > 1 && operand_.kept_count > 0) broadcast(panel, width, root, is_root);
        return panel;
    }

private:
    bool is_in_place(Chunk chunk) const
    {
        return !operand_.stored.transposed && operand_.kept_as_in_c &&
               place_in_one_piece(chunk, operand_.side).owner >= 0;
    }

    void broadcast(const Panel<T>& panel, int width, int root, bool is_root)
    {
        const ProcessGrid& grid = operand_.grid;
        const char* scope = root_axis_ == Axis::columns ? "Row" : "Column";
        const int rows = operand_.kept_on_rows ? operand_.kept_count : width;
        const int columns = operand_.kept_on_rows ? width : operand_.kept_count;
        if (is_root) {
            BlacsCalls<T>::broadcast_send(grid.context, scope, rows, columns, panel.data, panel.leading_dimension);
        } else {
            const int row = operand_.kept_axis == Axis::rows ? grid.my_row : root;
            const int column = operand_.kept_axis == Axis::rows ? root : grid.my_column;
            BlacsCalls<T>::broadcast_receive(
                grid.context, scope, rows, columns, panel_, panel.leading_dimension, row, column);
        }
    }

    // Afterwards panel_ of the root processes holds the panel.
    void gather(Chunk chunk, int width, int root)
    {
        list_pieces_by_owner(chunk, operand_.side, inner_pieces_);
        const ProcessGrid& grid = operand_.grid;
        const StoredOperand<T>& stored = operand_.stored;
        const bool kept_on_rows = operand_.kept_on_rows;
        const bool is_root = grid.mine(root_axis_) == root;
        const int panel_leading_dimension = operand_.panel_leading_dimension(width);
        const int my_kept = grid.mine(operand_.stored_kept_axis());
        const int my_inner = grid.mine(operand_.stored_inner_axis());
        const int my_target = grid.mine(operand_.kept_axis);

        // Each process begins with itself and goes round, so that not all send to the same process first.
        const Pieces& my_inner_pieces = inner_pieces_[static_cast<std::size_t>(my_inner)];
        const int targets = grid.count(operand_.kept_axis);
        for (int step = 0; step < targets && !my_inner_pieces.empty(); ++step) {
            const int target = (my_target + step) % targets;
            const Pieces& kept_pieces = plan_->outgoing[static_cast<std::size_t>(target)];
            if (kept_pieces.empty()) continue;
            const Pieces& rows = kept_on_rows ? kept_pieces : my_inner_pieces;
            const Pieces& columns = kept_on_rows ? my_inner_pieces : kept_pieces;
            if (is_root && target == my_target) {
                copy_pieces(stored.local, stored.leading_dimension, rows, columns, panel_, panel_leading_dimension);
                continue;
            }
            gather_pieces(stored.local, stored.leading_dimension, rows, columns, message_);
            const bool by_rows = operand_.kept_axis == Axis::rows;
            BlacsCalls<T>::send(grid.context, rows.elements(), columns.elements(), message_, rows.elements(),
                by_rows ? target : root, by_rows ? root : target);
        }
        if (!is_root) return;

        const int kept_sources = grid.count(operand_.stored_kept_axis());
        const int inner_sources = operand_.inner.processes();
        for (int inner_step = 0; inner_step < inner_sources; ++inner_step) {
            const int inner_source = (my_inner + inner_step) % inner_sources;
            const Pieces& inner_pieces = inner_pieces_[static_cast<std::size_t>(inner_source)];
            if (inner_pieces.empty()) continue;
            for (int kept_step = 0; kept_step < kept_sources; ++kept_step) {
                const int kept_source = (my_kept + kept_step) % kept_sources;
                const Pieces& kept_pieces = plan_->incoming[static_cast<std::size_t>(kept_source)];
                const bool own = inner_source == my_inner && kept_source == my_kept;
                if (own || kept_pieces.empty()) continue;
                const Pieces& rows = kept_on_rows ? kept_pieces : inner_pieces;
                const Pieces& columns = kept_on_rows ? inner_pieces : kept_pieces;
                BlacsCalls<T>::receive(grid.context, rows.elements(), columns.elements(), message_, rows.elements(),
                    kept_on_rows ? kept_source : inner_source, kept_on_rows ? inner_source : kept_source);
                scatter_pieces(message_, rows, columns, panel_, panel_leading_dimension);
            }
        }
    }

    Operand<T> operand_;
    Axis root_axis_;
    int widest_;
    bool all_in_place_ = true;
    std::optional<RedistributionPlan> plan_;  // of the kept dimension; like the next, only if something is gathered
    std::vector<Pieces> inner_pieces_;        // of the present chunk, by owner
    T* panel_ = nullptr;
    T* other_panel_ = nullptr;
    T* message_ = nullptr;
};

}  // namespace fmpl::pdgemm
