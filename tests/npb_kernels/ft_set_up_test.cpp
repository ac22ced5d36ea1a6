// What FT computes once: initial conditions, factors of the evolution, places of the checksum.
#include "ft/checksum.hpp"
#include "ft/evolution.hpp"
#include "ft/initial_conditions.hpp"

#include "common/random.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <limits>
#include <numbers>
#include <vector>

namespace {

using namespace fmpl::npb;
using namespace fmpl::npb::ft;

TEST(InitialConditions, AreTheRandomNumbersInTheOrderOfTheGrid)
{
    const Grid grid{16, 24, 3};
    const InitialConditions initial(grid);
    std::vector<double> all;
    Random random;
    for (std::size_t i = 0; i < 2 * grid.points(); ++i) all.push_back(random.next());
    WorkArray<double> rows(grid.nx * 16);
    for (std::size_t z = 0; z < grid.nz; ++z) {
        for (std::size_t y = 0; y < grid.ny; y += 8) {
            initial.fill(y, z, rows.data());
            for (std::size_t x = 0; x < grid.nx; ++x) {
                for (std::size_t lane = 0; lane < 8; ++lane) {
                    const std::size_t point = x + grid.nx * (y + lane + grid.ny * z);
                    EXPECT_EQ(rows[x * 16 + lane], all[2 * point]);
                    EXPECT_EQ(rows[x * 16 + 8 + lane], all[2 * point + 1]);
                }
            }
        }
    }
}

TEST(Evolution, IsTheExponentialOfTheSquaredFrequencies)
{
    const Grid grid{32, 16, 8};
    const auto square = [](std::size_t index, std::size_t n) {
        const double frequency =
            index < n / 2 ? static_cast<double>(index) : static_cast<double>(index) - static_cast<double>(n);
        return frequency * frequency;
    };
    for (int rank = 0; rank < 8; ++rank) {
        const Distribution part(grid, 8, Layout::pencil, rank);
        Evolution evolution(part);
        for (const int time : {0, 1, 20, 1000}) {
            evolution.set_time(time);
            for (std::size_t x = 0; x < part.columns(); ++x) {
                for (std::size_t y = 0; y < part.spectral_lines(); ++y) {
                    const Factors factors = evolution.factors(x / 8, y);
                    for (std::size_t z = 0; z < grid.nz; ++z) {
                        const double squares = square(part.first_column() + x, grid.nx) +
                                               square(part.first_spectral_line() + y, grid.ny) + square(z, grid.nz);
                        const double expected = std::exp(-4e-6 * std::numbers::pi * std::numbers::pi * squares * time);
                        EXPECT_NEAR(factors.by_row[z] * factors.by_column[x % 8] / expected, 1, 1e-14);
                    }
                }
            }
        }
    }
}

TEST(Checksum, HasAReferenceForEveryIteration)
{
    for (const ProblemClass problem_class : kProblemClasses) {
        EXPECT_EQ(static_cast<int>(reference_checksums(problem_class).size()), iterations_of(problem_class));
    }
}

TEST(Checksum, AgreesWithinTheToleranceInBothParts)
{
    const std::complex<double> reference(500, -400);
    EXPECT_TRUE(agrees(reference, reference));
    EXPECT_TRUE(agrees({500 * (1 + 9e-13), -400}, reference));
    EXPECT_FALSE(agrees({500 * (1 + 2e-12), -400}, reference));
    EXPECT_FALSE(agrees({500, -400 * (1 - 2e-12)}, reference));
    EXPECT_FALSE(agrees({500, 400}, reference));
    EXPECT_FALSE(agrees({std::numeric_limits<double>::quiet_NaN(), -400}, reference));
}

}  // namespace
