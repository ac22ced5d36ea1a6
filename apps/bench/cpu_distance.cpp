#include "cpu_distance.hpp"

#include "polling.hpp"
#include "sampler.hpp"
#include "transport.hpp"

#include <fmt/format.h>

#include <vector>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace fmpl::bench {

namespace {

constexpr std::uint64_t kRounds = 200;
constexpr std::chrono::seconds kPatience{3};

}  // namespace

CpuDistance::CpuDistance(const Job& job, double nearer_than_ns)
    : nearer_than_ns_(nearer_than_ns),
      own_turn_(static_cast<std::uint64_t>(job.rank))
{
    if (nearer_than_ns == 0 || job.ranks != 2 || !job.cpus_suffice()) return;
    // Rank 0 makes the memory and says where it is; rank 1 opens it.
    int fd = job.rank == 0 ? memfd_create("fmpl-bench", MFD_CLOEXEC) : -1;
    if (fd >= 0 && ftruncate(fd, sizeof(Line)) != 0) {
        close(fd);
        fd = -1;
    }
    // Of numbers that are not negative: so it is in the BLACS.
    std::vector<double> place{job.rank == 0 ? static_cast<double>(getpid()) : 0.0, static_cast<double>(fd + 1)};
    max_over_ranks(place);
    if (job.rank == 1 && place[1] > 0) {
        fd = open(fmt::format("/proc/{:.0f}/fd/{:.0f}", place[0], place[1] - 1).c_str(), O_RDWR | O_CLOEXEC);
    }
    void* at = MAP_FAILED;
    if (fd >= 0) at = mmap(nullptr, sizeof(Line), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    const bool failed = on_any_rank(at == MAP_FAILED);  // and both have opened it
    if (fd >= 0) close(fd);
    if (!failed) {
        line_ = static_cast<Line*>(at);  // zeros, as the memory comes
    } else if (at != MAP_FAILED) {
        munmap(at, sizeof(Line));
    }
}

CpuDistance::~CpuDistance()
{
    if (line_ != nullptr) munmap(line_, sizeof(Line));
}

bool CpuDistance::is_near()
{
    transport::barrier();
    const Clock::time_point begin = Clock::now();
    for (std::uint64_t round = 0; round < kRounds; ++round, own_turn_ += 2) {
        wait_for<false>(line_->turn, own_turn_);
        line_->turn.store(own_turn_ + 1, std::memory_order_release);
    }
    const std::chrono::duration<double, std::nano> elapsed = Clock::now() - begin;
    return !on_any_rank(elapsed.count() / kRounds >= nearer_than_ns_);
}

bool CpuDistance::becomes_near()
{
    const Clock::time_point begin = Clock::now();
    while (!is_near()) {
        if (is_patience_over(Clock::now() - begin)) return false;
    }
    return true;
}

bool CpuDistance::is_patience_over(Clock::duration spent)
{
    return on_any_rank(waited_ + spent > kPatience);
}

}  // namespace fmpl::bench
