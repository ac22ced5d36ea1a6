// A block of the benchmark's matrix, row by row.
#pragma once

#include "problem.hpp"
#include "process_grid.hpp"

#include "../common/work_array.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace fmpl::npb::cg {

// An element of a row; column counted from the first of the block.
struct Element {
    std::uint32_t column;
    double value;
};

// Holds those parts of the random vectors from which the elements of the block come, and adds up a row when asked for
// it: so the elements need not be held in two forms at a time.
//
// The random numbers and the order in which the products are summed are the benchmark's own. All vectors are drawn by
// every rank, since none knows how many numbers the vectors before its own take: a few ns a number, well below 0.1 s
// in class C.
class SparseMatrix {
public:
    // REQUIRES: problem.order >= 2 problem.nonzeros; the ranges lie within 0 .. problem.order-1.
    SparseMatrix(const Problem& problem, Range rows, Range columns);

    std::uint32_t rows() const { return rows_.size(); }
    std::uint32_t columns() const { return columns_.size(); }

    // The products that fall into the block, before those with equal place are summed: as many elements as there are,
    // and a few per cent more.
    std::size_t products() const { return products_; }

    // Appends the elements of a row of the block that are not zero, in no order of their columns. row < rows().
    void append_row(std::uint32_t row, std::vector<Element>& to);

    // Bytes that an object takes, about.
    static std::size_t bytes(const Problem& problem, Range rows, Range columns);

private:
    struct RowEntry {
        std::uint32_t vector;
        double value;
    };

    Range rows_;
    Range columns_;
    double diagonal_;
    std::size_t products_ = 0;
    // Elements of vector k in the columns of the block, multiplied by size(k): from column_begins_[k] on.
    std::vector<std::size_t> column_begins_;
    std::vector<Element> column_elements_;
    // Elements of all vectors in row i of the block, in the order of the vectors: from row_begins_[i] on.
    std::vector<std::size_t> row_begins_;
    std::vector<RowEntry> row_entries_;
    // The sums of the present row; zero between rows.
    WorkArray<double> sums_;
    std::vector<std::uint8_t> is_touched_;
    std::vector<std::uint32_t> touched_;
};

}  // namespace fmpl::npb::cg
