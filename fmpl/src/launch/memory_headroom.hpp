// How much memory can still be allocated, asked for from inside an allocator: the answer itself allocates nothing.
//
// The same question as available_memory_bytes() of crossbar/host.hpp, in two steps: the constructor, which may
// allocate, finds the memory groups (cgroups, versions 1 and 2, under their usual mount points) above this process that
// have files to read; bytes() then only reads files into buffers on the stack. Groups that are mounted elsewhere are
// not seen.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace fmpl {

class MemoryHeadroom {
public:
    // Throws std::bad_alloc only; what cannot be read is no limit. `root` is put before every path (tests).
    explicit MemoryHeadroom(const std::string& root = "");

    // Bytes left: the least of the system's available memory and what each group leaves. Any thread; never allocates,
    // never blocks, keeps errno.
    std::size_t bytes() const noexcept;

private:
    struct Group {
        std::string limit, usage, statistics;  // paths
        const char* cache_field;               // of `statistics`: page cache that goes when memory is wanted
    };
    std::string system_;
    std::vector<Group> groups_;
};

}  // namespace fmpl
