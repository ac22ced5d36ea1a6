// Whether a distributed product is right: the result, gathered on process (0, 0), against Eigen's product of the whole
// matrices made there from their elements.
//
// residual = max |C - Cref| / (eps (|alpha| k max|A| max|B| + |beta| max|C0|)), with the eps of the type and Cref in
// double precision. A product without errors beyond rounding stays near or below 1, as every entry of C is a sum of k
// products; an element in the wrong place gives 1/(k eps). Every element of C outside the submatrix must have kept
// its bits.
#pragma once

#include "../blacs_calls.hpp"
#include "test_matrix.hpp"

#include <Eigen/Dense>

#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <type_traits>
#include <vector>

namespace fmpl::pdgemm {

inline constexpr double residual_limit = 10.0;

struct Verdict {
    double residual = 0.0;
    bool outside_unchanged = true;
    bool inputs_unchanged = true;

    bool passed() const { return residual <= residual_limit && outside_unchanged && inputs_unchanged; }
};

template <class T>
using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;

// Collective over the grid: process (0, 0) gets the whole of a distributed matrix, the others an empty one.
template <class T>
Matrix<T> gather_matrix(const TestMatrix& matrix, const T* local, const ProcessGrid& grid)
{
    const int own_rows = matrix.rows.local_count(grid.my_row);
    const int own_columns = matrix.columns.local_count(grid.my_column);
    if (grid.my_row != 0 || grid.my_column != 0) {
        if (own_rows > 0 && own_columns > 0) {
            BlacsCalls<T>::send(grid.context, own_rows, own_columns, local, matrix.leading_dimension, 0, 0);
        }
        return {};
    }
    Matrix<T> whole(matrix.rows.size(), matrix.columns.size());
    for (int row = 0; row < grid.rows; ++row) {
        for (int column = 0; column < grid.columns; ++column) {
            const int rows = matrix.rows.local_count(row);
            const int columns = matrix.columns.local_count(column);
            if (rows == 0 || columns == 0) continue;
            std::vector<T> received;
            const T* part = local;
            int leading_dimension = matrix.leading_dimension;
            if (row != 0 || column != 0) {
                received.resize(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns));
                part = received.data();
                leading_dimension = rows;
                BlacsCalls<T>::receive(grid.context, rows, columns, received.data(), rows, row, column);
            }
            for (int j = 0; j < columns; ++j) {
                const int global_column = matrix.columns.global_index(column, j);
                for (int i = 0; i < rows; ++i) {
                    whole(matrix.rows.global_index(row, i), global_column) =
                        part[i + static_cast<std::ptrdiff_t>(j) * leading_dimension];
                }
            }
        }
    }
    return whole;
}

// op(sub(X)) in the type of the reference.
template <class Wide, class T>
Matrix<Wide> whole_operand(const TestMatrix& matrix, char operation, int op_rows, int op_columns, std::uint64_t seed)
{
    const bool transposed = operation != 'N' && operation != 'n';
    Matrix<Wide> stored(transposed ? op_columns : op_rows, transposed ? op_rows : op_columns);
    for (Eigen::Index j = 0; j < stored.cols(); ++j) {
        for (Eigen::Index i = 0; i < stored.rows(); ++i) {
            stored(i, j) = static_cast<Wide>(element<T>(seed, matrix.name, matrix.offset.rows + static_cast<int>(i),
                matrix.offset.columns + static_cast<int>(j)));
        }
    }
    if (!transposed) return stored;
    if (operation == 'C' || operation == 'c') return stored.adjoint();
    return stored.transpose();
}

template <class T>
bool equal_bits(const T& x, const T& y)
{
    return std::memcmp(&x, &y, sizeof(T)) == 0;
}

// On process (0, 0). `result`: the gathered C; `initial(i, j)`: C before the product.
template <class T, class Initial>
Verdict compare_with_reference(const ProgramOptions& options, const TestMatrix& a, const TestMatrix& b,
    const TestMatrix& c, const Matrix<T>& result, Initial initial)
{
    using Wide = std::conditional_t<is_complex<T>, std::complex<double>, double>;
    using Real = typename Eigen::NumTraits<T>::Real;
    const auto scalar = [](std::complex<double> value) {
        if constexpr (is_complex<T>) {
            return value;
        } else {
            return value.real();
        }
    };
    const Wide alpha = scalar(options.alpha);
    const Wide beta = scalar(options.beta);
    const Matrix<Wide> op_a = whole_operand<Wide, T>(a, options.transa, options.m, options.k, options.seed);
    const Matrix<Wide> op_b = whole_operand<Wide, T>(b, options.transb, options.k, options.n, options.seed);
    Matrix<Wide> reference = Matrix<Wide>::Zero(options.m, options.n);
    if (options.k > 0) reference.noalias() = alpha * (op_a * op_b);

    double largest_c = 0.0;
    if (beta != Wide(0)) {
        for (int j = 0; j < options.n; ++j) {
            for (int i = 0; i < options.m; ++i) {
                const Wide value = static_cast<Wide>(initial(c.offset.rows + i, c.offset.columns + j));
                largest_c = std::max(largest_c, std::abs(value));
                reference(i, j) += beta * value;
            }
        }
    }

    Verdict verdict;
    double difference = 0.0;
    for (int j = 0; j < c.columns.size(); ++j) {
        for (int i = 0; i < c.rows.size(); ++i) {
            const int sub_row = i - c.offset.rows;
            const int sub_column = j - c.offset.columns;
            if (sub_row < 0 || sub_row >= options.m || sub_column < 0 || sub_column >= options.n) {
                verdict.outside_unchanged = verdict.outside_unchanged && equal_bits(result(i, j), initial(i, j));
                continue;
            }
            const double error = std::abs(static_cast<Wide>(result(i, j)) - reference(sub_row, sub_column));
            // Written so that a NaN counts as an infinite error.
            difference = error <= difference ? difference
                         : std::isnan(error) ? std::numeric_limits<double>::infinity()
                                             : error;
        }
    }
    const auto largest = [](const Matrix<Wide>& matrix) {
        return matrix.size() == 0 ? 0.0 : matrix.cwiseAbs().maxCoeff();
    };
    const double scale = static_cast<double>(std::numeric_limits<Real>::epsilon()) *
                         (std::abs(alpha) * options.k * largest(op_a) * largest(op_b) + std::abs(beta) * largest_c);
    if (difference > 0.0) {
        verdict.residual = scale > 0.0 ? difference / scale : std::numeric_limits<double>::infinity();
    }
    return verdict;
}

}  // namespace fmpl::pdgemm
