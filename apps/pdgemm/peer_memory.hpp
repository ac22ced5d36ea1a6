// The memory of other processes, where this build's communication library lets a process read it in place.
//
// None of the calls blocks. When the bytes may be read, and until when, the processes have to agree on by calls that
// synchronise them. One implementation per communication library.
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

// Memory of this process that the others can read, for `bytes`; nullptr when there is too little of it, or when little
// would be left for the BLACS. Without a word on standard error, since the caller can do without. And back.
std::byte* allocate_readable(std::size_t bytes);
void free_readable(std::byte* p);

// Where this process reads the memory of the process that told `number` and `place`. REQUIRES: reads_all_memory().
const void* at_place(int number, std::uint64_t place);

}  // namespace fmpl::pdgemm
