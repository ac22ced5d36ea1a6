// The harness itself: a rank that fails, throws or hangs makes its test fail, in words, in both modes.
#include "guarded_buffer.hpp"
#include "mpi_shim/standard/message.hpp"
#include "ranks_test.hpp"

#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>

namespace {

using namespace fmpl_test;

// The subjects misbehave only when told to; otherwise they pass.
bool provoked(const char* what)
{
    const char* value = std::getenv("FMPL_TEST_PROVOKE");
    return value != nullptr && std::string(value) == what;
}

FMPL_RANKS_TEST_WITH(HarnessSubject, Misbehaves, (RanksOptions{.ranks = {2}, .unmapped = false}))
{
    const fmpl::Session session(2);
    EXPECT_FALSE(provoked("fail") && rank() == 1) << "provoked failure";
    if (provoked("throw") && rank() == 1) throw std::runtime_error("provoked exception");
    char byte = 0;
    if (provoked("throw") || (provoked("hang") && rank() == 0))
        REQUIRE_OK(fmpl_recv(&byte, 1, 1 - rank(), 0, FMPL_COMM_WORLD));
    REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
}

ProgramResult run_subject(const std::string& mode, const std::string& provocation, const std::string& timeout = "60")
{
    return run_program({this_program(), "--gtest_filter=HarnessSubject.Misbehaves/" + mode + "_2"},
        {{"FMPL_TEST_PROVOKE", provocation}, {"FMPL_TEST_TIMEOUT", timeout}, {"FMPL_TEST_SEED", "815"}});
}

void expect_reported(const ProgramResult& result, const std::vector<std::string>& words)
{
    EXPECT_NE(result.status, 0);
    for (const std::string& word : words) {
        EXPECT_NE(result.output.find(word), std::string::npos) << "\"" << word << "\" is missing in:\n"
                                                               << result.output;
    }
}

std::vector<std::string> modes()
{
    if (modes_without_processes()) return {"threads"};
    return {"threads", "processes"};
}

TEST(Harness, AFailingRankIsNamedWithTheSeed)
{
    for (const std::string& mode : modes()) {
        expect_reported(run_subject(mode, "fail"), {"provoked failure", "rank 1 of 2", "FMPL_TEST_SEED=815"});
    }
}

TEST(Harness, AThrowingRankEndsTheTestAndIsNamed)
{
    for (const std::string& mode : modes()) {
        expect_reported(run_subject(mode, "throw"), {"provoked exception", "rank 1 of 2", "FMPL_TEST_SEED=815"});
    }
}

TEST(Harness, AHangingJobIsEnded)
{
    for (const std::string& mode : modes()) {
        expect_reported(run_subject(mode, "hang", "4"), {"HarnessSubject.Misbehaves/" + mode + "_2"});
    }
}

TEST(Harness, WithoutProvocationTheSubjectPasses)
{
    for (const std::string& mode : modes()) {
        const ProgramResult result = run_subject(mode, "none");
        EXPECT_EQ(result.status, 0) << result.output;
        EXPECT_NE(result.output.find("1 test from 1 test suite ran"), std::string::npos) << result.output;
    }
}

// A buffer that notices nothing would make most tests of messages pass.
TEST(GuardedBuffer, EveryWrongByteIsSeen)
{
    for (const std::size_t size : {0, 1, 7, 64, 4095, 4096, 4097, 10000}) {
        for (const std::size_t length : {std::size_t{0}, size / 2, size}) {
            GuardedBuffer buffer(Place::heap, size, 3);
            buffer.fill_byte(0x11);
            fill_pattern(buffer.data(), length, 42);
            EXPECT_TRUE(buffer.holds(42, length, 0x11)) << size << ", " << length;
            EXPECT_EQ(bool(buffer.holds(43, length, 0x11)), length == 0) << size;
            EXPECT_EQ(bool(buffer.holds(42, length, 0x12)), length == size) << size;
            const auto end = static_cast<std::ptrdiff_t>(size);
            for (const std::ptrdiff_t at :
                {std::ptrdiff_t{-128}, std::ptrdiff_t{-1}, std::ptrdiff_t{0}, end / 2, end - 1, end, end + 100}) {
                unsigned char& byte = buffer.data()[at];
                byte ^= 0x40;
                EXPECT_FALSE(buffer.holds(42, length, 0x11)) << at << " of " << size << ", " << length;
                byte ^= 0x40;
            }
            EXPECT_TRUE(buffer.holds(42, length, 0x11)) << size << ", " << length;
        }
    }
}

TEST(GuardedBuffer, SaysWhichByteIsWrong)
{
    GuardedBuffer buffer(Place::heap, 10000);
    buffer.fill(1);
    buffer.data()[5000] ^= 1;
    EXPECT_NE(std::string(buffer.holds(1).message()).find("byte 5000 of 10000"), std::string::npos);
    buffer.fill(1);
    buffer.data()[10007] = 0;
    EXPECT_NE(std::string(buffer.holds(1).message()).find("offset 10007 "), std::string::npos);
}

TEST(Message, EveryWrongByteIsSeen)
{
    using mpi_test::Message;
    for (const std::size_t size : {0, 1, 63, 4000, 4096, 10000}) {
        for (const std::size_t length : {std::size_t{0}, size / 2, size}) {
            Message message(size);
            std::memcpy(message.data(), Message(length, 42).data(), length);
            EXPECT_TRUE(message.begins_with(42, length)) << size << ", " << length;
            EXPECT_EQ(bool(message.begins_with(43, length)), length == 0) << size;
            const auto end = static_cast<std::ptrdiff_t>(size);
            for (const std::ptrdiff_t at :
                {std::ptrdiff_t{-64}, std::ptrdiff_t{-1}, std::ptrdiff_t{0}, end / 2, end - 1, end, end + 63}) {
                unsigned char& byte = message.data()[at];
                byte ^= 0x40;
                EXPECT_FALSE(message.begins_with(42, length)) << at << " of " << size << ", " << length;
                byte ^= 0x40;
            }
            EXPECT_TRUE(message.begins_with(42, length)) << size << ", " << length;
        }
    }
}

}  // namespace
