#include "environment/info.hpp"

#include "environment/environment.hpp"
#include "error.hpp"

#include <sys/utsname.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

namespace fmpl::mpi {
namespace {

// The program's arguments as it was started with: /proc has them, whichever language it is written in.
std::vector<std::string> command_line()
{
    std::ifstream file("/proc/self/cmdline", std::ios::binary);
    const std::string all{std::istreambuf_iterator<char>(file), {}};
    std::vector<std::string> words;
    for (std::size_t begin = 0; begin < all.size();) {
        const std::size_t end = std::min(all.find('\0', begin), all.size());
        words.push_back(all.substr(begin, end - begin));
        begin = end + 1;
    }
    return words;
}

const char* name_of_thread_level(int level)
{
    switch (level) {
        case kThreadSingle:
            return "MPI_THREAD_SINGLE";
        case kThreadFunneled:
            return "MPI_THREAD_FUNNELED";
        case kThreadSerialized:
            return "MPI_THREAD_SERIALIZED";
        default:
            return "MPI_THREAD_MULTIPLE";
    }
}

// MPI_INFO_ENV (MPI-3.1, section 10.3.1). A value that is unknown, empty or too long is left out.
Info description_of_start(int thread_level, const InfoLimits& limits)
{
    Info info;
    const auto set = [&](const char* key, const std::string& value) {
        if (!value.empty() && value.size() < limits.value) info.set(key, value, limits);
    };
    const std::vector<std::string> words = command_line();
    if (!words.empty()) set("command", words.front());
    std::string arguments;
    for (std::size_t i = 1; i < words.size(); ++i) arguments += (i > 1 ? " " : "") + words[i];
    set("argv", arguments);
    set("maxprocs", std::to_string(fmpl_job_size()));
    utsname system{};
    if (uname(&system) == 0) {
        set("host", system.nodename);
        set("arch", system.machine);
    }
    std::error_code error;
    set("wdir", std::filesystem::current_path(error).string());
    set("thread_level", name_of_thread_level(thread_level));
    return info;
}

template <class Entries>
auto position(Entries& entries, std::string_view key)
{
    return std::find_if(entries.begin(), entries.end(), [key](const auto& entry) { return entry.first == key; });
}

}  // namespace

void Info::check_key(std::string_view key, const InfoLimits& limits)
{
    if (key.empty()) fail(ErrorClass::info_key, "key is empty; give at least one character");
    if (key.size() >= limits.key) {
        fail(ErrorClass::info_key, "key has {} characters; at most {} are allowed", key.size(), limits.key - 1);
    }
}

void Info::set(std::string_view key, std::string_view value, const InfoLimits& limits)
{
    check_key(key, limits);
    if (value.size() >= limits.value) {
        fail(ErrorClass::info_value, "value of key \"{}\" has {} characters; at most {} are allowed", key, value.size(),
            limits.value - 1);
    }
    if (const auto at = position(entries_, key); at != entries_.end()) {
        at->second = value;
    } else {
        entries_.emplace_back(key, value);
    }
}

void Info::remove(std::string_view key)
{
    const auto at = position(entries_, key);
    if (at == entries_.end()) fail(ErrorClass::info_nokey, "key \"{}\" is not in info; ask MPI_Info_get first", key);
    entries_.erase(at);
}

const std::string* Info::find(std::string_view key) const
{
    const auto at = position(entries_, key);
    return at == entries_.end() ? nullptr : &at->second;
}

InfoPtr info_of(Environment& environment, HandleNumber handle, const char* argument)
{
    if (handle == kInfoNull) {
        fail(ErrorClass::info, "{} is MPI_INFO_NULL; give an info object of MPI_Info_create or MPI_Info_dup", argument);
    }
    if (handle == kInfoEnv) {
        InfoPtr& info = environment.info;
        if (info == nullptr)
            info = std::make_shared<Info>(description_of_start(environment.thread_level, environment.info_limits));
        return info;
    }
    const InfoPtr* const found = environment.infos.find(handle);
    if (found == nullptr) {
        fail(ErrorClass::info,
            "{} = {:#x} is no info object, or was freed; give one of MPI_Info_create or MPI_Info_dup", argument,
            handle);
    }
    return *found;
}

void check_hints(Environment& environment, HandleNumber handle)
{
    if (handle != kInfoNull) info_of(environment, handle);
}

HandleNumber add_info(Environment& environment, Info info)
{
    const HandleNumber handle = environment.infos.add(std::make_shared<Info>(std::move(info)));
    if (handle == 0) {
        fail(ErrorClass::other, "there are {} info objects, and no room for more; free some that are not needed",
            environment.infos.in_use());
    }
    return handle;
}

}  // namespace fmpl::mpi
