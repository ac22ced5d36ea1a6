// The three-dimensional transform of a grid that the ranks share, in the forms of distribution.hpp.
//
// Each pass over the points transforms one dimension, eight lines at a time, from where they lie to where the next pass
// wants them: into the landing area of the rank that has them there. In the slab layout the passes of x and y take
// turns plane by plane, so that a plane of classes up to A stays in the second-level cache. What remains is the least
// that goes through main memory in an inverse transform: spectrum read, exchange written and read, field written, 16
// bytes a point each.
#pragma once

#include "distribution.hpp"
#include "evolution.hpp"
#include "fft.hpp"

#include "../common/communication.hpp"
#include "../common/work_array.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace fmpl::npb::ft {

class DistributedTransform {
public:
    // Makes the groups and the memory of the exchanges. Collective over the job; the communication must outlive it.
    DistributedTransform(Communication& communication, const Distribution& distribution);

    // Bytes that the constructor allocates on a rank, without what the library needs.
    static std::size_t bytes(Communication& communication, const Distribution& distribution);

    // Computes the roots of unity; before the first transform.
    void prepare();

    // Writes the lines y to y + 7 of plane z of the grid, lane i line y + i, into nx rows.
    using Fill = std::function<void(std::size_t y, std::size_t z, double* rows)>;

    // spectrum = forward transform of the field that `fill` gives. Collective.
    void forward(const Fill& fill, double* spectrum);

    // field = inverse transform of spectrum * evolution, not scaled. Collective.
    void inverse(const double* spectrum, Evolution& evolution, double* field);

private:
    using Table = std::vector<double*>;  // where the rows of a line lie, or the squares of a transposition

    void forward_x(std::size_t plane, const Fill& fill, const Table& squares, std::size_t square_offset, bool streamed);
    void forward_y(std::size_t plane, const Table& rows, std::size_t row_offset, const Table& targets);
    void forward_z(double* spectrum);
    void inverse_z(const double* spectrum, Evolution& evolution);
    void inverse_y(
        std::size_t plane, const Table& rows, const Table& squares, std::size_t square_offset, bool streamed);
    void inverse_x(const Table& rows, std::size_t row_offset, double* field);

    Distribution distribution_;
    std::size_t plane_pitch_;  // rows from one z plane to the next in what inverse_z() delivers
    std::unique_ptr<Group> xy_group_;
    std::unique_ptr<Group> yz_group_;
    std::unique_ptr<Exchange> xy_exchange_;  // none in the slab layout
    std::unique_ptr<Exchange> yz_exchange_;
    WorkArray<double> plane_;  // slab: a z plane between the passes of x and y
    WorkArray<double> lines_;  // eight lines along x
    std::optional<ColumnTransform> along_x_;
    std::optional<ColumnTransform> along_y_;
    std::optional<ColumnTransform> along_z_;
};

}  // namespace fmpl::npb::ft
