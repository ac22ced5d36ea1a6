// An intercommunicator between the first ranks of MPI_COMM_WORLD and the others.
#pragma once

#include "mpi_test.hpp"

namespace mpi_test {

// Collective over MPI_COMM_WORLD, which must have two ranks. Freed at the end of its scope.
class TwoGroups {
public:
    // The first group has `first_ranks` ranks; without a number, half of them and the odd one.
    explicit TwoGroups(int first_ranks = (size() + 1) / 2) : first_ranks_(first_ranks)
    {
        MPI_Comm_split(MPI_COMM_WORLD, in_first() ? 0 : 1, rank(), &local_);
        MPI_Intercomm_create(local_, 0, MPI_COMM_WORLD, in_first() ? first_ranks_ : 0, 12, &inter_);
    }
    ~TwoGroups()
    {
        MPI_Comm_free(&inter_);
        MPI_Comm_free(&local_);
    }
    TwoGroups(const TwoGroups&) = delete;
    TwoGroups& operator=(const TwoGroups&) = delete;

    MPI_Comm inter() const { return inter_; }
    MPI_Comm local() const { return local_; }
    bool in_first() const { return rank() < first_ranks_; }

    int local_size() const { return in_first() ? first_ranks_ : size() - first_ranks_; }
    int remote_size() const { return size() - local_size(); }
    int local_rank() const { return in_first() ? rank() : rank() - first_ranks_; }
    // The rank in MPI_COMM_WORLD of the other group's rank.
    int world_rank_of_remote(int remote) const { return in_first() ? first_ranks_ + remote : remote; }
    int world_rank_of_local(int local) const { return in_first() ? local : first_ranks_ + local; }

    // The root argument in the group that the root `root` is in, when that is the caller's own.
    int as_root(int root) const { return local_rank() == root ? MPI_ROOT : MPI_PROC_NULL; }

private:
    int first_ranks_;
    MPI_Comm local_ = MPI_COMM_NULL;
    MPI_Comm inter_ = MPI_COMM_NULL;
};

}  // namespace mpi_test
