// The matrices that the program multiplies. An element depends on the seed, the matrix and its global indices alone, so
// that every distribution holds the same matrix, and any process can make any part of it.
#pragma once

#include "../block_cyclic.hpp"
#include "../comm_memory.hpp"
#include "../process_grid.hpp"
#include "program_options.hpp"

#include <algorithm>
#include <array>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

namespace fmpl::pdgemm {

template <class T>
inline constexpr bool is_complex = false;
template <class R>
inline constexpr bool is_complex<std::complex<R>> = true;

// The scrambling step of the splitmix64 generator.
inline std::uint64_t scramble(std::uint64_t x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

// In -1 .. 1, with all the bits of a double, so that products of doubles round.
inline double uniform(std::uint64_t bits)
{
    return static_cast<double>(bits >> 11) * 0x1p-52 - 1.0;
}

template <class T>
T element(std::uint64_t seed, char matrix, int i, int j)
{
    const std::uint64_t place =
        (static_cast<std::uint64_t>(static_cast<std::uint32_t>(i)) << 32) | static_cast<std::uint32_t>(j);
    const std::uint64_t bits = scramble(scramble(scramble(seed) + static_cast<unsigned char>(matrix)) ^ place);
    if constexpr (is_complex<T>) {
        using Real = typename T::value_type;
        return {static_cast<Real>(uniform(bits)), static_cast<Real>(uniform(scramble(bits)))};
    } else {
        return static_cast<T>(uniform(bits));
    }
}

// One matrix of the program: its whole size, the place of the submatrix, its distribution.
struct TestMatrix {
    TestMatrix(
        char matrix_name, const MatrixOptions& options, int sub_rows, int sub_columns, const ProcessGrid& grid, int pad)
        : name(matrix_name),
          offset(options.offset),
          rows(2 * options.offset.rows + sub_rows, options.block.rows, options.block.rows, options.source.rows,
              grid.rows),
          columns(2 * options.offset.columns + sub_columns, options.block.columns, options.block.columns,
              options.source.columns, grid.columns),
          leading_dimension(std::max(1, rows.local_count(grid.my_row) + pad)),
          descriptor{1, grid.context, rows.size(), columns.size(), options.block.rows, options.block.columns,
              options.source.rows, options.source.columns, leading_dimension}
    {
    }

    char name;
    Pair offset;
    BlockCyclic rows;
    BlockCyclic columns;
    int leading_dimension;
    std::array<int, 9> descriptor;
};

// The local array of a matrix. Rows below the matrix (the pad) hold a fixed value that nobody may change.
template <class T, class Element>
std::vector<T> local_array(const TestMatrix& matrix, const ProcessGrid& grid, Element element_at)
{
    const int rows = matrix.rows.local_count(grid.my_row);
    const int columns = matrix.columns.local_count(grid.my_column);
    std::vector<T> local(
        static_cast<std::size_t>(matrix.leading_dimension) * static_cast<std::size_t>(columns), T(-77));
    for (int j = 0; j < columns; ++j) {
        const int global_column = matrix.columns.global_index(grid.my_column, j);
        T* column = local.data() + static_cast<std::ptrdiff_t>(j) * matrix.leading_dimension;
        for (int i = 0; i < rows; ++i) {
            column[i] = element_at(matrix.rows.global_index(grid.my_row, i), global_column);
        }
    }
    return local;
}

// A copy of a local array in memory that the communication library reaches fastest.
template <class T>
class LocalArray {
public:
    explicit LocalArray(const std::vector<T>& contents)
        : memory_(std::max<std::size_t>(1, contents.size() * sizeof(T))),
          size_(contents.size())
    {
        assign(contents);
    }

    void assign(const std::vector<T>& contents) { std::copy(contents.begin(), contents.end(), data()); }
    T* data() const { return reinterpret_cast<T*>(memory_.data()); }
    bool has_bits_of(const std::vector<T>& contents) const
    {
        return size_ == contents.size() && (size_ == 0 || std::memcmp(data(), contents.data(), size_ * sizeof(T)) == 0);
    }

private:
    CommMemory memory_;
    std::size_t size_;
};

}  // namespace fmpl::pdgemm
