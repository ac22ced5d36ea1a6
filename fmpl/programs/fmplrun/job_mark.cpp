#include "job_mark.hpp"

#include <fstream>
#include <random>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace fmpl::launcher {
namespace {

// A soft limit may not exceed the hard one: the marks of jobs within jobs are below all others.
constexpr rlim_t kInnerMarks = rlim_t{1} << 60, kOuterMarks = rlim_t{1} << 61, kEndOfMarks = rlim_t{1} << 62;

bool is_free(rlim_t limit)
{
    return limit == RLIM_INFINITY || (limit >= kInnerMarks && limit < kEndOfMarks);
}

rlim_t random_below(rlim_t end)
{
    std::random_device random;
    return (rlim_t{random()} << 32 | random()) % end;
}

}  // namespace

JobMark::JobMark()
{
    if (getrlimit(RLIMIT_RTTIME, &limits_) != 0 || !is_free(limits_.rlim_cur) || !is_free(limits_.rlim_max)) return;
    exists_ = true;
    const bool is_outermost = limits_.rlim_max == RLIM_INFINITY;
    number_ = is_outermost ? kOuterMarks + random_below(kEndOfMarks - kOuterMarks)
                           : kInnerMarks + random_below(kOuterMarks - kInnerMarks);
    limits_.rlim_cur = number_;
    if (is_outermost) limits_.rlim_max = number_;
}

void JobMark::put_on_this_process() const
{
    if (exists_) setrlimit(RLIMIT_RTTIME, &limits_);
}

bool JobMark::is_on(pid_t pid) const
{
    if (!exists_) return false;
    constexpr std::string_view kName = "Max realtime timeout";
    std::ifstream in(fmt::format("/proc/{}/limits", pid));
    for (std::string line; std::getline(in, line);) {
        if (!line.starts_with(kName)) continue;
        const auto number = fmt::format(" {} ", number_);
        return line.find(number) != std::string::npos;
    }
    return false;
}

}  // namespace fmpl::launcher
