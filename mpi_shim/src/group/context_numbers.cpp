#include "group/context_numbers.hpp"

#include "error.hpp"

namespace fmpl::mpi {

Context ContextNumbers::take()
{
    if (next_ < (Context{1} << kNumberBits) - 1) return make(next_++);
    if (returned_.empty()) {
        fail(ErrorClass::other,
            "rank {} of MPI_COMM_WORLD leads {} communicators, more than there are contexts for; free some that are "
            "not needed "
            "(MPI_Comm_free)",
            world_rank_, next_ - 2);
    }
    const Context context = returned_.front();
    returned_.pop_front();
    return context;
}

void ContextNumbers::give_back(Context context)
{
    const Context leader = context >> 1 >> kNumberBits;
    const Context number = context >> 1 & ((Context{1} << kNumberBits) - 1);
    if (leader == world_rank_ && number >= 2 && context != kNone) returned_.push_back(context);
}

void ContextNumbers::take_back(Context context)
{
    if (context == make(next_ - 1)) {
        --next_;
    } else {
        returned_.push_front(context);
    }
}

}  // namespace fmpl::mpi
