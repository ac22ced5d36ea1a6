// Contexts for new communicators. A context is made by one rank alone, the leader of the new communicator, and told
// to the other members: it holds the leader's rank, so that no two ranks make the same, and nobody has to be asked.
//
// A number of the leader's is used again when its communicator was freed there, the oldest first, and only when all
// numbers have been used once: half a million communicators later, when the other members have freed theirs too.
#pragma once

#include "group/communicator.hpp"

#include <deque>

namespace fmpl::mpi {

class ContextNumbers {
public:
    static constexpr int kRankBits = 12;
    static constexpr int kNumberBits = 19;
    static constexpr Context kWorld = 0;
    // Of a communicator whose context is not known yet: no message has it.
    static constexpr Context kNone = ~Context{1};

    explicit ContextNumbers(int world_rank) : world_rank_(static_cast<Context>(world_rank)) {}

    // MPI_COMM_SELF's.
    Context self() const { return make(1); }

    // Throws Error (MPI_ERR_OTHER) when all are in use, which others would wait for in vain; but a rank's handles of
    // communicators (handles/handles.hpp), 65536, are used up long before.
    Context take();
    // One that take() gave here; others', which their leaders keep, are ignored.
    void give_back(Context context);
    // One that take() gave here and that nobody was told of, or nobody needs.
    void take_back(Context context);

private:
    Context make(Context number) const { return (world_rank_ << kNumberBits | number) << 1; }

    Context world_rank_;
    Context next_ = 2;
    std::deque<Context> returned_;
};

}  // namespace fmpl::mpi
