// What the combine operations mean, whatever the library that runs them: who gets the result, and where the coordinates
// of the winners of a search for an extreme go.
#pragma once

#include "context.hpp"
#include "extreme.hpp"
#include "matrix_view.hpp"

#include <algorithm>
#include <array>
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

// Row and column of the processes of a grid by their number, without a division for each question while the grid is not
// very large.
class PlaceTable {
public:
    explicit PlaceTable(const ProcessGrid& grid) : grid_(&grid), known_(std::min(grid.size(), kMost))
    {
        for (int number = 0, row = 0, column = 0; number < known_; ++number) {
            places_[static_cast<std::size_t>(number)] = {row, column};
            if (++column == grid.columns) {
                column = 0;
                ++row;
            }
        }
    }
    struct Place {
        int row;
        int column;
    };
    Place of(int number) const
    {
        if (number < known_) [[likely]]
            return places_[static_cast<std::size_t>(number)];
        return {grid_->row_of(number), grid_->column_of(number)};
    }

private:
    static constexpr int kMost = 64;
    const ProcessGrid* grid_;
    int known_;
    std::array<Place, kMost> places_;
};

// The winners into the matrix, and their places into the coordinate arrays.
template <class T>
void take_winners(
    const Candidate<T>* candidates, const ProcessGrid& grid, const MatrixView<T>& a, const Winners& winners)
{
    const PlaceTable places(grid);
    a.for_each([&](int i, int j, std::size_t k) {
        a.at(i, j) = candidates[k].value;
        const PlaceTable::Place place = places.of(candidates[k].process);
        const std::ptrdiff_t at = i + winners.leading_dimension * j;
        winners.row[at] = place.row;
        winners.column[at] = place.column;
    });
}

}  // namespace fmpl::blacs
