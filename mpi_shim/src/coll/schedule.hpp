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
#include "p2p/fmpl_call.hpp"
#include "p2p/message_buffer.hpp"

#include <fmpl/exchange.h>
#include <fmpl/small_copy.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

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
    void send(const Members& members, const MessageBuffer& buffer, int peer, SendMode mode = SendMode::standard)
    {
        if (peer != kProcNull) add_send(members, buffer, peer, mode);
    }
    void receive(const Members& members, const MessageBuffer& buffer, int peer)
    {
        if (peer != kProcNull) add_receive(members, buffer, peer, buffer.bytes);
    }
    // The same of a message that may have fewer bytes than there is room for.
    void receive_up_to(const Members& members, const MessageBuffer& buffer, int peer)
    {
        if (peer != kProcNull) add_receive(members, buffer, peer, 0);
    }
    // The same number of bytes in packed form, or more room in `to`. Less is the operation's error (MPI_ERR_TRUNCATE).
    [[gnu::always_inline]] void copy(const MessageBuffer& from, const MessageBuffer& to)
    {
        if (waits_ && from.in_one_piece() && to.in_one_piece() && from.bytes <= to.bytes) [[likely]] {
            if (from.data != to.data) small_copy(to.data, from.data, from.bytes);
        } else {
            check_and_copy(from, to);
        }
    }
    // inout = in (op) inout, with the operation and type of set_reduction.
    void reduce(const void* in, void* inout, std::int64_t count)
    {
        if (count != 0) add_reduce(in, inout, count);
    }
    virtual void end_round() = 0;

    // Whether the call may go by an exchange instead of messages (coll/exchange.hpp): the same on all members.
    bool has_exchange() const { return exchanges_ != nullptr; }
    // The same, but not for what is a shorter way by messages in blocking calls of two members.
    bool has_exchange_of_more() const { return exchanges_ != nullptr && (members_.size() > 2 || !waits_); }
    // Of that: the one member who gives to all others, or takes from all, if it is another from call to call.
    void has_root(int root)
    {
        if (waits_) check_fmpl(fmpl_exchange_root(exchanges_, root));
    }
    // In the call's exchange: gives what write(room) writes, at most FMPL_EXCHANGE_BYTES, now. Whether it can; if not,
    // that is the call's error.
    static constexpr int kToAll = -1;
    template <class Write>
    bool give(std::uint64_t bytes, int to, Write&& write)
    {
        bool is_given = false;
        keep_error([&] {
            if (!give_now(bytes, to, write)) {
                std::byte* const kept = memory(static_cast<std::size_t>(bytes));
                write(kept);
                add_give(MessageBuffer::piece(kept, bytes), to);
            }
            is_given = true;
        });
        return is_given;
    }
    // As much of a message as fits.
    bool give(const MessageBuffer& message, int to)
    {
        const std::uint64_t bytes = std::min<std::uint64_t>(message.bytes, FMPL_EXCHANGE_BYTES);
        return give(bytes, to, [&](std::byte* room) { message.pack(0, bytes, room); });
    }
    // What would be given, so many bytes, goes as messages.
    void decline(std::uint64_t bytes, int to)
    {
        keep_error([&] {
            if (!decline_now(bytes, to)) add_decline(bytes, to);
        });
    }
    struct Given {
        const std::byte* data = nullptr;  // nullptr: goes as messages, unless the member had no memory
        std::size_t bytes = 0;
        bool has_failed = false;

        bool comes_as_messages() const { return data == nullptr && !has_failed; }
        std::span<const std::byte> span() const { return {data, bytes}; }
    };
    // then(given), when what the member gives is there, and the steps before are begun: at once, or after the algorithm
    // has returned. Within it, copies and reductions are done at once until a message is added; what is added comes
    // behind the take, in its round. A buffer that `then` has is a KeptBuffer, unless its type has no gaps.
    template <class Then>
    void take(int from, Then&& then)
    {
        if (Given given; waits_ || nothing_is_before()) {
            if (take_now(from, given)) return keep_error([&] { then(given); });
        }
        add_take(from, std::forward<Then>(then));
    }
    // What this round receives from a peer has come by the exchange after all.
    virtual void withdraw_receive(int peer);
    // So many bytes have come by it for as much room; fewer than expected are an error, too.
    void note_arrival(std::uint64_t bytes, std::uint64_t room, std::uint64_t expected = 0)
    {
        if (bytes > room || bytes < expected) [[unlikely]]
            note_failure(
                {kAnySource, kAnyTag, bytes > room ? code_of(ErrorClass::truncate) : 0, false, bytes}, expected);
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
    void set_reduction(const OperationPtr& operation, const TypeObjectPtr& type, HandleNumber handle)
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
    // Of a type without gaps.
    std::uint64_t dense_bytes(std::int64_t count) const
    {
        return static_cast<std::uint64_t>(count) * type_->dense_bytes;
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
        local_members_.comm = nullptr;
        error_ = 0;
    }
    // Gives back what the operation has had but for its messages.
    void close()
    {
        if (!blocks_.empty()) give_back_blocks();
        own_memory_used_ = 0;
        if (operation_ != nullptr) {
            operation_.reset();
            type_.reset();
        }
    }
    // Takes the messages under way and the memory of another, which failed before its end.
    void take_over(Schedule& failed);

    // expected: fewer bytes are an error.
    virtual void add_send(const Members& members, const MessageBuffer& buffer, int peer, SendMode mode) = 0;
    virtual void add_receive(const Members& members, const MessageBuffer& buffer, int peer, std::uint64_t expected) = 0;
    virtual void add_copy(const MessageBuffer& from, const MessageBuffer& to) = 0;
    virtual void add_reduce(const void* in, void* inout, std::int64_t count) = 0;

    // Begins the call's exchange, if it has one. waits: the call does, for each step.
    void begin_exchange(fmpl_exchanges* exchanges, bool waits)
    {
        waits_ = waits;
        if (exchanges == nullptr) return;
        check_fmpl(fmpl_exchange_begin(exchanges, &exchange_));
        exchanges_ = exchanges;
    }
    void end_exchange()
    {
        fmpl_exchanges* const exchanges = std::exchange(exchanges_, nullptr);
        if (exchanges != nullptr && !state_->has_left) fmpl_exchange_end(exchanges, exchange_);
    }
    // false: there is no room yet, which a call that waits waits for.
    template <class Write>
    bool give_now(std::uint64_t bytes, int to, Write&& write)
    {
        std::byte* const room = room_to_give(static_cast<std::size_t>(bytes));
        if (room == nullptr) return false;
        write(room);
        fmpl_exchange_show(exchanges_, exchange_, to);
        return true;
    }
    bool give_now(const MessageBuffer& message, int to)
    {
        return give_now(message.bytes, to, [&](std::byte* room) { message.pack(0, message.bytes, room); });
    }
    bool decline_now(std::uint64_t bytes, int to)
    {
        if (room_to_give(0) == nullptr) return false;
        fmpl_exchange_decline(exchanges_, exchange_, static_cast<std::size_t>(bytes), to);
        return true;
    }
    // Whether it is there; its error is the call's.
    bool take_now(int from, Given& given)
    {
        int is_there = 1;
        try {
            const void* data = nullptr;
            check_fmpl(waits_ ? fmpl_exchange_take(exchanges_, exchange_, from, &data, &given.bytes)
                              : fmpl_exchange_try_take(exchanges_, exchange_, from, &data, &given.bytes, &is_there));
            given.data = static_cast<const std::byte*>(data);
        } catch (const JobEnding&) {
            throw;
        } catch (...) {
            note_current_error();
            given = {nullptr, 0, true};
        }
        return is_there != 0;
    }
    // Of a call that waits for nothing: what has to be waited for.
    virtual bool nothing_is_before() const { return true; }
    virtual void add_give(const MessageBuffer& /*kept*/, int /*to*/) {}
    virtual void add_decline(std::uint64_t /*bytes*/, int /*to*/) {}
    virtual void add_take(int /*from*/, std::function<void(const Given&)> /*then*/) {}

    // What a step comes to.
    void begin_send(const Members& members, const MessageBuffer& buffer, int peer, SendMode mode);
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
        int peer = kProcNull;  // of a receive
    };

    CollectiveState* state_ = nullptr;
    Messenger* messenger_ = nullptr;
    std::vector<Pending> pending_;
    int error_ = 0;  // class of the first one
    std::string error_words_;
    fmpl_exchanges* exchanges_ = nullptr;
    std::uint64_t exchange_ = 0;

private:
    std::byte* room_to_give(std::size_t bytes)
    {
        void* room = nullptr;
        check_fmpl((waits_ ? fmpl_exchange_room : fmpl_exchange_try_room)(exchanges_, exchange_, bytes, &room));
        return static_cast<std::byte*>(room);
    }
    void check_and_copy(const MessageBuffer& from, const MessageBuffer& to);
    void give_back_blocks();
    void note_failure(const Status& found, std::uint64_t expected);
    void note_error(int code, std::string words);
    void note_current_error();

    bool waits_ = true;
    Members members_{};
    Members local_members_{};
    OperationPtr operation_;
    TypeObjectPtr type_;
    HandleNumber type_handle_ = kDatatypeNull;

    struct alignas(64) OwnMemory {
        std::array<std::byte, 4096> bytes;
    };
    std::unique_ptr<OwnMemory> own_memory_;  // made when first needed, and kept
    std::size_t own_memory_used_ = 0;
    std::vector<ScratchPool::Block> blocks_;
};

}  // namespace fmpl::mpi
