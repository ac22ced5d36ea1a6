// The algorithm `direct`: every process takes the parts of A and B that it needs from the memory of their owners, by
// itself (direct_panels.hpp). Nobody waits for anybody between the meeting at the beginning, after which all parts are
// there, and the barrier at the end, after which their owners may change them. The processes begin at different places
// in k, so that they read different owners' memory at a time.
//
// Cost on an R x S grid, time b per element copied, g per multiply-add: m n k / (R S) g, and (m/R + n/S) k b for what
// is not in place; one combine operation and one barrier. Memory: two panels, if something is copied; taken once a
// call.
#pragma once

#include "blacs_calls.hpp"
#include "comm_memory.hpp"
#include "direct_panels.hpp"
#include "product.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace fmpl::pdgemm {

// How k is cut. Narrow runs are multiplied where they lie as long as C stays in the second-level cache from one to the
// next; the local product is as fast then with 16 columns as with many. Beyond that each product of `width` columns
// reads and writes C from further away, and below 128 columns this shows (docs/decisions/0012-direct-pdgemm.md).
inline ChunkRule direct_chunks(std::size_t c_bytes)
{
    const long second_level = sysconf(_SC_LEVEL2_CACHE_SIZE);
    const std::size_t at_hand = second_level > 0 ? static_cast<std::size_t>(second_level) : std::size_t{1} << 20;
    return c_bytes <= at_hand ? ChunkRule{384, 16, 16} : ChunkRule{384, 128, 128};
}

// Collective over the grid.
template <class T>
void multiply_directly(
    const Product<T>& product, std::vector<StoredPart<T>> a_parts, std::vector<StoredPart<T>> b_parts)
{
    const ProcessGrid& grid = product.grid;
    // The part of C that a process has on the average, so that all cut alike.
    const std::size_t c_bytes = sizeof(T) * static_cast<std::size_t>(product.c_rows.size() / grid.rows) *
                                static_cast<std::size_t>(product.c_columns.size() / grid.columns);
    const InnerOrder order(product.a.inner, product.b.inner, direct_chunks(c_bytes));
    DirectPanels<T> a_panels(product.a, product.c_rows, order, std::move(a_parts));
    DirectPanels<T> b_panels(product.b, product.c_columns, order, std::move(b_parts));
    const std::size_t a_bytes = bytes_in_lines<T>(a_panels.panel_elements());
    const CommMemory memory(std::max<std::size_t>(64, a_bytes + bytes_in_lines<T>(b_panels.panel_elements())));
    a_panels.use_buffer(reinterpret_cast<T*>(memory.data()));
    b_panels.use_buffer(reinterpret_cast<T*>(memory.data() + a_bytes));

    const auto turns = static_cast<std::size_t>(std::max(grid.rows, grid.columns));
    const std::size_t turn = static_cast<std::size_t>(grid.my_row + grid.my_column) % turns;
    const std::size_t begin = order.size() * turn / turns;
    const bool has_part = product.c.rows > 0 && product.c.columns > 0;
    for (std::size_t i = 0; has_part && i < order.size(); ++i) {
        const Chunk chunk = order[(begin + i) % order.size()];
        const Panel<T> a_panel = a_panels.bring(chunk);
        const Panel<T> b_panel = b_panels.bring(chunk);
        product.multiply(a_panel, b_panel, width_of(chunk), i == 0);
    }
    Cblacs_barrier(grid.context, "All");
}

}  // namespace fmpl::pdgemm
