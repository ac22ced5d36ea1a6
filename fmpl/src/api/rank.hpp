// A rank: the parts that it owns, and its life from fmpl_init to fmpl_finalize. What the calls of fmpl.h do with the
// parts is in calls/, a file a chapter.
//
// Nothing below the C API lives outside such an object. One thread at a time uses it.
#pragma once

#include "api/communicators.hpp"
#include "api/observer.hpp"
#include "coll/collectives.hpp"
#include "launch/job_seat.hpp"
#include "p2p/any_domain.hpp"
#include "p2p/communicator.hpp"
#include "p2p/envelopes/envelopes.hpp"
#include "p2p/layer_calls.hpp"
#include "p2p/node.hpp"
#include "p2p/receiver.hpp"
#include "p2p/send_buffer.hpp"
#include "p2p/sender.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace fmpl {

class Rank {
public:
    // Takes the seat; throws Error when another process has it. Remote-DMA memory can be allocated from now on.
    explicit Rank(const JobSeat& seat);
    Rank(const Rank&) = delete;
    Rank& operator=(const Rank&) = delete;

    void init(fmpl_match_t* slots, fmpl_flag_t* flags, int count);
    void finalize();
    bool initialized() const { return initialized_; }
    bool finalized() const { return finalized_; }

    int rank() const { return node.rank(); }
    int job_size() const { return node.crossbar.nodes(); }
    bool is_thread() const { return is_thread_; }
    ControlBlock& control() const { return node.crossbar.control(); }

    // Remote-DMA memory of this rank. Throws Error(MEMORY); of what is none, Error(ARGUMENT).
    void* allocate(std::size_t bytes);
    void free(void* p);

    Node node;
    SendBuffer send_buffer;
    Sender sender;
    Receiver receiver;
    AnyDomain any_domain;
    Communicators communicators;
    Envelopes envelopes;
    LayerCalls layer_calls;
    Collectives collectives;

    Observer observer;  // of the calls in api/boundary.hpp and of the layers above

private:
    std::string pending_words();

    bool initialized_ = false;
    bool finalized_ = false;
    bool is_thread_ = false;
};

}  // namespace fmpl
