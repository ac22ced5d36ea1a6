#include "context.hpp"

#include "error.hpp"

namespace fmpl::blacs {

Context::Context(int rows, int columns, const std::vector<int>& world_ranks, int my_number)
    : world_ranks_(world_ranks),
      grid_{rows, columns, my_number / columns, my_number % columns},
      all_{Scope::Kind::all, create_group(world_ranks), grid_.size(), my_number},
      row_{Scope::Kind::row, null_comm(), columns, grid_.my_column},
      column_{Scope::Kind::column, null_comm(), rows, grid_.my_row}
{
    check_shape();
    system_comm_ = make_system_comm(all_.comm, world_ranks_);
    // A row or column that is the whole grid has the same processes in the same order, and shares its communicator.
    if (rows == 1) {
        row_.comm = all_.comm;
    } else if (columns > 1) {
        std::vector<int> members;
        for (int j = 0; j < columns; ++j) members.push_back(world_ranks_[grid_.number(grid_.my_row, j)]);
        row_.comm = create_group(members);
    }
    if (columns == 1) {
        column_.comm = all_.comm;
    } else if (rows > 1) {
        std::vector<int> members;
        for (int i = 0; i < rows; ++i) members.push_back(world_ranks_[grid_.number(i, grid_.my_column)]);
        column_.comm = create_group(members);
    }
}

// Before rows and columns are made: with different ones, their processes would wait for each other.
void Context::check_shape() const
{
    if (all_.size == 1) return;
    std::array<int, 2> shape{grid_.rows, grid_.columns};
    copy_of_first(all_.comm, shape.data(), sizeof shape);
    if (shape[0] != grid_.rows || shape[1] != grid_.columns) {
        refuse(
            "nprow x npcol is {} x {} here and {} x {} on the grid's first process; give the same on all processes of "
            "the grid",
            grid_.rows, grid_.columns, shape[0], shape[1]);
    }
}

void Context::free()
{
    for (Scope* scope : {&row_, &column_}) {
        if (scope->comm != null_comm() && scope->comm != all_.comm) free_group(scope->comm);
        scope->comm = null_comm();
    }
    free_system_comm(system_comm_, all_.comm);
    free_group(all_.comm);
}

}  // namespace fmpl::blacs
