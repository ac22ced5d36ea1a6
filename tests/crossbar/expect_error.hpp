// An action that is to fail in words.
#pragma once

#include "error.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

namespace fmpl_test {

// Checks that `action` throws an Error of this code whose words contain all of `words`.
inline void expect_error(int code, const std::vector<std::string>& words, const std::function<void()>& action)
{
    try {
        action();
        ADD_FAILURE() << "no error";
    } catch (const fmpl::Error& error) {
        EXPECT_EQ(error.code(), code) << error.what();
        for (const std::string& word : words) {
            EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << word << " in: " << error.what();
        }
    }
}

}  // namespace fmpl_test
