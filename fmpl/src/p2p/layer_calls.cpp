#include "p2p/layer_calls.hpp"

#include "crossbar/scoped_flag.hpp"
#include "error.hpp"

namespace fmpl {

void LayerCalls::wait_until(Ready ready, void* context, const fmpl_wait_words* what)
{
    if (ready == nullptr) fail(FMPL_ERR_ARGUMENT, "ready is a null pointer; give a function that says when to return");
    if (node_->in_callback) {
        fail(FMPL_ERR_ARGUMENT,
            "called from within ready, a progress function or an envelope handler, which may not wait");
    }
    const ScopedFlag waiting(&waiting_);

    WaitFor wait_for{Call::wait_until};
    if (what != nullptr) {
        wait_for.peer = what->peer;
        wait_for.index = what->index;
        wait_for.comm_size = what->comm_size;
        wait_for.bytes = what->bytes;
        wait_for.words = what->call;
        wait_for.from_outside = what->from_outside != 0;
    }
    node_->wait(
        [&] {
            const CallbackScope scope(*node_);
            return ready(context) != 0;
        },
        wait_for);
}

}  // namespace fmpl
