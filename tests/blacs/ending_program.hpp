// Programs that end in words: registered bodies, each run in a process or a job of its own, of which is read what
// they printed.
#pragma once

#include "../support/ranks_test.hpp"

#include <string>
#include <vector>

namespace fmpl_test {

inline void expect_words_in(const ProgramResult& result, const std::vector<std::string>& words, int status)
{
    EXPECT_EQ(status, result.status) << result.output;
    for (const std::string& word : words) {
        EXPECT_NE(std::string::npos, result.output.find(word)) << '"' << word << "\" is missing in: " << result.output;
    }
}

inline void expect_words(const std::string& body, const std::vector<std::string>& words, int status = 1)
{
    expect_words_in(run_body_without_launcher(body), words, status);
}

// A job that hangs ends with fmplrun's status for a time-out, and with other words.
inline void expect_words_of(int ranks, const std::string& body, const std::vector<std::string>& words, int status = 1)
{
    if (modes_without_processes()) GTEST_SKIP() << "the ranks of this build are threads";
    expect_words_in(run_body_under_launcher(body, ranks), words, status);
}

}  // namespace fmpl_test
