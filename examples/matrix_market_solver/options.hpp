// The command line.
#pragma once

#include <optional>
#include <string>

struct Options {
    std::string matrix;           // file of A
    std::string rhs;              // file of B; empty: A times ones
    std::string output;           // file for X; empty: none
    std::string solver = "auto";  // or cholesky, or lu
    int block = 64;
    bool verify = false;
};

// The exit status of a program that ends here: 0 after --help, 2 after wrong options; nothing if it goes on. All
// processes read the same words, and one of them prints.
std::optional<int> read_options(Options& options, int argc, char** argv, bool prints);
