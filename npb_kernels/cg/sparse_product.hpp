// y = A x for a block of the matrix, as fast as the memory that holds A delivers it.
//
// What there is to do: an element takes a multiplication, an addition and a read of x at a random place, and its value
// and column have to come from memory (or, in small classes, from the last-level cache). The form of the matrix serves
// both:
//
//   - The block is cut into *strips* of rows, few enough for the part of y to stay in the second-level cache from one
//     panel to the next, and a strip into *panels* of columns, few enough for the part of x to stay in the
//     first-level cache beside what streams through it, unless a row would have too few elements there; and for a
//     column to be told by 16 bits: 10 bytes an element. A tile is a panel of a strip.
//   - Within a tile, the rows are sorted by their number of elements, and sixteen of like number lie side by side,
//     element by element (the format SELL-C-sigma; Kreutzer et al., SIAM J. Sci. Comput. 36 (2014)). So a lane of a
//     register holds a row, no sum goes across lanes, and hardly an element is filled up (class A: 0.3 % on two
//     ranks, 0.6 % on sixteen).
//
// How x is best read and how early the matrix is best asked for depends on the processor and on whether the matrix
// comes from a cache or from memory: by a factor of 1.6 on one processor. So the first products try the ways
// (FastestWay). They give the same results, bit by bit.
//
// The order in which the elements of a row are summed is not that of their columns.
#pragma once

#include "fastest_way.hpp"
#include "sparse_matrix.hpp"

#include "../common/work_pool.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace fmpl::npb::cg {

class SparseProduct {
public:
    // Reads the rows of the matrix, which may then be destroyed. REQUIRES: matrix has a row and a column.
    explicit SparseProduct(SparseMatrix& matrix);

    std::uint32_t rows() const { return rows_; }
    std::uint32_t columns() const { return columns_; }
    std::size_t elements() const { return elements_; }
    // Those and the zeros that fill up.
    std::size_t stored_elements() const { return stored_; }

    // y = A x; what was in y does not matter. Each time that the results of some rows are there, in the order of the
    // rows, calls visit(first of the rows, results).
    // REQUIRES: x.size() == columns(), y.size() == rows(), they do not overlap.
    template <class Visit>
    void multiply(std::span<const double> x, std::span<double> y, const Visit& visit)
    {
        const std::size_t way = fastest_way_.begin();
        for (const Strip& strip : strips_) {
            const std::span<double> results = y.subspan(strip.first_row, strip.rows);
            multiply_strip(way, strip, x.data(), results.data());
            visit(std::size_t{strip.first_row}, std::span<const double>(results));
        }
        fastest_way_.end();
    }
    void multiply(std::span<const double> x, std::span<double> y)
    {
        multiply(x, y, [](std::size_t, std::span<const double>) {});
    }

    // Bytes that an object takes, about, whose matrix has so many products in so many rows: the packed matrix, what
    // is left over at the ends of its blocks of memory, the rows of its tiles, and while it is made the elements of a
    // strip, twice, in vectors that grow, and where the rows of its tiles begin, twice. REQUIRES: rows > 0.
    static std::size_t bytes(std::size_t products, std::size_t rows)
    {
        const auto in_strip = [&](std::size_t of_all) {
            return of_all / rows * std::min<std::size_t>(rows, kStripRows);
        };
        const std::size_t tile_rows = rows + products / kTileRowElements;
        return products * (sizeof(double) + sizeof(std::uint16_t)) + tile_rows * sizeof(std::uint16_t) +
               WorkPool::most_left_over(in_strip(products) * sizeof(double)) +
               3 * in_strip(products) * sizeof(Element) + 2 * in_strip(tile_rows) * sizeof(std::size_t);
    }

    // What the first products try: reading x by a gather, where the processor has one for whole registers, or one by
    // one; asking for the matrix once or twice ahead.
#ifdef __AVX512F__
    static constexpr std::size_t kWays = 4;
#else
    static constexpr std::size_t kWays = 2;
#endif
    static_assert(
        FastestWay<>::kRounds * kWays <= Problem::kInnerIterations + 1, "else trials would reach into the timed part");

private:
    static constexpr std::size_t kGroupRows = 16;  // as many registers as that takes
    static constexpr std::uint32_t kStripRows = 16384;
    // A tile's rows have so many elements at least, on average, or are whole: each row costs a read and a write of y.
    static constexpr std::uint32_t kTileRowElements = 6;

    struct Tile {
        std::uint32_t first_column;
        std::size_t begin;                   // of the tile's elements in those of the strip
        std::vector<std::uint32_t> lengths;  // of each group: elements of each of its rows
        std::vector<std::uint16_t>
            rows;  // [group][row of the group], counted within the strip; the last group may be short
    };
    struct Strip {
        std::uint32_t first_row;
        std::uint32_t rows;
        std::vector<Tile> tiles;           // [panel]; the first has all rows, the others those not empty there
        std::span<double> values;          // [tile][group][element][row of the group]
        std::span<std::uint16_t> columns;  // within the panel, as the values
    };
    class StripPacker;

    static std::uint32_t panel_columns(const SparseMatrix& matrix);

    // y: from the strip's first row on.
    static void multiply_strip(std::size_t way, const Strip& strip, const double* x, double* y);
    template <class Read, bool in_two_steps>
    static void multiply_tile(
        const Tile& tile, const double* values, const std::uint16_t* columns, const double* panel, double* results);

    std::uint32_t rows_;
    std::uint32_t columns_;
    std::size_t elements_ = 0;
    std::size_t stored_ = 0;
    WorkPool memory_;  // of the strips
    std::vector<Strip> strips_;
    FastestWay<> fastest_way_{kWays};
};

}  // namespace fmpl::npb::cg
