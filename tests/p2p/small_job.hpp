// The memory of a job without processes, and what of its tables is there.
#pragma once

#include "p2p/table_memory.hpp"

#include <cstddef>
#include <memory>

namespace fmpl_test {

inline std::shared_ptr<fmpl::JobMemory> make_job(int ranks, std::size_t arena_bytes)
{
    fmpl::JobSpec spec;
    spec.ranks = ranks;
    spec.arena_bytes = arena_bytes;
    return std::make_shared<fmpl::JobMemory>(fmpl::JobMemory::create(spec));
}

inline std::size_t touched_bytes(const fmpl::TableMemory& tables, fmpl::Offset at, std::size_t bytes)
{
    std::size_t touched = 0;
    tables.for_each_touched(at, bytes, [&](fmpl::Offset, std::size_t part) { touched += part; });
    return touched;
}

}  // namespace fmpl_test
