// What a program does that has other data for each message, and looks at what has come.
#pragma once

#include "../benchmarks.hpp"
#include "../options.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

namespace fmpl::bench {

// Nothing, unless the user asks for new data.
class NewData {
public:
    static OwnOption option()
    {
        return {"--data", "WHICH",
            "Of each call or message: kept (nobody touches the buffers) or new (each rank writes what it gives before "
            "and reads what it gets after) (default: kept)",
            "kept"};
    }
    static void settle(const Options& options)
    {
        const std::string& which = options.own.at("--data");
        if (which != "kept" && which != "new") refuse(fmt::format("--data '{}': give kept or new", which));
    }

    explicit NewData(const Options& options) : is_new_(options.own.at("--data") == "new") {}

    void write(std::byte* to, std::size_t bytes)
    {
        if (is_new_) std::memset(to, ++times_ % 2, bytes);  // numbers to be summed up stay small
    }
    void read(const std::byte* from, std::size_t bytes) const
    {
        if (!is_new_) return;
        std::uint64_t all = 0;
        std::size_t i = 0;
        for (; i + 8 <= bytes; i += 8) {
            std::uint64_t word;
            std::memcpy(&word, from + i, sizeof word);
            all |= word;
        }
        for (; i < bytes; ++i) all |= static_cast<std::uint64_t>(from[i]);
        asm volatile("" : : "r"(all));
    }

private:
    bool is_new_;
    int times_ = 0;
};

}  // namespace fmpl::bench
