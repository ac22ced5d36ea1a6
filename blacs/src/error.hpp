// How an error leaves the code below the C and Fortran names: as an Error whose words name the argument, its value and
// what to do. The boundary (boundary.hpp) adds the routine and the process, and ends the job.
#pragma once

#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <utility>

namespace fmpl::blacs {

class Error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

// Processes gave arguments that do not go together, in the words of the communication library, which knows of ranks and
// bytes only. The routine that was called adds what they mean in the BLACS.
class Disagreement : public Error {
public:
    using Error::Error;
};

// The caller gave a bad argument, or asked for more than there is.
template <class... Args>
[[noreturn]] void refuse(fmt::format_string<Args...> words, Args&&... args)
{
    throw Error(fmt::format(words, std::forward<Args>(args)...));
}

// A letter that a routine was given, for an error's words.
inline std::string letter_in_words(const char* letter)
{
    if (letter == nullptr) return "a null pointer";
    const auto code = static_cast<unsigned char>(*letter);
    return code >= ' ' && code <= '~' ? fmt::format("'{}'", *letter) : fmt::format("character {}", code);
}

// For arguments that a routine reads or writes whatever the others are.
inline void check_pointer(const char* name, const void* pointer)
{
    if (pointer == nullptr) [[unlikely]]
        refuse("{} is a null pointer; give the address of a variable", name);
}

}  // namespace fmpl::blacs
