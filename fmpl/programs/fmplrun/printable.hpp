// Text that a program has chosen, for a terminal: without what would move its cursor, colour it or forge another line.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace fmpl::launcher {

// The same text with control characters (line ends and those of C1 too) and bytes that are no UTF-8 written as \n,
// \t, \x1b, ...
std::string printable(std::string_view text);

// The length of the well-formed UTF-8 sequence that begins at text[i]; 0: there is none. Requires i < text.size().
std::size_t utf8_length(std::string_view text, std::size_t i);

}  // namespace fmpl::launcher
