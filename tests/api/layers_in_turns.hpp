// What one rank of a program does that calls the MPI, or the BLACS, or both. Each rank has results of its own, so
// that a call that another rank of the thread was meant by is seen. Throws std::runtime_error for a wrong result.
#pragma once

#include <blacs_fmpl.h>
#include <mpi.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

namespace layers_in_turns {

inline void expect_equal(double found, double expected, const char* what)
{
    if (found == expected) return;
    throw std::runtime_error(
        std::string(what) + " gave " + std::to_string(found) + ", not " + std::to_string(expected));
}

// Between MPI_Init and MPI_Finalize: a ring, a sum, and both in a copy of the communicator without rank 0.
inline void call_mpi()
{
    int rank = -1, size = -1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm copy = MPI_COMM_NULL, part = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Comm_split(copy, rank == 0 ? MPI_UNDEFINED : 0, -rank, &part);
    for (int round = 0; round < 20; ++round) {
        const int next = (rank + 1) % size, previous = (rank + size - 1) % size;
        std::vector<double> sent(round % 2 == 0 ? 1 : 20000, 100.0 * rank + round), received(sent.size());
        const int count = static_cast<int>(sent.size());
        MPI_Comm comm = round % 4 < 2 ? MPI_COMM_WORLD : copy;
        if (rank % 2 == 0) MPI_Send(sent.data(), count, MPI_DOUBLE, next, round, comm);
        MPI_Status status;
        MPI_Recv(received.data(), count, MPI_DOUBLE, previous, round, comm, &status);
        if (rank % 2 != 0) MPI_Send(sent.data(), count, MPI_DOUBLE, next, round, comm);
        expect_equal(*std::min_element(received.begin(), received.end()), 100.0 * previous + round, "MPI_Recv");
        expect_equal(status.MPI_SOURCE, previous, "MPI_SOURCE");
        int sum = -1;
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
        expect_equal(sum, size * (size - 1) / 2, "MPI_Allreduce");
        if (part == MPI_COMM_NULL) continue;
        int place = -1;
        MPI_Scan(&rank, &place, 1, MPI_INT, MPI_SUM, part);  // from the highest rank downwards
        expect_equal(place, (size - rank) * (size - 1 + rank) / 2, "MPI_Scan");
    }
    if (part != MPI_COMM_NULL) MPI_Comm_free(&part);
    MPI_Comm_free(&copy);
}

// A grid of two columns: broadcasts in rows, combines in columns, matrices to the other column.
inline void call_blacs()
{
    int number = -1, count = -1, context = -1, rows = 0, columns = 0, row = -1, column = -1;
    Cblacs_pinfo(&number, &count);
    Cblacs_get(-1, 0, &context);
    Cblacs_gridinit(&context, "R", count / 2, 2);
    Cblacs_gridinfo(context, &rows, &columns, &row, &column);
    expect_equal(2 * row + column, number, "Cblacs_gridinfo");
    for (int round = 0; round < 20; ++round) {
        double a[6];
        std::fill_n(a, 6, 10.0 * row + round);
        if (column == round % 2) {
            Cdgebs2d(context, "Row", " ", 2, 3, a, 2);
        } else {
            std::fill_n(a, 6, -1.0);
            Cdgebr2d(context, "Row", " ", 2, 3, a, 2, row, round % 2);
        }
        expect_equal(a[5], 10.0 * row + round, "Cdgebr2d");
        int sum = number;
        Cigsum2d(context, "Column", " ", 1, 1, &sum, 1, -1, -1);
        expect_equal(sum, rows * (rows - 1) + rows * column, "Cigsum2d");
        const int lda = round % 2 == 0 ? 2 : 200;
        std::vector<double> sent(static_cast<std::size_t>(lda) * 150, 1000.0 * number + round), received(sent.size());
        Cdgesd2d(context, lda, 150, sent.data(), lda, (row + 1) % rows, 1 - column);
        Cdgerv2d(context, lda, 150, received.data(), lda, (row + rows - 1) % rows, 1 - column);
        const int source = 2 * ((row + rows - 1) % rows) + 1 - column;
        expect_equal(*std::min_element(received.begin(), received.end()), 1000.0 * source + round, "Cdgerv2d");
    }
    Cblacs_gridexit(context);
}

enum class Layers { mpi, blacs, both };

inline bool mpi_says(int (*question)(int*))
{
    int flag = -1;
    question(&flag);
    return flag == 1;
}

// The whole of a rank's main.
inline void run_rank(Layers layers)
{
    expect_equal(mpi_says(MPI_Initialized), 0, "MPI_Initialized before all");
    if (layers != Layers::blacs) MPI_Init(nullptr, nullptr);
    if (layers != Layers::mpi) call_blacs();
    if (layers != Layers::blacs) call_mpi();
    if (layers == Layers::both) {
        Cblacs_exit(1);
        call_blacs();
    }
    expect_equal(mpi_says(MPI_Finalized), 0, "MPI_Finalized too early");
    if (layers != Layers::mpi) Cblacs_exit(layers == Layers::both ? 1 : 0);
    if (layers != Layers::blacs) MPI_Finalize();
    expect_equal(mpi_says(MPI_Finalized), 1, "MPI_Finalized at the end");
}

}  // namespace layers_in_turns
