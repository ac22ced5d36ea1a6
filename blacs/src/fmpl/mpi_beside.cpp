#include "mpi_beside.hpp"

#include "../error.hpp"

#include <dlfcn.h>

// Of libmpi_fmpl, which the program may or may not have brought.
extern "C" [[gnu::weak]] const struct fmpl_mpi_services* fmpl_layer_mpi(void);

namespace fmpl::blacs {
namespace {

// MPI_Initialized and MPI_Finalized, which every MPI has in this form.
bool answers_yes(const char* question)
{
    // dlsym gives functions as addresses of objects.
    const auto ask = reinterpret_cast<int (*)(int*)>(dlsym(RTLD_DEFAULT, question));
    int answer = 0;
    return ask != nullptr && ask(&answer) == 0 && answer != 0;
}

}  // namespace

const fmpl_mpi_services* linked_mpi()
{
    return &fmpl_layer_mpi != nullptr ? fmpl_layer_mpi() : nullptr;
}

const fmpl_mpi_services* mpi_beside()
{
    const fmpl_mpi_services* const mpi = linked_mpi();
    return mpi != nullptr && mpi->is_up() != 0 ? mpi : nullptr;
}

void check_mpi(const char* words)
{
    if (words != nullptr) refuse("MPI: {}", words);
}

bool other_mpi_is_up()
{
    return linked_mpi() == nullptr && answers_yes("MPI_Initialized") && !answers_yes("MPI_Finalized");
}

fmpl_comm_t make_system_comm(fmpl_comm_t of_grid, const std::vector<int>& world_ranks)
{
    const fmpl_mpi_services* const mpi = mpi_beside();
    if (mpi == nullptr) return of_grid;
    int comm = mpi->comm_null;
    check_mpi(mpi->comm_create(world_ranks.data(), static_cast<int>(world_ranks.size()), &comm));
    return comm;
}

void free_system_comm(fmpl_comm_t comm, fmpl_comm_t of_grid)
{
    if (comm == of_grid) return;
    if (const fmpl_mpi_services* const mpi = mpi_beside()) check_mpi(mpi->comm_free(&comm));
}

fmpl_comm_t system_world()
{
    const fmpl_mpi_services* const mpi = mpi_beside();
    return mpi != nullptr ? mpi->comm_world : FMPL_COMM_WORLD;
}

fmpl_comm_t system_null()
{
    const fmpl_mpi_services* const mpi = mpi_beside();
    return mpi != nullptr ? mpi->comm_null : FMPL_COMM_NULL;
}

}  // namespace fmpl::blacs
