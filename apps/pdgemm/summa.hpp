// The algorithm `summa`: the outer-product form over panels of k (van de Geijn, Watts: SUMMA: scalable universal matrix
// multiplication algorithm, 1997), with the block-cyclic data of PUMMA (Choi, Dongarra, Walker, 1994) and without its
// restrictions on alignment; the way of the paper's section 5.6. For each chunk of k:
//   1. op(A)(:, chunk) goes to the processes of one process column in the row distribution of C, then along the rows;
//   2. op(B)(chunk, :) goes to the processes of one process row in the column distribution of C, then along the
//   columns;
//   3. every process multiplies its two panels into its part of C.
// C never moves. The first half of steps 1 and 2 is empty when the operand already lies like C (broadcast_panels.hpp).
// The panels of the next chunk are brought before this chunk is multiplied, so that nobody who has work waits for one
// who is late.
//
// Cost on an R x S grid with panels of w columns, message latency a, time b per element moved, g per multiply-add:
//   k/w (log R + log S) a  +  (m k / R log S + k n / S log R) b  +  m n k / (R S) g
// with tree broadcasts (with the hardware broadcast, or all reading the root's memory, the logarithms go). An operand
// that is redistributed adds k/w (R or S, at most) messages and the same number of elements once more.
// Memory: 2 w (m/R + n/S) elements for the panels, the larger of m/R and n/S times w again when an operand is
// redistributed; taken once a call. Throws std::bad_alloc.
#pragma once

#include "broadcast_panels.hpp"
#include "comm_memory.hpp"
#include "product.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace fmpl::pdgemm {

// Wide enough for the local product to run at full speed and for few broadcasts, narrow enough for the panels to stay
// in the caches.
inline constexpr ChunkRule kSummaChunks{256, 128, 64};

// Collective over the grid.
template <class T>
void multiply_by_summa(const Product<T>& product)
{
    const InnerOrder order(product.a.inner, product.b.inner, kSummaChunks);
    BroadcastPanels<T> a_panels(product.a, product.c_rows, order);
    BroadcastPanels<T> b_panels(product.b, product.c_columns, order);

    // One allocation: two panels of each and, shared because only one operand moves at a time, the messages.
    const std::size_t a_bytes = bytes_in_lines<T>(a_panels.panel_elements());
    const std::size_t b_bytes = bytes_in_lines<T>(b_panels.panel_elements());
    const std::size_t message_bytes =
        bytes_in_lines<T>(std::max(a_panels.message_elements(), b_panels.message_elements()));
    const CommMemory memory(std::max<std::size_t>(64, 2 * (a_bytes + b_bytes) + message_bytes));
    const auto at = [&](std::size_t offset) { return reinterpret_cast<T*>(memory.data() + offset); };
    T* const message = at(2 * (a_bytes + b_bytes));
    a_panels.use_buffers(at(0), at(a_bytes), message);
    b_panels.use_buffers(at(2 * a_bytes), at(2 * a_bytes + b_bytes), message);

    const auto bring = [&](std::size_t i) {
        const Panel<T> a_panel = a_panels.bring(order[i], i);
        return std::pair(a_panel, b_panels.bring(order[i], i));
    };
    auto next = bring(0);
    for (std::size_t i = 0; i < order.size(); ++i) {
        const auto [a_panel, b_panel] = next;
        if (i + 1 < order.size()) next = bring(i + 1);
        product.multiply(a_panel, b_panel, width_of(order[i]), i == 0);
    }
}

}  // namespace fmpl::pdgemm
