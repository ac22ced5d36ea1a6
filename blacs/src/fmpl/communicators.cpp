#include "communicators.hpp"

#include <fmpl/groups.h>

namespace fmpl::blacs {

void fail(int code)
{
    if (code == FMPL_ERR_MISMATCH || code == FMPL_ERR_TRUNCATED) throw Disagreement(fmpl_error_message());
    throw Error(fmpl_error_message());
}

Comm create_group(const std::vector<int>& world_ranks)
{
    Comm comm = FMPL_COMM_NULL;
    check(fmpl_comm_create_group(&comm, world_ranks.data(), static_cast<int>(world_ranks.size())));
    return comm;
}

std::vector<int> world_ranks_of(Comm comm)
{
    int size = 0;
    if (const fmpl_mpi_services* const mpi = linked_mpi(); mpi != nullptr && mpi->is_comm(comm) != 0) {
        check_mpi(mpi->comm_world_ranks(comm, nullptr, 0, &size));
        std::vector<int> ranks(static_cast<std::size_t>(size));
        check_mpi(mpi->comm_world_ranks(comm, ranks.data(), size, &size));
        return ranks;
    }
    if (const int code = fmpl_comm_size(comm, &size); code != FMPL_SUCCESS) {
        if (other_mpi_is_up()) refuse("{} is a communicator of an MPI that is not FMPL's; see fmplrun --mpi", comm);
        fail(code);
    }
    std::vector<int> ranks(static_cast<std::size_t>(size));
    for (int r = 0; r < size; ++r) check(fmpl_comm_world_rank(comm, r, &ranks[static_cast<std::size_t>(r)]));
    return ranks;
}

}  // namespace fmpl::blacs
