#include "sparse_product.hpp"

#include "lanes.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

namespace fmpl::npb::cg {

namespace {

// A panel's part of x takes two thirds of a first-level cache of 48 KiB, unless a tile's rows would be too short then:
// each costs a read and a write of y. Never more than 16 bits can tell.
constexpr std::uint32_t kPanelColumns = 4096;
constexpr std::uint32_t kMostPanelColumns = 65536;
constexpr double kTileRowElements = 6;

// How far ahead of its use the matrix is asked for. The processor prefetches by itself, but not across pages of 4 KiB.
constexpr std::size_t kPrefetchElements = 256;

std::uint32_t panel_columns(const SparseMatrix& matrix)
{
    const double row_elements = static_cast<double>(matrix.products()) / matrix.rows();
    const double enough = kTileRowElements * matrix.columns() / std::max(row_elements, 1.0);
    std::uint32_t columns = kPanelColumns;
    while (columns < kMostPanelColumns && columns < enough) columns *= 2;
    return columns;
}

}  // namespace

// Brings the rows of a strip into the form of the product.
class SparseProduct::StripPacker {
public:
    StripPacker(SparseMatrix& matrix, std::uint32_t columns_of_panel, WorkPool& memory)
        : matrix_(matrix),
          memory_(memory),
          panel_columns_(columns_of_panel),
          panel_shift_(std::countr_zero(columns_of_panel)),
          panels_((matrix.columns() + columns_of_panel - 1) / columns_of_panel)
    {
    }

    // first_row: of the matrix.
    void pack(Strip& strip, std::uint32_t first_row)
    {
        const std::uint32_t rows = strip.rows;
        read(first_row, rows);
        strip.tiles.resize(panels_);
        std::size_t stored = 0;
        for (std::size_t panel = 0; panel < panels_; ++panel) {
            Tile& tile = strip.tiles[panel];
            tile.first_column = static_cast<std::uint32_t>(panel) * panel_columns_;
            tile.begin = stored;
            stored += group(tile, panel, rows) * kGroupRows;
        }
        strip.values = memory_.take<double>(stored);
        strip.columns = memory_.take<std::uint16_t>(stored);
        for (std::size_t panel = 0; panel < panels_; ++panel) fill(strip, panel);
    }

    std::size_t elements() const { return elements_.size(); }

private:
    // The elements, in the order of the panels, in a panel by row.
    void read(std::uint32_t first_row, std::uint32_t rows)
    {
        unsorted_.clear();
        row_ends_.clear();
        for (std::uint32_t row = 0; row < rows; ++row) {
            matrix_.append_row(first_row + row, unsorted_);
            row_ends_.push_back(unsorted_.size());
        }
        begins_.assign(panels_ * rows + 1, 0);
        const auto for_each = [&](const auto& visit) {
            std::size_t i = 0;
            for (std::uint32_t row = 0; row < rows; ++row) {
                for (; i < row_ends_[row]; ++i) visit((unsorted_[i].column >> panel_shift_) * rows + row, unsorted_[i]);
            }
        };
        for_each([&](std::size_t place, const Element&) { ++begins_[place + 1]; });
        std::partial_sum(begins_.begin(), begins_.end(), begins_.begin());
        elements_.resize(unsorted_.size());
        std::vector<std::size_t> next(begins_.begin(), begins_.end() - 1);
        for_each([&](std::size_t place, const Element& element) { elements_[next[place]++] = element; });
    }

    // Groups the rows of a tile by their lengths, the longest first. Returns the sum of the groups' lengths.
    std::size_t group(Tile& tile, std::size_t panel, std::uint32_t rows) const
    {
        const std::size_t* const begins = begins_.data() + panel * rows;
        const auto length = [&](std::uint16_t row) { return begins[row + 1] - begins[row]; };
        std::vector<std::uint16_t>& order = tile.rows;
        order.resize(rows);
        std::iota(order.begin(), order.end(), std::uint16_t{0});
        std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return length(a) > length(b); });
        while (panel != 0 && !order.empty() && length(order.back()) == 0) order.pop_back();
        order.shrink_to_fit();
        std::size_t sum = 0;
        for (std::size_t first = 0; first < order.size(); first += kGroupRows) {
            tile.lengths.push_back(static_cast<std::uint32_t>(length(order[first])));
            sum += tile.lengths.back();
        }
        return sum;
    }

    // The memory is zero where nothing is written: zeros that fill up.
    void fill(Strip& strip, std::size_t panel) const
    {
        const Tile& tile = strip.tiles[panel];
        std::size_t begin = tile.begin;
        for (std::size_t group = 0; group < tile.lengths.size(); ++group) {
            const std::size_t group_rows = std::min(kGroupRows, tile.rows.size() - group * kGroupRows);
            for (std::size_t i = 0; i < group_rows; ++i) {
                const std::size_t place = panel * strip.rows + tile.rows[group * kGroupRows + i];
                std::size_t to = begin + i;
                for (std::size_t at = begins_[place]; at < begins_[place + 1]; ++at, to += kGroupRows) {
                    strip.values[to] = elements_[at].value;
                    strip.columns[to] = static_cast<std::uint16_t>(elements_[at].column - tile.first_column);
                }
            }
            begin += tile.lengths[group] * kGroupRows;
        }
    }

    SparseMatrix& matrix_;
    WorkPool& memory_;
    std::uint32_t panel_columns_;
    int panel_shift_;
    std::size_t panels_;
    std::vector<Element> unsorted_;
    std::vector<std::size_t> row_ends_;  // in unsorted_
    std::vector<Element> elements_;
    std::vector<std::size_t> begins_;  // [panel][row], in elements_; and the end
};

SparseProduct::SparseProduct(SparseMatrix& matrix, std::span<const std::uint32_t> segment_ends)
    : rows_(matrix.rows()),
      columns_(matrix.columns())
{
    StripPacker packer(matrix, panel_columns(matrix), memory_);
    std::uint32_t segment_begin = 0;
    for (std::size_t segment = 0; segment < segment_ends.size(); segment_begin = segment_ends[segment++]) {
        const std::uint32_t segment_rows = segment_ends[segment] - segment_begin;
        for (std::uint32_t row = 0; row < segment_rows; row += kStripRows) {
            Strip& strip = strips_.emplace_back();
            strip.segment = segment;
            strip.first_row = row;
            strip.rows = std::min(kStripRows, segment_rows - row);
            packer.pack(strip, segment_begin + row);
            elements_ += packer.elements();
            stored_ += strip.values.size();
        }
    }
}

namespace {

constexpr std::size_t kLineDoubles = 8;

// f(0), ..., f(sizeof...(I) - 1), written out, so that what f changes stays in registers.
template <std::size_t... I, class F>
inline void for_each_of(std::index_sequence<I...>, const F& f)
{
    (f(I), ...);
}

}  // namespace

void SparseProduct::multiply_strip(const Strip& strip, const double* x, double* results)
{
    constexpr std::size_t kRegisters = kGroupRows / kLanes;
    constexpr std::make_index_sequence<kRegisters> registers;
    bool first = true;
    for (const Tile& tile : strip.tiles) {
        const double* const panel = x + tile.first_column;
        const double* values = strip.values.data() + tile.begin;
        const std::uint16_t* columns = strip.columns.data() + tile.begin;
        const std::uint16_t* rows = tile.rows.data();
        std::size_t rows_left = tile.rows.size();
        for (const std::uint32_t length : tile.lengths) {
            Lanes sums[kRegisters] = {};
            for (std::uint32_t element = 0; element < length; ++element) {
                __builtin_prefetch(values + kPrefetchElements);
                __builtin_prefetch(values + kPrefetchElements + kLineDoubles);
                __builtin_prefetch(columns + kPrefetchElements);
                for_each_of(registers, [&](std::size_t i) {
                    Lanes operand;
                    gather(operand, panel, columns + i * kLanes);
                    sums[i] += lanes_at(values + i * kLanes) * operand;
                });
                values += kGroupRows;
                columns += kGroupRows;
            }
            if (rows_left < kGroupRows) {
                for (std::size_t i = 0; i < rows_left; ++i) {
                    double& result = results[rows[i]];
                    result = (first ? 0.0 : result) + sums[i / kLanes][i % kLanes];
                }
                break;
            }
            for_each_of(registers, [&](std::size_t i) {
                if (!first) {
                    Lanes operand;
                    gather(operand, results, rows + i * kLanes);
                    sums[i] += operand;
                }
                scatter(results, rows + i * kLanes, sums[i]);
            });
            rows += kGroupRows;
            rows_left -= kGroupRows;
        }
        first = false;
    }
}

}  // namespace fmpl::npb::cg
