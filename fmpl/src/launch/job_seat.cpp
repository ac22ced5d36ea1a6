#include "launch/job_seat.hpp"

#include "error.hpp"
#include "launch/environment.hpp"
#include "launch/other_launcher.hpp"

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string_view>

namespace fmpl {
namespace {

std::optional<int> number_from_environment(const char* variable)
{
    const char* text = std::getenv(variable);
    if (text == nullptr) return std::nullopt;
    const std::string_view view(text);
    int value = 0;
    const auto [end, error] = std::from_chars(view.data(), view.data() + view.size(), value);
    if (error != std::errc() || end != view.data() + view.size() || value < 0) {
        fail(FMPL_ERR_ARGUMENT,
            "{}={} is not a number; it is set by fmplrun: start the program with fmplrun, or unset it", variable, text);
    }
    return value;
}

}  // namespace

JobSeat seat_from_environment()
{
    check_environment();
    const std::optional<int> fd = number_from_environment("FMPL_JOB_FD");
    if (!fd) {
        if (const auto words = words_about_other_launcher()) std::fprintf(stderr, "fmpl: %s\n", words->c_str());
        return {std::make_shared<JobMemory>(JobMemory::create(job_spec_from_environment(1))), 0, false};
    }
    if (threads_from_environment() != 0) {
        fail(FMPL_ERR_ARGUMENT,
            "fmplrun has started this process for all ranks, since the program says that they may share it, but it "
            "calls FMPL outside "
            "of fmpl::run_process; start it with fmplrun --ranks-as processes");
    }
    const std::optional<int> rank = number_from_environment("FMPL_RANK");
    auto memory = std::make_shared<JobMemory>(JobMemory::attach(*fd));
    if (!rank || *rank >= memory->ranks()) {
        fail(FMPL_ERR_ARGUMENT,
            "FMPL_RANK is missing or not a rank of this job of {} ranks; start the program with fmplrun",
            memory->ranks());
    }
    return {std::move(memory), *rank, false};
}

int threads_from_environment()
{
    if (!number_from_environment("FMPL_JOB_FD")) return 0;
    return number_from_environment("FMPL_PROCESS_THREADS").value_or(0);
}

std::shared_ptr<JobMemory> whole_job_from_environment()
{
    return std::make_shared<JobMemory>(JobMemory::attach(number_from_environment("FMPL_JOB_FD").value_or(-1)));
}

int size_from_environment()
{
    const bool launched = number_from_environment("FMPL_JOB_FD").has_value();
    return launched ? number_from_environment("FMPL_SIZE").value_or(1) : 1;
}

int rank_from_environment()
{
    const bool launched = number_from_environment("FMPL_JOB_FD").has_value();
    return launched ? number_from_environment("FMPL_RANK").value_or(0) : 0;
}

}  // namespace fmpl
