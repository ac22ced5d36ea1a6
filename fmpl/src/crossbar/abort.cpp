#include "crossbar/abort.hpp"

#include "crossbar/futex.hpp"
#include "error.hpp"

#include <algorithm>
#include <climits>
#include <cstring>

namespace fmpl {

void ring_all(ControlBlock& control)
{
    for (std::uint32_t r = 0; r < control.ranks; ++r) {
        control.nodes[r].doorbell.fetch_add(1, std::memory_order_release);  // pairs with Waiter::sleep
        futex_wake(control.nodes[r].doorbell, INT_MAX);
    }
}

void abort_job(ControlBlock& control, int rank, int code, const std::string& reason)
{
    std::uint32_t running = 0;
    if (control.abort_state.compare_exchange_strong(running, 1, std::memory_order_relaxed)) {
        control.abort_rank.store(rank, std::memory_order_relaxed);
        control.abort_code.store(code, std::memory_order_relaxed);
        NodeRecord& node = control.nodes[rank];
        const std::size_t length = std::min(reason.size(), sizeof node.abort_reason - 1);
        std::memcpy(node.abort_reason, reason.data(), length);
        node.abort_reason[length] = '\0';
        control.abort_state.store(2, std::memory_order_release);  // pairs with Waiter::is_ending and the launcher
    }
    ring_all(control);
}

void check_abort(const ControlBlock& control)
{
    if (control.abort_state.load(std::memory_order_acquire) != 2) return;  // pairs with abort_job
    fail(FMPL_ERR_ABORTED, "the job is ending: rank {} failed with status {}",
        control.abort_rank.load(std::memory_order_relaxed), control.abort_code.load(std::memory_order_relaxed));
}

}  // namespace fmpl
