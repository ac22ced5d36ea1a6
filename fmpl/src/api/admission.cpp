#include "api/admission.hpp"

#include "crossbar/abort.hpp"
#include "crossbar/byte_words.hpp"
#include "crossbar/spoken_library.hpp"
#include "error.hpp"

#include <sched.h>

namespace fmpl {
namespace {

enum Admission : std::uint32_t { kUnknown, kLooking, kAdmitted, kRefused };

// As measured of a program over the MPI: of an arena and tables before anything is sent,
constexpr std::size_t kJobBytes = std::size_t{192} << 10;
// of what a rank keeps of each other one, whether they talk or not, with the kernel's page tables for it,
constexpr std::size_t kBytesOfPeer = 384;
// and of a process: its data and stacks, and the kernel's records and page tables.
constexpr std::size_t kOwnBytes = std::size_t{640} << 10;

}  // namespace

std::size_t bytes_of_rank(int ranks, bool ranks_are_threads)
{
    return kJobBytes + kBytesOfPeer * static_cast<std::size_t>(ranks) + (ranks_are_threads ? 0 : kOwnBytes);
}

void admit_job(Node& node, int rank, bool ranks_are_threads, std::size_t (*available_bytes)())
{
    ControlBlock& control = node.crossbar.control();
    std::uint32_t state = kUnknown;
    // acquire, both: pair with the stores below, so that nobody takes memory before it has been looked at
    if (!control.admission.compare_exchange_strong(state, kLooking, std::memory_order_acquire)) {
        while (state == kLooking) {
            sched_yield();
            state = control.admission.load(std::memory_order_acquire);
        }
        if (state == kRefused) fail(FMPL_ERR_ABORTED, "the job ends: there is not enough memory for it");
        return;
    }
    const int ranks = node.crossbar.nodes();
    const std::size_t wanted = bytes_of_rank(ranks, ranks_are_threads) * static_cast<std::size_t>(ranks);
    // As JobMemory::commit: a part stays free.
    const std::size_t left = available_bytes();
    const std::size_t available = left - left / 64;
    if (wanted <= available) {
        control.admission.store(kAdmitted, std::memory_order_release);
        return;
    }
    const std::string words = fmt::format(
        "not enough memory for this job: {} ranks need {}, and {} are "
        "available; "
        "start fewer ranks",
        ranks, bytes_in_words(wanted), bytes_in_words(available));
    const char* const call = calls_of(control.nodes[rank].speaks).joins;
    abort_job(control, rank, FMPL_ERR_MEMORY, fmt::format("{}: {}", call, words));
    control.admission.store(kRefused, std::memory_order_release);
    if (control.has_launcher != 0) fail(FMPL_ERR_ABORTED, "{}", words);
    fail(FMPL_ERR_MEMORY, "{}", words);
}

}  // namespace fmpl
