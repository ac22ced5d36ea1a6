#include "launch/environment.hpp"

#include "crossbar/job_memory.hpp"
#include "error.hpp"

#include <charconv>
#include <cstdlib>
#include <string_view>

namespace fmpl {
namespace {

constexpr std::uint64_t kMostOfWaiting = 1'000'000'000;

bool is_one_of(std::string_view words, std::string_view value)
{
    const char separator = words.find(';') != std::string_view::npos ? ';' : ',';
    while (!words.empty()) {
        const std::string_view word = words.substr(0, words.find(separator));
        if (word == value) return true;
        words.remove_prefix(std::min(words.size(), word.size() + 1));
        words.remove_prefix(std::min(words.size(), words.find_first_not_of(' ')));
    }
    return false;
}

bool is_right(const EnvironmentVariable& variable, const std::string& value)
{
    const auto& [form, least, most] = variable.rule;
    const auto within = [&, least = least, most = most](
                            std::uint64_t number) { return number >= least && number <= most; };
    try {
        switch (form) {
            case ValueForm::words:
                return is_one_of(variable.values, value);
            case ValueForm::number: {
                std::uint64_t number = 0;
                const char* end = value.data() + value.size();
                const auto [rest, error] = std::from_chars(value.data(), end, number);
                return error == std::errc() && rest == end && within(number);
            }
            case ValueForm::bytes:
                return within(parse_bytes(value, variable.name));
            case ValueForm::shape: {
                int shape[3];
                parse_crossbar_shape(value, 1, shape);
                return true;
            }
            case ValueForm::any:
                return true;
        }
    } catch (const Error&) {
    }
    return false;
}

}  // namespace

std::span<const EnvironmentVariable> environment_variables()
{
    static constexpr EnvironmentVariable table[] = {
        {"FMPL_ARENA_SIZE", {ValueForm::bytes, 1}, "bytes, with suffix K, M, G or T",
            "as much as the machine has memory",
            "an arena is address space: it takes memory only where something was allocated, so any rank may use it all",
            false},
        {"FMPL_CROSSBAR", {ValueForm::shape}, "1 to 3 extents, as in 8x2",
            "as few dimensions as hold the ranks, 8 nodes in each",
            "the SR8000's crossbars have up to 8 nodes; fmplrun --crossbar wins over the variable", false},
        {"FMPL_PROFILE", {ValueForm::words}, "host, sr8000", "host",
            "memory that all ranks map restricts nothing; sr8000 enforces the conditions of the SR8000's hardware. "
            "fmplrun --profile wins over the variable",
            false},
        {"FMPL_PARTITION", {ValueForm::words}, "exclusive,global; global,exclusive; exclusive; global; none",
            "exclusive,global", "both attributes are what the hardware collectives of the profile sr8000 need", false},
        {"FMPL_ENGINE", {ValueForm::words}, "shm, unmapped", "shm",
            "loads and stores are the fastest way between ranks of one host; unmapped is for tests: it acts as if no "
            "other rank's memory could be addressed",
            false},
        {"FMPL_COLLECTIVES", {ValueForm::words}, "auto, hardware, tree", "auto",
            "the hardware form where the profile allows it, since it measured faster at every size and number of "
            "ranks; "
            "tree takes the trees of messages always, for comparison",
            false},
        {"FMPL_CPUS", {ValueForm::number, 0, kMostOfWaiting}, "CPUs, 0 to 1000000000", "those that the job may use",
            "a rank with a CPU of its own spins, and copies what another one waits for; for tests, which take more "
            "ranks "
            "for that than the machine has CPUs",
            false},
        {"FMPL_SPIN_US", {ValueForm::number, 0, kMostOfWaiting}, "microseconds, 0 to 1000000000",
            "20 while the ranks have a CPU each, else 0",
            "a message that is under way comes within that time; where ranks share CPUs, spinning keeps the sender "
            "from running; unless the variable is set, the last of a CPU's ranks to come to a barrier or reduction "
            "spins for 20 all the same, and one that waits for an answer from another CPU for 1",
            false},
        {"FMPL_YIELD_US", {ValueForm::number, 0, kMostOfWaiting}, "microseconds, 0 to 1000000000", "1000",
            "after the spinning, a wait gives its CPU to other processes for so long, and then sleeps, which costs its "
            "waker a system call",
            false},
        {"FMPL_ANSWER_NS", {ValueForm::number, 0, kMostOfWaiting}, "nanoseconds, 0 to 1000000000",
            "the best of 0, 60, 120, 180 and 240, tried as answers come; nothing where ranks share CPUs",
            "the MPI and the BLACS over it: for so long after a message no answer to it can be there, and to look for "
            "one "
            "would take its cache line from the rank that writes it",
            false},
        {"FMPL_PRIVATE_COPY", {ValueForm::words}, "auto, kernel, buffers, staged", "auto",
            "long data in private memory is copied from process to process where the kernel lets ranks do that, which "
            "fmpl_init finds out (kernel), or through buffers in remote-DMA memory, and by the kernel where it would "
            "have to wait (buffers): auto takes what is faster on this processor; staged takes the buffers alone",
            false},
        {"FMPL_ERRORS", {ValueForm::words}, "print, return, abort", "print",
            "print: each failing call says why on standard error and returns its code; return: it only returns the "
            "code; "
            "abort: it prints and ends the job",
            false},
        {"FMPL_RDMA", {ValueForm::words}, "heap, none", "none",
            "heap: the program's malloc heap lies in remote-DMA memory, so that its buffers move with one copy; memory "
            "is then taken when it is allocated, not when it is touched. fmplrun --rdma wins over the variable",
            false},
        {"FMPL_PANEL_WIDTH", {ValueForm::number, 1, 4096}, "columns, 1 to 4096", "160 in PxGEMM, else 32",
            "BLACS-FMPL tells ScaLAPACK's PBLAS to broadcast and multiply so many columns at a time. More make fewer "
            "and "
            "longer messages, but compute more in vain where a matrix is symmetric or triangular. Results differ by "
            "rounding",
            false},
        {"FMPL_PDGEMM_ALGORITHM", {ValueForm::words}, "auto, summa, direct", "auto",
            "direct, in which each process reads the others' parts of A and B where they lie, is faster at every size "
            "and "
            "number of ranks measured, and auto takes it where all parts are in remote-DMA memory; summa broadcasts "
            "panels "
            "through the BLACS",
            false},
        {"FMPL_MPI_EAGER", {ValueForm::number, 0, 1048576}, "bytes, up to 1048576",
            "16384; up to 262144 where more than two ranks share a CPU, up to 65536 on AMD's processors, as far as the "
            "rings of all pairs then take 64 MiB; 4096 with more than 32 ranks",
            "the MPI shim sends so long a message with its envelope, by two copies; a longer one stays where it is "
            "until a receive "
            "matches it, and is copied once where buffers lie in remote-DMA memory",
            false},
        {"FMPL_MPI_COLLECTIVES", {ValueForm::words}, "auto, schedule", "auto",
            "the MPI shim's barrier, broadcast and reductions are FMPL's own where it has them; schedule takes "
            "messages of the "
            "shim's always, for comparison",
            false},
        {"FMPL_TRACE_EVENTS", {ValueForm::number, 1}, "calls, from 1",
            "131072; with more than 64 ranks 8388608 for all together",
            "so many calls a rank keeps for fmplrun --trace, at 32 bytes each, and drops those that follow, which the "
            "trace "
            "says; the memory is taken as it is needed",
            false},
        {"FMPL_MAP_ANYWHERE", {}, "any", "unset: all ranks map the job's memory at one address, where that is free",
            "nothing in FMPL relies on it; set, the variable lets tests show that", false},
        {"FMPL_RANK", {}, "0 to ranks - 1", "unset: a job of one rank", "the rank of this process, set by fmplrun",
            true},
        {"FMPL_SIZE", {}, "ranks", "unset: a job of one rank", "the number of ranks, set by fmplrun", true},
        {"FMPL_PROCESS_THREADS", {}, "0 or more", "0: this process is one rank",
            "on how many threads this process runs all ranks of the job, set by fmplrun (--ranks-as)", true},
        {"FMPL_JOB_FD", {}, "a file descriptor", "unset: a job of one rank",
            "the job's memory, which has no name and is inherited, set by fmplrun", true},
        {"FMPL_JOB_ID", {}, "a word", "unset: a job of one rank",
            "by it fmplrun finds processes that the ranks left behind, set by fmplrun", true},
    };
    return table;
}

std::vector<std::string> wrong_variables()
{
    std::vector<std::string> wrong;
    for (const EnvironmentVariable& variable : environment_variables()) {
        const char* value = std::getenv(variable.name);
        if (value == nullptr || *value == '\0' || variable.set_by_launcher || is_right(variable, value)) continue;
        wrong.push_back(fmt::format("{}={} is not allowed; allowed are: {}", variable.name, value, variable.values));
    }
    return wrong;
}

void check_environment()
{
    const std::vector<std::string> wrong = wrong_variables();
    if (!wrong.empty()) fail(FMPL_ERR_ARGUMENT, "{}", wrong.front());
}

}  // namespace fmpl
