// The operators on a row, at lengths that fill no vector evenly, against sums over points.
#include "mg/stencils.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <vector>

namespace {

using namespace fmpl::npb::mg;

constexpr int kMargin = 8;

// Rows with kMargin points on both sides.
class Rows {
public:
    Rows(std::size_t count, int length, std::uint64_t seed) : rows_(count)
    {
        std::mt19937_64 random(seed);
        std::uniform_real_distribution<double> number(-1, 1);
        for (auto& row : rows_) {
            row.resize(static_cast<std::size_t>(length + 2 * kMargin));
            std::generate(row.begin(), row.end(), [&] { return number(random); });
        }
    }
    double* operator[](std::size_t i) { return rows_[i].data() + kMargin; }
    const std::vector<double>& all(std::size_t i) const { return rows_[i]; }
    Neighbours neighbours()
    {
        Neighbours rows;
        for (std::size_t i = 0; i < 9; ++i) rows[i / 3][i % 3] = (*this)[i];
        return rows;
    }

private:
    std::vector<std::vector<double>> rows_;
};

double stencil(const Neighbours& rows, const Coefficients& coefficients, int x)
{
    double sum = 0;
    for (int dz = -1; dz <= 1; ++dz) {
        for (int dy = -1; dy <= 1; ++dy) {
            for (int dx = -1; dx <= 1; ++dx) {
                sum += coefficients[static_cast<std::size_t>(std::abs(dx) + std::abs(dy) + std::abs(dz))] *
                       rows[static_cast<std::size_t>(1 + dz)][static_cast<std::size_t>(1 + dy)][x + dx];
            }
        }
    }
    return sum;
}

// Whole rows, short ones, and ranges that begin and end anywhere; one longer than the pieces that the operators work
// in.
const std::vector<Range> kRanges{
    {0, 2}, {0, 16}, {0, 256}, {-2, 35}, {-3, 36}, {-1, 8}, {0, 33}, {-2, 1027}, {0, 1024}};

TEST(MgStencils, ResidualAgreesWithTheSumOverPoints)
{
    for (const Range range : kRanges) {
        Rows u(9, range.end, 1), others(2, range.end, 2);
        const std::vector<double> before = others.all(0);
        residual_row(others[0], others[1], u.neighbours(), range);
        for (int x = -kMargin; x < range.end + kMargin; ++x) {
            const bool inside = x >= range.begin && x < range.end;
            const double expected = inside ? others[1][x] - stencil(u.neighbours(), kResidual, x)
                                           : before[static_cast<std::size_t>(x + kMargin)];
            ASSERT_NEAR(others[0][x], expected, inside ? 1e-14 : 0)
                << x << " of " << range.begin << " .. " << range.end;
        }
    }
}

TEST(MgStencils, SmootherAgreesWithTheSumOverPoints)
{
    for (const Coefficients& smoother : {kSmootherA, kSmootherB}) {
        for (const Range range : kRanges) {
            Rows r(9, range.end, 3), others(2, range.end, 4);
            const std::vector<double> before = others.all(0);
            smooth_row(others[0], others[1], r.neighbours(), smoother, range);
            for (int x = -kMargin; x < range.end + kMargin; ++x) {
                const bool inside = x >= range.begin && x < range.end;
                const double expected = inside ? others[1][x] + stencil(r.neighbours(), smoother, x)
                                               : before[static_cast<std::size_t>(x + kMargin)];
                ASSERT_NEAR(others[0][x], expected, inside ? 1e-14 : 0);
            }
        }
    }
}

TEST(MgStencils, InterpolationPutsOddPointsOnCoarseOnesAndEvenPointsBetween)
{
    for (const Range range : kRanges) {
        for (const bool added : {false, true}) {
            Rows rows(3, range.end, 5);
            const std::vector<double> before = rows.all(0);
            interpolate_row(rows[0], added ? rows[1] : nullptr, rows[2], range);
            for (int x = -kMargin; x < range.end + kMargin; ++x) {
                double expected = before[static_cast<std::size_t>(x + kMargin)];
                if (x >= range.begin && x < range.end) {
                    const int coarse = x >> 1;
                    expected = (x & 1) != 0 ? rows[2][coarse] : (rows[2][coarse - 1] + rows[2][coarse]) / 2;
                    if (added) expected += rows[1][x];
                }
                ASSERT_DOUBLE_EQ(rows[0][x], expected) << x << " of " << range.begin << " .. " << range.end;
            }
        }
    }
}

TEST(MgStencils, MeanIsThatOfOneTwoOrFourRows)
{
    for (const int count : {1, 2, 4}) {
        for (const Range range : kRanges) {
            Rows rows(5, range.end, 6);
            mean_of_rows(rows[4], {rows[0], rows[1], rows[2], rows[3]}, count, range);
            for (int x = range.begin; x < range.end; ++x) {
                double sum = 0;
                for (int row = 0; row < count; ++row) sum += rows[static_cast<std::size_t>(row)][x];
                ASSERT_NEAR(rows[4][x], sum / count, 1e-15);
            }
        }
    }
}

TEST(MgStencils, RestrictionOfARowTakesThePointBeyondFromTheCaller)
{
    for (const int size : {1, 2, 3, 8, 16, 33, 512}) {
        Rows rows(2, 2 * size, 7);
        restrict_row(rows[0], rows[1], 0.25, size);
        for (int x = 0; x < size; ++x) {
            const double after = x + 1 < size ? rows[1][2 * x + 2] : 0.25;
            ASSERT_NEAR(rows[0][x], rows[1][2 * x + 1] + (rows[1][2 * x] + after) / 2, 1e-15);
        }
    }
}

TEST(MgStencils, SumOfSquaresAndCopiesTakeRowsOfAnyLength)
{
    for (const int size : {1, 2, 7, 8, 16, 31, 33, 256, 1024}) {
        Rows rows(1, size, 8);
        double expected = 0;
        for (int x = 0; x < size; ++x) expected += rows[0][x] * rows[0][x];
        EXPECT_NEAR(sum_of_squares(rows[0], size), expected, 1e-12);

        alignas(64) double to[1032];
        std::fill(std::begin(to), std::end(to), 5.0);
        stream_row(to, rows[0], size);
        finish_streams();
        EXPECT_TRUE(std::equal(to, to + size, rows[0]));
        EXPECT_EQ(to[size], 5.0);
    }
}

}  // namespace
