// The memory of other processes, where this build's communication library lets a process read it in place.
//
// Neither call blocks. When the bytes may be read, and until when, the processes have to agree on by calls that synchronise
// them. One implementation per communication library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace fmpl::pdgemm {

// Whether this process can read the memory of all processes of the job.
bool reads_all_memory();

// The number by which other processes find this one's memory.
int memory_number();

// The place of this process's memory at p, to be told to others; nothing when they cannot read it there.
std::optional<std::uint64_t> place_of(const void* p, std::size_t bytes);

// Where this process reads the memory of the process that told `number` and `place`. REQUIRES: reads_all_memory().
const void* at_place(int number, std::uint64_t place);

}  // namespace fmpl::pdgemm
