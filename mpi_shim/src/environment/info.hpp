// What an MPI_Info handle stands for (MPI-3.1, chapter 9): keys with values, in the order in which they were set.
#pragma once

#include "handles/handles.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fmpl::mpi {

struct Environment;

// How long texts may be, with the final zero: MPI_MAX_INFO_KEY, MPI_MAX_INFO_VAL of the interface.
struct InfoLimits {
    std::size_t key;
    std::size_t value;
};

class Info {
public:
    // A key that is there keeps its place. MPI_ERR_INFO_KEY: empty or too long; MPI_ERR_INFO_VALUE: too long.
    void set(std::string_view key, std::string_view value, const InfoLimits& limits);
    // MPI_ERR_INFO_NOKEY when it is not there.
    void remove(std::string_view key);
    // Null when it is not there.
    const std::string* find(std::string_view key) const;
    int size() const { return static_cast<int>(entries_.size()); }
    // Requires 0 <= n < size().
    const std::string& key(int n) const { return entries_[static_cast<std::size_t>(n)].first; }

    // MPI_ERR_INFO_KEY unless the key has a character, and with the final zero as many as the limit at most.
    static void check_key(std::string_view key, const InfoLimits& limits);

private:
    std::vector<std::pair<std::string, std::string>> entries_;
};
using InfoPtr = std::shared_ptr<Info>;
using InfoTable = HandleTable<InfoPtr, HandleKind::info>;

// What a handle stands for, MPI_INFO_ENV included. MPI_ERR_INFO when it is null or stands for nothing.
InfoPtr info_of(Environment& environment, HandleNumber handle, const char* argument = "info");
// Hints for a new object, MPI_INFO_NULL for none: they are ignored, since no key means anything to the library.
// MPI_ERR_INFO when the handle stands for nothing.
void check_hints(Environment& environment, HandleNumber handle);
// The handle of a new info object.
HandleNumber add_info(Environment& environment, Info info);

}  // namespace fmpl::mpi
