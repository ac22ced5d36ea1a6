#include "context.hpp"

#include "error.hpp"

#include <fmpl/layers.h>

namespace fmpl::blacs {
namespace {

fmpl_comm_t create_group(const std::vector<int>& world_ranks)
{
    fmpl_comm_t comm = FMPL_COMM_NULL;
    check(fmpl_comm_create_group(&comm, world_ranks.data(), static_cast<int>(world_ranks.size())));
    return comm;
}

}  // namespace

Context::Context(int rows, int columns, const std::vector<int>& world_ranks, int my_number)
    : world_ranks_(world_ranks),
      grid_{rows, columns, my_number / columns, my_number % columns},
      all_{Scope::Kind::all, create_group(world_ranks), grid_.size(), my_number},
      row_{Scope::Kind::row, FMPL_COMM_NULL, columns, grid_.my_column},
      column_{Scope::Kind::column, FMPL_COMM_NULL, rows, grid_.my_row}
{
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

void Context::free()
{
    for (Scope* scope : {&row_, &column_}) {
        if (scope->comm != FMPL_COMM_NULL && scope->comm != all_.comm) check(fmpl_comm_free(&scope->comm));
        scope->comm = FMPL_COMM_NULL;
    }
    check(fmpl_comm_free(&all_.comm));
}

}  // namespace fmpl::blacs
