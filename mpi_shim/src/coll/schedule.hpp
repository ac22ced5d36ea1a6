// A collective operation as steps in rounds: the one form of blocking and non-blocking calls.
//
// A round begins when every step of the round before is complete, and its steps are begun in the order in which they
// were added. An algorithm (coll/algorithms.hpp) adds rounds. The schedule keeps communicator, types, operation and
// temporary memory alive until the last step. An error of a step is kept, and the rounds after it are gone through
// all the same, so that other ranks do not wait for this one's messages.
//
// Under a blocking call a step is done as it is added (at_once), and no list is kept. Short messages then need no
// request: one that may go eagerly is sent, and one receive that a round waits for, and for nothing else, is a blocking
// one when the round ends.
#pragma once

#include "coll/collective_state.hpp"
#include "coll/operation.hpp"
#include "coll/scratch_pool.hpp"
#include "group/communicator.hpp"
#include "datatype/type_object.hpp"
#include "p2p/engine.hpp"
#include "p2p/message_buffer.hpp"
#include "p2p/request_pool.hpp"

#include <mpi.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace fmpl::mpi {

// What the messages of one collective operation go through: all members give the same tag.
struct Channel {
    Communicator* comm;
    int tag;

    int rank() const { return comm->rank(); }
    int size() const { return comm->size(); }  // of the local group
};

class Schedule final : public ActiveRequest {
public:
    // at_once: steps are done as they are added, and conclude() ends it. listed: they are done once it is activated.
    enum class Steps { at_once, listed };
    // For the next collective operation on `comm`. `state` and `engine`, the rank's, live longer.
    static Ref<Schedule> on(CollectiveState& state, Engine& engine, const CommunicatorPtr& comm, Steps steps);

    const Channel& channel() const { return channel_; }
    // Of the local group of an intercommunicator.
    const Channel& local_channel();

    // Steps of the present round. peer: a rank of the channel's peers, or MPI_PROC_NULL. Messages without bytes are
    // messages too.
    void send(const Channel& channel, const MessageBuffer& buffer, int peer);
    void receive(const Channel& channel, const MessageBuffer& buffer, int peer);
    // The same of a message that may have fewer bytes than there is room for.
    void receive_up_to(const Channel& channel, const MessageBuffer& buffer, int peer);
    // The same number of bytes in packed form, or more room in `to`. Throws Error (MPI_ERR_TRUNCATE) when there is
    // less.
    void copy(const MessageBuffer& from, const MessageBuffer& to);
    // inout = in (op) inout, with the operation and type of set_reduction.
    void reduce(const void* in, void* inout, std::int64_t count);
    void end_round();

    // The operation and type of reduce(); handle: of the type, for a user's function.
    void set_reduction(OperationPtr operation, TypeObjectPtr type, MPI_Datatype handle);
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

    void advance() override;
    // Throws Error: a collective operation cannot be cancelled (MPI-3.1, section 5.12).
    void cancel(Engine& engine) override;
    // After the last step, of what is done at once; throws Error when a step failed.
    void conclude();
    // If the call has failed before: messages that are under way go on, and memory stays theirs until they are through.
    static void abandon(const Ref<Schedule>& schedule);

    const char* error_words() const override { return error_words_.c_str(); }

    RequestPool<Schedule>* pool = nullptr;

private:
    struct Step {
        enum class Kind : std::uint8_t { send, receive, receive_up_to, copy, reduce, end_round };
        Kind kind;
        int peer = 0;
        Channel channel{};
        MessageBuffer buffer;  // of reduce: `data` is `in`, `count` the count
        MessageBuffer target;  // of copy; of reduce: `data` is `inout`
    };

    // A message under way. bytes: fewer are an error.
    struct Pending {
        RequestRef request;
        std::uint64_t bytes;
    };

    template <class Do>
    void do_now(Do&& step);
    void add(Step step);
    void begin(const Step& step);
    void begin_deferred();
    void complete_round();
    void note_status(const Status& found, std::uint64_t bytes);
    void note_error(int error_class, std::string words);
    void reduce_now(const void* in, void* inout, std::int64_t count);
    void note_current_error();
    void release();
    void dispose() override;

    CollectiveState* state_ = nullptr;
    Engine* engine_ = nullptr;
    CommunicatorPtr comm_;
    Channel channel_{};
    Channel local_channel_{};
    OperationPtr operation_;
    TypeObjectPtr type_;
    MPI_Datatype type_handle_ = MPI_DATATYPE_NULL;

    std::vector<Step> steps_;
    std::size_t next_ = 0;
    std::vector<Pending> pending_;
    bool advancing_ = false;
    bool at_once_ = false;
    std::optional<Step> deferred_;  // a short receive of this round, not begun

    std::vector<ScratchPool::Block> blocks_;
    static constexpr std::size_t kOwnMemory = 4096;
    alignas(64) std::array<std::byte, kOwnMemory> own_memory_;
    std::size_t own_memory_used_ = 0;

    std::string error_words_;
};

}  // namespace fmpl::mpi
