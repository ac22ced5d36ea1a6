// Tests whose body runs on every rank of a job, at several rank counts, with the ranks as threads and as processes.
//
//     FMPL_RANKS_TEST(Barrier, NoRankLeavesBeforeTheLastArrives) { fmpl::Session session; ... }
//
// registers Barrier.NoRankLeavesBeforeTheLastArrives/threads_1, /processes_1, /threads_2 ... and, at 2 and 4 ranks, the
// same with the engine that pretends that no peer's memory is mapped (/threads_2_unmapped ...). The body is called once
// by each rank and calls fmpl_init and fmpl_finalize itself, or makes a fmpl::Session.
//
// Inside a body, EXPECT_* may be used by all ranks. ASSERT_* may not: it would let one rank leave while the others wait
// for it. REQUIRE_* throws instead, and then the job is aborted and the test fails at once. A job that hangs is ended:
// by fmplrun's time-out when its ranks are processes, by a watchdog that aborts the test program when they are threads.
//
// Environment: FMPLRUN (the launcher), FMPL_TEST_MODES, FMPL_TEST_SEED, FMPL_TEST_TIMEOUT (seconds of the watchdog,
// default 120). FMPL_TEST_MODES is both (the default), threads, processes (but bodies that need threads run as
// these), or turns: as threads, with several ranks that take turns on each, for bodies that wait for other ranks in
// FMPL, or by wait_until, alone.
#pragma once

#include <fmpl.h>
#include <fmpl/fmpl.hpp>
#include <fmpl/layers.h>

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace fmpl_test {

using Environment = std::vector<std::pair<std::string, std::string>>;

// Where and how a body runs.
struct RanksOptions {
    std::vector<int> ranks = {1, 2, 3, 4, 7};
    bool threads = true;
    bool processes = true;
    bool unmapped = true;  // also with the engine "unmapped", at those of `ranks` that are 2 or 4
    std::vector<std::string>
        forms{};                // values of FMPL_COLLECTIVES, one run for each; empty: the variable is left alone
    Environment environment{};  // set for the ranks of this test
};

using Body = void (*)();

// Called by the macros before main. Returns true, to initialize a variable with.
bool register_body(const char* suite, const char* name, const char* file, int line, Body body, RanksOptions options);

// Registers every body with GoogleTest. Called by main.
void register_all();

// In a process that is one rank (FMPL_TEST_BODY names the body): runs it and returns the exit status.
int run_body_in_this_process(const std::string& name);

// The calling rank and the number of ranks of its job.
inline int rank()
{
    return fmpl_job_rank();
}
inline int size()
{
    return fmpl_job_size();
}

// True when FMPL_TEST_MODES leaves out the ranks as processes.
bool modes_without_processes();

// True when the present job's engine is "unmapped".
bool engine_is_unmapped();

// True when the present job's ranks take turns on threads.
bool ranks_take_turns();

// The same on all ranks: FMPL_TEST_SEED, or random. Printed at the start of the program and in every failure.
std::uint64_t seed();

// How long a random test is to go on at each rank count: FMPL_STRESS_SECONDS, or 1.
double stress_seconds();

// Memory that all ranks of the present job share whatever FMPL does, zero at the start of the test; for observing ranks
// without FMPL. 512 atomic words, and 4096 plain bytes whose races ThreadSanitizer reports.
std::span<std::atomic<std::uint64_t>> shared_words();
std::span<unsigned char> shared_plain();

// Yields until the condition holds; throws after a time long enough to call it a hang.
void wait_until(const std::function<bool()>& condition, const char* what);

// Nothing, a few yields or a short spin: shifts the ranks against each other. Now and then so long that those who
// wait go to sleep.
void random_delay(std::mt19937_64& random);

// Lets the calling rank run on one of the machine's CPUs only, the same for the same draw; before fmpl_init, which
// tells the others. Of how many CPUs it was chosen.
std::size_t bind_to_one_cpu(std::uint64_t draw);

// What a program printed (standard output and error together) and how it ended: its exit status, or 128 + signal.
struct ProgramResult {
    int status = -1;
    std::string output;
};
ProgramResult run_program(const std::vector<std::string>& arguments, const Environment& environment);

// Runs a registered body in a process of its own, without a launcher.
ProgramResult run_body_without_launcher(const std::string& name, const Environment& environment = {});

// Runs a registered body on processes under fmplrun; what it did is for the caller to judge.
ProgramResult run_body_under_launcher(const std::string& name, int ranks, const Environment& environment = {});

// Path of the running test program.
std::string this_program();

[[noreturn]] void throw_failed_call(const char* file, int line, const char* call, int code);

// Null when the code is as expected and the last error's words contain every one of `words` (letter case ignored).
::testing::AssertionResult fails_with(int expected, int code, const std::vector<std::string>& words);

}  // namespace fmpl_test

#define FMPL_RANKS_TEST_WITH(Suite, Name, ...)                                                              \
    static void Suite##_##Name##_body();                                                                    \
    [[maybe_unused]] static const bool Suite##_##Name##_registered =                                        \
        ::fmpl_test::register_body(#Suite, #Name, __FILE__, __LINE__, &Suite##_##Name##_body, __VA_ARGS__); \
    static void Suite##_##Name##_body()

#define FMPL_RANKS_TEST(Suite, Name) FMPL_RANKS_TEST_WITH(Suite, Name, ::fmpl_test::RanksOptions{})

// Counts in parentheses: FMPL_RANKS_TEST_AT(Suite, Name, ({2, 4, 16})).
#define FMPL_RANKS_TEST_AT(Suite, Name, Counts) \
    FMPL_RANKS_TEST_WITH(Suite, Name, ::fmpl_test::RanksOptions{.ranks = std::vector<int> Counts})

// Once with every collective call in its hardware form where allowed, once with trees.
#define FMPL_COLLECTIVE_TEST(Suite, Name) \
    FMPL_RANKS_TEST_WITH(Suite, Name, ::fmpl_test::RanksOptions{.forms = {"hardware", "tree"}})
#define FMPL_COLLECTIVE_TEST_AT(Suite, Name, Counts) \
    FMPL_RANKS_TEST_WITH(                            \
        Suite, Name, ::fmpl_test::RanksOptions{.ranks = std::vector<int> Counts, .forms = {"hardware", "tree"}})

#define EXPECT_OK(call) EXPECT_TRUE(::fmpl_test::fails_with(FMPL_SUCCESS, (call), {})) << "from " #call
#define REQUIRE_OK(call)                                                                                \
    do {                                                                                                \
        if (const int code_ = (call)) ::fmpl_test::throw_failed_call(__FILE__, __LINE__, #call, code_); \
    } while (false)
// EXPECT_FAILS(FMPL_ERR_RANK, fmpl_send(...), "fmpl_send", "9"): the code, and words that the message must contain.
#define EXPECT_FAILS(code, call, ...) \
    EXPECT_TRUE(::fmpl_test::fails_with((code), (call), {__VA_ARGS__})) << "from " #call
// The words of the last error, after calls that return no code.
#define EXPECT_WORDS(...) EXPECT_TRUE(::fmpl_test::fails_with(FMPL_SUCCESS, FMPL_SUCCESS, {__VA_ARGS__}))
