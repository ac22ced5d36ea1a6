// The words that make a job: sizes, shapes and the variables of the environment, and what is said of wrong ones.
#include "crossbar/expect_error.hpp"
#include "crossbar/job_memory.hpp"
#include "support/variable.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace {

using namespace fmpl;
using fmpl_test::expect_error;
using fmpl_test::Variable;

constexpr std::size_t kMiB = std::size_t{1} << 20;

TEST(ParseBytes, TakesNumbersWithUnits)
{
    EXPECT_EQ(parse_bytes("0", "X"), 0u);
    EXPECT_EQ(parse_bytes("4096", "X"), 4096u);
    EXPECT_EQ(parse_bytes("64K", "X"), 64u << 10);
    EXPECT_EQ(parse_bytes("64k", "X"), 64u << 10);
    EXPECT_EQ(parse_bytes("512M", "X"), 512 * kMiB);
    EXPECT_EQ(parse_bytes("512MiB", "X"), 512 * kMiB);
    EXPECT_EQ(parse_bytes("2GB", "X"), 2048 * kMiB);
    EXPECT_EQ(parse_bytes("3T", "X"), std::size_t{3} << 40);
    EXPECT_EQ(parse_bytes("18446744073709551615", "X"), ~std::size_t{0});
}

TEST(ParseBytes, RefusesEverythingElseInWords)
{
    for (const char* text : {"", " ", "K", "-1", "+1", "1.5G", "12Q", "1 M", "12MM", "12Mi", "4096 ", "0x10",
             "18446744073709551616", "18446744073709551615K", "16777216T"}) {
        expect_error(
            FMPL_ERR_ARGUMENT, {std::string("THE_SIZE=") + text, "bytes"}, [text] { parse_bytes(text, "THE_SIZE"); });
    }
}

TEST(ParseCrossbarShape, TakesOneToThreeExtents)
{
    int shape[3] = {9, 9, 9};
    parse_crossbar_shape("8", 8, shape);
    EXPECT_EQ(std::to_array(shape), (std::array{8, 0, 0}));
    parse_crossbar_shape("8x2", 16, shape);
    EXPECT_EQ(std::to_array(shape), (std::array{8, 2, 0}));
    parse_crossbar_shape("4x3x2", 1, shape);
    EXPECT_EQ(std::to_array(shape), (std::array{4, 3, 2}));
}

TEST(ParseCrossbarShape, RefusesEverythingElseAndLeavesTheShape)
{
    for (const char* text : {"", "x", "8x", "x8", "0", "8x0", "-8", "8X2", "8x2x1x1", "8,2", "8 x 2", "8x2 ", "4097",
             "99999999999", "two"}) {
        int shape[3] = {1, 2, 3};
        expect_error(FMPL_ERR_ARGUMENT, {"crossbar shape", text}, [&] { parse_crossbar_shape(text, 1, shape); });
        EXPECT_EQ(std::to_array(shape), (std::array{1, 2, 3})) << text;
    }
    int shape[3] = {1, 2, 3};
    expect_error(FMPL_ERR_ARGUMENT, {"4x2", "8 nodes", "9 ranks"}, [&] { parse_crossbar_shape("4x2", 9, shape); });
    EXPECT_EQ(std::to_array(shape), (std::array{1, 2, 3}));
}

TEST(JobSpecFromEnvironment, ReadsEveryVariable)
{
    const Variable arena("FMPL_ARENA_SIZE", "64M"), crossbar("FMPL_CROSSBAR", "4x2"), profile("FMPL_PROFILE", "sr8000"),
        engine("FMPL_ENGINE", "unmapped"), partition("FMPL_PARTITION", "global");
    const JobSpec spec = job_spec_from_environment(8);
    EXPECT_EQ(spec.ranks, 8);
    EXPECT_EQ(spec.arena_bytes, 64 * kMiB);
    EXPECT_EQ(std::to_array(spec.shape), (std::array{4, 2, 0}));
    EXPECT_EQ(spec.profile, Profile::sr8000);
    EXPECT_EQ(spec.engine, EngineKind::unmapped);
    EXPECT_FALSE(spec.partition_exclusive);
    EXPECT_TRUE(spec.partition_global);
}

TEST(JobSpecFromEnvironment, AnEmptyVariableIsAsGoodAsNone)
{
    const Variable arena("FMPL_ARENA_SIZE", ""), crossbar("FMPL_CROSSBAR", ""), profile("FMPL_PROFILE", ""),
        engine("FMPL_ENGINE", ""), partition("FMPL_PARTITION", "");
    const JobSpec spec = job_spec_from_environment(2);
    EXPECT_EQ(spec.arena_bytes, 0u);
    EXPECT_EQ(spec.shape[0], 0);
    EXPECT_EQ(spec.profile, Profile::host);
    EXPECT_EQ(spec.engine, EngineKind::shm);
    EXPECT_TRUE(spec.partition_exclusive);
    EXPECT_TRUE(spec.partition_global);
}

TEST(JobSpecFromEnvironment, AnErrorNamesTheVariableItsValueAndWhatIsAllowed)
{
    struct Case {
        const char* name;
        const char* value;
        std::vector<std::string> words;
    };
    const Case cases[] = {
        {"FMPL_ARENA_SIZE", "much", {"512M"}},
        {"FMPL_ARENA_SIZE", "0", {"no memory"}},
        {"FMPL_CROSSBAR", "4y2", {"8x2"}},
        {"FMPL_CROSSBAR", "3x1", {"3 nodes", "4 ranks"}},
        {"FMPL_PROFILE", "sr2201", {"host", "sr8000"}},
        {"FMPL_ENGINE", "tcp", {"shm", "unmapped"}},
        {"FMPL_PARTITION", "shared", {"exclusive", "global", "none"}},
    };
    for (const Case& c : cases) {
        const Variable variable(c.name, c.value);
        std::vector<std::string> words = c.words;
        words.push_back(std::string(c.name) + "=" + c.value);
        expect_error(FMPL_ERR_ARGUMENT, words, [] { job_spec_from_environment(4); });
    }
}

}  // namespace
