// DistributedTransform and Checksum at several rank counts and in both layouts, against plain loops over the whole
// grid, which every rank computes.
#include "ft/checksum.hpp"
#include "ft/distributed_transform.hpp"

#include "support/ranks_test.hpp"

#include <cmath>
#include <complex>
#include <numbers>
#include <vector>

namespace {

using namespace fmpl::npb;
using namespace fmpl::npb::ft;
using namespace fmpl_test;

using Complex = std::complex<double>;
using Field = std::vector<Complex>;  // x fastest, z slowest

constexpr Grid kGrid{32, 16, 8};

std::size_t index(const Grid& grid, std::size_t x, std::size_t y, std::size_t z)
{
    return x + grid.nx * (y + grid.ny * z);
}

Field random_field(const Grid& grid)
{
    std::mt19937_64 random(seed());
    std::uniform_real_distribution<double> values(-1, 1);
    Field field(grid.points());
    for (Complex& value : field) value = {values(random), values(random)};
    return field;
}

// Of n points at a distance of `stride`, in place, by the defining sum.
void transform_line(Complex* line, std::size_t n, std::size_t stride, int sign)
{
    std::vector<Complex> result(n);
    for (std::size_t q = 0; q < n; ++q) {
        for (std::size_t i = 0; i < n; ++i) {
            const double turns = static_cast<double>(i * q % n) / static_cast<double>(n);
            result[q] += line[i * stride] * std::polar(1.0, sign * 2 * std::numbers::pi * turns);
        }
    }
    for (std::size_t q = 0; q < n; ++q) line[q * stride] = result[q];
}

Field plain_transform(Field field, int sign)
{
    for (std::size_t z = 0; z < kGrid.nz; ++z) {
        for (std::size_t y = 0; y < kGrid.ny; ++y) transform_line(&field[index(kGrid, 0, y, z)], kGrid.nx, 1, sign);
        for (std::size_t x = 0; x < kGrid.nx; ++x)
            transform_line(&field[index(kGrid, x, 0, z)], kGrid.ny, kGrid.nx, sign);
    }
    for (std::size_t i = 0; i < kGrid.nx * kGrid.ny; ++i) {
        transform_line(&field[i], kGrid.nz, kGrid.nx * kGrid.ny, sign);
    }
    return field;
}

// exp(-4 alpha pi^2 t f^2) of the point's frequencies f.
double evolution_at(std::size_t x, std::size_t y, std::size_t z, int time)
{
    const auto square = [](std::size_t i, std::size_t n) {
        const double frequency = i < n / 2 ? static_cast<double>(i) : static_cast<double>(i) - static_cast<double>(n);
        return frequency * frequency;
    };
    const double squares = square(x, kGrid.nx) + square(y, kGrid.ny) + square(z, kGrid.nz);
    return std::exp(-4e-6 * std::numbers::pi * std::numbers::pi * squares * time);
}

// The rank's part of a field, for DistributedTransform::forward.
DistributedTransform::Fill fill_from(const Grid& grid, const Field& field)
{
    return [&grid, &field](std::size_t y, std::size_t z, double* rows) {
        for (std::size_t x = 0; x < grid.nx; ++x) {
            for (std::size_t lane = 0; lane < 8; ++lane) {
                rows[x * 16 + lane] = field[index(grid, x, y + lane, z)].real();
                rows[x * 16 + 8 + lane] = field[index(grid, x, y + lane, z)].imag();
            }
        }
    };
}

double spectrum_error(const Distribution& part, const double* spectrum, const Field& expected)
{
    double largest = 0;
    for (std::size_t x = 0; x < part.columns(); ++x) {
        for (std::size_t y = 0; y < part.spectral_lines(); ++y) {
            for (std::size_t z = 0; z < kGrid.nz; ++z) {
                const double* const row = spectrum + ((x / 8 * part.spectral_lines() + y) * kGrid.nz + z) * 16;
                const Complex value(row[x % 8], row[8 + x % 8]);
                const Complex wanted =
                    expected[index(kGrid, part.first_column() + x, part.first_spectral_line() + y, z)];
                largest = std::max(largest, std::abs(value - wanted));
            }
        }
    }
    return largest;
}

double field_error(const Distribution& part, const double* field, const Field& expected)
{
    double largest = 0;
    for (std::size_t z = 0; z < part.planes(); ++z) {
        for (std::size_t y = 0; y < part.physical_lines(); ++y) {
            for (std::size_t x = 0; x < part.grid().nx; ++x) {
                const double* const row = field + ((z * part.y_blocks() + y / 8) * part.grid().nx + x) * 16;
                const Complex value(row[y % 8], row[8 + y % 8]);
                const Complex wanted =
                    expected[index(part.grid(), x, part.first_physical_line() + y, part.first_plane() + z)];
                largest = std::max(largest, std::abs(value - wanted));
            }
        }
    }
    return largest;
}

Complex plain_checksum(const Field& field)
{
    Complex sum = 0;
    for (std::size_t j = 1; j <= 1024; ++j)
        sum += field[index(kGrid, j % kGrid.nx, 3 * j % kGrid.ny, 5 * j % kGrid.nz)];
    return sum / static_cast<double>(kGrid.points());
}

void agrees_with_plain_loops(Layout layout)
{
    const auto communication = Communication::join();
    const Distribution part(kGrid, communication->ranks(), layout, communication->rank());
    DistributedTransform transform(*communication, part);
    transform.prepare();
    Evolution evolution(part);
    const Checksum checksum(part);
    WorkArray<double> spectrum(part.points() * 2), field(part.points() * 2);

    const Field initial = random_field(kGrid);
    const Field transformed = plain_transform(initial, -1);
    transform.forward(fill_from(kGrid, initial), spectrum.data());
    EXPECT_LE(spectrum_error(part, spectrum.data(), transformed), 1e-11);

    for (const int time : {100, 0, 3}) {
        Field evolved = transformed;
        for (std::size_t z = 0; z < kGrid.nz; ++z) {
            for (std::size_t y = 0; y < kGrid.ny; ++y) {
                for (std::size_t x = 0; x < kGrid.nx; ++x)
                    evolved[index(kGrid, x, y, z)] *= evolution_at(x, y, z, time);
            }
        }
        const Field expected = plain_transform(evolved, 1);
        evolution.set_time(time);
        transform.inverse(spectrum.data(), evolution, field.data());
        EXPECT_LE(field_error(part, field.data(), expected), 1e-9);
        EXPECT_LE(std::abs(checksum(field.data(), communication->world()) - plain_checksum(expected)), 1e-11);
    }
}

FMPL_RANKS_TEST_AT(FtDistributedTransform, AgreesWithPlainLoopsInSlabs, ({1, 2, 4, 8}))
{
    agrees_with_plain_loops(Layout::slab);
}

FMPL_RANKS_TEST_AT(FtDistributedTransform, AgreesWithPlainLoopsInPencils, ({1, 2, 4, 8, 16}))
{
    agrees_with_plain_loops(Layout::pencil);
}

// Planes of 1024 rows and more, 128 KiB, which are therefore kept a little further apart; the second plane of a rank
// and the prefetch behind its last one count.
void is_undone_by_its_inverse(Layout layout)
{
    constexpr Grid kLargePlanes{32, 512, 4};
    const auto communication = Communication::join();
    const Distribution part(kLargePlanes, communication->ranks(), layout, communication->rank());
    DistributedTransform transform(*communication, part);
    transform.prepare();
    Evolution evolution(part);
    evolution.set_time(0);
    WorkArray<double> spectrum(part.points() * 2), field(part.points() * 2);

    Field initial = random_field(kLargePlanes);
    for (int repetition = 0; repetition < 2; ++repetition) {
        transform.forward(fill_from(kLargePlanes, initial), spectrum.data());
        transform.inverse(spectrum.data(), evolution, field.data());
        for (Complex& value : initial) value *= static_cast<double>(kLargePlanes.points());
        EXPECT_LE(field_error(part, field.data(), initial), 1e-12 * static_cast<double>(kLargePlanes.points()));
        for (Complex& value : initial) value /= static_cast<double>(2 * kLargePlanes.points());
    }
}

FMPL_RANKS_TEST_AT(FtDistributedTransform, OfLargePlanesIsUndoneByItsInverseInSlabs, ({1, 2, 4}))
{
    is_undone_by_its_inverse(Layout::slab);
}

FMPL_RANKS_TEST_AT(FtDistributedTransform, OfLargePlanesIsUndoneByItsInverseInPencils, ({1, 2, 4, 8}))
{
    is_undone_by_its_inverse(Layout::pencil);
}

}  // namespace
