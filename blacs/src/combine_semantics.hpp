// What the combine operations mean, whatever the library that runs them: who gets the result, and where the coordinates of
// the winners of a search for an extreme go.
#pragma once

#include "context.hpp"
#include "extreme.hpp"
#include "matrix_view.hpp"

#include <cstddef>
#include <cstdint>

namespace fmpl::blacs {

// As the destination: all processes of the scope.
inline constexpr int kToAll = -1;

inline bool gets_result(const Scope& scope, int destination)
{
    return destination == kToAll || destination == scope.rank;
}

// The coordinates of the winners, for the processes that get the result. None when row is null.
struct Winners {
    int* row = nullptr;
    int* column = nullptr;
    std::ptrdiff_t leading_dimension = 0;
};

// The elements of the matrix, each as a candidate of this process.
template <class T>
void enter_candidates(const MatrixView<T>& a, const ProcessGrid& grid, Candidate<T>* candidates)
{
    const std::int32_t me = grid.my_number();
    a.for_each([&](int i, int j, std::size_t k) { candidates[k] = {a.at(i, j), me}; });
}

// The winners into the matrix, and their places into the coordinate arrays.
template <class T>
void take_winners(
    const Candidate<T>* candidates, const ProcessGrid& grid, const MatrixView<T>& a, const Winners& winners)
{
    a.for_each([&](int i, int j, std::size_t k) {
        a.at(i, j) = candidates[k].value;
        const std::ptrdiff_t place = i + winners.leading_dimension * j;
        winners.row[place] = grid.row_of(candidates[k].process);
        winners.column[place] = grid.column_of(candidates[k].process);
    });
}

}  // namespace fmpl::blacs
