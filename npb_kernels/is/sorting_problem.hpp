// What is sorted in each class, and the ranks that verify it (NPB report RNR-94-007, section 2.3.6; classes as in NPB
// 3.4).
#pragma once

#include "../common/problem_class.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace fmpl::npb::is {

using Key = std::uint32_t;

struct SortingProblem {
    static constexpr std::size_t kTests = 5;
    static constexpr int kIterations = 10;

    int keys_log2;
    int max_key_log2;  // 0 <= key < 2^max_key_log2, and one key of each iteration is changed to less than 20 below that
    int buckets_log2;
    // Places in the sequence of the keys whose rank is tested, and the rank by which the expected ones are given.
    std::array<std::int64_t, kTests> test_indices;
    std::array<std::int64_t, kTests> test_ranks;
    // The expected rank in iteration i (from 1) is test_ranks[k] + test_directions[k] * (i - first_step). The changed
    // keys make it move: one more small key in each iteration, one more large one.
    std::array<int, kTests> test_directions;
    std::array<int, kTests> first_steps;

    std::int64_t keys() const { return std::int64_t{1} << keys_log2; }
    std::size_t buckets() const { return std::size_t{1} << buckets_log2; }
    Key max_key() const { return Key{1} << max_key_log2; }
    // Keys of one bucket differ in the lowest `shift` bits alone.
    int shift() const { return max_key_log2 - buckets_log2; }
    std::int64_t expected_rank(int iteration, std::size_t test) const
    {
        return test_ranks[test] + test_directions[test] * (iteration - first_steps[test]);
    }
};

inline SortingProblem sorting_problem(ProblemClass problem_class)
{
    return by_class<SortingProblem>(problem_class,
        {16, 11, 9, {48427, 17148, 23627, 62548, 4431}, {0, 18, 346, 64917, 65463}, {1, 1, 1, -1, -1}, {0, 0, 0, 0, 0}},
        {20, 16, 10, {357773, 934767, 875723, 898999, 404505}, {1249, 11698, 1039987, 1043896, 1048018},
            {1, 1, -1, -1, -1}, {2, 2, 0, 0, 0}},
        {23, 19, 10, {2112377, 662041, 5336171, 3642833, 4250760}, {104, 17523, 123928, 8288932, 8388264},
            {1, 1, 1, -1, -1}, {1, 1, 1, 1, 1}},
        {25, 21, 10, {41869, 812306, 5102857, 18232239, 26860214}, {33422937, 10244, 59149, 33135281, 99},
            {-1, 1, 1, -1, 1}, {0, 0, 0, 0, 0}},
        {27, 23, 10, {44172927, 72999161, 74326391, 129606274, 21736814}, {61147, 882988, 266290, 133997595, 133525895},
            {1, 1, 1, -1, -1}, {0, 0, 0, 0, 0}},
        {31, 27, 10, {1317351170, 995930646, 1157283250, 1503301535, 1453734525},
            {1, 36538729, 1978098519, 2145192618, 2147425337}, {1, 1, -1, -1, -1}, {0, 0, 0, 0, 0}});
}

}  // namespace fmpl::npb::is
