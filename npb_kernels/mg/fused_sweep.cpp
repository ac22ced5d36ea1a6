#include "fused_sweep.hpp"

#include <algorithm>

namespace fmpl::npb::mg {

namespace {

// Rows of a strip. Three windows of three planes of 32 rows of class A are 0.7 MiB.
constexpr int kStrip = 32;
constexpr int kWindows = 3;
constexpr int kRowsBeyond = 7;  // that the first operation computes more than the last
constexpr std::size_t kLine = Grid::kLine;

std::size_t pitch_of(const Box& box)
{
    return (static_cast<std::size_t>(box.size[0]) + kLine - 1) / kLine * kLine + 2 * kLine;
}

// One line more, so that the planes do not lie in the same sets of a cache.
std::size_t window_doubles(const Box& box)
{
    return 3 * ((kStrip + kRowsBeyond) * pitch_of(box) + kLine);
}

}  // namespace

FusedSweep::FusedSweep(const Box& finest, const Coefficients& smoother)
    : smoother_(smoother),
      memory_(kWindows * window_doubles(finest)),
      lines_(5 * pitch_of(finest))
{
    std::size_t at = kLine;
    for (double** const line : {&mean_, &residual_, &half_, &quarter_, &zero_}) {
        *line = lines_.data() + at;
        at += pitch_of(finest);
    }
}

std::size_t FusedSweep::bytes(const Box& finest)
{
    return (kWindows * window_doubles(finest) + 5 * pitch_of(finest)) * sizeof(double);
}

void FusedSweep::Window::reshape(double* memory, std::size_t pitch, int first_row, int rows)
{
    pitch_ = pitch;
    first_row_ = first_row;
    const std::size_t plane = static_cast<std::size_t>(rows) * pitch + kLine;
    for (std::size_t z = 0; z < planes_.size(); ++z) planes_[z] = memory + kLine + z * plane;
}

Neighbours FusedSweep::around(Window& window, int y, int z)
{
    Neighbours rows;
    for (int dz = -1; dz <= 1; ++dz) {
        for (int dy = -1; dy <= 1; ++dy) {
            rows[static_cast<std::size_t>(1 + dz)][static_cast<std::size_t>(1 + dy)] = window.row(y + dy, z + dz);
        }
    }
    return rows;
}

Range FusedSweep::points(const Grid& grid, int low, int high)
{
    return grid.cut(0) ? Range{-low, grid.size(0) + high} : Range{0, grid.size(0)};
}

void FusedSweep::close(double* row, const Grid& grid)
{
    if (grid.cut(0)) return;
    const int size = grid.size(0);
    row[-1] = row[size - 1];
    row[size] = row[0];
}

void FusedSweep::interpolate(double* w, const double* u, const Grid& coarse, int y, int z, Range range)
{
    // As along x: an odd row lies on the coarse row y / 2, an even one between two.
    const int coarse_y = y >> 1, coarse_z = z >> 1;
    const bool on_y = (y & 1) != 0, on_z = (z & 1) != 0;
    std::array<const double*, 4> rows{coarse.row(coarse_y, coarse_z)};
    std::size_t count = 1;
    if (!on_y) rows[count++] = coarse.row(coarse_y - 1, coarse_z);
    if (!on_z) rows[count++] = coarse.row(coarse_y, coarse_z - 1);
    if (!on_y && !on_z) rows[count++] = coarse.row(coarse_y - 1, coarse_z - 1);
    const Range needed =
        coarse.cut(0) ? Range{(range.begin - 1) >> 1, (range.end >> 1) + (range.end & 1)} : Range{0, coarse.size(0)};
    mean_of_rows(mean_, rows, static_cast<int>(count), needed);
    close(mean_, coarse);
    interpolate_row(w, u, mean_, range);
}

void FusedSweep::restrict_to(Grid& restricted, const double* row, double beyond, int y, int z, int first_row)
{
    const int size = restricted.size(0);
    restrict_row(half_, row, beyond, size);
    // Row y counts whole for the coarse row (y - 1) / 2 where it is odd, half for both coarse rows next to it where it
    // is even.
    if ((y & 1) != 0) {
        add_row(quarter_, half_, 1.0, size);
        return;
    }
    if (y > first_row) {
        add_row(quarter_, half_, 0.5, size);
        const int coarse_y = y / 2 - 1;
        // The same along z.
        if ((z & 1) != 0) {
            add_row(restricted.row(coarse_y, z / 2), quarter_, 0.5, size);
        } else {
            if (z > 0) add_row(restricted.row(coarse_y, z / 2 - 1), quarter_, 0.25, size);
            if (z / 2 < restricted.size(2)) set_row(restricted.row(coarse_y, z / 2), quarter_, 0.25, size);
        }
    }
    set_row(quarter_, half_, 0.5, size);
}

double FusedSweep::finest(const Finest& pass)
{
    const Grid &u = pass.u, &v = pass.v;
    const int size_y = u.size(1), size_z = u.size(2);
    // P reads one layer of r beyond the box, on the high side.
    const int more = pass.restricted != nullptr ? 1 : 0;
    const std::size_t pitch = pitch_of(u.box());
    const std::size_t window = window_doubles(u.box());
    auto& [interpolated, residual, corrected] = windows_;
    const Range all = points(u, 0, 0);
    double squares = 0;

    for (int begin = 0; begin < size_y; begin += kStrip) {
        const int end = std::min(begin + kStrip, size_y);
        const int rows = end - begin + kRowsBeyond;
        for (std::size_t i = 0; i < kWindows; ++i)
            windows_[i].reshape(memory_.data() + i * window, pitch, begin - 3, rows);

        const int planes_end = size_z + more + 3;
        for (int step = -3; step < planes_end; ++step) {
            // w = u + Q z, or u alone
            int z = step;
            if (pass.coarse != nullptr) {
                const Range range = points(u, 3, 3 + more);
                for (int y = begin - 3; y < end + more + 3; ++y) {
                    double* const w = interpolated.row(y, z);
                    interpolate(w, u.row(y, z), *pass.coarse, y, z, range);
                    close(w, u);
                }
                // r = v - A w
                z = step - 1;
                if (z >= -2) {
                    const Range inner = points(u, 2, 2 + more);
                    for (int y = begin - 2; y < end + more + 2; ++y) {
                        double* const r = residual.row(y, z);
                        residual_row(r, v.row(y, z), around(interpolated, y, z), inner,
                            step + 1 < planes_end ? u.row(y, step + 1) : nullptr);
                        close(r, u);
                    }
                }
            }
            // u = w + S r
            z = step - 2;
            if (z >= -1) {
                const Range inner = points(u, 1, 1 + more);
                for (int y = begin - 1; y < end + more + 1; ++y) {
                    double* const next = corrected.row(y, z);
                    if (pass.coarse != nullptr) {
                        smooth_row(next, interpolated.row(y, z), around(residual, y, z), smoother_, inner,
                            step + 1 < planes_end ? v.row(y, step) : nullptr);
                        if (y >= begin && y < end && z >= 0 && z < size_z) {
                            stream_row(pass.corrected->row(y, z), next, all.end);
                        }
                    } else {
                        std::copy(u.row(y, z) + inner.begin, u.row(y, z) + inner.end, next + inner.begin);
                    }
                    close(next, u);
                }
            }
            // r = v - A u, and P r or the norm
            z = step - 3;
            if (z < 0) continue;
            const Range inner = points(u, 0, more);
            for (int y = begin; y < end + more; ++y) {
                residual_row(residual_, v.row(y, z), around(corrected, y, z), inner,
                    pass.coarse == nullptr && step + 1 < planes_end ? u.row(y, step - 1) : nullptr);
                if (pass.restricted != nullptr) {
                    restrict_to(*pass.restricted, residual_, u.cut(0) ? residual_[all.end] : residual_[0], y, z, begin);
                }
                if (pass.norm && y < end && z < size_z) squares += sum_of_squares(residual_, all.end);
            }
        }
    }
    finish_streams();
    return squares;
}

void FusedSweep::coarse(const Grid& r, const Grid* coarse, Grid& u)
{
    const int size_y = r.size(1), size_z = r.size(2);
    const std::size_t pitch = pitch_of(r.box());
    const std::size_t window = window_doubles(r.box());
    auto& [interpolated, residual, unused] = windows_;
    for (int begin = 0; begin < size_y; begin += kStrip) {
        const int end = std::min(begin + kStrip, size_y);
        const int rows = end - begin + kRowsBeyond;
        for (std::size_t i = 0; i < 2; ++i) windows_[i].reshape(memory_.data() + i * window, pitch, begin - 2, rows);
        for (int step = -2; step < size_z + 2; ++step) {
            if (coarse != nullptr) {
                const Range range = points(r, 2, 2);
                for (int y = begin - 2; y < end + 2; ++y) {
                    double* const w = interpolated.row(y, step);
                    interpolate(w, nullptr, *coarse, y, step, range);
                    close(w, r);
                }
            }
            int z = step - 1;
            if (z >= -1) {
                const Range range = points(r, 1, 1);
                for (int y = begin - 1; y < end + 1; ++y) {
                    double* const next = residual.row(y, z);
                    if (coarse != nullptr) {
                        residual_row(next, r.row(y, z), around(interpolated, y, z), range);
                    } else {
                        std::copy(r.row(y, z) + range.begin, r.row(y, z) + range.end, next + range.begin);
                    }
                    close(next, r);
                }
            }
            z = step - 2;
            if (z < 0) continue;
            for (int y = begin; y < end; ++y) {
                const double* const w = coarse != nullptr ? interpolated.row(y, z) : zero_;
                smooth_row(u.row(y, z), w, around(residual, y, z), smoother_, points(r, 0, 0));
            }
        }
    }
}

void FusedSweep::restrict_stored(const Grid& r, Grid& restricted)
{
    const int size = r.size(0);
    for (int begin = 0; begin < r.size(1); begin += kStrip) {
        const int end = std::min(begin + kStrip, r.size(1));
        for (int z = 0; z <= r.size(2); ++z) {
            for (int y = begin; y <= end; ++y) {
                const double* const row = r.row(y, z);
                restrict_to(restricted, row, r.cut(0) ? row[size] : row[0], y, z, begin);
            }
        }
    }
}

}  // namespace fmpl::npb::mg
