#include "machine.hpp"

#include "crossbar/byte_words.hpp"
#include "crossbar/cgroup_limits.hpp"
#include "crossbar/copy_across.hpp"
#include "crossbar/host.hpp"

#include <fmt/format.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <memory>

#include <hwloc.h>
#include <linux/membarrier.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

namespace fmpl::info {
namespace {

using Json = nlohmann::ordered_json;

std::string cpu_model()
{
    std::ifstream in("/proc/cpuinfo");
    for (std::string line; std::getline(in, line);) {
        if (line.starts_with("model name")) return line.substr(std::min(line.size(), line.find(':') + 2));
    }
    return "unknown";
}

// "0-3,8" of the ascending numbers.
std::string ranges(const std::vector<int>& numbers)
{
    std::string text;
    for (std::size_t i = 0; i < numbers.size();) {
        std::size_t last = i;
        while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
        if (!text.empty()) text += ',';
        text += last == i ? fmt::format("{}", numbers[i]) : fmt::format("{}-{}", numbers[i], numbers[last]);
        i = last + 1;
    }
    return text;
}

Fact cpus()
{
    const std::vector<int> affinity = affinity_cpus();
    const double quota = cgroup_limits().cpus;
    const bool limited = std::isfinite(quota);
    Json value{{"available", available_cpus()}, {"affinity", affinity}};
    value["quota"] = limited ? Json(quota) : Json(nullptr);
    return {"cpus", value,
        fmt::format("{} (affinity {}; {})", available_cpus(), ranges(affinity),
            limited ? fmt::format("control-group quota of {:.2f} CPUs", quota) : "no control-group quota"),
        "as many ranks can spin while they wait; more of them give their CPU away"};
}

Fact topology()
{
    hwloc_topology_t raw = nullptr;
    if (hwloc_topology_init(&raw) != 0) return {"topology", nullptr, "unknown (hwloc)", ""};
    const std::unique_ptr<hwloc_topology, decltype(&hwloc_topology_destroy)> topology(raw, hwloc_topology_destroy);
    if (hwloc_topology_load(raw) != 0) return {"topology", nullptr, "unknown (hwloc)", ""};

    const auto number_of = [raw](hwloc_obj_type_t type) { return std::max(0, hwloc_get_nbobjs_by_type(raw, type)); };
    Json value{{"numa_nodes", number_of(HWLOC_OBJ_NUMANODE)}, {"packages", number_of(HWLOC_OBJ_PACKAGE)},
        {"cores", number_of(HWLOC_OBJ_CORE)}, {"hardware_threads", number_of(HWLOC_OBJ_PU)}};
    std::string words =
        fmt::format("NUMA nodes {}, packages {}, cores {}, hardware threads {}", number_of(HWLOC_OBJ_NUMANODE),
            number_of(HWLOC_OBJ_PACKAGE), number_of(HWLOC_OBJ_CORE), number_of(HWLOC_OBJ_PU));
    Json caches = Json::array();
    for (const hwloc_obj_type_t type : {HWLOC_OBJ_L1CACHE, HWLOC_OBJ_L2CACHE, HWLOC_OBJ_L3CACHE}) {
        const hwloc_obj_t cache = hwloc_get_obj_by_type(raw, type, 0);
        if (cache == nullptr) continue;
        const unsigned level = cache->attr->cache.depth;
        const std::size_t bytes = cache->attr->cache.size;
        caches.push_back({{"level", level}, {"count", number_of(type)}, {"bytes", bytes}});
        words += fmt::format("; L{} {}x {}", level, number_of(type), short_bytes(bytes));
    }
    value["caches"] = caches;
    return {"topology", value, words, "what fmplrun --bind-to core distributes the ranks over"};
}

// The word in brackets of a file such as "always within_size [advise] never".
Fact huge_pages()
{
    std::ifstream in("/sys/kernel/mm/transparent_hugepage/shmem_enabled");
    std::string line;
    std::getline(in, line);
    const std::size_t begin = line.find('[');
    const std::size_t end = line.find(']');
    if (begin == std::string::npos || end == std::string::npos || end < begin) {
        return {"huge_pages", nullptr, "unknown", "this kernel does not say whether shared memory may have huge pages"};
    }
    const std::string mode = line.substr(begin + 1, end - begin - 1);
    const bool used = mode != "never" && mode != "deny";
    return {"huge_pages", mode, fmt::format("{} for shared memory", mode),
        used ? "arenas ask for huge pages and get them where the kernel has some"
             : "arenas stay on small pages; advise in /sys/kernel/mm/transparent_hugepage/shmem_enabled changes that"};
}

Fact membarrier()
{
    const long commands = syscall(SYS_membarrier, MEMBARRIER_CMD_QUERY, 0, 0);
    const bool there = commands > 0 && (commands & MEMBARRIER_CMD_GLOBAL_EXPEDITED) != 0;
    return {"membarrier", there, there ? "available" : "not available",
        there ? "a message costs no fence: the rank that goes to sleep pays for it"
              : "every message fences before it looks whether its receiver sleeps"};
}

Fact lines_asked_for()
{
    const bool asks = asking_ahead_pays();
    return {"copies_ask_ahead", asks, asks ? "yes" : "no",
        asks ? "a copy between ranks asks for the lines of its target 2 KiB before it writes them"
             : "on AMD's processors memcpy alone is faster; to a far core longer copies go past the caches"};
}

Fact limit(const char* key, int resource, const char* option, bool bytes)
{
    rlimit value{};
    if (getrlimit(static_cast<__rlimit_resource_t>(resource), &value) != 0) return {key, nullptr, "unknown", ""};
    if (value.rlim_cur == RLIM_INFINITY) return {key, nullptr, "none", fmt::format("ulimit {}", option)};
    const auto most = static_cast<std::size_t>(value.rlim_cur);
    return {key, most, bytes ? bytes_in_words(most) : fmt::format("{}", most), fmt::format("ulimit {}", option)};
}

}  // namespace

Section machine()
{
    utsname system{};
    uname(&system);
    const std::size_t memory = physical_memory_bytes();
    const std::size_t left = available_memory_bytes();
    const bool limited = cgroup_limits().memory_left != std::numeric_limits<std::size_t>::max();
    return {"machine", "This machine",
        {{"cpu_model", cpu_model(), cpu_model(), ""},
            {"system", fmt::format("{} {} {}", system.sysname, system.release, system.machine),
                fmt::format("{} {} {}", system.sysname, system.release, system.machine), ""},
            cpus(), topology(), {"memory", memory, bytes_in_words(memory), ""},
            {"memory_available", left,
                fmt::format("{}{}", bytes_in_words(left), limited ? ", with the limits of control groups" : ""),
                "what all ranks' buffers together can have now"},
            huge_pages(), membarrier(), lines_asked_for(), limit("limit_address_space", RLIMIT_AS, "-v", true),
            limit("limit_file_size", RLIMIT_FSIZE, "-f", true), limit("limit_open_files", RLIMIT_NOFILE, "-n", false)}};
}

}  // namespace fmpl::info
