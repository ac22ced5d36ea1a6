#include "api/rank.hpp"

#include "api/admission.hpp"
#include "crossbar/host.hpp"
#include "error.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <utility>

namespace fmpl {
namespace {

CollectiveForm collective_form_from_environment()
{
    const char* text = std::getenv("FMPL_COLLECTIVES");
    const std::string_view form = text == nullptr ? "auto" : text;
    if (form == "auto") return CollectiveForm::automatic;
    if (form == "hardware") return CollectiveForm::hardware;
    if (form == "tree") return CollectiveForm::tree;
    fail(FMPL_ERR_ARGUMENT, "FMPL_COLLECTIVES={}: auto, hardware or tree is needed", form);
}

}  // namespace

Rank::Rank(const JobSeat& seat)
    : node(seat.memory, seat.rank, seat.is_thread,
          waiting_policy(seat.memory->ranks(), static_cast<int>(seat.memory->control().cpus)), seat.shared_thread),
      send_buffer(node),
      sender(node, send_buffer),
      receiver(node),
      any_domain(node, send_buffer, sender, receiver),
      communicators(node, sender, receiver, any_domain),
      envelopes(node),
      layer_calls(node, receiver),
      collectives(node, sender, receiver, collective_form_from_environment()),
      observer(*seat.memory, seat.rank),
      is_thread_(seat.is_thread)
{
    NodeRecord& record = node.crossbar.record(seat.rank);
    std::int32_t taken_by = 0;
    if (!record.pid.compare_exchange_strong(taken_by, static_cast<std::int32_t>(getpid()), std::memory_order_relaxed)) {
        fail(FMPL_ERR_ALREADY_INITIALIZED, "rank {} of this job is taken by process {}; a rank joins its job once",
            seat.rank, taken_by);
    }
    // release: pairs with fmplrun
    record.state.store(static_cast<std::uint32_t>(RankState::attached), std::memory_order_release);
}

void Rank::init(fmpl_match_t* slots, fmpl_flag_t* flags, int count)
{
    Communicators::check_count(count);
    admit_job(node, rank(), is_thread_);
    communicators.found_world(slots, flags, count);
    initialized_ = true;
    observer.begin_session();
}

void Rank::finalize()
{
    // After this barrier nobody sends or receives.
    collectives.barrier(communicators.world());
    const std::string pending = pending_words();
    NodeRecord& record = node.crossbar.record(rank());
    observer.end_session();
    node.lending.end();
    initialized_ = false;
    finalized_ = true;
    envelopes.close();
    // release: pairs with fmplrun and DeadlockWatch::sleeps
    record.state.store(static_cast<std::uint32_t>(RankState::finalized), std::memory_order_release);
    if (!is_thread_) node.crossbar.memory().leave();
    if (!pending.empty()) fail(FMPL_ERR_PENDING, "{}", pending);
}

// What is left over at the end, in words; empty when nothing is.
std::string Rank::pending_words()
{
    constexpr int kShown = 8;
    std::string words;
    int found = 0;
    const auto add = [&](const std::string& item) {
        if (found < kShown) words += (found == 0 ? "" : "; ") + item;
        ++found;
    };
    communicators.for_each([&](Communicator& comm) {
        const auto message = [&](int source, int index, std::size_t bytes) {
            add(fmt::format(
                "a message of {} bytes from rank {} over index {} was never received", bytes, source, index));
        };
        receiver.for_each_unreceived(comm, message);
        any_domain.for_each_pending(comm, message, [&](int destination, int index, std::size_t bytes) {
            add(fmt::format("a message of {} bytes to rank {} over index {} in the any domain never left", bytes,
                destination, index));
        });
        for (int peer = 0; peer < comm.size(); ++peer) {
            for (int index = 0; index < comm.indices(); ++index) {
                if (comm.send_channel(peer, index).request != nullptr) {
                    add(fmt::format("fmpl_isend to rank {} over index {} was never waited for", peer, index));
                }
                if (comm.receive_channel(peer, index).request != nullptr) {
                    add(fmt::format("fmpl_irecv from rank {} over index {} was never waited for", peer, index));
                }
            }
            if (comm.pair(peer).any_index_request != nullptr) {
                add(fmt::format("fmpl_irecv from rank {} with FMPL_ANY_TAG was never waited for", peer));
            }
        }
    });
    if (found > kShown) words += fmt::format("; and {} more", found - kShown);
    return words;
}

void* Rank::allocate(std::size_t bytes)
{
    Offset block = node.arena.try_allocate(bytes);
    if (block == kNoOffset) {
        // Messages that have been taken may still hold memory.
        any_domain.reclaim();
        sender.reclaim();
        block = node.arena.allocate(bytes);
    }
    return node.crossbar.local(block);
}

void Rank::free(void* p)
{
    if (p == nullptr) return;
    if (!node.crossbar.contains(p, 1) || !node.arena.free(node.crossbar.offset_of(p))) {
        fail(FMPL_ERR_ARGUMENT, "{} does not come from fmpl_malloc of this rank, or was freed before", p);
    }
}

}  // namespace fmpl
