// A collective operation as steps in rounds: the one form of blocking and non-blocking calls.
//
// An algorithm (coll/algorithms.hpp) adds the steps of one round after the other. The steps of a round are begun in the
// order in which they were added; a round begins when every step of the round before is complete. An error of a step is
// kept, and the rounds after it are gone through all the same, so that other ranks do not wait for this one's messages.
//
//   immediate_schedule   a blocking call: a step is done as it is added
//   listed_schedule      a nonblocking one: a list of steps, which the messenger goes through
#pragma once

#include "coll/collective_state.hpp"
#include "coll/operation.hpp"
#include "coll/scratch_pool.hpp"
#include "group/communicator.hpp"
#include "datatype/type_object.hpp"
#include "messenger/messenger.hpp"
#include "p2p/message_buffer.hpp"

#include <mpi.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

struct fmpl_exchange;

namespace fmpl::mpi {

// Who takes part in one collective operation, and the tag of its messages, which all of them give.
struct Members {
    Communicator* comm;
    int tag;

    int rank() const { return comm->rank(); }
    int size() const { return comm->size(); }  // of the local group
};

class Schedule {
public:
    Schedule(const Schedule&) = delete;
    Schedule& operator=(const Schedule&) = delete;

    const Members& members() const { return members_; }
    // Of the local group of an intercommunicator.
    const Members& local_members();

    // Steps of the present round. peer: a rank of the members' peers, or MPI_PROC_NULL. Messages without bytes are
    // messages too.
    void send(const Members& members, const MessageBuffer& buffer, int peer)
    {
        if (peer != MPI_PROC_NULL) add_send(members, buffer, peer);
    }
    void receive(const Members& members, const MessageBuffer& buffer, int peer)
    {
        if (peer != MPI_PROC_NULL) add_receive(members, buffer, peer, buffer.bytes);
    }
    // The same of a message that may have fewer bytes than there is room for.
    void receive_up_to(const Members& members, const MessageBuffer& buffer, int peer)
    {
        if (peer != MPI_PROC_NULL) add_receive(members, buffer, peer, 0);
    }
    // The same number of bytes in packed form, or more room in `to`. Less is the operation's error (MPI_ERR_TRUNCATE).
    void copy(const MessageBuffer& from, const MessageBuffer& to);
    // inout = in (op) inout, with the operation and type of set_reduction.
    void reduce(const void* in, void* inout, std::int64_t count)
    {
        if (count != 0) add_reduce(in, inout, count);
    }
    virtual void end_round() = 0;

    // For a blocking call on an intracommunicator: an exchange instead of messages (coll/exchange.hpp). nullptr: there
    // is none, on no member.
    virtual fmpl_exchange* exchange() { return nullptr; }
    // The same, but between two members only if one of them gives and the other takes, call after call: what each of
    // them waits for has a shorter way as a message.
    fmpl_exchange* exchange(bool one_way) { return members_.size() > 2 || one_way ? exchange() : nullptr; }
    // Of such a call: what this round receives from a peer has come by the exchange after all.
    virtual void withdraw_receive(int /*peer*/) {}
    // So many bytes have come by it for as much room; fewer than expected are an error, too.
    void note_arrival(std::uint64_t bytes, std::uint64_t room, std::uint64_t expected = 0)
    {
        if (bytes > room || bytes < expected) [[unlikely]]
            note_failure({MPI_ANY_SOURCE, MPI_ANY_TAG, bytes > room ? MPI_ERR_TRUNCATE : 0, false, bytes}, expected);
    }

    // An error of what it does is kept.
    template <class Do>
    void keep_error(Do&& step)
    {
        try {
            step();
        } catch (const JobEnding&) {
            throw;
        } catch (...) {
            note_current_error();
        }
    }

    // The operation and type of reduce(); handle: of the type, for a user's function. What is predefined needs no
    // counted reference.
    void set_reduction(const OperationPtr& operation, const TypeObjectPtr& type, MPI_Datatype handle)
    {
        operation_ = operation->is_predefined() ? OperationPtr(OperationPtr(), operation.get()) : operation;
        type_ = type->is_predefined() ? TypeObjectPtr(TypeObjectPtr(), type.get()) : type;
        type_handle_ = handle;
    }
    const Operation& reduction() const { return *operation_; }
    const TypeObject& type() const { return *type_; }
    // `count` elements of the type of set_reduction, as a message.
    MessageBuffer elements(const void* data, std::int64_t count) const
    {
        return MessageBuffer::of(data, count, *type_);
    }
    // Where element `index` of an array of them begins.
    template <class Pointer>
    Pointer* element(Pointer* array, std::int64_t index) const
    {
        return reinterpret_cast<Pointer*>(
            reinterpret_cast<std::uintptr_t>(array) + static_cast<std::uintptr_t>(index * type_->type->extent()));
    }

    // Temporary memory, aligned to 64 bytes, until the operation is complete. Throws Error (MPI_ERR_NO_MEM).
    std::byte* memory(std::size_t bytes);
    // Room for `count` elements of the type of set_reduction; the pointer is what a call would take as its buffer.
    std::byte* element_memory(std::int64_t count);

protected:
    Schedule() = default;
    ~Schedule() = default;

    // Of the next collective operation on `comm`, which, as the rank's state and messenger, lives as long as that.
    void open(CollectiveState& state, Messenger& messenger, Communicator& comm)
    {
        state_ = &state;
        messenger_ = &messenger;
        members_ = {&comm, comm.next_collective_tag()};
        local_members_ = {};
        error_ = 0;
    }
    // Gives back what the operation has had but for its messages.
    void close()
    {
        if (!blocks_.empty()) give_back_blocks();
        own_memory_used_ = 0;
        operation_.reset();
        type_.reset();
    }
    // Takes the messages under way and the memory of another, which failed before its end.
    void take_over(Schedule& failed);

    // expected: fewer bytes are an error.
    virtual void add_send(const Members& members, const MessageBuffer& buffer, int peer) = 0;
    virtual void add_receive(const Members& members, const MessageBuffer& buffer, int peer, std::uint64_t expected) = 0;
    virtual void add_copy(const MessageBuffer& from, const MessageBuffer& to) = 0;
    virtual void add_reduce(const void* in, void* inout, std::int64_t count) = 0;

    // What a step comes to.
    void begin_send(const Members& members, const MessageBuffer& buffer, int peer);
    void begin_receive(const Members& members, const MessageBuffer& buffer, int peer, std::uint64_t expected);
    void reduce_now(const void* in, void* inout, std::int64_t count);
    void note_status(const Status& found, std::uint64_t expected)
    {
        if (found.error != 0 || found.bytes < expected) [[unlikely]]
            note_failure(found, expected);
    }

    // A message under way.
    struct Pending {
        RequestRef request;
        std::uint64_t expected;
        int peer = MPI_PROC_NULL;  // of a receive
    };

    CollectiveState* state_ = nullptr;
    Messenger* messenger_ = nullptr;
    std::vector<Pending> pending_;
    int error_ = 0;  // class of the first one
    std::string error_words_;

private:
    void give_back_blocks();
    void note_failure(const Status& found, std::uint64_t expected);
    void note_error(int error_class, std::string words);
    void note_current_error();

    Members members_{};
    Members local_members_{};
    OperationPtr operation_;
    TypeObjectPtr type_;
    MPI_Datatype type_handle_ = MPI_DATATYPE_NULL;

    struct alignas(64) OwnMemory {
        std::array<std::byte, 4096> bytes;
    };
    std::unique_ptr<OwnMemory> own_memory_;  // made when first needed, and kept
    std::size_t own_memory_used_ = 0;
    std::vector<ScratchPool::Block> blocks_;
};

}  // namespace fmpl::mpi
