// A matrix in square blocks, dealt out to all processes, and the grid that they form.
#pragma once

#include "scalapack.hpp"

#include <Eigen/Core>
#include <blacs_fmpl.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

struct ProcessGrid {
    int all = -1;   // context of all processes
    int root = -1;  // context of process (0,0) alone; -1 on the others
    int rows = 0, columns = 0, row = 0, column = 0;

    // Called by all processes. As nearly square as their number allows.
    explicit ProcessGrid(int processes)
    {
        rows = static_cast<int>(std::sqrt(processes));
        while (processes % rows != 0) --rows;
        Cblacs_get(-1, 0, &all);
        root = all;
        Cblacs_gridinit(&all, "Row", rows, processes / rows);
        Cblacs_gridinit(&root, "Row", 1, 1);
        Cblacs_gridinfo(all, &rows, &columns, &row, &column);
    }

    bool is_root() const { return root >= 0; }

    // Gives the values of process (0,0) to all.
    template <std::size_t n>
    void broadcast(std::array<int, n>& values) const
    {
        if (is_root()) {
            Cigebs2d(all, "All", " ", n, 1, values.data(), n);
        } else {
            Cigebr2d(all, "All", " ", n, 1, values.data(), n, 0, 0);
        }
    }
};

struct DistributedMatrix {
    std::array<int, 9> descriptor;
    std::vector<double> local;  // the part of this process

    DistributedMatrix(const ProcessGrid& grid, int rows, int columns, int block)
    {
        constexpr int first = 0;
        const int local_rows = std::max(1, numroc_(&rows, &block, &grid.row, &first, &grid.rows));
        const int local_columns = std::max(1, numroc_(&columns, &block, &grid.column, &first, &grid.columns));
        descriptor = {1, grid.all, rows, columns, block, block, 0, 0, local_rows};
        local.resize(static_cast<std::size_t>(local_rows) * local_columns);
    }

    // From `whole` on process (0,0); called by all.
    void deal_out(const ProcessGrid& grid, const Eigen::MatrixXd& whole)
    {
        const auto from = whole_descriptor(grid);
        constexpr int one = 1;
        pdgemr2d_(&descriptor[2], &descriptor[3], whole.data(), &one, &one, from.data(), local.data(), &one, &one,
            descriptor.data(), &grid.all);
    }

    // To process (0,0), where the result is the whole matrix; called by all.
    Eigen::MatrixXd collect(const ProcessGrid& grid) const
    {
        Eigen::MatrixXd whole;
        if (grid.is_root()) whole.resize(descriptor[2], descriptor[3]);
        const auto to = whole_descriptor(grid);
        constexpr int one = 1;
        pdgemr2d_(&descriptor[2], &descriptor[3], local.data(), &one, &one, descriptor.data(), whole.data(), &one, &one,
            to.data(), &grid.all);
        return whole;
    }

private:
    // All of the matrix as one block on process (0,0).
    std::array<int, 9> whole_descriptor(const ProcessGrid& grid) const
    {
        const auto [rows, columns] = std::array{descriptor[2], descriptor[3]};
        return {1, grid.root, rows, columns, rows, columns, 0, 0, rows};
    }
};
