// Point-to-point communication of one rank: receiver-side matching over FMPL's envelopes (MPI-3.1, chapter 3).
//
//   eager       up to Settings::eager_bytes (fewer from remote-DMA memory; more where the destination reads
//               messages slowly: CopyRates): the message travels with its envelope. A synchronous send is told
//               when it is matched. From remote-DMA memory a blocking send first tries to lend it to a destination that
//               waits, which copies it at once.
//   rendezvous  longer, or when the destination has more unmatched eager messages of this rank than it should keep:
//               the envelope announces the message, which the receiver then reads where it lies, or which goes
//               through one of FMPL's channels between the pair, straight from buffer to buffer where they can be
//               addressed.
//   self        a message to the own rank is copied from buffer to buffer, or kept.
//
// Ranks in arguments are those of the communicator (of its remote group for an intercommunicator) and were checked by
// the caller, as were tags and counts. MPI_PROC_NULL is allowed. Nothing here blocks but send(), recv(), the waits,
// settle() and close(). A request keeps what it needs but for the user's buffer. Errors of a transfer are in its
// request's status.
#pragma once

#include "group/communicator.hpp"
#include "p2p/message_buffer.hpp"
#include "p2p/request.hpp"
#include "p2p/settings.hpp"
#include "p2p/unexpected_message.hpp"

#include <fmpl.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <vector>

namespace fmpl::mpi {

struct AwaitedMessage;
struct ReceiveOperation;
struct SendOperation;
class ThreadTurns;

// one_of_many: standard, where the caches do not hold what all ranks have under way at a time.
enum class SendMode { standard, one_of_many, synchronous };

// A message that MPI_Mprobe has taken out of the matching.
using MatchedMessage = UnexpectedMessagePtr;

// A request that makes its own progress, by being looked at: a collective operation.
class ActiveRequest : public Request {
public:
    // Goes on as far as it can without waiting; sets `complete` in the end. May start other requests.
    virtual void advance() = 0;
    // Whether it waits for members of the communicator without a message of its own.
    virtual bool waits_for_members_of(const Communicator& /*comm*/) const { return false; }
};

class Messenger {
public:
    explicit Messenger(int ranks, int world_rank);
    ~Messenger();
    Messenger(const Messenger&) = delete;
    Messenger& operator=(const Messenger&) = delete;

    RequestRef isend(const MessageBuffer& buffer, Communicator& comm, Traffic traffic, int destination, int tag,
        SendMode mode = SendMode::standard);
    RequestRef irecv(const MessageBuffer& buffer, Communicator& comm, Traffic traffic, int source, int tag);
    // A standard send that is over when it returns, or has not begun: false. Of a message that may go eagerly.
    bool send_eagerly(const MessageBuffer& buffer, Communicator& comm, Traffic traffic, int destination, int tag);
    // irecv() and send_eagerly(), inlined into MPI's own calls: messenger/short_ways.hpp.
    RequestRef begin_receive(const MessageBuffer& buffer, Communicator& comm, Traffic traffic, int source, int tag);
    bool send_without_request(const MessageBuffer& buffer, Communicator& comm, Traffic traffic, int destination,
        int tag, bool may_lend = false);
    // Blocking forms; the receive's errors are in its status.
    void send(const MessageBuffer& buffer, Communicator& comm, Traffic traffic, int destination, int tag,
        SendMode mode = SendMode::standard);
    Status recv(const MessageBuffer& buffer, Communicator& comm, Traffic traffic, int source, int tag);

    // Waits until there is a message that a receive would match, the first one.
    Status await_message(const Communicator& comm, int source, int tag);
    // The first message that a receive would match; false when there is none yet, after a look.
    bool probe(Communicator& comm, int source, int tag, Status& status);
    // The same, and the message is taken out of the matching: null when there is none.
    MatchedMessage matched_probe(Communicator& comm, int source, int tag, Status& status);
    // Receives such a message.
    RequestRef receive_matched(MatchedMessage message, const MessageBuffer& buffer);

    // Makes everything progress that can, for a call that goes on in any case.
    void progress();
    // The same now and then, for a call that may find what it waits for, again and again: what a rank outside of the
    // communicator sends to this one would stand still meanwhile.
    void progress_in_passing()
    {
        constexpr unsigned kBetweenLooks = 16;
        if (++passes_ % kBetweenLooks == 0) [[unlikely]]
            progress_if_due();
    }
    // The same for a call that a program may make again and again until done() is true, as MPI_Test is: done()
    // afterwards. Where it is false, the ranks that share this one's CPU have had it.
    template <class Done>
    bool test(Done&& done)
    {
        if (done()) return true;
        return !nothing_has_come() && look(done);
    }
    // The same where neither is so.
    template <class Done>
    bool look(Done&& done)
    {
        return look_for([](void* d) { return (*static_cast<std::remove_reference_t<Done>*>(d))() ? 1 : 0; },
            const_cast<void*>(static_cast<const void*>(&done)));
    }
    // Whether a look would change nothing; then it is as if one had been made.
    bool nothing_has_come() const;
    // Waits until done() is true, making progress as the next function does: until one of several requests is complete.
    template <class Done>
    void wait_with_progress(Done&& done, int peer = -1, int tag = -1, std::size_t bytes = 0)
    {
        wait_until_done([](void* d) { return (*static_cast<std::remove_reference_t<Done>*>(d))() ? 1 : 0; },
            const_cast<void*>(static_cast<const void*>(&done)), peer, tag, bytes);
    }
    // Waits until request.complete, making progress. Says nothing of errors: request.status.error.
    // peer: world rank, if nothing else is asked for meanwhile than what it sends; -1: what others send is taken, too.
    void wait(Request& request, int peer = -1, int tag = -1, std::size_t bytes = 0);
    // Waits until no operation on the communicator is under way on this rank; receives that nothing has matched are,
    // too (MPI-3.1, section 10.5.4).
    void settle(const Communicator& comm);
    // Looked at by progress() until it is complete; advance() is called once now.
    void activate(const Ref<ActiveRequest>& request);

    int world_rank() const { return world_rank_; }
    // Whether one of many so long is announced although others of its length are eager.
    bool is_long_of_many(std::uint64_t bytes) const
    {
        return bytes > settings_.eager_bytes_of_many && bytes <= settings_.eager_bytes;
    }
    // MPI_Cancel of a receive.
    void cancel(ReceiveOperation& operation);
    // Before leaving the job: waits until all ranks have come to this point. Messages that nobody has received by
    // then are lost. Nothing may be called afterwards.
    void close();

    // Where FMPL looks for the name of the MPI call that the rank is in, for "what is it blocked in".
    const char*& call() const { return *call_; }

    // From now on waits let other threads in, by these turns, and look instead of sleeping (MPI_THREAD_MULTIPLE).
    void let_in_threads(ThreadTurns& turns) { turns_ = &turns; }

    // How many generalized requests the program has begun and not completed: only it knows when it will.
    int generalized_requests = 0;

private:
    bool is_eager(const MessageBuffer& buffer) const
    {
        return buffer.bytes <= settings_.eager_bytes_remote_dma || is_eager_from_where_it_lies(buffer);
    }
    bool is_eager_from_where_it_lies(const MessageBuffer& buffer) const;
    bool send_by_rate(const Ref<SendOperation>& operation, bool waits);
    RequestRef begin_send(const MessageBuffer& buffer, Communicator& comm, Traffic traffic, int destination, int tag,
        SendMode mode, bool waits);
    [[gnu::noinline]] void send_by_request(
        const MessageBuffer& buffer, Communicator& comm, Traffic traffic, int destination, int tag, SendMode mode);
    int source_to_invite(
        const MessageBuffer& buffer, const Communicator& comm, Traffic traffic, int source, int tag) const;
    // Posts the receive and tells the world rank `host` of it, unless its message has come.
    void post_invited(ReceiveOperation& operation, int host);
    // Whether a message that the operation matches had come.
    bool receive_unexpected(ReceiveOperation& operation);
    bool await(AwaitedMessage& awaited, int peer, int tag, std::size_t bytes);
    template <class Over, class Take>
    bool take(Over& over, Take&& take);
    template <class Over>
    bool poll(Over& over);
    void raise_failure_in_fmpl();
    bool look();
    void progress_if_due();
    void progress_without_copies();
    template <class Over>
    bool progress_until(Over&& over);
    UnexpectedMessage* find_for_probe(const Communicator& comm, int source, int tag);
    template <class Ready>
    bool look_once(Ready&& ready);
    using Condition = int (*)(void* context);
    // Waits until ready() is true, which makes the progress.
    template <class Ready>
    void wait_until(Ready&& ready, int peer = -1, int tag = -1, std::size_t bytes = 0)
    {
        wait_for([](void* r) { return (*static_cast<std::remove_reference_t<Ready>*>(r))() ? 1 : 0; },
            const_cast<void*>(static_cast<const void*>(&ready)), peer, tag, bytes);
    }
    void wait_for(Condition ready, void* context, int peer, int tag, std::size_t bytes);
    void wait_until_done(Condition done, void* context, int peer, int tag, std::size_t bytes);
    template <class Over>
    void wait_over(Over& over, int peer, int tag, std::size_t bytes, bool others_too);
    template <class Over>
    [[gnu::cold]] void wait_among_threads(Over& over);
    bool look_for(Condition done, void* context);

    struct Parts;
    friend struct AwaitedMessage;
    Settings settings_;
    std::unique_ptr<Parts> parts_;
    int world_rank_;
    bool cpus_suffice_;
    unsigned passes_ = 0;  // progress_in_passing
    const char** call_;
    ThreadTurns* turns_ = nullptr;  // null: below MPI_THREAD_MULTIPLE
};

}  // namespace fmpl::mpi
