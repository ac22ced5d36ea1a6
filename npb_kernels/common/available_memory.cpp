#include "available_memory.hpp"

#include <algorithm>
#include <fstream>
#include <limits>
#include <optional>

namespace fmpl::npb {

namespace {

// The number after the word `key`, or the first word of the file where key is empty; nothing where there is none.
std::optional<std::uint64_t> number_in(const std::string& path, const std::string& key = "")
{
    std::ifstream file(path);
    std::uint64_t value = 0;
    for (std::string word; !key.empty() && word != key;) {
        if (!(file >> word)) return std::nullopt;
    }
    if (!(file >> value)) return std::nullopt;
    return value;
}

}  // namespace

std::uint64_t available_memory(const std::string& root)
{
    std::uint64_t available = std::numeric_limits<std::uint64_t>::max();
    if (const auto kib = number_in(root + "/proc/meminfo", "MemAvailable:")) available = *kib * 1024;

    struct Group {  // versions 2 and 1 of the interface
        const char *limit, *usage, *statistics, *cache;
    };
    static constexpr Group groups[] = {
        {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current", "/sys/fs/cgroup/memory.stat", "inactive_file"},
        {"/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.usage_in_bytes",
            "/sys/fs/cgroup/memory/memory.stat", "total_inactive_file"}};
    for (const Group& group : groups) {
        const auto limit = number_in(root + group.limit);  // none: "max"
        const auto usage = number_in(root + group.usage);
        if (!limit || !usage) continue;
        // The kernel gives up cached files before it refuses memory.
        const std::uint64_t cached = number_in(root + group.statistics, group.cache).value_or(0);
        const std::uint64_t busy = *usage - std::min(*usage, cached);
        available = std::min(available, *limit - std::min(*limit, busy));
    }
    return available;
}

}  // namespace fmpl::npb
