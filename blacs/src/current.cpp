#include "current.hpp"

#include "error.hpp"

#include <atomic>
#include <memory>

namespace fmpl::blacs {
namespace {

// The mark of the rank's slot. After Cblacs_exit(1): the library is still up because the BLACS started it.
constexpr int kOwesFinalize = 1;

bool owes_finalize()
{
    return rank_slot().mark == kOwesFinalize && library_is_up();
}

}  // namespace

void refuse_without_process()
{
    refuse("the BLACS are not initialized; call blacs_pinfo, then make a grid with blacs_gridinit");
}

Process& join_process()
{
    if (Process* const joined = find_process()) return *joined;
    auto joining = std::make_unique<Process>(owes_finalize());
    auto& slot = rank_slot();
    slot.mark = 0;
    slot.destroy = [](void* process) { delete static_cast<Process*>(process); };
    std::atomic_ref(slot.state).store(joining.get(), std::memory_order_release);  // pairs with rank_state
    return *joining.release();
}

void leave_process(bool go_on)
{
    auto& slot = rank_slot();
    bool finalizes = owes_finalize();
    bool ends = !go_on;
    // acq_rel: pairs with rank_state
    if (void* const state = std::atomic_ref(slot.state).exchange(nullptr, std::memory_order_acq_rel)) {
        const std::unique_ptr<Process> last(static_cast<Process*>(state));
        finalizes = last->job().owns_library();
        ends = ends || !last->job().outlives_blacs();
        last->leave(finalizes && ends);
    }
    if (finalizes && ends) finalize_library();
    slot.mark = finalizes && !ends ? kOwesFinalize : 0;
}

}  // namespace fmpl::blacs
