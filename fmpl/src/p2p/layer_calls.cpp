#include "p2p/layer_calls.hpp"

#include "error.hpp"

namespace fmpl {

void LayerCalls::check_condition(Ready ready)
{
    if (ready == nullptr) fail(FMPL_ERR_ARGUMENT, "ready is a null pointer; give a function that says when to return");
}

void LayerCalls::fail_within_callback()
{
    fail(FMPL_ERR_ARGUMENT, "called from within ready, a progress function or an envelope handler, which may not wait");
}

}  // namespace fmpl
