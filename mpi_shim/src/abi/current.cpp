#include "abi/current.hpp"

#include "error.hpp"

#include <mpi.h>

#include <atomic>
#include <memory>

namespace fmpl::mpi {
namespace {

// The mark of the rank's slot: whether it has joined, ever.
std::atomic_ref<int> joined_once()
{
    return std::atomic_ref(fmpl_layer_slot(FMPL_LAYER_MPI)->mark);
}

}  // namespace

Process& join_process(int thread_level)
{
    if (has_joined()) {
        fail(ErrorClass::other, "called {}; a process calls MPI_Init or MPI_Init_thread once",
            has_left() ? "after MPI_Finalize" : "a second time");
    }
    auto joined = std::make_unique<Process>(thread_level);
    joined->environment.host = joined->environment.io = MPI_PROC_NULL;
    joined->environment.info_limits = {MPI_MAX_INFO_KEY, MPI_MAX_INFO_VAL};
    fmpl_slot& slot = *fmpl_layer_slot(FMPL_LAYER_MPI);
    slot.destroy = [](void* process) { delete static_cast<Process*>(process); };
    std::atomic_ref(slot.state).store(joined.get(), std::memory_order_release);  // pairs with fmpl_layer_state
    joined_once().store(1, std::memory_order_release);                           // pairs with has_joined
    return *joined.release();
}

void leave_process()
{
    find_process()->leave();
    fmpl_slot& slot = *fmpl_layer_slot(FMPL_LAYER_MPI);
    // acq_rel: pairs with fmpl_layer_state
    delete static_cast<Process*>(std::atomic_ref(slot.state).exchange(nullptr, std::memory_order_acq_rel));
}

bool has_joined()
{
    return joined_once().load(std::memory_order_acquire) != 0;  // pairs with join_process
}

bool has_left()
{
    return has_joined() && find_process() == nullptr;
}

}  // namespace fmpl::mpi
