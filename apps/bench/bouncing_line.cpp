#include "bouncing_line.hpp"

#include "polling.hpp"
#include "sampler.hpp"
#include "transport.hpp"

#include <fmt/format.h>

#include <atomic>
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace fmpl::bench {

// Processors fetch lines in pairs, hence 128. Steps are counted from 1: the first rank writes the odd numbers,
// the other one the even ones.
struct SharedLine {
    alignas(128) std::atomic<std::uint64_t> step;
};

namespace {

constexpr int kIndex = 0;

// What the first rank tells the other one: where the memory is, or why there is none.
struct Offer {
    std::int32_t pid;
    std::int32_t fd;
    std::int32_t error;  // errno; 0: the memory is there
};

template <bool yield>
void bounce(SharedLine& line, bool first, std::uint64_t from, std::uint64_t count)
{
    for (std::uint64_t trip = from; trip < from + count; ++trip) {
        const std::uint64_t there = 2 * trip + 1;
        const std::uint64_t back = there + 1;
        if (first) {
            line.step.store(there, std::memory_order_release);
            wait_for<yield>(line.step, back);
        } else {
            wait_for<yield>(line.step, there);
            line.step.store(back, std::memory_order_release);
        }
    }
}

}  // namespace

BouncingLine::BouncingLine(const Pairing& pairing, bool yield) : first_(pairing.first()), yield_(yield)
{
    if (pairing.takes_part()) share(pairing);
    const bool failed = on_any_rank(!problem_.empty());
    if (failed && problem_.empty()) problem_ = "two ranks cannot share memory of their own";
}

BouncingLine::~BouncingLine()
{
    if (line_ != nullptr) munmap(line_, sizeof *line_);
}

void BouncingLine::share(const Pairing& pairing)
{
    const int peer = pairing.peer();
    Offer offer{};
    int fd = -1;
    if (pairing.first()) {
        fd = memfd_create("fmpl-bench", MFD_CLOEXEC);
        if (fd < 0 || ftruncate(fd, sizeof(SharedLine)) != 0) {
            offer.error = errno;
            problem_ = fmt::format("memory cannot be shared (memfd_create): {}", std::strerror(errno));
        } else {
            map(fd);
            offer = {getpid(), fd, problem_.empty() ? 0 : ENOMEM};
        }
        transport::send(&offer, sizeof offer, peer, kIndex);
        std::int32_t answer = 0;
        transport::recv(&answer, sizeof answer, peer, kIndex);
        if (answer != 0 && problem_.empty()) {
            problem_ = fmt::format("rank {} cannot open the memory of rank {} through /proc: {}", peer,
                pairing.first_rank(), std::strerror(answer));
        }
    } else {
        transport::recv(&offer, sizeof offer, peer, kIndex);
        std::int32_t answer = offer.error;
        if (answer == 0) {
            fd = open(fmt::format("/proc/{}/fd/{}", offer.pid, offer.fd).c_str(), O_RDWR | O_CLOEXEC);
            if (fd < 0) {
                answer = errno;
            } else {
                map(fd);
                answer = problem_.empty() ? 0 : ENOMEM;
            }
        }
        if (answer != 0) problem_ = std::strerror(answer);
        transport::send(&answer, sizeof answer, peer, kIndex);
    }
    if (fd >= 0) close(fd);
}

void BouncingLine::map(int fd)
{
    void* at = mmap(nullptr, sizeof(SharedLine), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (at == MAP_FAILED) {
        problem_ = fmt::format("shared memory cannot be mapped: {}", std::strerror(errno));
    } else {
        line_ = static_cast<SharedLine*>(at);  // zeros, as the memory comes
    }
}

void BouncingLine::operator()(std::uint64_t /*first*/, std::uint64_t count)
{
    if (yield_) {
        bounce<true>(*line_, first_, trips_, count);
    } else {
        bounce<false>(*line_, first_, trips_, count);
    }
    trips_ += count;
}

}  // namespace fmpl::bench
