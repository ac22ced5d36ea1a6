#include "launch/memory_headroom.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <fstream>
#include <limits>
#include <optional>
#include <string_view>

#include <fcntl.h>
#include <unistd.h>

namespace fmpl {
namespace {

constexpr std::size_t kUnlimited = std::numeric_limits<std::size_t>::max();
constexpr std::size_t kFileRoom = 8192;  // the files read here are shorter; of a longer one the beginning counts

std::string_view contents(const std::string& path, char (&room)[kFileRoom]) noexcept
{
    const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) return {};
    ssize_t got;
    do {
        got = read(fd, room, sizeof room);  // the kernel gives such a file in one piece
    } while (got < 0 && errno == EINTR);
    close(fd);
    return {room, static_cast<std::size_t>(std::max<ssize_t>(got, 0))};
}

std::optional<std::size_t> leading_number(std::string_view text) noexcept
{
    const auto digits = text.find_first_not_of(" \t");
    if (digits == std::string_view::npos) return std::nullopt;
    text.remove_prefix(digits);
    std::size_t value = 0;
    if (std::from_chars(text.data(), text.data() + text.size(), value).ec != std::errc()) return std::nullopt;
    return value;
}

// The number behind `name` at the beginning of a line.
std::optional<std::size_t> field(std::string_view text, std::string_view name) noexcept
{
    while (!text.empty()) {
        const std::string_view line = text.substr(0, text.find('\n'));
        if (line.substr(0, name.size()) == name) {
            if (const auto value = leading_number(line.substr(name.size()))) return value;
        }
        text.remove_prefix(std::min(text.size(), line.size() + 1));
    }
    return std::nullopt;
}

// Of the line "4:memory:/a/b" (version 1) or "0::/a/b" (version 2) of /proc/self/cgroup, the path.
std::string own_group(const std::string& root, bool unified)
{
    std::ifstream in(root + "/proc/self/cgroup");
    for (std::string line; std::getline(in, line);) {
        const auto first = line.find(':');
        const auto second = first == std::string::npos ? first : line.find(':', first + 1);
        if (second == std::string::npos) continue;
        const std::string controllers = fmt::format(",{},", line.substr(first + 1, second - first - 1));
        const bool wanted = unified ? controllers == ",," : controllers.find(",memory,") != std::string::npos;
        if (wanted) return line.substr(second + 1);
    }
    return "";
}

}  // namespace

MemoryHeadroom::MemoryHeadroom(const std::string& root) : system_(root + "/proc/meminfo")
{
    struct Version {
        bool unified;
        const char *mount_point, *limit, *usage, *cache_field;
    };
    static constexpr Version versions[] = {{true, "/sys/fs/cgroup", "/memory.max", "/memory.current", "inactive_file "},
        {true, "/sys/fs/cgroup/unified", "/memory.max", "/memory.current", "inactive_file "},
        {false, "/sys/fs/cgroup/memory", "/memory.limit_in_bytes", "/memory.usage_in_bytes", "total_inactive_file "}};
    for (const Version& version : versions) {
        // A container may see its own group only, at the mount point itself: the paths that are not there drop out.
        std::string group = own_group(root, version.unified);
        for (;;) {
            while (!group.empty() && group.back() == '/') group.pop_back();
            const std::string folder = root + version.mount_point + group;
            if (access((folder + version.limit).c_str(), R_OK) == 0) {
                groups_.push_back(
                    {folder + version.limit, folder + version.usage, folder + "/memory.stat", version.cache_field});
            }
            if (group.empty()) break;
            const auto slash = group.rfind('/');
            group.resize(slash == std::string::npos ? 0 : slash);
        }
    }
}

std::size_t MemoryHeadroom::bytes() const noexcept
{
    const int saved_errno = errno;
    char room[kFileRoom];
    std::size_t left = kUnlimited;
    if (const auto kib = field(contents(system_, room), "MemAvailable:")) left = *kib * 1024;
    for (const Group& group : groups_) {
        const auto limit = leading_number(contents(group.limit, room));  // none: "max"
        if (!limit || *limit > kUnlimited / 4) continue;                 // version 1 writes "no limit" as a huge number
        const auto usage = leading_number(contents(group.usage, room));
        if (!usage) continue;
        const std::size_t cache = field(contents(group.statistics, room), group.cache_field).value_or(0);
        const std::size_t busy = *usage - std::min(*usage, cache);
        left = std::min(left, *limit - std::min(*limit, busy));
    }
    errno = saved_errno;
    return left;
}

}  // namespace fmpl
