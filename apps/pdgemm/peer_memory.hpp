// The memory of other processes, where this build's communication library lets a process read it in place.
//
// Neither call blocks. When the bytes may be read, and until when, the processes have to agree on by calls that synchronise
// them. One implementation per communication library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace fmpl::pdgemm {

// Whether this process can read memory of `process`, a process number of the BLACS.
bool reads_memory_of(int process);

// The place of this process's memory at p, to be told to others; nothing when they cannot read it there.
std::optional<std::uint64_t> place_of(const void* p, std::size_t bytes);

// Where this process reads it. REQUIRES: reads_memory_of(process), who told the place.
const void* at_place(int process, std::uint64_t place);

}  // namespace fmpl::pdgemm
