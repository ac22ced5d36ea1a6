// The oracle of the tests of MG: a periodic cubic grid in one array, and the operators of the benchmark as plain loops
// over points.
#pragma once

#include "mg/grid.hpp"
#include "mg/stencils.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <vector>

namespace fmpl_test {

class PlainGrid {
public:
    explicit PlainGrid(int size) : size_(size), values_(static_cast<std::size_t>(size) * size * size) {}

    static PlainGrid random(int size, std::uint64_t seed)
    {
        PlainGrid grid(size);
        std::mt19937_64 random(seed);
        std::uniform_real_distribution<double> number(-1, 1);
        for (double& value : grid.values_) value = number(random);
        return grid;
    }

    int size() const { return size_; }
    double& at(int x, int y, int z) { return values_[index(x, y, z)]; }
    double at(int x, int y, int z) const { return values_[index(x, y, z)]; }

    template <class Visit>
    void each(const Visit& visit) const
    {
        for (int z = 0; z < size_; ++z) {
            for (int y = 0; y < size_; ++y) {
                for (int x = 0; x < size_; ++x) visit(x, y, z);
            }
        }
    }

    // The sum over the 27 points with a coefficient for each distance class.
    double stencil(const fmpl::npb::mg::Coefficients& coefficients, int x, int y, int z) const
    {
        double sum = 0;
        for (int dz = -1; dz <= 1; ++dz) {
            for (int dy = -1; dy <= 1; ++dy) {
                for (int dx = -1; dx <= 1; ++dx) {
                    const auto distance = static_cast<std::size_t>(std::abs(dx) + std::abs(dy) + std::abs(dz));
                    sum += coefficients[distance] * at(x + dx, y + dy, z + dz);
                }
            }
        }
        return sum;
    }

private:
    std::size_t index(int x, int y, int z) const
    {
        const auto wrap = [this](int i) { return static_cast<std::size_t>(((i % size_) + size_) % size_); };
        return wrap(x) + static_cast<std::size_t>(size_) * (wrap(y) + static_cast<std::size_t>(size_) * wrap(z));
    }

    int size_;
    std::vector<double> values_;
};

// v - A u
inline PlainGrid plain_residual(const PlainGrid& u, const PlainGrid& v)
{
    PlainGrid r(u.size());
    r.each([&](int x, int y, int z) { r.at(x, y, z) = v.at(x, y, z) - u.stencil(fmpl::npb::mg::kResidual, x, y, z); });
    return r;
}

// u + S r
inline PlainGrid plain_smooth(const PlainGrid& u, const PlainGrid& r, const fmpl::npb::mg::Coefficients& smoother)
{
    PlainGrid next(u.size());
    next.each([&](int x, int y, int z) { next.at(x, y, z) = u.at(x, y, z) + r.stencil(smoother, x, y, z); });
    return next;
}

// P r: coarse point x lies on the fine one 2 x + 1.
inline PlainGrid plain_restrict(const PlainGrid& r)
{
    PlainGrid coarse(r.size() / 2);
    coarse.each([&](int x, int y, int z) {
        coarse.at(x, y, z) = r.stencil({0.5, 0.25, 0.125, 0.0625}, 2 * x + 1, 2 * y + 1, 2 * z + 1);
    });
    return coarse;
}

// u + Q z: the mean of the coarse points next to a fine one.
inline PlainGrid plain_interpolate(const PlainGrid& u, const PlainGrid& coarse)
{
    PlainGrid next(u.size());
    const auto first = [](int i) { return (i - 1) >> 1; };  // the coarse point on i, or before it
    const auto last = [](int i) { return i >> 1; };
    next.each([&](int x, int y, int z) {
        double sum = 0;
        for (const int cz : {first(z), last(z)}) {
            for (const int cy : {first(y), last(y)}) {
                for (const int cx : {first(x), last(x)}) sum += coarse.at(cx, cy, cz);
            }
        }
        next.at(x, y, z) = u.at(x, y, z) + sum / 8;
    });
    return next;
}

// The part of a whole grid that a rank has, with the halo.
inline void copy_part(const PlainGrid& whole, fmpl::npb::mg::Grid& part)
{
    const auto& box = part.box();
    const auto low = [&](std::size_t d) { return box.cut[d] ? -part.halo().low : 0; };
    const auto high = [&](std::size_t d) { return box.size[d] + (box.cut[d] ? part.halo().high : 0); };
    for (int z = low(2); z < high(2); ++z) {
        for (int y = low(1); y < high(1); ++y) {
            for (int x = low(0); x < high(0); ++x) {
                part.row(y, z)[x] = whole.at(box.offset[0] + x, box.offset[1] + y, box.offset[2] + z);
            }
        }
    }
}

// The largest difference between a rank's part and the whole; halo: that of the part is compared too.
inline double largest_difference(const PlainGrid& whole, const fmpl::npb::mg::Grid& part, bool halo = false)
{
    const auto& box = part.box();
    const auto low = [&](std::size_t d) { return halo && box.cut[d] ? -part.halo().low : 0; };
    const auto high = [&](std::size_t d) { return box.size[d] + (halo && box.cut[d] ? part.halo().high : 0); };
    double largest = 0;
    for (int z = low(2); z < high(2); ++z) {
        for (int y = low(1); y < high(1); ++y) {
            for (int x = low(0); x < high(0); ++x) {
                const double expected = whole.at(box.offset[0] + x, box.offset[1] + y, box.offset[2] + z);
                // Not std::max, which would lose a NaN.
                const double difference = std::abs(part.row(y, z)[x] - expected);
                if (!(difference <= largest)) largest = difference;
            }
        }
    }
    return largest;
}

// Every process grid of `ranks` ranks that a finest level allows.
inline std::vector<fmpl::npb::mg::Triple> process_grids(int ranks, int finest)
{
    std::vector<fmpl::npb::mg::Triple> grids;
    for (int x = 1; x <= ranks; x *= 2) {
        for (int y = 1; x * y <= ranks; y *= 2) {
            const fmpl::npb::mg::Triple processes{x, y, ranks / (x * y)};
            if (fmpl::npb::mg::Domain::allows(processes, finest)) grids.push_back(processes);
        }
    }
    return grids;
}

}  // namespace fmpl_test
