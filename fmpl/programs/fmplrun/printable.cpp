#include "printable.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace fmpl::launcher {

std::size_t utf8_length(std::string_view text, std::size_t i)
{
    const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(text[k]); };
    const unsigned char first = byte(i);
    const std::size_t length = first < 0x80   ? 1
                               : first < 0xc2 ? 0
                               : first < 0xe0 ? 2
                               : first < 0xf0 ? 3
                               : first < 0xf5 ? 4
                                              : 0;
    if (length == 0 || i + length > text.size()) return 0;
    for (std::size_t k = 1; k < length; ++k) {
        if ((byte(i + k) & 0xc0) != 0x80) return 0;
    }
    if (first == 0xe0 && byte(i + 1) < 0xa0) return 0;   // longer than need be
    if (first == 0xed && byte(i + 1) >= 0xa0) return 0;  // half of a pair of UTF-16
    if (first == 0xf0 && byte(i + 1) < 0x90) return 0;
    if (first == 0xf4 && byte(i + 1) >= 0x90) return 0;
    return length;
}

std::string printable(std::string_view text)
{
    std::string out;
    for (std::size_t i = 0; i < text.size();) {
        const std::size_t length = utf8_length(text, i);
        const auto byte = static_cast<unsigned char>(text[i]);
        const bool is_c1 = length == 2 && byte == 0xc2 && static_cast<unsigned char>(text[i + 1]) < 0xa0;
        if (text[i] == '\n') {
            out += "\\n";
        } else if (text[i] == '\t') {
            out += "\\t";
        } else if (length == 0 || byte < 0x20 || byte == 0x7f) {
            out += fmt::format("\\x{:02x}", byte);
        } else if (is_c1) {
            out += fmt::format("\\x{:02x}\\x{:02x}", byte, static_cast<unsigned char>(text[i + 1]));
        } else {
            out += text.substr(i, length);
        }
        i += std::max<std::size_t>(length, 1);
    }
    return out;
}

}  // namespace fmpl::launcher
