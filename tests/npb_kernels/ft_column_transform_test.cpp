// ColumnTransform: eight transforms at a time, against the sum that defines them.
#include "ft/fft.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <numbers>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using namespace fmpl::npb;
using namespace fmpl::npb::ft;

constexpr std::size_t kColumns = 8;
constexpr std::size_t kRow = 2 * kColumns;
constexpr std::uint64_t kSeed = 20260721;

using Complex = std::complex<double>;

// Rows of eight columns, one behind the other, and tables of where they lie.
class Rows {
public:
    explicit Rows(std::size_t length) : length_(length), data_(length * kRow)
    {
        for (std::size_t row = 0; row < length; ++row) table_.push_back(data_.data() + row * kRow);
    }
    static Rows random(std::size_t length)
    {
        Rows rows(length);
        std::mt19937_64 random(kSeed + length);
        std::uniform_real_distribution<double> values(-1, 1);
        std::generate_n(rows.data_.data(), length * kRow, [&] { return values(random); });
        return rows;
    }

    Complex at(std::size_t row, std::size_t column) const
    {
        return {table_[row][column], table_[row][column + kColumns]};
    }
    void set(std::size_t row, std::size_t column, Complex value)
    {
        table_[row][column] = value.real();
        table_[row][column + kColumns] = value.imag();
    }

    // Row i of the table lies where row order[i] lay.
    void reorder(const std::vector<std::size_t>& order)
    {
        for (std::size_t row = 0; row < length_; ++row) table_[row] = data_.data() + order[row] * kRow;
    }

    SourceRows source() const { return {table_.data(), 0, 0}; }
    TargetRows target(bool streamed) const { return {table_.data(), 0, streamed}; }
    double* data() { return data_.data(); }
    std::size_t length() const { return length_; }

private:
    std::size_t length_;
    WorkArray<double> data_;
    std::vector<double*> table_;
};

// sign: that of the exponent.
Rows direct_transform(const Rows& from, int sign)
{
    const std::size_t n = from.length();
    std::vector<Complex> roots(n);
    for (std::size_t i = 0; i < n; ++i) {
        roots[i] = std::polar(1.0, sign * 2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(n));
    }
    Rows to(n);
    for (std::size_t column = 0; column < kColumns; ++column) {
        for (std::size_t q = 0; q < n; ++q) {
            double re = 0, im = 0;
            for (std::size_t i = 0; i < n; ++i) {
                const Complex value = from.at(i, column), root = roots[i * q % n];
                re += value.real() * root.real() - value.imag() * root.imag();
                im += value.real() * root.imag() + value.imag() * root.real();
            }
            to.set(q, column, {re, im});
        }
    }
    return to;
}

double largest_difference(const Rows& a, const Rows& b)
{
    double largest = 0;
    for (std::size_t row = 0; row < a.length(); ++row) {
        for (std::size_t column = 0; column < kColumns; ++column) {
            largest = std::max(largest, std::abs(a.at(row, column) - b.at(row, column)));
        }
    }
    return largest;
}

// Of a sum of n terms of size 1 in any order, as the direct transform adds them.
double tolerance(std::size_t length)
{
    return 1e-15 * static_cast<double>(length);
}

class ColumnTransformLength : public testing::TestWithParam<std::size_t> {};

INSTANTIATE_TEST_SUITE_P(PowersOfTwo, ColumnTransformLength,
    testing::Values(4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048),
    [](const auto& param) { return std::to_string(param.param); });

TEST_P(ColumnTransformLength, AgreesWithTheDefiningSum)
{
    const Rows from = Rows::random(GetParam());
    ColumnTransform transform(GetParam());
    for (const bool streamed : {false, true}) {
        Rows to(GetParam());
        transform.run(Direction::forward, from.source(), to.target(streamed));
        finish_streamed_rows();
        EXPECT_LE(largest_difference(to, direct_transform(from, -1)), 4 * tolerance(GetParam()));
        transform.run(Direction::inverse, from.source(), to.target(streamed));
        finish_streamed_rows();
        EXPECT_LE(largest_difference(to, direct_transform(from, 1)), 4 * tolerance(GetParam()));
    }
}

TEST_P(ColumnTransformLength, InverseOfForwardIsTheInputTimesTheLength)
{
    const std::size_t n = GetParam();
    const Rows from = Rows::random(n);
    Rows spectrum(n), back(n);
    ColumnTransform transform(n);
    transform.run(Direction::forward, from.source(), spectrum.target(false));
    transform.run(Direction::inverse, spectrum.source(), back.target(false));
    for (std::size_t row = 0; row < n; ++row) {
        for (std::size_t column = 0; column < kColumns; ++column) {
            back.set(row, column, back.at(row, column) / static_cast<double>(n));
        }
    }
    EXPECT_LE(largest_difference(from, back), 2e-15);
}

TEST_P(ColumnTransformLength, ReadsAndWritesRowsWhereverTheyLie)
{
    const std::size_t n = GetParam();
    Rows from = Rows::random(n), to(n), straight(n), scattered(n);
    ColumnTransform transform(n);
    transform.run(Direction::forward, from.source(), straight.target(false));

    std::vector<std::size_t> order(n);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::shuffle(order.begin(), order.end(), std::mt19937_64(kSeed));
    for (std::size_t row = 0; row < n; ++row) {
        for (std::size_t column = 0; column < kColumns; ++column) {
            scattered.set(order[row], column, from.at(row, column));
        }
    }
    scattered.reorder(order);
    to.reorder(order);
    const auto shift = static_cast<std::ptrdiff_t>(3 * kRow);  // of the tables, which the offsets take back
    std::vector<const double*> source_rows(n);
    std::vector<double*> target_rows(n);
    for (std::size_t row = 0; row < n; ++row) {
        source_rows[row] = scattered.source().rows[row] - shift;
        target_rows[row] = to.target(false).rows[row] - shift;
    }
    transform.run(Direction::forward, {source_rows.data(), shift, shift}, {target_rows.data(), shift, false});
    EXPECT_EQ(largest_difference(to, straight), 0);
}

TEST_P(ColumnTransformLength, MultipliesByTheFactorsFirst)
{
    const std::size_t n = GetParam();
    Rows from = Rows::random(n), multiplied(n), expected(n), to(n);
    std::vector<double> by_row(n);
    for (std::size_t row = 0; row < n; ++row) by_row[row] = 1 / (1 + static_cast<double>(row));
    alignas(64) const double by_column[kColumns] = {1, 2, -3, 4, 0.5, 0, 7, 8};
    for (std::size_t row = 0; row < n; ++row) {
        for (std::size_t column = 0; column < kColumns; ++column) {
            multiplied.set(row, column, from.at(row, column) * (by_row[row] * by_column[column]));
        }
    }
    ColumnTransform transform(n);
    for (const Direction direction : {Direction::forward, Direction::inverse}) {
        transform.run(direction, multiplied.source(), expected.target(false));
        for (const bool streamed : {false, true}) {
            transform.run(direction, from.source(), to.target(streamed), {by_row.data(), by_column});
            finish_streamed_rows();
            EXPECT_LE(largest_difference(to, expected), 8 * tolerance(n));
        }
    }
}

TEST(ColumnTransform, TransposesSquaresOfItsResult)
{
    for (const std::size_t n : {8, 16, 64, 256}) {
        const Rows from = Rows::random(n);
        Rows expected(n);
        ColumnTransform transform(n);
        transform.run(Direction::forward, from.source(), expected.target(false));
        for (const bool streamed : {false, true}) {
            Rows to(n);
            std::vector<double*> squares;  // the last one first
            for (std::size_t square = n / kColumns; square-- > 0;)
                squares.push_back(to.data() + square * kColumns * kRow);
            transform.run(Direction::forward, from.source());
            transform.transpose_work(squares.data(), 0, streamed);
            finish_streamed_rows();
            for (std::size_t row = 0; row < n; ++row) {
                const std::size_t square = n / kColumns - 1 - row / kColumns;
                for (std::size_t column = 0; column < kColumns; ++column) {
                    EXPECT_EQ(to.at(square * kColumns + column, row % kColumns), expected.at(row, column));
                }
            }
        }
    }
}

TEST(ColumnTransform, RefusesLengthsThatAreNoPowerOfTwoFromFourOn)
{
    for (const std::size_t length : {0, 1, 2, 3, 6, 12, 96, 1000}) {
        EXPECT_THROW(ColumnTransform{length}, std::invalid_argument) << length;
    }
}

}  // namespace
