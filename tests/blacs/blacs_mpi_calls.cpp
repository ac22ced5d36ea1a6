#include "blacs_mpi_calls.hpp"

#include <mpi.h>

extern "C" {
void Cblacs_get(int context, int what, int* value);
void Cblacs_gridinit(int* context, const char* order, int rows, int columns);
void Cblacs_gridinfo(int context, int* rows, int* columns, int* row, int* column);
void Cblacs_gridexit(int context);
int Csys2blacs_handle(MPI_Comm comm);
MPI_Comm Cblacs2sys_handle(int system_context);
void Cfree_blacs_system_handle(int system_context);
int sys2blacs_handle_(const MPI_Fint* comm);
MPI_Fint blacs2sys_handle_(const int* system_context);
void free_blacs_system_handle_(const int* system_context);
}

namespace fmpl_test {
namespace {

bool same_processes(MPI_Comm a, MPI_Comm b, int expected)
{
    int result = MPI_UNEQUAL;
    MPI_Comm_compare(a, b, &result);
    return result == expected;
}

}  // namespace

const char* wrong_with_mpi_handles(int grid_context)
{
    int rank = 0;
    int size = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm reversed = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, 0, size - rank, &reversed);

    const int handle = Csys2blacs_handle(reversed);
    if (Cblacs2sys_handle(handle) != reversed) return "the communicator of a handle is another one";
    const MPI_Fint fortran = MPI_Comm_c2f(reversed);
    if (sys2blacs_handle_(&fortran) != handle) return "the Fortran name gives another handle";
    if (blacs2sys_handle_(&handle) != fortran) return "the Fortran name gives another communicator";

    int context = handle;
    Cblacs_gridinit(&context, "Row", 1, size);
    int rows = 0;
    int columns = 0;
    int row = 0;
    int column = 0;
    Cblacs_gridinfo(context, &rows, &columns, &row, &column);
    if (column != size - 1 - rank) return "a grid from the handle does not have the order of the communicator";
    Cblacs_gridexit(context);
    free_blacs_system_handle_(&handle);

    int world = -1;
    Cblacs_get(-1, 0, &world);
    if (Cblacs2sys_handle(world) != MPI_COMM_WORLD) return "system context 0 is not MPI_COMM_WORLD";
    int of_grid = -1;
    Cblacs_get(grid_context, 10, &of_grid);
    if (!same_processes(Cblacs2sys_handle(of_grid), MPI_COMM_WORLD, MPI_CONGRUENT)) {
        return "the communicator of a grid of all processes by rows has other processes than MPI_COMM_WORLD";
    }
    Cfree_blacs_system_handle(of_grid);
    MPI_Comm_free(&reversed);
    return nullptr;
}

void init_mpi()
{
    MPI_Init(nullptr, nullptr);
}

bool finalize_mpi()
{
    int finalized = 0;
    MPI_Finalized(&finalized);
    if (finalized == 0) MPI_Finalize();
    return finalized == 0;
}

}  // namespace fmpl_test
