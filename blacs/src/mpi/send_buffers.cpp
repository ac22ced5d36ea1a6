#include "send_buffers.hpp"

#include "communicators.hpp"
#include "job.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <thread>

namespace fmpl::blacs {
namespace {

using Clock = std::chrono::steady_clock;

// How long a finished message may take to say so, once all processes have stopped receiving.
constexpr std::chrono::seconds kLastWord{1};

}  // namespace

SendBuffers::Buffer SendBuffers::take(std::size_t bytes)
{
    // Messages to one process finish in order, as a rule, and then the oldest is the only one to look at. Those behind
    // one that nobody receives for long are looked at each time that their number has doubled.
    while (!in_progress_.empty() && finished(in_progress_.front())) {
        recycle(in_progress_.front().buffer);
        in_progress_.pop_front();
    }
    if (in_progress_.size() >= look_at_all_from_) {
        recycle_finished();
        look_at_all_from_ = std::max(kLookAtAll, 2 * in_progress_.size());
    }

    const std::size_t size_class =
        std::max<std::size_t>(kSmallestClass, std::bit_width(std::max<std::size_t>(bytes, 1) - 1));
    const std::size_t capacity = std::size_t{1} << size_class;
    std::vector<std::byte*>& kept = kept_[size_class];
    if (!kept.empty()) {
        std::byte* memory = kept.back();
        kept.pop_back();
        kept_bytes_ -= capacity;
        return {memory, size_class};
    }
    void* memory = allocate_memory(capacity);
    if (memory == nullptr) {
        refuse(
            "no memory for a copy of {} bytes, beside those of {} messages that wait for their receivers; receive "
            "before sending more",
            bytes, in_progress_.size());
    }
    return {static_cast<std::byte*>(memory), size_class};
}

void SendBuffers::release_finished()
{
    recycle_finished();
    release_kept();
}

void SendBuffers::wait_and_release()
{
    for (Message& message : in_progress_) {
        check(MPI_Wait(&message.request, MPI_STATUS_IGNORE));
        recycle(message.buffer);
    }
    in_progress_.clear();
    release_kept();
}

std::size_t SendBuffers::abandon_and_release()
{
    MPI_Request all_here = MPI_REQUEST_NULL;
    check(MPI_Ibarrier(MPI_COMM_WORLD, &all_here));
    for (int here = 0;;) {
        check(MPI_Test(&all_here, &here, MPI_STATUS_IGNORE));
        recycle_finished();
        if (here != 0) break;
        std::this_thread::yield();
    }
    const Clock::time_point give_up_at = Clock::now() + kLastWord;
    while (!in_progress_.empty() && Clock::now() < give_up_at) {
        std::this_thread::yield();
        recycle_finished();
    }
    const std::size_t abandoned = in_progress_.size();
    for (Message& message : in_progress_) check(MPI_Request_free(&message.request));
    in_progress_.clear();
    release_kept();
    return abandoned;
}

bool SendBuffers::finished(Message& message)
{
    int done = 0;
    check(MPI_Test(&message.request, &done, MPI_STATUS_IGNORE));
    return done != 0;
}

void SendBuffers::recycle(const Buffer& buffer)
{
    const std::size_t capacity = std::size_t{1} << buffer.size_class;
    if (kept_bytes_ + capacity > kKeptBytes) {
        release_memory(buffer.memory);
        return;
    }
    kept_[buffer.size_class].push_back(buffer.memory);
    kept_bytes_ += capacity;
}

void SendBuffers::recycle_finished()
{
    std::erase_if(in_progress_, [this](Message& message) {
        if (!finished(message)) return false;
        recycle(message.buffer);
        return true;
    });
}

void SendBuffers::release_kept()
{
    for (std::vector<std::byte*>& kept : kept_) {
        for (std::byte* memory : kept) release_memory(memory);
        kept.clear();
    }
    kept_bytes_ = 0;
}

}  // namespace fmpl::blacs
