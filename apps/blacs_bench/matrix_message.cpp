#include "matrix_message.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace fmpl::bench {
namespace {

double outside()
{
    return -1.0 - transport::grid.rank;
}

double inside(std::uint64_t seed, int i, int j)
{
    return static_cast<double>(seed) + i * 1e-3 + j;
}

}  // namespace

const char* shape_name(Shape shape)
{
    switch (shape) {
        case Shape::contiguous:
            return "contiguous";
        case Shape::strided:
            return "strided";
        case Shape::upper:
            return "upper";
        case Shape::lower:
            break;
    }
    return "lower";
}

std::size_t MatrixMessage::elements() const
{
    const auto rows = static_cast<std::size_t>(m);
    return is_triangle() ? rows * (rows + 1) / 2 : rows * static_cast<std::size_t>(n);
}

std::size_t MatrixMessage::buffer_elements() const
{
    return static_cast<std::size_t>(lda) * static_cast<std::size_t>(n - 1) + static_cast<std::size_t>(m);
}

std::size_t MatrixMessage::buffer_bytes() const
{
    return buffer_elements() * sizeof(double);
}

std::string MatrixMessage::words() const
{
    return fmt::format("{}x{}, leading dimension {}", m, n, lda);
}

bool MatrixMessage::travels(int i, int j) const
{
    return i < m && (!is_triangle() || (shape == Shape::upper ? i <= j : i >= j));
}

void MatrixMessage::clear(std::byte* buffer) const
{
    std::fill_n(reinterpret_cast<double*>(buffer), buffer_elements(), outside());
}

void MatrixMessage::fill(std::byte* buffer, std::uint64_t seed) const
{
    auto* a = reinterpret_cast<double*>(buffer);
    clear(buffer);
    for (int j = 0; j < n; ++j) {
        double* column = a + static_cast<std::ptrdiff_t>(j) * lda;
        for (int i = 0; i < m; ++i) {
            if (travels(i, j)) column[i] = inside(seed, i, j);
        }
    }
}

bool MatrixMessage::holds(const std::byte* buffer, std::uint64_t seed) const
{
    const auto* a = reinterpret_cast<const double*>(buffer);
    for (std::size_t at = 0; at < buffer_elements(); ++at) {
        const int i = static_cast<int>(at % static_cast<std::size_t>(lda));
        const int j = static_cast<int>(at / static_cast<std::size_t>(lda));
        if (a[at] != (travels(i, j) ? inside(seed, i, j) : outside())) return false;
    }
    return true;
}

}  // namespace fmpl::bench
