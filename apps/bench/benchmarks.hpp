// The benchmarks that the program offers. Each is a file of its own and is run by all ranks together.
#pragma once

#include "message_memory.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace fmpl::bench {

constexpr std::size_t kKiB = 1024;
constexpr std::size_t kMiB = 1024 * kKiB;

struct Options;
struct Job;
class Report;

// An option that one benchmark alone has. Its text is Options::own[name], `default_text` where it is not given.
struct OwnOption {
    const char* name;
    const char* type;
    const char* words;
    const char* default_text;
};

struct Benchmark {
    const char* name;
    const char* summary;
    std::vector<std::size_t> default_sizes;  // of messages, in bytes; empty: no messages of the user's
    std::size_t size_unit;                   // sizes are multiples of it
    bool has_pairs;                          // runs between pairs of ranks
    bool has_outstanding;                    // takes counts of receives posted in advance
    bool has_footprint;                      // takes the memory that the messages move through
    // Collective over the job; throws std::runtime_error where a call fails or the data that arrived is wrong.
    void (*run)(const Options&, const Job&, Report&);
    std::vector<OwnOption> own_options = {};
    // Refuses own options that cannot be used, and may change others that they rule; nullptr: nothing to do. Local.
    void (*settle)(Options&) = nullptr;
    int least_ranks = 2;
    // Where the messages lie, whatever the user's could; empty: the user chooses.
    std::optional<MemoryKind> only_memory = std::nullopt;
};

// Of this program. Where there is one alone, its name is not typed.
std::span<const Benchmark> benchmarks();

// Those that need nothing but the calls of transport.hpp.
std::vector<Benchmark> message_benchmarks();

void run_latency(const Options&, const Job&, Report&);
void run_bandwidth(const Options&, const Job&, Report&);
void run_outstanding(const Options&, const Job&, Report&);
void run_barrier(const Options&, const Job&, Report&);
void run_bcast(const Options&, const Job&, Report&);
void run_reduce(const Options&, const Job&, Report&);
void run_allreduce(const Options&, const Job&, Report&);

}  // namespace fmpl::bench
