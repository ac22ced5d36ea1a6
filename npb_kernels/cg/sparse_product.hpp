// y = A x for a block of the matrix, as fast as the memory that holds A delivers it.
//
// What there is to do: an element takes a multiplication, an addition and a read of x at a random place, and its value
// and column have to come from memory (or, in small classes, from the last-level cache). The form of the matrix serves
// both:
//
//   - The block is cut into tiles. A tile's columns, a *panel*, are few enough for the part of x to stay in the
//     first-level cache beside what streams through it, and for a column to be told by 16 bits: 10 bytes an element.
//     Its rows, a *strip*, are few enough for the part of y to stay in the second-level cache from one panel to the
//     next.
//   - Within a tile, the rows are sorted by their number of elements, and sixteen of like number lie side by side,
//     element by element (the format SELL-C-sigma; Kreutzer et al., SIAM J. Sci. Comput. 36 (2014)). So a register
//     holds eight rows, no sum goes across its lanes, and hardly an element is filled up (0.2 %).
//
// How x is best read and how early the matrix is best asked for depends on the processor and on whether the matrix comes
// from a cache or from memory: by a factor of 1.6 on one processor. So the first products try the ways (FastestWay). They
// give the same results, bit by bit.
//
// The results are written where they are to go, be it another rank's memory.
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
    // Reads the rows of the matrix, which may then be destroyed. segment_ends: the rows are cut into segments whose
    // results go to different places; the segments' ends, the last of them matrix.rows().
    SparseProduct(SparseMatrix& matrix, std::span<const std::uint32_t> segment_ends);

    std::uint32_t rows() const { return rows_; }
    std::uint32_t columns() const { return columns_; }
    std::size_t elements() const { return elements_; }
    // Those and the zeros that fill up.
    std::size_t stored_elements() const { return stored_; }

    // Writes the results of segment s to target(s) and behind; what was there does not matter. Each time that the results of
    // some rows are there, in the order of the rows, calls visit(first of the rows, results).
    // REQUIRES: x.size() == columns().
    template <class Target, class Visit>
    void multiply(std::span<const double> x, const Target& target, const Visit& visit)
    {
        const std::size_t way = fastest_way_.begin();
        std::size_t row = 0;
        for (const Strip& strip : strips_) {
            results_.clear();
            for (const Part& part : strip.parts) results_.push_back(target(part.segment) + part.first_row);
            multiply_strip(way, strip, x.data());
            for (std::size_t part = 0; part < strip.parts.size(); ++part) {
                const std::uint32_t rows = strip.parts[part].rows;
                visit(row, std::span<const double>(results_[part], rows));
                row += rows;
            }
        }
        fastest_way_.end();
    }
    template <class Target>
    void multiply(std::span<const double> x, const Target& target)
    {
        multiply(x, target, [](std::size_t, std::span<const double>) {});
    }

    // Bytes that an object takes, about, whose matrix has so many products in so many rows: the packed matrix, what is left over
    // at the ends of its blocks of memory, and while it is made the elements of a strip, twice, in vectors that grow.
    static std::size_t bytes(std::size_t products, std::size_t rows)
    {
        const std::size_t of_strip = products / rows * std::min<std::size_t>(rows, kStripRows);
        return products * (sizeof(double) + sizeof(std::uint16_t)) +
               WorkPool::most_left_over(of_strip * sizeof(double)) + 3 * of_strip * sizeof(Element);
    }

private:
    static constexpr std::size_t kGroupRows = 16;  // two registers
    static constexpr std::uint32_t kStripRows = 16384;

    // Rows of a strip whose results go to one place.
    struct Part {
        std::size_t segment;
        std::uint32_t first_row;  // within the segment
        std::uint32_t rows;
    };
    // Rows of one part.
    struct Tile {
        std::size_t part;
        std::uint32_t first_column;
        std::size_t begin;                   // of the tile's elements in those of the strip
        std::vector<std::uint32_t> lengths;  // of each group: elements of each of its rows
        std::vector<std::uint16_t>
            rows;  // [group][row of the group], counted within the part; the last group may be short
    };
    struct Strip {
        std::vector<Part> parts;
        std::vector<Tile> tiles;   // [panel][part]; the first panel's have all rows, the others those not empty there
        std::span<double> values;  // [tile][group][element][row of the group]
        std::span<std::uint16_t> columns;  // within the panel, as the values
    };
    class StripPacker;

    // To results_.
    void multiply_strip(std::size_t way, const Strip& strip, const double* x) const;
    template <class Read, bool in_two_steps>
    static void multiply_tile(
        const Tile& tile, const double* values, const std::uint16_t* columns, const double* panel, double* results);

    std::uint32_t rows_;
    std::uint32_t columns_;
    std::size_t elements_ = 0;
    std::size_t stored_ = 0;
    WorkPool memory_;  // of the strips
    std::vector<Strip> strips_;
    FastestWay fastest_way_;
    std::vector<double*> results_;  // of the parts of the present strip
};

}  // namespace fmpl::npb::cg
