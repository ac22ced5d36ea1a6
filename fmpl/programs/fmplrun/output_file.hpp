// A file that is written piece by piece; the first error is kept for the end.
#pragma once

#include <cstdio>
#include <iterator>
#include <memory>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace fmpl::launcher {

class OutputFile {
public:
    // Makes the file, or empties it. Throws Error(ARGUMENT) with the option that names it when it cannot be written.
    OutputFile(const char* option, const std::string& path);

    template <class... Values>
    void print(fmt::format_string<Values...> format, Values&&... values)
    {
        piece_.clear();
        fmt::format_to(std::back_inserter(piece_), format, std::forward<Values>(values)...);
        write();
    }

    // Nothing is printed afterwards. What went wrong, in words; "" when all has been written.
    std::string close();

private:
    struct Close {
        void operator()(std::FILE* file) const { std::fclose(file); }
    };
    void write();

    std::string path_;
    std::unique_ptr<std::FILE, Close> file_;
    fmt::memory_buffer piece_;
    int error_ = 0;
};

}  // namespace fmpl::launcher
