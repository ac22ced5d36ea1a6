// What a layer above gives FMPL to call: the condition of fmpl_wait_until and fmpl_look, the handler of
// fmpl_envelopes_wait and the function of fmpl_layer_progress_set.
//
// None is ever entered while one of them, or an envelope handler, runs (Node::in_callback). What they call in turn
// leaves the words about the call that the rank is in, and what fmpl_received says, as they were.
#pragma once

#include "crossbar/scoped_flag.hpp"
#include "p2p/node.hpp"
#include "p2p/receiver.hpp"

#include <fmpl/waiting.h>

namespace fmpl {

// The time of a call of the layer's function.
class CallbackScope {
public:
    explicit CallbackScope(Node& node) : node_(node), call_(node.call), before_(node.in_callback)
    {
        node.in_callback = true;
    }
    ~CallbackScope()
    {
        node_.in_callback = before_;
        node_.call = call_;
    }
    CallbackScope(const CallbackScope&) = delete;
    CallbackScope& operator=(const CallbackScope&) = delete;

private:
    Node& node_;
    Call call_;
    bool before_;
};

class LayerCalls final : Progressing {
public:
    using Ready = int (*)(void* context);
    using Progress = void (*)(void* context);

    LayerCalls(Node& node, Receiver& receiver) : node_(&node), receiver_(&receiver) {}

    // fmpl_layer_progress_set.
    void set_progress(Progress progress, void* context)
    {
        progress_ = progress;
        context_ = context;
        node_->set_layer(progress == nullptr ? nullptr : this);
    }

    // fmpl_wait_until. Throws Error(ARGUMENT) from within a callback, Error(ABORTED).
    void wait_until(Ready ready, void* context, const fmpl_wait_words* what)
    {
        check_condition(ready);
        wait(
            [&] {
                const CallbackScope scope(*node_);
                return ready(context) != 0;
            },
            Call::wait_until, what);
    }
    // fmpl_look. Throws Error(ARGUMENT), Error(ABORTED).
    bool look(Ready ready, void* context)
    {
        check_condition(ready);
        if (node_->in_callback) return ready(context) != 0;
        bool is_ready = false;
        {
            const CallbackScope scope(*node_);
            is_ready = ready(context) != 0;
        }
        if (!is_ready) node_->progress_in_passing();
        return is_ready;
    }
    // Any wait in which the layer's transfers go on by ready() alone; it does not count as a callback. Throws the same.
    template <class Condition>
    void wait(Condition&& ready, Call call, const fmpl_wait_words* what)
    {
        if (node_->in_callback) [[unlikely]]
            fail_within_callback();
        const ScopedFlag waiting(&node_->in_layers_wait);
        node_->wait(ready, wait_for(call, what));
    }

private:
    static void check_condition(Ready ready);
    [[noreturn]] static void fail_within_callback();
    static WaitFor wait_for(Call call, const fmpl_wait_words* what)
    {
        WaitFor words{call};
        if (what != nullptr) {
            words.peer = what->peer;
            words.index = what->index;
            words.comm_size = what->comm_size;
            words.bytes = what->bytes;
            words.words = what->call;
            words.from_outside = what->from_outside != 0;
        }
        return words;
    }

    // Called by every long wait of the rank.
    void progress() override
    {
        if (node_->in_callback || node_->in_layers_wait) return;
        const CallbackScope scope(*node_);
        const Matched before = receiver_->matched;
        progress_(context_);
        receiver_->matched = before;
    }

    Node* node_;
    Receiver* receiver_;
    Progress progress_ = nullptr;
    void* context_ = nullptr;
};

}  // namespace fmpl
