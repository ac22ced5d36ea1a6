#include "sparse_matrix.hpp"

#include "../common/random.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

namespace fmpl::npb::cg {

namespace {

// The random sparse vectors, one after the other.
class VectorSequence {
public:
    explicit VectorSequence(const Problem& problem)
        : order_(problem.order),
          nonzeros_(static_cast<std::size_t>(problem.nonzeros)),
          place_shift_(46 - std::bit_width(problem.order - 1)),
          is_drawn_(problem.order)
    {
        random_.next();  // the benchmark draws one number before the first vector
    }

    // Vector k, for k = 0, 1, ... in turn; valid until the next call.
    const std::vector<Element>& next(std::uint32_t k)
    {
        elements_.clear();
        while (elements_.size() < nonzeros_) {
            const double value = random_.next();
            random_.next();
            // The number times the smallest power of two that is not below the order, its integral part.
            const auto place = static_cast<std::uint32_t>(random_.state() >> place_shift_);
            if (place >= order_ || is_drawn_[place] != 0) continue;
            is_drawn_[place] = 1;
            elements_.push_back({place, value});
        }
        for (const Element& element : elements_) is_drawn_[element.column] = 0;
        const auto at_k = std::find_if(
            elements_.begin(), elements_.end(), [&](const Element& element) { return element.column == k; });
        if (at_k != elements_.end()) {
            at_k->value = kDiagonal;
        } else {
            elements_.push_back({k, kDiagonal});
        }
        return elements_;
    }

private:
    static constexpr double kDiagonal = 0.5;

    Random random_;
    std::uint32_t order_;
    std::size_t nonzeros_;
    int place_shift_;
    std::vector<std::uint8_t> is_drawn_;  // of the places, in the present vector
    std::vector<Element> elements_;
};

bool contains(Range range, std::uint32_t index)
{
    return index - range.begin < range.size();
}

// Elements that the vectors have within a range, about.
std::size_t expected_elements(const Problem& problem, Range range)
{
    return static_cast<std::size_t>(range.size()) * static_cast<std::size_t>(problem.nonzeros + 1);
}

}  // namespace

SparseMatrix::SparseMatrix(const Problem& problem, Range rows, Range columns)
    : rows_(rows),
      columns_(columns),
      diagonal_(Problem::kCondition - problem.shift),
      row_begins_(rows.size() + 1),
      sums_(columns.size()),
      is_touched_(columns.size())
{
    column_begins_.reserve(problem.order + 1);
    column_elements_.reserve(expected_elements(problem, columns));
    std::vector<std::pair<std::uint32_t, RowEntry>> entries;  // with their rows
    entries.reserve(expected_elements(problem, rows));

    VectorSequence vectors(problem);
    const double ratio = std::pow(Problem::kCondition, 1.0 / problem.order);
    double size = 1.0;
    column_begins_.push_back(0);
    for (std::uint32_t k = 0; k < problem.order; ++k, size *= ratio) {
        const std::size_t entries_before = entries.size();
        for (const auto& [place, value] : vectors.next(k)) {
            if (contains(columns, place)) column_elements_.push_back({place - columns.begin, size * value});
            if (contains(rows, place)) entries.push_back({place - rows.begin, {k, value}});
        }
        const std::size_t in_columns = column_elements_.size() - column_begins_.back();
        products_ += in_columns * (entries.size() - entries_before);
        column_begins_.push_back(column_elements_.size());
    }
    if (const auto begin = std::max(rows.begin, columns.begin), end = std::min(rows.end, columns.end); begin < end) {
        products_ += end - begin;
    }

    // The entries sorted by row, those of a row in the order of the vectors.
    for (const auto& [row, entry] : entries) ++row_begins_[row + 1];
    for (std::size_t row = 0; row < rows.size(); ++row) row_begins_[row + 1] += row_begins_[row];
    row_entries_.resize(entries.size());
    std::vector<std::size_t> next(row_begins_.begin(), row_begins_.end() - 1);
    for (const auto& [row, entry] : entries) row_entries_[next[row]++] = entry;
}

void SparseMatrix::append_row(std::uint32_t row, std::vector<Element>& to)
{
    const auto touch = [&](std::uint32_t column) {
        if (is_touched_[column] != 0) return;
        is_touched_[column] = 1;
        touched_.push_back(column);
    };
    for (std::size_t at = row_begins_[row]; at < row_begins_[row + 1]; ++at) {
        const RowEntry entry = row_entries_[at];
        for (std::size_t i = column_begins_[entry.vector]; i < column_begins_[entry.vector + 1]; ++i) {
            const Element& element = column_elements_[i];
            sums_[element.column] += entry.value * element.value;
            touch(element.column);
        }
    }
    if (const std::uint32_t index = rows_.begin + row; contains(columns_, index)) {
        sums_[index - columns_.begin] += diagonal_;
        touch(index - columns_.begin);
    }
    for (const std::uint32_t column : touched_) {
        if (sums_[column] != 0.0) to.push_back({column, sums_[column]});
        sums_[column] = 0.0;
        is_touched_[column] = 0;
    }
    touched_.clear();
}

std::size_t SparseMatrix::bytes(const Problem& problem, Range rows, Range columns)
{
    // While the entries are sorted, they are there twice.
    return expected_elements(problem, columns) * sizeof(Element) +
           expected_elements(problem, rows) * (sizeof(RowEntry) + sizeof(std::pair<std::uint32_t, RowEntry>)) +
           problem.order * (sizeof(std::size_t) + 1) + rows.size() * 2 * sizeof(std::size_t) +
           columns.size() * (sizeof(double) + 1);
}

}  // namespace fmpl::npb::cg
