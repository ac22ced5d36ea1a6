// A number of bytes as a reader wants it: "1.5 GiB (1610612736 bytes)".
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <string>

namespace fmpl {

// "1.5 GiB", "17 bytes".
inline std::string short_bytes(std::size_t bytes)
{
    if (bytes < 1024) return fmt::format("{} byte{}", bytes, bytes == 1 ? "" : "s");
    static constexpr const char* units[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    double value = static_cast<double>(bytes) / 1024;
    std::size_t unit = 0;
    while (value >= 1024 && unit + 1 < sizeof units / sizeof units[0]) {
        value /= 1024;
        ++unit;
    }
    return fmt::format("{:.4g} {}", value, units[unit]);
}

inline std::string bytes_in_words(std::size_t bytes)
{
    return bytes < 1024 ? short_bytes(bytes) : fmt::format("{} ({} bytes)", short_bytes(bytes), bytes);
}

}  // namespace fmpl
