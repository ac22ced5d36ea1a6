// A text as a call gives it to the user: characters with a final zero, and their number.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace fmpl::mpi {

// room: of `to`, with the final zero; a longer text is cut. Neither pointer is null.
inline void give_text(std::string_view text, char* to, int* length, std::size_t room)
{
    text = text.substr(0, room - 1);
    *std::copy(text.begin(), text.end(), to) = '\0';
    *length = static_cast<int>(text.size());
}

}  // namespace fmpl::mpi
