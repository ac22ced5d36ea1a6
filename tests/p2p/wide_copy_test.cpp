// copy_wide_columns by each width of registers that this processor has: all bytes of the columns, and none beside them.
#include "p2p/wide_copy.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <random>
#include <vector>

namespace {

using namespace fmpl;

using Copy = void (*)(std::byte*, std::size_t, const std::byte*, std::size_t, std::size_t, std::size_t);

constexpr std::size_t kMostColumns = 5;
constexpr std::size_t kMostGap = 200;
constexpr std::size_t kBytes = kLine + kMostColumns * (kMostWide + kMostGap);
constexpr std::byte kUntouched{0xaa};

// Columns of any length at any place of a line.
void expect_copies(Copy copy)
{
    std::mt19937_64 random(7);
    std::vector<std::byte> from(kBytes);
    for (std::byte& byte : from) byte = static_cast<std::byte>(random() % 128);  // never kUntouched
    for (int round = 0; round < 3000; ++round) {
        const std::size_t most = round % 2 == 0 ? kMostWide : 4 * kLine;
        const std::size_t length = kLeastWide + random() % (most - kLeastWide + 1);
        const std::size_t n = random() % (kMostColumns + 1);
        const std::size_t to_stride = length + random() % (kMostGap + 1);
        const std::size_t from_stride = length + random() % (kMostGap + 1);
        const std::size_t to_first = random() % kLine;
        const std::size_t from_first = random() % kLine;
        std::vector<std::byte> expected(kBytes, kUntouched);
        for (std::size_t j = 0; j < n; ++j) {
            for (std::size_t i = 0; i < length; ++i) {
                expected[to_first + j * to_stride + i] = from[from_first + j * from_stride + i];
            }
        }
        std::vector<std::byte> to(kBytes, kUntouched);
        copy(to.data() + to_first, to_stride, from.data() + from_first, from_stride, length, n);
        ASSERT_EQ(expected, to) << n << " columns of " << length << ", " << from_stride << " and " << to_stride
                                << " apart, from place " << from_first << " to " << to_first << " of a line";
    }
}

TEST(WideCopy, CopiesColumnsByTheWidthThatItChooses)
{
    expect_copies(copy_wide_columns);
}

TEST(WideCopy, CopiesColumnsBySixteenBytes)
{
    expect_copies(wide_copy::copy_columns<16>);
}

#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__)

TEST(WideCopy, CopiesColumnsByThirtyTwoBytes)
{
    if (!__builtin_cpu_supports("avx2")) GTEST_SKIP() << "the processor has no registers of 32 bytes";
    expect_copies(wide_copy::copy_columns_by_32);
}

TEST(WideCopy, CopiesColumnsBySixtyFourBytes)
{
    if (!__builtin_cpu_supports("avx512f")) GTEST_SKIP() << "the processor has no registers of 64 bytes";
    expect_copies(wide_copy::copy_columns_by_64);
}

#endif

}  // namespace
