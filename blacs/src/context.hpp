// A BLACS context: a process grid with communicators of its own, so that its messages meet no others.
//
// Row-wise and column-wise operations have communicators too. All are made by the processes of the grid alone, first
// that of the grid, then that of the caller's row, then that of its column. This cannot deadlock: the grid's
// communicator is the first that any process of the grid makes; once a process has it, its whole row has begun to make
// the row's, and waits for nobody else; and no process enters its column before its row is complete, which needs no
// column.
#pragma once

#include "process_grid.hpp"
#include "transport.hpp"

#include <array>
#include <vector>

namespace fmpl::blacs {

// The processes that a collective call concerns. A scope of one process has no communicator, except the grid's own.
struct Scope {
    enum class Kind { row, column, all };
    Kind kind;
    Comm comm;
    int size;
    int rank;  // the caller's: its column in a row, its row in a column, its number in the grid
};

class Context {
public:
    // world_ranks: the ranks in the job by process number. Called by these ranks with the same arguments but
    // my_number; blocks until they all have. Throws Error.
    Context(int rows, int columns, const std::vector<int>& world_ranks, int my_number);
    Context(const Context&) = delete;
    Context& operator=(const Context&) = delete;

    // Frees the communicators; called by all processes of the grid. Throws Error.
    void free();

    const ProcessGrid& grid() const { return grid_; }
    const Scope& all() const { return all_; }
    const Scope& row() const { return row_; }
    const Scope& column() const { return column_; }
    const std::vector<int>& world_ranks() const { return world_ranks_; }
    // The communicator of the grid that the program may have.
    Comm system_comm() const { return system_comm_; }

    // Cblacs_get and Cblacs_set 11 .. 16: rings and branches of broadcasts, of combines, repeatability, coherence.
    static constexpr int kFirstSetting = 11;
    static constexpr int kSettings = 6;
    int& setting(int what) { return settings_[static_cast<std::size_t>(what - kFirstSetting)]; }

private:
    void check_shape() const;

    std::vector<int> world_ranks_;
    ProcessGrid grid_;
    Scope all_;
    Scope row_;
    Scope column_;
    Comm system_comm_ = null_comm();
    std::array<int, kSettings> settings_{1, 1, 1, 1, 0, 0};
};

}  // namespace fmpl::blacs
