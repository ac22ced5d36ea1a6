// The command line of the benchmarks.
#pragma once

#include "../options_end.hpp"
#include "benchmarks.hpp"
#include "message_memory.hpp"
#include "pairs.hpp"
#include "sampling.hpp"

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace fmpl::bench {

struct Options {
    const Benchmark* benchmark = nullptr;
    std::vector<std::size_t> sizes;
    bool sizes_given = false;
    int reps = 0;     // operations in a timed batch; 0: the benchmark chooses by size
    int warmup = -1;  // operations before the first batch of each size; -1: as many as in a batch
    int samples = 11;
    int batch_ms = 0;  // fewer operations where a batch would take longer than this; 0: never
    MemoryKind memory = MemoryKind::heap;
    Pairs pairs = Pairs::first;
    std::vector<int> outstanding;
    std::size_t footprint = 0;               // bytes of buffers that each rank's messages take in turn
    std::map<std::string, std::string> own;  // the benchmark's own options, as typed
    std::string json_file;
    double nearer_than_ns = 0;        // see CpuDistance
    CpuDistance* distance = nullptr;  // the job's; there while a benchmark runs

    // chosen: the operations of a batch where the user has not said how many, rounded up to a multiple of the unit.
    Sampling sampling(int chosen, int unit = 1) const;
    // Indices (in MPI: tags) that the messages need.
    int indices() const;
};

using command_line::OptionsEnd;

// Throws OptionsEnd: the words, and where to read about the options.
[[noreturn]] void refuse(const std::string& words);

// A whole number within these bounds, or refuse.
int read_count(const std::string& option, const std::string& text, int least, int most);

// What stands between the commas.
std::vector<std::string> items(const std::string& list);

// Local; throws OptionsEnd.
Options read_options(int argc, const char* const* argv);

}  // namespace fmpl::bench
