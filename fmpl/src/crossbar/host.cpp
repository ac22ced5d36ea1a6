#include "crossbar/host.hpp"

#include "crossbar/cgroup_limits.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <fstream>
#include <string>

#include <sched.h>
#include <sys/stat.h>
#include <unistd.h>

namespace fmpl {
namespace {

// A kernel too old for MemAvailable (before 3.14) still says how much is free.
std::size_t system_available_bytes()
{
    std::ifstream in("/proc/meminfo");
    std::string key, unit;
    std::size_t kib = 0, free_kib = 0;
    while (in >> key >> kib) {
        std::getline(in, unit);
        if (key == "MemAvailable:") return kib * 1024;
        if (key == "MemFree:") free_kib = kib;
    }
    return free_kib > 0 ? free_kib * 1024 : physical_memory_bytes();
}

}  // namespace

std::size_t available_memory_bytes()
{
    return std::min(system_available_bytes(), cgroup_limits().memory_left);
}

std::size_t physical_memory_bytes()
{
    const long pages = sysconf(_SC_PHYS_PAGES);
    const long page = sysconf(_SC_PAGESIZE);
    return static_cast<std::size_t>(std::max(1L, pages)) * static_cast<std::size_t>(std::max(4096L, page));
}

std::size_t page_bytes()
{
    static const auto bytes = static_cast<std::size_t>(std::max(4096L, sysconf(_SC_PAGESIZE)));
    return bytes;
}

std::uint64_t pid_namespace()
{
    struct stat status {};
    return stat("/proc/self/ns/pid", &status) == 0 ? status.st_ino : 0;
}

int available_cpus()
{
    int cpus = std::max<int>(1, static_cast<int>(affinity_cpus().size()));
    const double quota = cgroup_limits().cpus;
    if (quota < cpus) cpus = std::max(1, static_cast<int>(std::ceil(quota)));
    return cpus;
}

namespace {

// read(set, bytes, room): the mask, with room for so many CPUs. Not called where it cannot be told.
template <class Read>
void read_affinity(int thread, Read&& read)
{
    // The kernel refuses a mask smaller than its own (EINVAL), so the room grows until it suffices.
    for (int room = 1024; room <= (1 << 20); room *= 2) {
        cpu_set_t* set = CPU_ALLOC(static_cast<std::size_t>(room));
        if (set == nullptr) break;
        const std::size_t bytes = CPU_ALLOC_SIZE(static_cast<std::size_t>(room));
        CPU_ZERO_S(bytes, set);
        const int failed = sched_getaffinity(thread, bytes, set);
        const int error = errno;
        if (failed == 0) read(set, bytes, room);
        CPU_FREE(set);
        if (failed == 0 || error != EINVAL) break;
    }
}

}  // namespace

std::vector<int> affinity_cpus(int thread)
{
    std::vector<int> cpus;
    read_affinity(thread, [&](const cpu_set_t* set, std::size_t bytes, int room) {
        for (int cpu = 0; cpu < room; ++cpu) {
            if (CPU_ISSET_S(static_cast<std::size_t>(cpu), bytes, set)) cpus.push_back(cpu);
        }
    });
    return cpus;
}

int only_cpu(int thread)
{
    int only = -1;
    read_affinity(thread, [&](const cpu_set_t* set, std::size_t bytes, int room) {
        if (CPU_COUNT_S(bytes, set) != 1) return;
        for (only = 0; only < room && !CPU_ISSET_S(static_cast<std::size_t>(only), bytes, set);) ++only;
    });
    return only;
}

bool bind_thread(int thread, std::span<const int> cpus)
{
    if (cpus.empty()) return false;
    const auto room = static_cast<std::size_t>(*std::ranges::max_element(cpus)) + 1;
    cpu_set_t* const set = CPU_ALLOC(room);
    if (set == nullptr) return false;
    const std::size_t bytes = CPU_ALLOC_SIZE(room);
    CPU_ZERO_S(bytes, set);
    for (const int cpu : cpus) CPU_SET_S(static_cast<std::size_t>(cpu), bytes, set);
    const bool is_bound = sched_setaffinity(thread, bytes, set) == 0;
    CPU_FREE(set);
    return is_bound;
}

}  // namespace fmpl
