#include "sparse_product.hpp"

#include "lanes.hpp"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace fmpl::npb::cg {

// Of equal width but for the last. A panel's part of x takes half of the first-level cache at most, unless
// kTileRowElements wants more.
std::uint32_t SparseProduct::panel_columns(const SparseMatrix& matrix)
{
    constexpr double kMost = 65536;  // what 16 bits can tell
    std::size_t first_level = std::size_t{32} << 10;
#ifdef _SC_LEVEL1_DCACHE_SIZE
    if (const long told = sysconf(_SC_LEVEL1_DCACHE_SIZE); told > 0) first_level = static_cast<std::size_t>(told);
#endif
    const double row_elements = static_cast<double>(matrix.products()) / matrix.rows();
    const double enough = kTileRowElements * matrix.columns() / std::max(row_elements, 1.0);
    const double width = std::min(std::max(enough, static_cast<double>(first_level / 2 / sizeof(double))), kMost);
    const auto panels = static_cast<std::uint32_t>(std::ceil(matrix.columns() / width));
    return (matrix.columns() + panels - 1) / panels;
}

// Brings the rows of a strip into the form of the product.
class SparseProduct::StripPacker {
public:
    StripPacker(SparseMatrix& matrix, std::uint32_t columns_of_panel, WorkPool& memory)
        : matrix_(matrix),
          memory_(memory),
          panel_columns_(columns_of_panel),
          panels_((matrix.columns() + columns_of_panel - 1) / columns_of_panel)
    {
    }

    // The strip's rows of the matrix.
    void pack(Strip& strip)
    {
        rows_ = strip.rows;
        read(strip.first_row);
        std::size_t stored = 0;
        for (std::size_t panel = 0; panel < panels_; ++panel) {
            Tile& tile = strip.tiles.emplace_back();
            tile.first_column = static_cast<std::uint32_t>(panel) * panel_columns_;
            tile.begin = stored;
            stored += group(tile, begins_of(panel), rows_) * kGroupRows;
        }
        strip.values = memory_.take<double>(stored);
        strip.columns = memory_.take<std::uint16_t>(stored);
        for (std::size_t panel = 0; panel < panels_; ++panel) fill(strip, strip.tiles[panel], begins_of(panel));
    }

    std::size_t elements() const { return elements_.size(); }

private:
    // The elements, in the order of the panels, in a panel by row.
    void read(std::uint32_t first_row)
    {
        unsorted_.clear();
        row_ends_.clear();
        for (std::uint32_t row = 0; row < rows_; ++row) {
            matrix_.append_row(first_row + row, unsorted_);
            row_ends_.push_back(unsorted_.size());
        }
        begins_.assign(panels_ * rows_ + 1, 0);
        const auto for_each = [&](const auto& visit) {
            std::size_t i = 0;
            for (std::uint32_t row = 0; row < rows_; ++row) {
                for (; i < row_ends_[row]; ++i) {
                    const std::size_t panel = unsorted_[i].column / panel_columns_;
                    visit(panel * rows_ + row, unsorted_[i]);
                }
            }
        };
        for_each([&](std::size_t place, const Element&) { ++begins_[place + 1]; });
        std::partial_sum(begins_.begin(), begins_.end(), begins_.begin());
        elements_.resize(unsorted_.size());
        std::vector<std::size_t> next(begins_.begin(), begins_.end() - 1);
        for_each([&](std::size_t place, const Element& element) { elements_[next[place]++] = element; });
    }

    // Where the elements of the rows begin in a panel; and where those of the last row end.
    const std::size_t* begins_of(std::size_t panel) const { return &begins_[panel * rows_]; }

    // Groups the rows of a tile by their lengths, the longest first. Returns the sum of the groups' lengths.
    static std::size_t group(Tile& tile, const std::size_t* begins, std::uint32_t rows)
    {
        const auto length = [&](std::uint16_t row) { return begins[row + 1] - begins[row]; };
        std::vector<std::uint16_t>& order = tile.rows;
        order.resize(rows);
        std::iota(order.begin(), order.end(), std::uint16_t{0});
        std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return length(a) > length(b); });
        while (tile.first_column != 0 && !order.empty() && length(order.back()) == 0) order.pop_back();
        order.shrink_to_fit();
        std::size_t sum = 0;
        for (std::size_t first = 0; first < order.size(); first += kGroupRows) {
            tile.lengths.push_back(static_cast<std::uint32_t>(length(order[first])));
            sum += tile.lengths.back();
        }
        return sum;
    }

    // The memory is zero where nothing is written: zeros that fill up.
    void fill(Strip& strip, const Tile& tile, const std::size_t* begins) const
    {
        std::size_t begin = tile.begin;
        for (std::size_t group = 0; group < tile.lengths.size(); ++group) {
            const std::size_t group_rows = std::min(kGroupRows, tile.rows.size() - group * kGroupRows);
            for (std::size_t i = 0; i < group_rows; ++i) {
                const std::size_t row = tile.rows[group * kGroupRows + i];
                std::size_t to = begin + i;
                for (std::size_t at = begins[row]; at < begins[row + 1]; ++at, to += kGroupRows) {
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
    std::size_t panels_;
    std::uint32_t rows_ = 0;  // of the strip
    std::vector<Element> unsorted_;
    std::vector<std::size_t> row_ends_;  // in unsorted_
    std::vector<Element> elements_;
    std::vector<std::size_t> begins_;  // [panel][row], in elements_; and the end
};

namespace {

struct ReadEach {
    [[gnu::always_inline]] void operator()(Lanes& to, const double* base, const std::uint16_t* index) const
    {
        read_each(to, base, index);
    }
};
struct Gather {
    [[gnu::always_inline]] void operator()(Lanes& to, const double* base, const std::uint16_t* index) const
    {
        gather(to, base, index);
    }
};

}  // namespace

SparseProduct::SparseProduct(SparseMatrix& matrix) : rows_(matrix.rows()), columns_(matrix.columns())
{
    StripPacker packer(matrix, panel_columns(matrix), memory_);
    for (std::uint32_t row = 0; row < rows_; row += kStripRows) {
        Strip& strip = strips_.emplace_back();
        strip.first_row = row;
        strip.rows = std::min(kStripRows, rows_ - row);
        packer.pack(strip);
        elements_ += packer.elements();
        stored_ += strip.values.size();
    }
}

namespace {

// How many elements ahead of their use the matrix is asked for. The processor asks by itself, but not across pages of
// 4 KiB.
//
// kFar is in time for memory, and brings the elements into the second-level cache, where they do not push the panel's x
// out of the first. kNear brings them from there into the first: needless when they have come from a cache, but from
// memory many have not, and are on their way when asked for again.
constexpr std::size_t kFar = 2048;
constexpr std::size_t kNear = 256;

constexpr std::size_t kLineDoubles = 8;

// f(0), ..., f(sizeof...(I) - 1), written out, so that what f changes stays in registers.
template <std::size_t... I, class F>
inline void for_each_of(std::index_sequence<I...>, const F& f)
{
    (f(I), ...);
}

}  // namespace

template <class Read, bool in_two_steps>
void SparseProduct::multiply_tile(
    const Tile& tile, const double* values, const std::uint16_t* columns, const double* panel, double* results)
{
    constexpr std::size_t kRegisters = kGroupRows / kLanes;
    constexpr std::make_index_sequence<kRegisters> registers;
    constexpr Read read;
    const bool first = tile.first_column == 0;
    const std::uint16_t* rows = tile.rows.data();
    std::size_t rows_left = tile.rows.size();
    for (const std::uint32_t length : tile.lengths) {
        Lanes sums[kRegisters] = {};
        for (std::uint32_t element = 0; element < length; ++element) {
            __builtin_prefetch(values + kFar, 0, 2);
            __builtin_prefetch(values + kFar + kLineDoubles, 0, 2);
            __builtin_prefetch(columns + kFar, 0, 2);
            if constexpr (in_two_steps) {
                __builtin_prefetch(values + kNear);
                __builtin_prefetch(values + kNear + kLineDoubles);
                __builtin_prefetch(columns + kNear);
            }
            for_each_of(registers, [&](std::size_t i) {
                Lanes operand;
                read(operand, panel, columns + i * kLanes);
                sums[i] += lanes_at(values + i * kLanes) * operand;
            });
            values += kGroupRows;
            columns += kGroupRows;
        }
        if (rows_left < kGroupRows) {
            // A copy: an array whose elements are chosen at run time would not stay in registers, not in the loop
            // above either.
            Lanes memory[kRegisters];
            for_each_of(registers, [&](std::size_t i) { memory[i] = sums[i]; });
            for (std::size_t i = 0; i < rows_left; ++i) {
                double& result = results[rows[i]];
                result = (first ? 0.0 : result) + memory[i / kLanes][i % kLanes];
            }
            return;
        }
        for_each_of(registers, [&](std::size_t i) {
            if (!first) {
                Lanes operand;
                read(operand, results, rows + i * kLanes);
                sums[i] += operand;
            }
            scatter(results, rows + i * kLanes, sums[i]);
        });
        rows += kGroupRows;
        rows_left -= kGroupRows;
    }
}

void SparseProduct::multiply_strip(std::size_t way, const Strip& strip, const double* x, double* y)
{
    constexpr decltype(&multiply_tile<ReadEach, false>) kWayOf[kWays] = {
        multiply_tile<ReadEach, false>,
        multiply_tile<ReadEach, true>,
#ifdef __AVX512F__
        multiply_tile<Gather, false>,
        multiply_tile<Gather, true>,
#endif
    };
    for (const Tile& tile : strip.tiles) {
        kWayOf[way](
            tile, strip.values.data() + tile.begin, strip.columns.data() + tile.begin, x + tile.first_column, y);
    }
}

}  // namespace fmpl::npb::cg
