#include "coll/schedule.hpp"

#include "error.hpp"

#include <algorithm>
#include <exception>
#include <new>
#include <utility>

namespace fmpl::mpi {

namespace {

// A longer message is better off if its receive is posted early.
constexpr std::uint64_t kDeferredBytes = 4096;

}  // namespace

Ref<Schedule> Schedule::on(CollectiveState& state, Engine& engine, const CommunicatorPtr& comm, Steps steps)
{
    Ref<Schedule> schedule = state.schedules.take();
    schedule->state_ = &state;
    schedule->engine_ = &engine;
    schedule->comm_ = comm;
    schedule->at_once_ = steps == Steps::at_once;
    schedule->channel_ = {comm.get(), comm->next_collective_tag()};
    return schedule;
}

const Channel& Schedule::local_channel()
{
    if (local_channel_.comm == nullptr) {
        Communicator* const local = comm_->local.get();
        local_channel_ = {local, local->next_collective_tag()};
    }
    return local_channel_;
}

void Schedule::send(const Channel& channel, const MessageBuffer& buffer, int peer)
{
    if (peer == MPI_PROC_NULL) return;
    bool sent = false;
    if (at_once_) {
        do_now([&] { sent = engine_->send_eagerly(buffer, *channel.comm, Traffic::collective, peer, channel.tag); });
    }
    if (!sent) add({Step::Kind::send, peer, channel, buffer, {}});
}

void Schedule::receive(const Channel& channel, const MessageBuffer& buffer, int peer)
{
    if (peer == MPI_PROC_NULL) return;
    add({Step::Kind::receive, peer, channel, buffer, {}});
}

void Schedule::receive_up_to(const Channel& channel, const MessageBuffer& buffer, int peer)
{
    if (peer == MPI_PROC_NULL) return;
    add({Step::Kind::receive_up_to, peer, channel, buffer, {}});
}

void Schedule::copy(const MessageBuffer& from, const MessageBuffer& to)
{
    if (from.bytes > to.bytes) {
        fail(MPI_ERR_TRUNCATE,
            "the rank sends {} bytes to itself and has room for {}; give counts and types that agree on both sides",
            from.bytes, to.bytes);
    }
    if (from.bytes == 0) return;
    if (at_once_) return do_now([&] { copy_message(from, to, from.bytes); });
    add({Step::Kind::copy, 0, {}, from, to});
}

void Schedule::reduce(const void* in, void* inout, std::int64_t count)
{
    if (count == 0) return;
    if (at_once_) return do_now([&] { reduce_now(in, inout, count); });
    Step step{Step::Kind::reduce, 0, {}, MessageBuffer::piece(in, 0), MessageBuffer::piece(inout, 0)};
    step.buffer.count = count;
    add(std::move(step));
}

void Schedule::end_round()
{
    if (at_once_) return complete_round();
    if (!steps_.empty() && steps_.back().kind != Step::Kind::end_round) {
        steps_.push_back({Step::Kind::end_round, 0, {}, {}, {}});
    }
}

void Schedule::set_reduction(OperationPtr operation, TypeObjectPtr type, MPI_Datatype handle)
{
    operation_ = std::move(operation);
    type_ = std::move(type);
    type_handle_ = handle;
}

std::byte* Schedule::memory(std::size_t bytes)
{
    const std::size_t rounded = (bytes + 63) / 64 * 64;
    if (rounded >= bytes && rounded <= kOwnMemory - own_memory_used_) {
        std::byte* const memory = own_memory_.data() + own_memory_used_;
        own_memory_used_ += rounded;
        return memory;
    }
    try {
        blocks_.push_back(state_->scratch.take(bytes));
    } catch (const std::bad_alloc&) {
        fail(MPI_ERR_NO_MEM, "there are no {} bytes of memory for what the call has to keep; use shorter buffers",
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

void Schedule::advance()
{
    // The engine and the user's functions that steps call may come back here.
    if (advancing_ || complete) return;
    advancing_ = true;
    for (;;) {
        while (!pending_.empty() && pending_.back().request->complete) {
            note_status(pending_.back().request->status, pending_.back().bytes);
            pending_.pop_back();
        }
        if (!pending_.empty()) break;
        if (next_ == steps_.size()) {
            release();
            break;
        }
        while (next_ < steps_.size()) {
            const Step& step = steps_[next_++];
            if (step.kind == Step::Kind::end_round) break;
            try {
                begin(step);
            } catch (...) {
                note_current_error();
            }
        }
    }
    advancing_ = false;
}

void Schedule::cancel(Engine&)
{
    fail(MPI_ERR_REQUEST, "request is of a collective operation, which cannot be cancelled; wait for it");
}

void Schedule::conclude()
{
    complete_round();
    release();
    if (status.error != 0) throw Error(status.error, error_words_);
}

void Schedule::abandon(const Ref<Schedule>& schedule)
{
    if (!schedule->pending_.empty()) schedule->engine_->activate(schedule);
}

// An error of a step is kept.
template <class Do>
void Schedule::do_now(Do&& step)
{
    try {
        step();
    } catch (const JobEnding&) {
        throw;
    } catch (...) {
        note_current_error();
    }
}

void Schedule::add(Step step)
{
    if (!at_once_) {
        steps_.push_back(std::move(step));
    } else if (step.kind == Step::Kind::send) {
        do_now([&] { begin(step); });
    } else {
        // First the one before: several messages of one rank match in the order of their receives.
        do_now([&] { begin_deferred(); });
        if (step.buffer.bytes <= kDeferredBytes) {
            deferred_ = std::move(step);
        } else {
            do_now([&] { begin(step); });
        }
    }
}

void Schedule::begin_deferred()
{
    if (const std::optional<Step> step = std::exchange(deferred_, std::nullopt)) begin(*step);
}

void Schedule::complete_round()
{
    if (deferred_ && pending_.empty()) {
        const Step& step = *deferred_;
        const Status found =
            engine_->recv(step.buffer, *step.channel.comm, Traffic::collective, step.peer, step.channel.tag);
        note_status(found, step.kind == Step::Kind::receive ? step.buffer.bytes : 0);
        deferred_.reset();
        return;
    }
    do_now([&] { begin_deferred(); });
    while (!pending_.empty()) {
        if (Request& request = *pending_.back().request; !request.complete) engine_->wait(request);
        note_status(pending_.back().request->status, pending_.back().bytes);
        pending_.pop_back();
    }
}

void Schedule::begin(const Step& step)
{
    switch (step.kind) {
        case Step::Kind::send: {
            RequestRef request =
                engine_->isend(step.buffer, *step.channel.comm, Traffic::collective, step.peer, step.channel.tag);
            if (!request->complete || request->status.error != 0) pending_.push_back({std::move(request), 0});
            break;
        }
        case Step::Kind::receive:
        case Step::Kind::receive_up_to: {
            RequestRef request =
                engine_->irecv(step.buffer, *step.channel.comm, Traffic::collective, step.peer, step.channel.tag);
            Pending started{std::move(request), step.kind == Step::Kind::receive ? step.buffer.bytes : 0};
            if (started.request->complete) {
                note_status(started.request->status, started.bytes);
            } else {
                pending_.push_back(std::move(started));
            }
            break;
        }
        case Step::Kind::copy:
            copy_message(step.buffer, step.target, step.buffer.bytes);
            break;
        case Step::Kind::reduce:
            reduce_now(step.buffer.data, step.target.data, step.buffer.count);
            break;
        case Step::Kind::end_round:
            break;
    }
}

void Schedule::reduce_now(const void* in, void* inout, std::int64_t count)
{
    MPI_Datatype handle = type_handle_;
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

// bytes: fewer are an error.
void Schedule::note_status(const Status& found, std::uint64_t bytes)
{
    if (found.error == MPI_ERR_TRUNCATE) {
        note_error(found.error,
            "a message is longer than the memory that it goes to; give counts and types that agree on all ranks");
    } else if (found.error != 0) {
        note_error(found.error, "a message of the operation failed");
    } else if (found.bytes < bytes) {
        note_error(MPI_ERR_OTHER,
            fmt::format("a message has {} bytes, {} are expected; give counts and types that agree on all ranks",
                found.bytes, bytes));
    }
}

void Schedule::note_error(int error_class, std::string words)
{
    if (status.error != 0) return;
    status.error = error_class;
    error_words_ = std::move(words);
}

void Schedule::note_current_error()
{
    int error_class = MPI_ERR_OTHER;
    std::string words = "out of memory";
    try {
        throw;
    } catch (const Error& error) {
        error_class = error.error_class();
        words = error.what();
    } catch (const std::bad_alloc&) {
        error_class = MPI_ERR_NO_MEM;
    } catch (const std::exception& error) {
        words = error.what();
    }
    note_error(error_class, std::move(words));
}

void Schedule::release()
{
    const int error = status.error;
    status = Status::empty();
    status.error = error;
    complete = true;
    steps_.clear();
    next_ = 0;
    for (ScratchPool::Block& block : blocks_) state_->scratch.give_back(std::move(block));
    blocks_.clear();
    own_memory_used_ = 0;
    deferred_.reset();
    operation_.reset();
    type_.reset();
    channel_ = {};
    local_channel_ = {};
    comm_.reset();
}

void Schedule::dispose()
{
    // Not complete where the call failed before it was started.
    if (!complete) release();
    pending_.clear();
    error_words_.clear();
    pool->give_back(*this);
}

}  // namespace fmpl::mpi
