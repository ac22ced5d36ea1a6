// fmpl_reduce and fmpl_allreduce: every built-in operation, user operations in rank order, equal bits everywhere.
#include "../support/guarded_buffer.hpp"

#include <Eigen/Core>

#include <algorithm>
#include <array>
#include <bit>
#include <complex>
#include <cstring>
#include <limits>
#include <optional>
#include <vector>

#include <sched.h>

namespace {

using namespace fmpl_test;

// A value of rank r at position i that makes sums and products of 16 ranks exact in every type.
template <class T>
T exact_value(int r, std::size_t i)
{
    const auto h = static_cast<std::int32_t>(message_key(static_cast<std::uint64_t>(r), i) % 5);
    return static_cast<T>(h == 0 ? -1 : h == 1 ? 2 : h == 2 ? -2 : 1);
}
template <>
std::complex<float> exact_value(int r, std::size_t i)
{
    constexpr std::complex<float> kValues[] = {{0, 1}, {1, 0}, {0, -1}, {1, 1}, {-1, 0}};
    return kValues[message_key(static_cast<std::uint64_t>(r), i) % 5];
}
template <>
std::complex<double> exact_value(int r, std::size_t i)
{
    return exact_value<std::complex<float>>(r, i);
}

// All ranks' values as the columns of a matrix; the oracle reduces along its rows.
template <class T>
Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic> all_values(std::size_t count)
{
    Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic> values(static_cast<Eigen::Index>(count), size());
    for (int r = 0; r < size(); ++r) {
        for (std::size_t i = 0; i < count; ++i) values(static_cast<Eigen::Index>(i), r) = exact_value<T>(r, i);
    }
    return values;
}

template <class T>
using Column = Eigen::Matrix<T, Eigen::Dynamic, 1>;

template <class T>
void expect_reduction(fmpl_op_t op, const Column<T>& expected, std::size_t count)
{
    for (const Place place : kPlaces) {
        const Place own = rank() % 2 == 0 ? place : Place::heap;
        GuardedBuffer work(own, count * sizeof(T));
        for (void* workspace : {static_cast<void*>(nullptr), static_cast<void*>(work.data())}) {
            for (int root = -1; root < size(); root += std::max(1, size() / 2)) {  // -1: allreduce
                GuardedBuffer buffer(own, count * sizeof(T));
                for (std::size_t i = 0; i < count; ++i) {
                    const T value = exact_value<T>(rank(), i);
                    std::memcpy(buffer.data() + i * sizeof(T), &value, sizeof(T));
                }
                if (root < 0) {
                    REQUIRE_OK(fmpl_allreduce(buffer.data(), count, op, FMPL_COMM_WORLD, workspace));
                } else {
                    REQUIRE_OK(fmpl_reduce(buffer.data(), count, op, root, FMPL_COMM_WORLD, workspace));
                    if (rank() != root) continue;
                }
                for (std::size_t i = 0; i < count; ++i) {
                    T value;
                    std::memcpy(&value, buffer.data() + i * sizeof(T), sizeof(T));
                    if (value == expected(static_cast<Eigen::Index>(i))) continue;
                    ADD_FAILURE() << op->name << ": element " << i << " of " << count << ", root " << root << ": "
                                  << value << " instead of " << expected(static_cast<Eigen::Index>(i));
                    break;
                }
            }
        }
    }
}

template <class T>
void expect_sum_and_product(fmpl_op_t sum, fmpl_op_t product, std::size_t count)
{
    const auto values = all_values<T>(count);
    expect_reduction<T>(sum, values.rowwise().sum(), count);
    expect_reduction<T>(product, values.rowwise().prod(), count);
}

template <class T>
void expect_all_operations(fmpl_op_t sum, fmpl_op_t product, fmpl_op_t minimum, fmpl_op_t maximum, std::size_t count)
{
    expect_sum_and_product<T>(sum, product, count);
    const auto values = all_values<T>(count);
    expect_reduction<T>(minimum, values.rowwise().minCoeff(), count);
    expect_reduction<T>(maximum, values.rowwise().maxCoeff(), count);
}

FMPL_COLLECTIVE_TEST(Reduce, EveryBuiltInOperationAgreesWithTheOracle)
{
    const fmpl::Session session(1);
    for (const std::size_t count : {1u, 3u, 14u, 1000u}) {
        expect_all_operations<std::int32_t>(FMPL_SUM_INT32, FMPL_PROD_INT32, FMPL_MIN_INT32, FMPL_MAX_INT32, count);
        expect_all_operations<std::int64_t>(FMPL_SUM_INT64, FMPL_PROD_INT64, FMPL_MIN_INT64, FMPL_MAX_INT64, count);
        expect_all_operations<float>(FMPL_SUM_FLOAT, FMPL_PROD_FLOAT, FMPL_MIN_FLOAT, FMPL_MAX_FLOAT, count);
        expect_all_operations<double>(FMPL_SUM_DOUBLE, FMPL_PROD_DOUBLE, FMPL_MIN_DOUBLE, FMPL_MAX_DOUBLE, count);
        expect_sum_and_product<std::complex<float>>(FMPL_SUM_COMPLEX, FMPL_PROD_COMPLEX, count);
        expect_sum_and_product<std::complex<double>>(FMPL_SUM_DOUBLE_COMPLEX, FMPL_PROD_DOUBLE_COMPLEX, count);
    }
}

FMPL_RANKS_TEST_AT(Reduce, OperationsSayTheirNameAndElementSize, ({1}))
{
    EXPECT_EQ(FMPL_SUM_INT32->element_size, 4u);
    EXPECT_EQ(FMPL_MAX_INT64->element_size, 8u);
    EXPECT_EQ(FMPL_MIN_FLOAT->element_size, 4u);
    EXPECT_EQ(FMPL_PROD_DOUBLE->element_size, 8u);
    EXPECT_EQ(FMPL_SUM_COMPLEX->element_size, 8u);
    EXPECT_EQ(FMPL_PROD_DOUBLE_COMPLEX->element_size, 16u);
    for (const fmpl_op_t op : {FMPL_SUM_INT32, FMPL_MAX_INT64, FMPL_MIN_FLOAT, FMPL_PROD_DOUBLE, FMPL_SUM_COMPLEX}) {
        EXPECT_NE(op->function, nullptr);
        EXPECT_NE(op->name, nullptr);
    }
}

FMPL_COLLECTIVE_TEST_AT(Reduce, ExtremeIntegersKeepTheirValue, ({3, 4}))
{
    const fmpl::Session session(1);
    const std::int64_t low = std::numeric_limits<std::int64_t>::min();
    const std::int64_t high = std::numeric_limits<std::int64_t>::max();
    std::int64_t values[2] = {rank() == 1 ? low : 5, rank() == 2 ? high : -5};
    std::int64_t other[2] = {values[0], values[1]};
    REQUIRE_OK(fmpl_allreduce(values, 2, FMPL_MIN_INT64, FMPL_COMM_WORLD, nullptr));
    EXPECT_EQ(values[0], low);
    EXPECT_EQ(values[1], -5);
    REQUIRE_OK(fmpl_allreduce(other, 2, FMPL_MAX_INT64, FMPL_COMM_WORLD, nullptr));
    EXPECT_EQ(other[0], 5);
    EXPECT_EQ(other[1], high);
}

// The map x -> a x + b modulo 2^64. Composition is associative and not commutative, and its element has 16 bytes.
struct Affine {
    std::uint64_t a;
    std::uint64_t b;
    friend bool operator==(const Affine&, const Affine&) = default;
};

Affine then(const Affine& first, const Affine& second)
{
    return {first.a * second.a, second.a * first.b + second.b};
}

void compose_two(const void* a, const void* b, void* out, std::size_t count)
{
    const auto at = [](auto* elements, std::size_t i) { return elements + i * sizeof(Affine); };
    for (std::size_t i = 0; i < count; ++i) {
        Affine x;
        Affine y;
        std::memcpy(&x, at(static_cast<const unsigned char*>(a), i), sizeof x);
        std::memcpy(&y, at(static_cast<const unsigned char*>(b), i), sizeof y);
        const Affine result = then(x, y);
        std::memcpy(at(static_cast<unsigned char*>(out), i), &result, sizeof result);
    }
}

void compose(const void* in, void* inout, std::size_t count)
{
    compose_two(in, inout, inout, count);
}
constexpr fmpl_op kCompose = {compose, sizeof(Affine), "composition of affine maps", 0, compose_two};

Affine affine_of(int r, std::size_t i, std::uint64_t round)
{
    return {message_key(static_cast<std::uint64_t>(r), i, round, 1) | 1,
        message_key(static_cast<std::uint64_t>(r), i, round, 2)};
}

FMPL_COLLECTIVE_TEST(Reduce, ANonCommutativeOperationIsAppliedInRankOrder)
{
    const fmpl::Session session(1);
    std::uint64_t round = 0;
    // Up to 3 MiB.
    for (const std::size_t count : {0u, 1u, 3u, 7u, 8u, 64u, 255u, 256u, 257u, 4096u, 4097u, 65536u, 196608u}) {
        for (int root = -1; root < size(); ++root) {  // -1: allreduce
            if (count > 5000 && root > 0 && root != size() - 1) continue;
            ++round;
            GuardedBuffer buffer(kPlaces[(round + static_cast<std::uint64_t>(rank())) % 2], count * sizeof(Affine));
            for (std::size_t i = 0; i < count; ++i) {
                const Affine value = affine_of(rank(), i, round);
                std::memcpy(buffer.data() + i * sizeof value, &value, sizeof value);
            }
            if (root < 0) {
                REQUIRE_OK(fmpl_allreduce(buffer.data(), count, &kCompose, FMPL_COMM_WORLD, nullptr));
            } else {
                REQUIRE_OK(fmpl_reduce(buffer.data(), count, &kCompose, root, FMPL_COMM_WORLD, nullptr));
            }
            if (root >= 0 && rank() != root) continue;
            for (std::size_t i = 0; i < count; ++i) {
                Affine expected = affine_of(0, i, round);
                for (int r = 1; r < size(); ++r) expected = then(expected, affine_of(r, i, round));
                if (std::memcmp(buffer.data() + i * sizeof expected, &expected, sizeof expected) == 0) continue;
                ADD_FAILURE() << "element " << i << " of " << count << ", root " << root;
                break;
            }
        }
    }
}

// An operation that keeps the lowest rank's value, and an odd element of 3 bytes.
template <std::size_t bytes>
void keep_lower(const void* in, void* inout, std::size_t count)
{
    std::memcpy(inout, in, count * bytes);
}
constexpr fmpl_op kKeepLower = {keep_lower<3>, 3, "the lower rank's value", 0, nullptr};

FMPL_COLLECTIVE_TEST(Reduce, ElementsMayHaveAnyByteCount)
{
    const fmpl::Session session(1);
    for (const std::size_t count : {1u, 5u, 37u, 1366u, 21846u, 100001u}) {
        for (const Place place : kPlaces) {
            GuardedBuffer buffer(place, count * 3, 1);
            buffer.fill(message_key(count, rank()));
            REQUIRE_OK(fmpl_allreduce(buffer.data(), count, &kKeepLower, FMPL_COMM_WORLD, nullptr));
            EXPECT_TRUE(buffer.holds(message_key(count, 0))) << count << " elements";
        }
    }
}

// Doubles of widely different magnitude: their sum depends on the order of the additions, so equal bits mean equal
// order.
double rough_value(int r, std::size_t i)
{
    const std::uint64_t h = message_key(static_cast<std::uint64_t>(r), i, 77);
    const double mantissa = 1.0 + static_cast<double>(h >> 12) * 0x1p-52;
    return std::ldexp(h & 1 ? mantissa : -mantissa, static_cast<int>(h >> 4 & 63) - 32);
}

FMPL_COLLECTIVE_TEST_AT(Reduce, AllRanksGetTheSameBitsInEveryRepetition, ({2, 3, 4, 7, 16}))
{
    const fmpl::Session session(1);
    std::mt19937_64 random(seed() + static_cast<std::uint64_t>(rank()));
    for (const std::size_t count : {1u, 13u, 1000u, 20000u}) {
        std::vector<double> first;
        for (int repetition = 0; repetition < 12; ++repetition) {
            std::vector<double> heap(count);
            fmpl::Vector<double> rdma(count);
            double* const data = repetition % 2 == 0 ? heap.data() : rdma.data();
            for (std::size_t i = 0; i < count; ++i) data[i] = rough_value(rank(), i);
            random_delay(random);
            REQUIRE_OK(fmpl_allreduce(data, count, FMPL_SUM_DOUBLE, FMPL_COMM_WORLD, nullptr));
            const std::vector<double> result(data, data + count);
            if (first.empty()) first = result;
            EXPECT_EQ(std::memcmp(first.data(), result.data(), count * sizeof(double)), 0)
                << "repetition " << repetition;
            // Rank 0's bits, for comparison with the caller's.
            std::vector<double> reference = result;
            REQUIRE_OK(fmpl_bcast(reference.data(), count * sizeof(double), 0, FMPL_COMM_WORLD));
            EXPECT_EQ(std::memcmp(reference.data(), result.data(), count * sizeof(double)), 0);
        }
        // And the value is right, to rounding.
        for (std::size_t i = 0; i < count; ++i) {
            long double exact = 0;
            long double magnitude = 0;
            for (int r = 0; r < size(); ++r) {
                exact += static_cast<long double>(rough_value(r, i));
                magnitude += std::abs(static_cast<long double>(rough_value(r, i)));
            }
            EXPECT_LE(std::abs(static_cast<long double>(first[i]) - exact), magnitude * size() * 0x1p-53L);
        }
    }
}

FMPL_COLLECTIVE_TEST_AT(Reduce, ManyInARowWithChangingRootsDoNotDisturbEachOther, ({2, 3, 4, 7}))
{
    const fmpl::Session session(1);
    std::mt19937_64 random(seed() + static_cast<std::uint64_t>(rank()));
    for (int round = 0; round < 200; ++round) {
        const std::size_t count = round % 10 == 9 ? 9000 : std::size_t(round % 40);
        const int root = round % size();
        std::vector<std::int64_t> values(count);
        for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<std::int64_t>(i) * round + rank();
        if (round % 16 == 0) random_delay(random);
        REQUIRE_OK(fmpl_reduce(values.data(), count, FMPL_SUM_INT64, root, FMPL_COMM_WORLD, nullptr));
        if (rank() != root) continue;
        for (std::size_t i = 0; i < count; ++i) {
            const std::int64_t expected = static_cast<std::int64_t>(i) * round * size() + size() * (size() - 1) / 2;
            EXPECT_EQ(values[i], expected) << "round " << round;
        }
    }
}

// Every rank chooses by itself where operand and result lie and whether they are one; the operation is the one that
// does not commute, so that the order shows.
FMPL_COLLECTIVE_TEST_AT(Reduce, OperandsThatAreToStayAsTheyAreDo, ({1, 2, 3, 4, 7}))
{
    const fmpl::Session session(1);
    std::mt19937_64 common(seed());
    std::mt19937_64 own(seed() + 1 + static_cast<std::uint64_t>(rank()));
    constexpr std::size_t kCounts[] = {0, 1, 2, 60, 500, 1024, 1025, 3000, 9000, 30000};
    for (int round = 0; round < 60; ++round) {
        const std::size_t count = kCounts[common() % std::size(kCounts)];
        const int root = static_cast<int>(common() % static_cast<std::uint64_t>(size() + 1)) - 1;  // -1: to all
        const bool wants_result = root < 0 || root == rank();
        const bool in_place = wants_result && own() % 3 == 0;
        std::vector<Affine> operand_values(count), expected(count);
        for (std::size_t i = 0; i < count; ++i) {
            operand_values[i] = affine_of(rank(), i, static_cast<std::uint64_t>(round));
            expected[i] = affine_of(0, i, static_cast<std::uint64_t>(round));
            for (int r = 1; r < size(); ++r) {
                expected[i] = then(expected[i], affine_of(r, i, static_cast<std::uint64_t>(round)));
            }
        }
        const std::size_t bytes = count * sizeof(Affine);
        GuardedBuffer operand(kPlaces[own() % 2], bytes), separate(kPlaces[own() % 2], bytes);
        separate.fill_byte(0xa5);
        if (bytes > 0) std::memcpy(operand.data(), operand_values.data(), bytes);
        // What a rank that gets no result names as its place is not looked at: not even when it is the operand.
        void* const nowhere = own() % 2 == 0 ? operand.data() : nullptr;
        void* const result = in_place ? operand.data() : wants_result ? separate.data() : nowhere;
        if (round % 16 == 0) random_delay(own);
        if (root < 0 && in_place && own() % 2 == 0) {
            REQUIRE_OK(fmpl_allreduce(operand.data(), count, &kCompose, FMPL_COMM_WORLD, nullptr));
        } else if (root < 0) {
            REQUIRE_OK(fmpl_allreduce_to(operand.data(), result, count, &kCompose, FMPL_COMM_WORLD));
        } else {
            REQUIRE_OK(fmpl_reduce_to(operand.data(), result, count, &kCompose, root, FMPL_COMM_WORLD));
        }
        if (bytes == 0) continue;
        EXPECT_TRUE(!wants_result || std::memcmp(result, expected.data(), bytes) == 0)
            << "round " << round << ", " << count << " elements, root " << root << ", in place " << in_place;
        EXPECT_TRUE(in_place || std::memcmp(operand.data(), operand_values.data(), bytes) == 0)
            << "operand changed: round " << round << ", " << count << " elements, root " << root;
        if (!wants_result || in_place) {
            EXPECT_TRUE(separate.is_all(0xa5));
        }
        const std::int64_t one = rank() + round;
        std::int64_t sum = -1;
        REQUIRE_OK(fmpl_allreduce_to(&one, &sum, 1, FMPL_SUM_INT64, FMPL_COMM_WORLD));
        EXPECT_EQ(sum, size() * (size() - 1) / 2 + size() * round);
        EXPECT_EQ(one, rank() + round);
    }
}

FMPL_RANKS_TEST_AT(Reduce, AResultThatOverlapsItsOperandIsRefused, ({1, 2}))
{
    const fmpl::Session session(1);
    double values[4] = {1, 2, 3, 4};
    EXPECT_FAILS(FMPL_ERR_ARGUMENT, fmpl_allreduce_to(values, values + 1, 2, FMPL_SUM_DOUBLE, FMPL_COMM_WORLD),
        "fmpl_allreduce", "overlaps");
    EXPECT_FAILS(
        FMPL_ERR_ARGUMENT, fmpl_allreduce_to(values, nullptr, 2, FMPL_SUM_DOUBLE, FMPL_COMM_WORLD), "fmpl_allreduce");
}

FMPL_COLLECTIVE_TEST_AT(Reduce, WorksInSubgroups, ({4, 7}))
{
    const fmpl::Session session(1);
    std::vector<int> group;  // every rank but 1, highest first: rank order is the group's order
    for (int r = size() - 1; r >= 0; --r) {
        if (r != 1) group.push_back(r);
    }
    if (rank() == 1) return;
    fmpl_comm_t comm = FMPL_COMM_NULL;
    REQUIRE_OK(fmpl_comm_create_group(&comm, group.data(), static_cast<int>(group.size())));
    Affine value = affine_of(rank(), 0, 5);
    REQUIRE_OK(fmpl_allreduce(&value, 1, &kCompose, comm, nullptr));
    Affine expected = affine_of(group[0], 0, 5);
    for (std::size_t r = 1; r < group.size(); ++r) expected = then(expected, affine_of(group[r], 0, 5));
    EXPECT_EQ(value, expected);
    REQUIRE_OK(fmpl_comm_free(&comm));
}

// What every rank wrote before is visible after an allreduce; ThreadSanitizer watches the plain bytes.
FMPL_COLLECTIVE_TEST_AT(Reduce, AllreduceOrdersTheMemoryOfAllRanks, ({2, 4}))
{
    const fmpl::Session session(1);
    unsigned char* const plain = shared_plain().data();
    for (const std::size_t count : {1u, 100u, 9000u, 200000u}) {
        std::vector<double> values(count, 1.0);
        plain[rank() * 8] = static_cast<unsigned char>(count % 251);
        REQUIRE_OK(fmpl_allreduce(values.data(), count, FMPL_SUM_DOUBLE, FMPL_COMM_WORLD, nullptr));
        for (int r = 0; r < size(); ++r) EXPECT_EQ(plain[r * 8], static_cast<unsigned char>(count % 251));
        EXPECT_EQ(values[count - 1], size());
        REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
    }
}

// An allreduce of one element per rank works: everything that went before has left the ranks in step.
void expect_reductions_still_work()
{
    std::int64_t sum = rank() + 1;
    REQUIRE_OK(fmpl_allreduce(&sum, 1, FMPL_SUM_INT64, FMPL_COMM_WORLD, nullptr));
    EXPECT_EQ(sum, size() * (size() + 1) / 2);
    for (int root = 0; root < size(); ++root) {
        sum = rank() + 1;
        REQUIRE_OK(fmpl_reduce(&sum, 1, FMPL_SUM_INT64, root, FMPL_COMM_WORLD, nullptr));
        if (rank() == root) {
            EXPECT_EQ(sum, size() * (size() + 1) / 2);
        }
    }
}

// How many ranks of the job say yes. Called by all ranks in the same order; `word` is used once.
int ranks_that_say(bool yes, std::size_t word)
{
    std::atomic<std::uint64_t>& votes = shared_words()[word];
    votes.fetch_add(yes ? 0x10001 : 1);
    wait_until([&] { return (votes.load() & 0xffff) == static_cast<std::uint64_t>(size()); }, "the votes of all ranks");
    return static_cast<int>(votes.load() >> 16);
}

// One rank gives another count than all others, on either side of every limit at which the form changes.
FMPL_COLLECTIVE_TEST_AT(Reduce, DifferingCountsAreReportedAndNobodyIsLeftWaiting, ({2, 3, 4, 7}))
{
    const fmpl::Session session(1);
    constexpr std::pair<std::size_t, std::size_t> kCounts[] = {{1, 2}, {0, 3}, {5, 0}, {8192, 8193}, {8193, 8192},
        {9000, 30000}, {16383, 16384}, {16384, 16383}, {1, 100000}, {100000, 0}, {100000, 99999}, {8000, 17000}};
    std::size_t word = 0;
    for (const auto& [one, others] : kCounts) {
        for (const int odd : {0, size() - 1}) {
            for (const Place place : kPlaces) {
                const std::size_t count = rank() == odd ? one : others;
                GuardedBuffer buffer(place, count * sizeof(double));
                const int root = static_cast<int>(word) % (size() + 1) - 1;  // -1: allreduce
                const int code =
                    root < 0 ? fmpl_allreduce(buffer.data(), count, FMPL_SUM_DOUBLE, FMPL_COMM_WORLD, nullptr)
                             : fmpl_reduce(buffer.data(), count, FMPL_SUM_DOUBLE, root, FMPL_COMM_WORLD, nullptr);
                EXPECT_TRUE(code == FMPL_SUCCESS || code == FMPL_ERR_MISMATCH) << code << ": " << fmpl_error_message();
                if (code == FMPL_ERR_MISMATCH) {
                    EXPECT_WORDS("reduce", "give the same", "rank " + std::to_string(rank()));
                }
                const std::string what = std::to_string(one) + " on rank " + std::to_string(odd) + ", " +
                                         std::to_string(others) + " elsewhere, root " + std::to_string(root);
                EXPECT_GT(ranks_that_say(code == FMPL_ERR_MISMATCH, word++), 0) << what;
                expect_reductions_still_work();
            }
        }
    }
}

constexpr fmpl_op kInOrder = {keep_lower<sizeof(double)>, sizeof(double), "another operation", 0, nullptr};

// Ranks that disagree on more than the count.
FMPL_RANKS_TEST_WITH(Reduce, DifferingRootsAndKindsAreReported,
    (RanksOptions{.ranks = {2, 3, 4}, .unmapped = false, .forms = {"hardware"}}))
{
    const fmpl::Session session(1);
    std::size_t word = 0;
    for (const std::size_t count : {1u, 1000u, 10000u, 100000u}) {
        for (int kind = 0; kind < 5; ++kind) {
            if (kind == 4 && size() == 2) continue;  // two need not know
            std::vector<double> values(count, 1.0);
            const bool odd = rank() == 1;
            int code = FMPL_SUCCESS;
            switch (kind) {
                case 0:  // all name another root
                    code = fmpl_reduce(
                        values.data(), count, FMPL_SUM_DOUBLE, (rank() + 1) % size(), FMPL_COMM_WORLD, nullptr);
                    break;
                case 1:  // two name themselves
                    code = fmpl_reduce(values.data(), count, FMPL_SUM_DOUBLE, odd ? 1 : 0, FMPL_COMM_WORLD, nullptr);
                    break;
                case 2:  // one calls fmpl_allreduce
                    code = odd ? fmpl_allreduce(values.data(), count, FMPL_SUM_DOUBLE, FMPL_COMM_WORLD, nullptr)
                               : fmpl_reduce(values.data(), count, FMPL_SUM_DOUBLE, 0, FMPL_COMM_WORLD, nullptr);
                    break;
                case 3:  // the same bytes, other elements
                    code = odd ? fmpl_allreduce(values.data(), count * 2, FMPL_SUM_FLOAT, FMPL_COMM_WORLD, nullptr)
                               : fmpl_allreduce(values.data(), count, FMPL_SUM_DOUBLE, FMPL_COMM_WORLD, nullptr);
                    break;
                case 4:  // one gives an operation that does not commute
                    code = fmpl_allreduce(
                        values.data(), count, odd ? &kInOrder : FMPL_SUM_DOUBLE, FMPL_COMM_WORLD, nullptr);
                    break;
            }
            EXPECT_TRUE(code == FMPL_SUCCESS || code == FMPL_ERR_MISMATCH) << code << ": " << fmpl_error_message();
            const int reports = ranks_that_say(code == FMPL_ERR_MISMATCH, word++);
            EXPECT_GT(reports, 0) << count << " elements, kind " << kind;
            expect_reductions_still_work();
        }
    }
}

// Two ranks name each other, again and again: one may go ahead, but not both.
FMPL_RANKS_TEST_WITH(
    Reduce, RootsThatDifferAreReportedEachTime, (RanksOptions{.ranks = {2}, .unmapped = false, .forms = {"hardware"}}))
{
    const fmpl::Session session(1);
    std::size_t word = 0;
    const std::vector<std::vector<int>> roots_before = {{0}, {0, 0}, {0, 1}, {1, 0}, {0, 1, 0}, {1, 0, 1, 0}};
    for (const Place place : kPlaces) {
        for (const std::vector<int>& before : roots_before) {
            GuardedBuffer buffer(place, 8000);
            auto* const values = reinterpret_cast<double*>(buffer.data());
            for (const int root : before)
                REQUIRE_OK(fmpl_reduce(values, 1000, FMPL_SUM_DOUBLE, root, FMPL_COMM_WORLD, nullptr));
            for (int time = 0; time < 4; ++time) {
                const int code = fmpl_reduce(values, 1000, FMPL_SUM_DOUBLE, 1 - rank(), FMPL_COMM_WORLD, nullptr);
                EXPECT_GT(ranks_that_say(code == FMPL_ERR_MISMATCH, word++), 0) << "time " << time;
            }
            expect_reductions_still_work();
        }
    }
}

// What is left of this rank's arena, for its lifetime.
class AllRemoteDmaMemory {
public:
    AllRemoteDmaMemory()
    {
        for (std::size_t bytes = std::size_t{1} << 26; bytes >= 64;) {
            if (void* p = fmpl_malloc(bytes)) {
                blocks_.push_back(p);
            } else {
                bytes /= 2;
            }
        }
    }
    ~AllRemoteDmaMemory()
    {
        for (void* p : blocks_) fmpl_free(p);
    }
    AllRemoteDmaMemory(const AllRemoteDmaMemory&) = delete;
    AllRemoteDmaMemory& operator=(const AllRemoteDmaMemory&) = delete;

private:
    std::vector<void*> blocks_;
};

// Where each rank has a CPU, what lies in remote-DMA memory needs no library buffers, although a root that stays would
// take them.
FMPL_RANKS_TEST_WITH(Reduce, RemoteDmaMemoryIsEnough,
    (RanksOptions{.ranks = {2}, .unmapped = false, .environment = {{"FMPL_ARENA_SIZE", "64M"}}}))
{
    cpu_set_t cpus;
    if (ranks_take_turns() || sched_getaffinity(0, sizeof cpus, &cpus) != 0 || CPU_COUNT(&cpus) < size()) return;
    const fmpl::Session session(1);
    constexpr std::size_t kCount = 1000;
    auto* const values = static_cast<double*>(fmpl_malloc(kCount * sizeof(double)));
    const AllRemoteDmaMemory taken;
    for (int time = 0; time < 4; ++time) {
        std::fill_n(values, kCount, 1.0);
        REQUIRE_OK(fmpl_bcast(values, kCount * sizeof(double), 0, FMPL_COMM_WORLD));
        REQUIRE_OK(fmpl_reduce(values, kCount, FMPL_SUM_DOUBLE, 1, FMPL_COMM_WORLD, nullptr));
        if (rank() == 1) {
            EXPECT_EQ(std::count(values, values + kCount, 2.0), std::ptrdiff_t{kCount});
        }
    }
    fmpl_free(values);
}

// A broadcast of private memory needs library buffers only where the kernel lets no rank copy.
FMPL_RANKS_TEST_WITH(Reduce, ABroadcastOfPrivateMemoryNeedsNoLibraryBuffers,
    (RanksOptions{.ranks = {2, 3}, .unmapped = false, .environment = {{"FMPL_ARENA_SIZE", "64M"}}}))
{
    if (ranks_take_turns()) return;  // no rank reads another's memory by the kernel
    const fmpl::Session session(1);
    std::vector<double> values(4000);
    REQUIRE_OK(fmpl_allreduce(values.data(), 600, FMPL_SUM_DOUBLE, FMPL_COMM_WORLD, nullptr));  // who reaches whom
    REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
    const AllRemoteDmaMemory taken;
    for (int time = 1; time < 5; ++time) {
        std::fill(values.begin(), values.end(), rank() == 1 ? time : 0.0);
        REQUIRE_OK(fmpl_bcast(values.data(), values.size() * sizeof(double), 1, FMPL_COMM_WORLD));
        EXPECT_EQ(std::count(values.begin(), values.end(), double(time)), std::ptrdiff_t(values.size()));
    }
}

// A rank that has no memory left for its part says so, and no other rank waits for it. Staged, since what the kernel
// copies from private memory needs none.
FMPL_RANKS_TEST_WITH(Reduce, ARankWithoutMemoryLetsNobodyWait,
    (RanksOptions{.ranks = {2, 3, 4},
        .unmapped = false,
        .forms = {"hardware"},
        .environment = {{"FMPL_ARENA_SIZE", "64M"}, {"FMPL_PRIVATE_COPY", "staged"}}}))
{
    const fmpl::Session session(1);
    const bool poor = rank() == size() - 1;
    std::optional<AllRemoteDmaMemory> taken;
    if (poor) taken.emplace();
    std::size_t word = 0;
    for (const std::size_t count : {1u, 1000u, 10000u, 100000u}) {
        for (int kind = -2; kind < size();
             ++kind) {  // -2: broadcast from the poor rank, -1: allreduce, root of a reduce
            std::vector<double> values(count, 1.0);
            int code = FMPL_SUCCESS;
            if (kind == -2) {
                code = fmpl_bcast(values.data(), count * sizeof(double), size() - 1, FMPL_COMM_WORLD);
            } else if (kind == -1) {
                code = fmpl_allreduce(values.data(), count, FMPL_SUM_DOUBLE, FMPL_COMM_WORLD, nullptr);
            } else {
                code = fmpl_reduce(values.data(), count, FMPL_SUM_DOUBLE, kind, FMPL_COMM_WORLD, nullptr);
            }
            // Needs no library buffer: the root, and what travels in a record.
            const bool spared = kind == size() - 1 || count == 1;
            if (count == 1) {
                EXPECT_EQ(code, FMPL_SUCCESS) << "kind " << kind;
            }
            if (poor && !spared) {
                EXPECT_EQ(code, FMPL_ERR_MEMORY) << fmpl_error_message();
            }
            EXPECT_TRUE(code == FMPL_SUCCESS || code == FMPL_ERR_MEMORY) << code << ": " << fmpl_error_message();
            if (!poor && code == FMPL_ERR_MEMORY) {
                EXPECT_WORDS("rank " + std::to_string(size() - 1), "memory");
            }
            if (!spared) {
                EXPECT_GT(ranks_that_say(code == FMPL_ERR_MEMORY, word++), 1) << count << ", kind " << kind;
            }
        }
    }
    taken.reset();
    expect_reductions_still_work();
}

// What travels in the records takes turns with what does not, roots that stay with roots that change, and members that
// leave at once with all that wait, without a rank that all wait for: a slot is taken again while some still read its
// last result, and a buffer when the root has read it.
FMPL_RANKS_TEST_AT(Reduce, ShortOnesInARowKeepTheirResults, ({2, 3, 4, 7, 8}))
{
    const fmpl::Session session(1);
    std::mt19937_64 common(seed());
    std::mt19937_64 own(seed() + static_cast<std::uint64_t>(rank()) + 1);
    const int n = size();
    constexpr std::array<std::size_t, 6> counts{0, 1, 2, 3, 130, 600};  // in the record, in short and long buffers
    bool root_stays = false;
    int root = 0;
    for (int round = 0; round < 4000; ++round) {
        if (common() % 64 == 0) root_stays = !root_stays;
        if (!root_stays) root = static_cast<int>(common() % static_cast<std::uint64_t>(n));
        const std::uint64_t kind = root_stays ? 3 : common() % 4;
        const std::size_t count = counts[common() % (common() % 4 == 0 ? counts.size() : 4)];
        if (own() % 16 == 0) random_delay(own);
        std::vector<std::int64_t> values(count);
        for (std::size_t i = 0; i < count; ++i) values[i] = round * 100 + rank() * 10 + static_cast<std::int64_t>(i);
        const auto sum = [&](std::size_t i) {
            return (round * 100 + static_cast<std::int64_t>(i)) * n + 10 * (n * (n - 1) / 2);
        };
        if (kind < 3) {
            REQUIRE_OK(fmpl_allreduce(values.data(), count, FMPL_SUM_INT64, FMPL_COMM_WORLD, nullptr));
        } else {
            REQUIRE_OK(fmpl_reduce(values.data(), count, FMPL_SUM_INT64, root, FMPL_COMM_WORLD, nullptr));
        }
        if (kind == 3 && root != rank()) continue;
        for (std::size_t i = 0; i < count; ++i) EXPECT_EQ(values[i], sum(i)) << "round " << round;
        if (::testing::Test::HasFailure()) fmpl_abort(1, "a wrong sum");
    }
}

// Members that need not wait are ahead of a root that stays the same by 32 reductions, between two ranks by 31, and by
// 8 longer ones if there are more: the root begins when it knows that they are through.
FMPL_RANKS_TEST_WITH(Reduce, MembersGoAheadOfARootThatStays, (RanksOptions{.ranks = {2, 3, 4, 8}, .unmapped = false}))
{
    const fmpl::Session session(1);
    std::vector<double> values(600);
    const auto reduce_so_many = [&](int times, std::size_t count) {
        for (int i = 0; i < times; ++i) {
            for (std::size_t k = 0; k < count; ++k) values[k] = rank() + i;
            REQUIRE_OK(fmpl_reduce(values.data(), count, FMPL_SUM_DOUBLE, 0, FMPL_COMM_WORLD, nullptr));
            const double sum = size() * (size() - 1) / 2.0 + size() * i;
            if (rank() == 0) {
                for (std::size_t k = 0; k < count; ++k) EXPECT_EQ(values[k], sum) << "reduction " << i;
            }
        }
    };
    constexpr struct {
        int times;
        std::size_t count;
    } kRows[] = {{32, 1}, {32, 128}, {8, 600}};
    for (const auto& [times, count] : kRows) {
        reduce_so_many(2, count);  // the root is the same in all that follow
        REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
        char word = 0;
        for (int i = 1; rank() == 0 && i < size(); ++i) REQUIRE_OK(fmpl_recv_any(&word, 1, 0, FMPL_COMM_WORLD));
        reduce_so_many(size() == 2 ? 31 : times, count);
        if (rank() != 0) REQUIRE_OK(fmpl_send_any(&word, 1, 0, 0, FMPL_COMM_WORLD));
    }
}

// Of two ranks that are root in a row that repeats, one that is not root need not wait for the other.
FMPL_RANKS_TEST_WITH(Reduce, EitherOfTwoGoesAheadOfTheOtherInTurn,
    (RanksOptions{.ranks = {2}, .unmapped = false, .forms = {"hardware"}}))
{
    const fmpl::Session session(1);
    constexpr struct {
        std::size_t count;
        std::size_t in_row;  // as often each is root
    } kRows[] = {{1, 1}, {64, 2}, {600, 1}, {8192, 2}};
    for (const auto& [count, in_row] : kRows) {
        for (std::size_t i = 0; i < 24; ++i) {
            const int root = static_cast<int>(i / in_row % 2);
            char word = 0;
            // The first ones show the row. Then the root begins when it knows that the other is through.
            const bool waits = i >= 8;
            if (waits && rank() == root) REQUIRE_OK(fmpl_recv_any(&word, 1, 0, FMPL_COMM_WORLD));
            const auto number = static_cast<double>(i);
            std::vector<double> values(count, rank() + number);
            REQUIRE_OK(fmpl_reduce(values.data(), count, FMPL_SUM_DOUBLE, root, FMPL_COMM_WORLD, nullptr));
            if (waits && rank() != root) REQUIRE_OK(fmpl_send_any(&word, 1, root, 0, FMPL_COMM_WORLD));
            if (rank() == root) {
                EXPECT_EQ(values, std::vector<double>(count, 1.0 + 2 * number)) << "reduction " << i;
            }
        }
    }
}

FMPL_RANKS_TEST_AT(Reduce, WrongArgumentsAreRefused, ({1, 2}))
{
    const fmpl::Session session(1);
    double value = 1;
    const fmpl_op no_function = {nullptr, 8, "none", 0, nullptr};
    const fmpl_op no_size = {kCompose.function, 0, "none", 0, nullptr};
    const std::string me = "rank " + std::to_string(rank());
    EXPECT_FAILS(FMPL_ERR_ARGUMENT, fmpl_allreduce(&value, 1, nullptr, FMPL_COMM_WORLD, nullptr), "fmpl_allreduce", me);
    EXPECT_FAILS(
        FMPL_ERR_ARGUMENT, fmpl_allreduce(nullptr, 1, FMPL_SUM_DOUBLE, FMPL_COMM_WORLD, nullptr), "fmpl_allreduce", me);
    EXPECT_FAILS(
        FMPL_ERR_ARGUMENT, fmpl_allreduce(&value, 1, &no_function, FMPL_COMM_WORLD, nullptr), "fmpl_allreduce", me);
    EXPECT_FAILS(
        FMPL_ERR_ARGUMENT, fmpl_allreduce(&value, 1, &no_size, FMPL_COMM_WORLD, nullptr), "fmpl_allreduce", me);
    EXPECT_FAILS(FMPL_ERR_ARGUMENT, fmpl_reduce(&value, 1, nullptr, 0, FMPL_COMM_WORLD, nullptr), "fmpl_reduce", me);
    EXPECT_FAILS(
        FMPL_ERR_ARGUMENT, fmpl_reduce(nullptr, 1, FMPL_SUM_DOUBLE, 0, FMPL_COMM_WORLD, nullptr), "fmpl_reduce", me);
    EXPECT_FAILS(FMPL_ERR_RANK, fmpl_reduce(&value, 1, FMPL_SUM_DOUBLE, size(), FMPL_COMM_WORLD, nullptr),
        "fmpl_reduce", me, std::to_string(size()));
    EXPECT_FAILS(
        FMPL_ERR_RANK, fmpl_reduce(&value, 1, FMPL_SUM_DOUBLE, -1, FMPL_COMM_WORLD, nullptr), "fmpl_reduce", me, "-1");
    EXPECT_FAILS(FMPL_ERR_ARGUMENT,
        fmpl_allreduce(&value, ~std::size_t{0} / 4, FMPL_SUM_DOUBLE, FMPL_COMM_WORLD, nullptr), "fmpl_allreduce",
        me);  // more bytes than a size_t holds
    EXPECT_EQ(value, 1);
}

}  // namespace
