// Which layouts are columns in the sense of struct fmpl_columns.
#include "datatype/layout.hpp"

#include "datatype/layout_node.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>

namespace fmpl::mpi {
namespace {

using NodeKind = LayoutNode::Kind;
__extension__ using Wide = __int128;  // sums of a few 64-bit numbers and products with a count need no check in it

bool is_ptrdiff(Wide value)
{
    return value >= std::numeric_limits<std::ptrdiff_t>::min() && value <= std::numeric_limits<std::ptrdiff_t>::max();
}

std::optional<Layout::Columns> equal_blocks(
    std::int64_t offset, std::uint64_t bytes, std::uint64_t count, std::int64_t stride)
{
    if (count > 1 && (stride < 0 || static_cast<std::uint64_t>(stride) < bytes)) return std::nullopt;
    const std::size_t apart = count > 1 ? static_cast<std::size_t>(stride) : bytes;
    return Layout::Columns{offset, {bytes, count, apart, 0, 0, static_cast<std::ptrdiff_t>(bytes), 0}};
}

// A column gives `limit(j)` bytes from one of its ends on, where limit(j) = first + j * step, cut to 0 .. bytes.
struct Slope {
    Wide first;
    Wide step;
};

// The slope of lengths that rise or fall evenly, and may stay at their largest before or after.
std::optional<Slope> slope_of(const LayoutNode& runs, std::uint64_t most)
{
    const std::size_t count = runs.displacements.size();
    const auto length = [&](std::size_t i) { return static_cast<Wide>(runs.begins[i + 1] - runs.begins[i]); };
    Slope slope{length(0), length(1) - length(0)};
    if (slope.step == 0) {
        slope.step = length(count - 1) - length(count - 2);
        slope.first = length(count - 1) - static_cast<Wide>(count - 1) * slope.step;
    }
    for (std::size_t i = 0; i < count; ++i) {
        const Wide limit = slope.first + static_cast<Wide>(i) * slope.step;
        if (std::clamp<Wide>(limit, 0, static_cast<Wide>(most)) != length(i)) return std::nullopt;
    }
    return slope;
}

// Runs whose beginnings, or whose ends, are equally far apart.
std::optional<Layout::Columns> trapezoid(std::int64_t offset, const LayoutNode& runs)
{
    const std::size_t count = runs.displacements.size();
    std::uint64_t most = 0;
    for (std::size_t i = 0; i < count; ++i) most = std::max(most, runs.begins[i + 1] - runs.begins[i]);
    const std::optional<Slope> slope = slope_of(runs, most);
    if (!slope) return std::nullopt;

    const Wide bytes = static_cast<Wide>(most);
    for (const bool at_end : {false, true}) {
        const auto place = [&](std::size_t i) {
            const Wide length = static_cast<Wide>(runs.begins[i + 1] - runs.begins[i]);
            return static_cast<Wide>(runs.displacements[i]) + (at_end ? length : Wide{0});
        };
        const Wide stride = place(1) - place(0);
        bool regular = stride >= bytes && is_ptrdiff(stride);
        for (std::size_t i = 2; i < count && regular; ++i) regular = place(i) - place(i - 1) == stride;
        if (!regular) continue;

        fmpl_columns columns{};
        columns.bytes = most;
        columns.count = count;
        columns.stride = static_cast<std::size_t>(stride);
        const Wide base = static_cast<Wide>(offset) + (at_end ? place(0) - bytes : Wide{0});
        const Wide first = at_end ? bytes - slope->first : slope->first;
        const Wide step = at_end ? -slope->step : slope->step;
        if (!is_ptrdiff(base) || !is_ptrdiff(first) || !is_ptrdiff(step)) continue;
        columns.begin = at_end ? static_cast<std::ptrdiff_t>(first) : 0;
        columns.begin_step = at_end ? static_cast<std::ptrdiff_t>(step) : 0;
        columns.end = static_cast<std::ptrdiff_t>(at_end ? bytes : first);
        columns.end_step = at_end ? 0 : static_cast<std::ptrdiff_t>(step);
        return Layout::Columns{static_cast<std::int64_t>(base), columns};
    }
    return std::nullopt;
}

}  // namespace

std::optional<Layout::Columns> Layout::columns(std::int64_t count) const
{
    const std::uint64_t size = bytes(count);
    if (size == 0) return Columns{0, {}};
    const std::uint64_t copies = static_cast<std::uint64_t>(count);
    if (single_piece(count)) return equal_blocks(offset_, size, 1, 0);
    if (root_.is_block()) return equal_blocks(offset_, root_.size, copies, extent_);
    const LayoutNode& root = *root_.node;
    if (root.kind == NodeKind::loop && root.child.is_block()) {
        std::int64_t whole;
        const bool continues =
            !__builtin_mul_overflow(static_cast<std::int64_t>(root.count), root.stride, &whole) && whole == extent_;
        if (count > 1 && !continues) return std::nullopt;
        return equal_blocks(offset_, root.child.size, copies * root.count, root.stride);
    }
    if (root.kind == NodeKind::runs && count == 1) return trapezoid(offset_, root);
    return std::nullopt;
}

}  // namespace fmpl::mpi
