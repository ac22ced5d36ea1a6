// The command line of fmpl-bench.
#pragma once

#include "benchmarks.hpp"
#include "message_memory.hpp"

#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

namespace fmpl::bench {

struct Options {
    const Benchmark* benchmark = nullptr;
    std::vector<std::size_t> sizes;
    int reps = 0;     // operations in a timed batch; 0: the benchmark chooses by size
    int warmup = -1;  // operations before the first batch of each size; -1: as many as in a batch
    int samples = 11;
    MemoryKind memory = MemoryKind::rdma;
    bool pairs = false;
    std::vector<int> outstanding;
    std::size_t footprint = 0;  // bytes of buffers that each rank's messages take in turn
    std::string json_file;

    int reps_or(int chosen) const { return reps > 0 ? reps : chosen; }
    // Indices that fmpl_init must provide.
    int indices() const;
};

// The command line cannot be used, or (exit_code 0) asked for text only, as --help does. what() is the text.
class OptionsEnd : public std::runtime_error {
public:
    OptionsEnd(int exit_code, const std::string& text) : std::runtime_error(text), exit_code_(exit_code) {}
    int exit_code() const noexcept { return exit_code_; }

private:
    int exit_code_;
};

// Local; throws OptionsEnd.
Options read_options(int argc, const char* const* argv);

}  // namespace fmpl::bench
