#include "coll/schedule.hpp"

#include "error.hpp"

#include <algorithm>
#include <exception>
#include <new>
#include <utility>

namespace fmpl::mpi {

const Members& Schedule::local_members()
{
    if (local_members_.comm == nullptr) {
        Communicator* const local = members_.comm->local.get();
        local_members_ = {local, local->next_collective_tag()};
    }
    return local_members_;
}

void Schedule::check_and_copy(const MessageBuffer& from, const MessageBuffer& to)
{
    if (from.bytes > to.bytes) {
        note_error(code_of(ErrorClass::truncate),
            fmt::format(
                "the rank sends {} bytes to itself and has room for {}; give counts and types that agree on both "
                "sides",
                from.bytes, to.bytes));
    } else if (from.bytes != 0) {
        add_copy(from, to);
    }
}

void Schedule::withdraw_receive(int peer)
{
    std::erase_if(pending_, [&](const Pending& receive) {
        if (receive.peer != peer) return false;
        receive.request->cancel(*messenger_);
        return true;
    });
}

std::byte* Schedule::memory(std::size_t bytes)
{
    try {
        const std::size_t rounded = (bytes + 63) / 64 * 64;
        if (rounded >= bytes && rounded <= sizeof(OwnMemory) - own_memory_used_) {
            if (own_memory_ == nullptr) own_memory_ = std::make_unique_for_overwrite<OwnMemory>();
            return own_memory_->bytes.data() + std::exchange(own_memory_used_, own_memory_used_ + rounded);
        }
        blocks_.push_back(state_->scratch.take(bytes));
    } catch (const std::bad_alloc&) {
        fail(ErrorClass::no_mem, "there are no {} bytes of memory for what the call has to keep; use shorter buffers",
            bytes);
    }
    return blocks_.back().memory.data();
}

std::byte* Schedule::element_memory(std::int64_t count)
{
    if (count == 0) return memory(0);
    const Datatype& type = *type_->type;
    const std::int64_t reach = (count - 1) * type.extent();
    const std::int64_t low = type.true_lower_bound() + std::min<std::int64_t>(reach, 0);
    const std::int64_t high = type.true_upper_bound() + std::max<std::int64_t>(reach, 0);
    std::byte* const begin = memory(static_cast<std::size_t>(high - low));
    // By numbers: the first element may begin outside of the memory.
    return reinterpret_cast<std::byte*>(reinterpret_cast<std::uintptr_t>(begin) - static_cast<std::uintptr_t>(low));
}

void Schedule::give_back_blocks()
{
    for (ScratchPool::Block& block : blocks_) state_->scratch.give_back(std::move(block));
    blocks_.clear();
}

void Schedule::take_over(Schedule& failed)
{
    pending_.swap(failed.pending_);
    own_memory_.swap(failed.own_memory_);
    blocks_.swap(failed.blocks_);
}

void Schedule::begin_send(const Members& members, const MessageBuffer& buffer, int peer, SendMode mode)
{
    RequestRef request = messenger_->isend(buffer, *members.comm, Traffic::collective, peer, members.tag, mode);
    if (!request->complete || request->status.error != 0) pending_.push_back({std::move(request), 0});
}

void Schedule::begin_receive(const Members& members, const MessageBuffer& buffer, int peer, std::uint64_t expected)
{
    RequestRef request = messenger_->irecv(buffer, *members.comm, Traffic::collective, peer, members.tag);
    if (request->complete) {
        note_status(request->status, expected);
    } else {
        pending_.push_back({std::move(request), expected, peer});
    }
}

void Schedule::reduce_now(const void* in, void* inout, std::int64_t count)
{
    HandleNumber handle = type_handle_;
    bool made = false;
    if (!operation_->is_predefined() && !type_->is_predefined()) {
        // The user may have freed the type; the user's function gets a handle that is valid.
        const TypeObjectPtr* const found = state_->types.find(handle);
        made = found == nullptr || *found != type_;
        if (made) handle = add_type(state_->types, type_);
    }
    operation_->apply(in, inout, count, *type_, handle);
    if (made) state_->types.remove(handle);
}

void Schedule::note_failure(const Status& found, std::uint64_t expected)
{
    if (found.error == code_of(ErrorClass::truncate)) {
        note_error(found.error,
            "a message is longer than the memory that it goes to; give counts and types that agree on all ranks");
    } else if (found.error != 0) {
        note_error(found.error, "a message of the operation failed");
    } else {
        note_error(code_of(ErrorClass::other),
            fmt::format("a message has {} bytes, {} are expected; give counts and types that agree on all ranks",
                found.bytes, expected));
    }
}

void Schedule::note_error(int code, std::string words)
{
    if (error_ != 0) return;
    error_ = code;
    error_words_ = std::move(words);
}

void Schedule::note_current_error()
{
    int code = code_of(ErrorClass::other);
    std::string words = "out of memory";
    try {
        throw;
    } catch (const Error& error) {
        code = error.code();
        words = error.what();
    } catch (const std::bad_alloc&) {
        code = code_of(ErrorClass::no_mem);
    } catch (const std::exception& error) {
        words = error.what();
    }
    note_error(code, std::move(words));
}

}  // namespace fmpl::mpi
