#include "process_search.hpp"

#include <charconv>
#include <cstring>
#include <fstream>
#include <sstream>

#include <dirent.h>
#include <fmt/format.h>
#include <unistd.h>

namespace fmpl::launcher {
namespace {

template <class Take>
void for_each_process(Take take)
{
    DIR* proc = opendir("/proc");
    if (proc == nullptr) return;
    while (const dirent* entry = readdir(proc)) {
        pid_t pid = 0;
        const char* end = entry->d_name + std::strlen(entry->d_name);
        if (std::from_chars(entry->d_name, end, pid).ptr == end && pid > 0) take(pid);
    }
    closedir(proc);
}

struct Status {
    std::string name = "?";
    char state = '?';
    pid_t parent = 0;
};

// From /proc/PID/stat: "pid (name) state parent ..."; the name may hold blanks and parentheses.
Status status_of(pid_t pid)
{
    Status status;
    std::ifstream in(fmt::format("/proc/{}/stat", pid));
    std::string line;
    if (!std::getline(in, line)) return status;
    const auto before_name = line.find('('), after_name = line.rfind(')');
    if (after_name == std::string::npos) return status;
    status.name = line.substr(before_name + 1, after_name - before_name - 1);
    std::istringstream fields(line.substr(after_name + 1));
    fields >> status.state >> status.parent;
    return status;
}

}  // namespace

bool processes_can_be_found()
{
    return status_of(getpid()).parent == getppid();
}

std::set<pid_t> children_of(pid_t parent)
{
    std::set<pid_t> children;
    for_each_process([&](pid_t pid) {
        if (status_of(pid).parent == parent) children.insert(pid);
    });
    return children;
}

bool belongs_to_job(pid_t pid, const JobIdentity& identity)
{
    if (identity.mark.is_on(pid)) return true;
    std::ifstream in(fmt::format("/proc/{}/environ", pid), std::ios::binary);
    for (std::string entry; std::getline(in, entry, '\0');) {
        if (entry.starts_with("FMPL_JOB_ID=") && entry.find(identity.id) != std::string::npos) return true;
    }
    return false;
}

std::set<pid_t> processes_of_job(const JobIdentity& identity)
{
    std::set<pid_t> found;
    for_each_process([&](pid_t pid) {
        if (pid != getpid() && belongs_to_job(pid, identity)) found.insert(pid);
    });
    return found;
}

bool process_is_stopped(pid_t pid)
{
    const char state = status_of(pid).state;
    return state == 'T' || state == 't';
}

bool process_has_ended(pid_t pid)
{
    const char state = status_of(pid).state;
    return state == 'Z' || state == 'X';
}

std::string name_of_process(pid_t pid)
{
    return status_of(pid).name;
}

}  // namespace fmpl::launcher
