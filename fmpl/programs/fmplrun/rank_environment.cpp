#include "rank_environment.hpp"

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

namespace fmpl::launcher {
namespace {

// OpenBLAS knows processors by their model, and takes one that is newer than itself for a Prescott of 2004, whose
// kernels are four times slower than those that this processor has the instructions for. The name of these, or nullptr.
const char* openblas_core()
{
#if defined(__x86_64__)
    const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
                        __builtin_cpu_supports("avx512cd");
    if (avx512) return "SkylakeX";
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return "Haswell";
#endif
    return nullptr;
}

// The C library registers each thread with the kernel for restartable sequences (rseq), which it uses in sched_getcpu
// alone, and the kernel then writes the CPU into the thread's memory at each switch. Ranks that share CPUs switch
// whenever they wait.
constexpr std::string_view kTunables = "GLIBC_TUNABLES=", kRseqTunable = "glibc.pthread.rseq=";

std::string without_rseq(std::string_view tunables)
{
    if (tunables.find(kRseqTunable) != std::string_view::npos) return std::string(tunables);
    return fmt::format("{}{}{}0", tunables, tunables == kTunables ? "" : ":", kRseqTunable);
}

}  // namespace

RankEnvironment::RankEnvironment(const RankLayout& layout, int ranks, std::string job_id, int job_fd)
    : ranks_(ranks),
      job_id_(std::move(job_id)),
      job_fd_(job_fd),
      process_threads_(layout.process_threads()),
      processes_share_cpus_(layout.processes_share_cpus()),
      library_threads_(layout.library_threads())
{
}

std::vector<std::string> RankEnvironment::of(int rank) const
{
    // A job within a rank of another job belongs to both.
    const char* outer = std::getenv("FMPL_JOB_ID");
    const std::string identity = fmt::format("FMPL_JOB_ID={}{}{}", outer ? outer : "", outer ? ":" : "", job_id_);
    const std::vector<std::string> ours = {identity, fmt::format("FMPL_JOB_FD={}", job_fd_),
        fmt::format("FMPL_RANK={}", rank), fmt::format("FMPL_SIZE={}", ranks_),
        fmt::format("FMPL_PROCESS_THREADS={}", process_threads_)};
    std::vector<std::string> result;
    std::string tunables(kTunables);
    bool has_omp = false, has_openblas = false, has_openblas_core = false;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const std::string_view variable(*entry);
        const auto is = [&](std::string_view other) {
            const auto name = other.substr(0, other.find('=') + 1);
            return variable.substr(0, name.size()) == name;
        };
        if (std::any_of(ours.begin(), ours.end(), is)) continue;
        if (processes_share_cpus_ && is(kTunables)) {
            tunables = variable;
            continue;
        }
        has_omp = has_omp || is("OMP_NUM_THREADS=");
        has_openblas = has_openblas || is("OPENBLAS_NUM_THREADS=");
        has_openblas_core = has_openblas_core || is("OPENBLAS_CORETYPE=");
        result.emplace_back(variable);
    }
    result.insert(result.end(), ours.begin(), ours.end());
    if (processes_share_cpus_) result.push_back(without_rseq(tunables));
    if (!has_omp) result.push_back(fmt::format("OMP_NUM_THREADS={}", library_threads_));
    if (!has_openblas) result.push_back(fmt::format("OPENBLAS_NUM_THREADS={}", library_threads_));
    if (const char* core = openblas_core(); core != nullptr && !has_openblas_core) {
        result.push_back(fmt::format("OPENBLAS_CORETYPE={}", core));
    }
    return result;
}

}  // namespace fmpl::launcher
