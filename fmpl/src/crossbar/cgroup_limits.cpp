#include "crossbar/cgroup_limits.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <optional>
#include <sstream>
#include <string_view>
#include <vector>

namespace fmpl {
namespace {

// One mounted hierarchy, and where this process stands in it.
struct Hierarchy {
    bool unified = false;     // version 2
    bool memory = false;      // holds the memory controller
    bool cpu = false;         // holds the cpu controller
    std::string mount_point;  // of the hierarchy, or of the part of it that is visible here
    std::string path;         // of this process's group below mount_point; "" or "/a/b"
};

struct Membership {
    bool unified = false;
    std::vector<std::string> controllers;
    std::string path;
};

std::vector<std::string> split(const std::string& text, char separator)
{
    std::vector<std::string> parts;
    std::istringstream in(text);
    for (std::string part; std::getline(in, part, separator);) parts.push_back(part);
    return parts;
}

bool contains(const std::vector<std::string>& list, std::string_view item)
{
    return std::find(list.begin(), list.end(), item) != list.end();
}

// mountinfo writes a blank as \040, and a few other characters in the same way.
std::string without_octal_escapes(const std::string& text)
{
    std::string result;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '\\' && i + 3 < text.size()) {
            unsigned value = 0;
            const char* begin = text.data() + i + 1;
            if (std::from_chars(begin, begin + 3, value, 8).ptr == begin + 3) {
                result += static_cast<char>(value);
                i += 3;
                continue;
            }
        }
        result += text[i];
    }
    return result;
}

std::vector<Membership> memberships(const std::string& root)
{
    std::vector<Membership> result;
    std::ifstream in(root + "/proc/self/cgroup");
    for (std::string line; std::getline(in, line);) {
        const auto first = line.find(':');
        const auto second = first == std::string::npos ? first : line.find(':', first + 1);
        if (second == std::string::npos) continue;
        Membership m;
        m.controllers = split(line.substr(first + 1, second - first - 1), ',');
        m.unified = m.controllers.empty();
        m.path = line.substr(second + 1);
        result.push_back(std::move(m));
    }
    return result;
}

// The group's path below the mount point. A mount that shows only a part of the hierarchy (mount_root is not "/") names
// that part; a group outside of what is visible is represented by the mount point itself.
std::string path_below(const std::string& group, const std::string& mount_root)
{
    if ((group + "/").find("/../") != std::string::npos) return "";
    std::string path = group;
    if (mount_root != "/") {
        if (path.compare(0, mount_root.size(), mount_root) != 0) return "";
        path = path.substr(mount_root.size());
        if (!path.empty() && path.front() != '/') return "";
    }
    while (!path.empty() && path.back() == '/') path.pop_back();
    return path;
}

std::vector<Hierarchy> hierarchies(const std::string& root)
{
    const auto groups = memberships(root);
    std::vector<Hierarchy> result;
    std::ifstream in(root + "/proc/self/mountinfo");
    for (std::string line; std::getline(in, line);) {
        const auto dash = line.find(" - ");
        if (dash == std::string::npos) continue;
        const auto before = split(line.substr(0, dash), ' ');
        const auto after = split(line.substr(dash + 3), ' ');
        if (before.size() < 5 || after.empty()) continue;
        Hierarchy h;
        h.unified = after[0] == "cgroup2";
        if (!h.unified && after[0] != "cgroup") continue;
        const auto options = after.size() > 2 ? split(after[2], ',') : std::vector<std::string>{};
        h.memory = h.unified || contains(options, "memory");
        h.cpu = h.unified || contains(options, "cpu");
        if (!h.memory && !h.cpu) continue;
        h.mount_point = without_octal_escapes(before[4]);
        for (const Membership& m : groups) {
            const bool same =
                h.unified ? m.unified : contains(m.controllers, h.memory ? std::string_view("memory") : "cpu");
            if (same) h.path = path_below(m.path, without_octal_escapes(before[3]));
        }
        result.push_back(std::move(h));
    }
    return result;
}

// The first number of a file; nothing when the file is missing or says "max".
std::optional<long long> number_in(const std::string& file)
{
    std::ifstream in(file);
    long long value = 0;
    if (!(in >> value)) return std::nullopt;
    return value;
}

// The value of a "name value" line.
long long field_in(const std::string& file, std::string_view name)
{
    std::ifstream in(file);
    std::string key;
    long long value = 0;
    while (in >> key >> value) {
        if (key == name) return value;
    }
    return 0;
}

// Page cache that nobody has touched for a while counts as usage, but goes when memory is wanted.
std::optional<std::size_t> memory_left(const std::string& folder, bool unified)
{
    const auto limit = number_in(folder + (unified ? "/memory.max" : "/memory.limit_in_bytes"));
    const auto used = number_in(folder + (unified ? "/memory.current" : "/memory.usage_in_bytes"));
    if (!limit || !used || *limit < 0) return std::nullopt;
    const long long cache = field_in(folder + "/memory.stat", unified ? "inactive_file" : "total_inactive_file");
    const long long busy = std::max(0LL, *used - cache);
    return static_cast<std::size_t>(std::max(0LL, *limit - busy));
}

std::optional<double> cpu_quota(const std::string& folder, bool unified)
{
    double quota = 0, period = 0;
    if (unified) {
        std::ifstream in(folder + "/cpu.max");
        if (!(in >> quota >> period)) return std::nullopt;  // "max 100000" is no limit
    } else {
        quota = static_cast<double>(number_in(folder + "/cpu.cfs_quota_us").value_or(-1));
        period = static_cast<double>(number_in(folder + "/cpu.cfs_period_us").value_or(0));
    }
    if (quota <= 0 || period <= 0) return std::nullopt;
    return quota / period;
}

}  // namespace

CgroupLimits cgroup_limits(const std::string& root)
{
    CgroupLimits limits;
    for (const Hierarchy& h : hierarchies(root)) {
        std::string path = h.path;
        for (;;) {
            const std::string folder = root + h.mount_point + path;
            if (h.memory) {
                if (const auto left = memory_left(folder, h.unified)) {
                    limits.memory_left = std::min(limits.memory_left, *left);
                }
            }
            if (h.cpu) {
                if (const auto cpus = cpu_quota(folder, h.unified)) limits.cpus = std::min(limits.cpus, *cpus);
            }
            if (path.empty()) break;
            path.resize(path.rfind('/'));
        }
    }
    return limits;
}

}  // namespace fmpl
