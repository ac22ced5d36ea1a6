// The panels of an operand straight from the memory of their owners, for the algorithm `direct`.
//
// Where the kept dimension is distributed as in C and one process has the chunk in one piece, the panel is that
// process's memory: the local product reads it there, and no copy is made. Else the pieces are copied from the memory
// of their owners into a panel of this process's.
//
// REQUIRES: all owners' parts can be read, and nobody changes them before the product ends. Local: nothing here waits.
#pragma once

#include "operand.hpp"
#include "redistribution_plan.hpp"

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace fmpl::pdgemm {

// What a process of the grid has of the operand, as this process sees it: its part of the submatrix from the first
// local element on.
template <class T>
struct StoredPart {
    const T* local;
    int leading_dimension;
};

template <class T>
class DirectPanels {
public:
    // parts: of all processes, in row-major order of the grid.
    DirectPanels(const Operand<T>& operand, const BlockCyclic& kept_in_c, const InnerOrder& order,
        std::vector<StoredPart<T>> parts)
        : operand_(operand),
          parts_(std::move(parts))
    {
        for (std::size_t i = 0; i < order.size(); ++i) {
            if (!is_in_place(order[i])) widest_ = std::max(widest_, width_of(order[i]));
        }
        if (widest_ > 0) {
            const ProcessGrid& grid = operand.grid;
            plan_.emplace(operand.kept, grid.mine(operand.stored_kept_axis()), kept_in_c, grid.mine(operand.kept_axis));
            inner_pieces_.resize(static_cast<std::size_t>(operand.inner.processes()));
        }
    }

    // Of the panel that pieces are copied to, and memory for it, which must outlive this object's use.
    std::size_t panel_elements() const { return operand_.panel_elements(widest_); }
    void use_buffer(T* panel) { panel_ = panel; }

    // Valid until the next call.
    Panel<T> bring(Chunk chunk)
    {
        if (is_in_place(chunk)) {
            const InnerPlace place = chunk.front().*operand_.side;
            const StoredPart<T>& from = part(operand_.grid.mine(operand_.kept_axis), place.owner);
            return operand_.in_place(from.local, from.leading_dimension, place.local);
        }
        list_pieces_by_owner(chunk, operand_.side, inner_pieces_);
        const Panel<T> panel{panel_, operand_.panel_leading_dimension(width_of(chunk))};
        const int inner_sources = operand_.inner.processes();
        const int kept_sources = operand_.kept.processes();
        for (int inner_source = 0; inner_source < inner_sources; ++inner_source) {
            const Pieces& inner_pieces = inner_pieces_[static_cast<std::size_t>(inner_source)];
            if (inner_pieces.empty()) continue;
            for (int kept_source = 0; kept_source < kept_sources; ++kept_source) {
                const Pieces& kept_pieces = plan_->incoming[static_cast<std::size_t>(kept_source)];
                if (kept_pieces.empty()) continue;
                const StoredPart<T>& from = part(kept_source, inner_source);
                const Pieces& rows = operand_.kept_on_rows ? kept_pieces : inner_pieces;
                const Pieces& columns = operand_.kept_on_rows ? inner_pieces : kept_pieces;
                copy_pieces(from.local, from.leading_dimension, rows, columns, panel_, panel.leading_dimension);
            }
        }
        return panel;
    }

private:
    bool is_in_place(Chunk chunk) const
    {
        return operand_.kept_as_in_c && place_in_one_piece(chunk, operand_.side).owner >= 0;
    }

    // The part of the process that has these places along the two dimensions of the stored matrix.
    const StoredPart<T>& part(int kept_owner, int inner_owner) const
    {
        const int row = operand_.kept_on_rows ? kept_owner : inner_owner;
        const int column = operand_.kept_on_rows ? inner_owner : kept_owner;
        return parts_[static_cast<std::size_t>(row * operand_.grid.columns + column)];
    }

    Operand<T> operand_;
    std::vector<StoredPart<T>> parts_;
    int widest_ = 0;                          // chunk that is copied
    std::optional<RedistributionPlan> plan_;  // of the kept dimension; like the next, only if something is copied
    std::vector<Pieces> inner_pieces_;        // of the present chunk, by owner
    T* panel_ = nullptr;
};

}  // namespace fmpl::pdgemm
