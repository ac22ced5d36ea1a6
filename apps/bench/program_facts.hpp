// What reading the command line needs to know of the library that the program measures (transport.hpp).
#pragma once

#include <cstddef>
#include <string>

namespace fmpl::bench {

struct ProgramFacts {
    const char* program;
    const char* version;
    const char* launcher;
    std::string library;
    const char* allocator;  // of the library's own memory for messages; null: it has none
    std::size_t most_message_bytes;
};

// Of this program; local.
ProgramFacts program_facts();

}  // namespace fmpl::bench
