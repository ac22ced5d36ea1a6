#include "job.hpp"

#include "crossbar/byte_words.hpp"
#include "crossbar/crossbar.hpp"
#include "crossbar/host.hpp"
#include "crossbar/job_memory.hpp"
#include "crossbar/waiter.hpp"
#include "error.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <memory>
#include <numeric>
#include <string_view>

namespace fmpl::info {
namespace {

constexpr std::size_t kSmallArena = std::size_t{2} << 20;  // where only the shape of a job is asked for

std::string shape_of(const ControlBlock& control)
{
    std::string text = fmt::format("{}", control.shape[0]);
    for (std::uint32_t d = 1; d < control.dimensions; ++d) text += fmt::format("x{}", control.shape[d]);
    return text;
}

std::vector<int> all_nodes(int ranks)
{
    std::vector<int> nodes(static_cast<std::size_t>(ranks));
    std::iota(nodes.begin(), nodes.end(), 0);
    return nodes;
}

std::string collectives_variable()
{
    const char* text = std::getenv("FMPL_COLLECTIVES");
    const std::string_view form = text == nullptr ? "auto" : text;
    if (form != "auto" && form != "hardware" && form != "tree") {
        fail(FMPL_ERR_ARGUMENT, "FMPL_COLLECTIVES={}: auto, hardware or tree is needed", form);
    }
    return std::string(form);
}

// hardware: whether the crossbar allows it.
Fact form(const char* key, int ranks, bool hardware, const char* reason)
{
    if (ranks == 1) return {key, "none", "nothing to do", "one rank"};
    if (!hardware) return {key, "tree", "tree of messages", reason};
    if (collectives_variable() == "tree") return {key, "tree", "tree of messages", "FMPL_COLLECTIVES=tree"};
    return {key, "hardware", "hardware form", ""};
}

std::string waiting_words(const WaitingPolicy& policy)
{
    const std::string of_last = policy.cpus_suffice
                                    ? ""
                                    : fmt::format("; the last of a CPU in a barrier or reduction: {} looks, {} pause{}",
                                          policy.alone_spins, policy.alone_pauses, policy.alone_pauses == 1 ? "" : "s");
    return fmt::format("{} looks, {} pause{} of the CPU between two, then yields for {} us, then sleeps{}",
        policy.spins, policy.pauses, policy.pauses == 1 ? "" : "s", policy.yield_ns / 1000, of_last);
}

Fact waiting_fact(const char* key, int ranks, int cpus, const char* why)
{
    const WaitingPolicy policy = waiting_policy(ranks, cpus);
    return {key,
        {{"spins", policy.spins}, {"pauses", policy.pauses}, {"yield_us", policy.yield_ns / 1000},
            {"alone_spins", policy.alone_spins}, {"alone_pauses", policy.alone_pauses}},
        waiting_words(policy), why};
}

}  // namespace

Section job(int ranks)
{
    JobSpec spec = job_spec_from_environment(ranks);
    spec.has_launcher = true;
    const auto memory = std::make_shared<JobMemory>(JobMemory::create(spec));
    const ControlBlock& control = memory->control();
    const Crossbar crossbar(memory, 0);
    const std::vector<int> nodes = all_nodes(ranks);
    const bool rectangle = crossbar.topology().is_rectangle(nodes);
    const HardwareSupport support = crossbar.hardware_support(nodes);
    const int cpus = static_cast<int>(control.cpus);
    const bool sr8000 = control.profile == Profile::sr8000;
    const std::string partition = fmt::format("{}{}{}", control.partition_exclusive ? "exclusive" : "",
        control.partition_exclusive && control.partition_global ? "," : "", control.partition_global ? "global" : "");
    return {"job", fmt::format("A job of {} rank{} here", ranks, ranks == 1 ? "" : "s"),
        {{"ranks", ranks, fmt::format("{} on {} CPU{}", ranks, cpus, cpus == 1 ? "" : "s"),
             ranks == 1      ? ""
             : ranks <= cpus ? "a CPU for each: fmplrun binds each to its own"
                             : "ranks share CPUs: fmplrun binds them where each CPU gets as many"},
            {"crossbar", shape_of(control), shape_of(control),
                rectangle ? "the ranks' nodes form a rectangle of it"
                          : "the ranks' nodes do not form a rectangle of it"},
            {"rectangle", rectangle, rectangle ? "yes" : "no", ""},
            {"profile", sr8000 ? "sr8000" : "host", sr8000 ? "sr8000" : "host", ""},
            {"partition", partition, partition.empty() ? "neither exclusive nor global" : partition,
                sr8000 ? "" : "of no account under the profile host"},
            {"engine", control.engine == EngineKind::shm ? "shm" : "unmapped",
                control.engine == EngineKind::shm ? "shm" : "unmapped", ""},
            {"arena", control.arena_bytes, bytes_in_words(control.arena_bytes),
                "address space for each rank's remote-DMA memory; it takes memory as it is used"},
            {"tables", control.tables_bytes, bytes_in_words(control.tables_bytes),
                "address space for each rank's records of the ranks that it talks to; it takes memory as they begin "
                "to"},
            {"address_space", control.total_bytes, bytes_in_words(control.total_bytes), "mapped by each rank"},
            waiting_fact("waiting", ranks, cpus, ""), form("barrier", ranks, support.barrier, support.reason),
            form("broadcast", ranks, support.broadcast, support.reason),
            form("reduce", ranks, support.reduce, support.reason),
            form("allreduce", ranks, support.reduce, support.reason),
            {"serialized_broadcast", support.serialized, support.serialized ? "yes" : "no",
                "whether the whole job has one hardware broadcast at a time"}}};
}

Section waiting()
{
    const int cpus = available_cpus();
    return {"waiting", "Waiting",
        {waiting_fact("enough_cpus", cpus, cpus, "while each rank has a CPU: what is waited for comes soon"),
            waiting_fact(
                "shared_cpus", cpus + 1, cpus, "where ranks share CPUs: the other rank may need this very one")}};
}

std::vector<CrossbarRow> default_crossbars()
{
    std::vector<CrossbarRow> rows;
    for (const int ranks : {1, 2, 3, 4, 6, 8, 9, 12, 15, 16, 24, 32, 64, 100, 128, 512}) {
        JobSpec spec;
        spec.ranks = ranks;
        spec.arena_bytes = kSmallArena;
        spec.profile = Profile::sr8000;
        const auto memory = std::make_shared<JobMemory>(JobMemory::create(spec));
        const Crossbar crossbar(memory, 0);
        const std::vector<int> nodes = all_nodes(ranks);
        const bool on_sr8000 = crossbar.hardware_support(nodes).broadcast;
        memory->control().profile = Profile::host;
        const bool on_host = crossbar.hardware_support(nodes).broadcast;
        rows.push_back(
            {ranks, shape_of(memory->control()), crossbar.topology().is_rectangle(nodes), on_host, on_sr8000});
    }
    return rows;
}

}  // namespace fmpl::info
