// MPI-3.1, section 5.9.5: operations of the user, commutative or not, on basic and derived types.
#include "collective_calls.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>
#include <vector>

using namespace mpi_test;

namespace {

// The product of these is associative and depends on the order.
using Matrix = std::array<unsigned, 4>;

Matrix product(const Matrix& a, const Matrix& b)
{
    return {a[0] * b[0] + a[1] * b[2], a[0] * b[1] + a[1] * b[3], a[2] * b[0] + a[3] * b[2], a[2] * b[1] + a[3] * b[3]};
}

void multiply(void* in, void* in_out, int* count, MPI_Datatype*)
{
    for (int i = 0; i < *count; ++i) {
        const Matrix& left = static_cast<const Matrix*>(in)[i];
        Matrix& right = static_cast<Matrix*>(in_out)[i];
        right = product(left, right);
    }
}

Matrix matrix(int from, int index)
{
    const auto r = static_cast<unsigned>(from);
    const auto i = static_cast<unsigned>(index);
    return {1 + r, 2 + i, 3 + r * i, 5 + r + i};
}

std::vector<Matrix> matrices(int from, int count)
{
    std::vector<Matrix> all;
    for (int i = 0; i < count; ++i) all.push_back(matrix(from, i));
    return all;
}

// The products over ranks [0, last) of elements [begin, begin + count).
std::vector<Matrix> products(int last, int count, int begin = 0)
{
    std::vector<Matrix> all;
    for (int i = begin; i < begin + count; ++i) {
        Matrix total = matrix(0, i);
        for (int from = 1; from < last; ++from) total = product(total, matrix(from, i));
        all.push_back(total);
    }
    return all;
}

class UserOperation {
public:
    UserOperation(MPI_User_function* function, bool commutes) { MPI_Op_create(function, commutes ? 1 : 0, &op_); }
    ~UserOperation()
    {
        if (op_ != MPI_OP_NULL) MPI_Op_free(&op_);
    }
    UserOperation(const UserOperation&) = delete;
    UserOperation& operator=(const UserOperation&) = delete;

    MPI_Op get() const { return op_; }
    MPI_Op& handle() { return op_; }

private:
    MPI_Op op_ = MPI_OP_NULL;
};

MPI_Datatype matrix_type()
{
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_contiguous(4, MPI_UNSIGNED, &type);
    return type;
}

constexpr int kCounts[] = {1, 3, 1000, 5000};

// A range of ranks. Joining two that are not neighbours, or in the wrong order, spoils it.
struct Range {
    int first;
    int last;
    bool operator==(const Range&) const = default;
};

void join(void* in, void* in_out, int* count, MPI_Datatype*)
{
    for (int i = 0; i < *count; ++i) {
        const Range& left = static_cast<const Range*>(in)[i];
        Range& right = static_cast<Range*>(in_out)[i];
        right = left.last + 1 == right.first ? Range{left.first, right.last} : Range{-100, -100};
    }
}

}  // namespace

MPI_TEST(UserOperation, ReducesInTheOrderOfTheRanksAtEveryRoot)
{
    const CommittedType type(matrix_type());
    const UserOperation op(&multiply, false);
    for (const int count : kCounts) {
        for (int root = 0; root < size(); ++root) {
            for (const Form form : kForms) {
                delay(static_cast<unsigned>(root + count));
                const std::vector<Matrix> mine = matrices(rank(), count);
                std::vector<Matrix> total(mine.size());
                call_as(form, MPI_Reduce, MPI_Ireduce, mine.data(), total.data(), count, type.get(), op.get(), root,
                    MPI_COMM_WORLD);
                if (rank() == root) {
                    EXPECT_EQ(total, products(size(), count)) << "root " << root << ", count " << count;
                }
            }
        }
    }
}

MPI_TEST(UserOperation, ReducesInPlaceInTheOrderOfTheRanks)
{
    const CommittedType type(matrix_type());
    const UserOperation op(&multiply, false);
    for (int root = 0; root < size(); ++root) {
        std::vector<Matrix> mine = matrices(rank(), 5);
        if (rank() == root) {
            MPI_Reduce(MPI_IN_PLACE, mine.data(), 5, type.get(), op.get(), root, MPI_COMM_WORLD);
            EXPECT_EQ(mine, products(size(), 5));
        } else {
            MPI_Reduce(mine.data(), nullptr, 5, type.get(), op.get(), root, MPI_COMM_WORLD);
            EXPECT_EQ(mine, matrices(rank(), 5));
        }
    }
}

MPI_TEST(UserOperation, AllreducesInTheOrderOfTheRanks)
{
    const CommittedType type(matrix_type());
    const UserOperation op(&multiply, false);
    for (const int count : {1, 3, 1000, 20000}) {
        for (const Form form : kForms) {
            delay(static_cast<unsigned>(count));
            std::vector<Matrix> mine = matrices(rank(), count);
            std::vector<Matrix> total(mine.size());
            call_as(form, MPI_Allreduce, MPI_Iallreduce, mine.data(), total.data(), count, type.get(), op.get(),
                MPI_COMM_WORLD);
            EXPECT_EQ(total, products(size(), count)) << count;
            call_as(form, MPI_Allreduce, MPI_Iallreduce, MPI_IN_PLACE, mine.data(), count, type.get(), op.get(),
                MPI_COMM_WORLD);
            EXPECT_EQ(mine, products(size(), count)) << "in place, " << count;
        }
    }
}

MPI_TEST(UserOperation, ReduceScattersInTheOrderOfTheRanks)
{
    const CommittedType type(matrix_type());
    const UserOperation op(&multiply, false);
    std::vector<int> counts;
    for (int to = 0; to < size(); ++to) counts.push_back((to + 1) % 3 + 1);
    const int all_count = std::accumulate(counts.begin(), counts.end(), 0);
    const int before = std::accumulate(counts.begin(), counts.begin() + rank(), 0);
    const int own = counts[static_cast<std::size_t>(rank())];
    for (const Form form : kForms) {
        std::vector<Matrix> all = matrices(rank(), all_count);
        std::vector<Matrix> block(static_cast<std::size_t>(own));
        call_as(form, MPI_Reduce_scatter, MPI_Ireduce_scatter, all.data(), block.data(), counts.data(), type.get(),
            op.get(), MPI_COMM_WORLD);
        EXPECT_EQ(block, products(size(), own, before));

        all = matrices(rank(), 4 * size());
        block.assign(4, Matrix{});
        call_as(form, MPI_Reduce_scatter_block, MPI_Ireduce_scatter_block, all.data(), block.data(), 4, type.get(),
            op.get(), MPI_COMM_WORLD);
        EXPECT_EQ(block, products(size(), 4, 4 * rank()));
    }
}

void scan_in_the_order_of_the_ranks()
{
    const CommittedType type(matrix_type());
    const UserOperation op(&multiply, false);
    for (const int count : kCounts) {
        for (const Form form : kForms) {
            delay(static_cast<unsigned>(count));
            const std::vector<Matrix> mine = matrices(rank(), count);
            std::vector<Matrix> total(mine.size());
            call_as(form, MPI_Scan, MPI_Iscan, mine.data(), total.data(), count, type.get(), op.get(), MPI_COMM_WORLD);
            EXPECT_EQ(total, products(rank() + 1, count));
            total = mine;
            call_as(form, MPI_Scan, MPI_Iscan, MPI_IN_PLACE, total.data(), count, type.get(), op.get(), MPI_COMM_WORLD);
            EXPECT_EQ(total, products(rank() + 1, count)) << "in place";
            call_as(
                form, MPI_Exscan, MPI_Iexscan, mine.data(), total.data(), count, type.get(), op.get(), MPI_COMM_WORLD);
            if (rank() > 0) {
                EXPECT_EQ(total, products(rank(), count));
            }
            total = mine;
            call_as(
                form, MPI_Exscan, MPI_Iexscan, MPI_IN_PLACE, total.data(), count, type.get(), op.get(), MPI_COMM_WORLD);
            if (rank() > 0) {
                EXPECT_EQ(total, products(rank(), count)) << "in place";
            }
        }
    }
}

MPI_TEST(UserOperation, ScansInTheOrderOfTheRanks)
{
    scan_in_the_order_of_the_ranks();
}

// A library may have another algorithm there.
MPI_TEST_AT(UserOperation, ScansManyRanksInTheirOrder, ({17, 20}))
{
    scan_in_the_order_of_the_ranks();
}

// Neighbours only, left before right: what a library may do with an operation that is associative and no more.
MPI_TEST(UserOperation, JoinsOnlyNeighbours)
{
    MPI_Datatype range = MPI_DATATYPE_NULL;
    MPI_Type_contiguous(2, MPI_INT, &range);
    const CommittedType type(range);
    const UserOperation op(&join, false);
    const std::vector<Range> mine(100, Range{rank(), rank()});
    const std::vector<Range> expected(100, Range{0, size() - 1});
    for (int root = 0; root < size(); ++root) {
        std::vector<Range> total(100);
        MPI_Reduce(mine.data(), total.data(), 100, type.get(), op.get(), root, MPI_COMM_WORLD);
        if (rank() == root) {
            EXPECT_TRUE(total == expected) << "root " << root;
        }
    }
    std::vector<Range> total(100);
    MPI_Allreduce(mine.data(), total.data(), 100, type.get(), op.get(), MPI_COMM_WORLD);
    EXPECT_TRUE(total == expected);
}

namespace {

// A record with gaps: its first int is at 8, the second at 20, the extent 32.
constexpr MPI_Aint kOffsets[2] = {8, 20};
constexpr MPI_Aint kExtent = 32;

int& field(void* record, MPI_Aint index, int which)
{
    return *reinterpret_cast<int*>(static_cast<unsigned char*>(record) + index * kExtent + kOffsets[which]);
}

// Adds the first field, takes the greater of the second; asks the type how far the records are apart.
void combine_records(void* in, void* in_out, int* count, MPI_Datatype* type)
{
    MPI_Aint lower = 0;
    MPI_Aint extent = 0;
    int bytes = 0;
    MPI_Type_get_extent(*type, &lower, &extent);
    MPI_Type_size(*type, &bytes);
    if (extent != kExtent || bytes != 2 * static_cast<int>(sizeof(int))) return;
    for (MPI_Aint i = 0; i < *count; ++i) {
        field(in_out, i, 0) += field(in, i, 0);
        field(in_out, i, 1) = std::max(field(in_out, i, 1), field(in, i, 1));
    }
}

MPI_Datatype record_type()
{
    MPI_Datatype fields = MPI_DATATYPE_NULL;
    MPI_Type_create_hindexed_block(2, 1, kOffsets, MPI_INT, &fields);
    MPI_Datatype record = MPI_DATATYPE_NULL;
    MPI_Type_create_resized(fields, 0, kExtent, &record);
    MPI_Type_free(&fields);
    return record;
}

}  // namespace

void add_and_spoil(void* in, void* in_out, int* count, MPI_Datatype*)
{
    for (int i = 0; i < *count; ++i) {
        static_cast<unsigned*>(in_out)[i] += static_cast<unsigned*>(in)[i];
        static_cast<unsigned*>(in)[i] = ~0u;
    }
}

// The standard does not say that it may, but other MPIs give it memory that nobody else reads.
MPI_TEST(UserOperation, ThatWritesItsFirstOperandSpoilsNobodysResult)
{
    const UserOperation op(&add_and_spoil, true);
    const auto ranks = static_cast<unsigned>(size());
    for (const int count : {1, 3, 40, 1500}) {
        std::vector<unsigned> expected, expected_block;
        const auto value = [&](int i) { return ranks * (ranks - 1) / 2 + ranks * static_cast<unsigned>(i); };
        for (int i = 0; i < count; ++i) expected.push_back(value(i));
        for (int i = 0; i < count; ++i) expected_block.push_back(value(rank() * count + i));
        std::vector<unsigned> mine;
        for (int i = 0; i < count * size(); ++i) mine.push_back(static_cast<unsigned>(rank() + i));
        for (int round = 0; round < 20; ++round) {
            for (const Form form : kForms) {
                std::vector<unsigned> total(static_cast<std::size_t>(count)), own = mine;
                call_as(form, MPI_Allreduce, MPI_Iallreduce, own.data(), total.data(), count, MPI_UNSIGNED, op.get(),
                    MPI_COMM_WORLD);
                EXPECT_EQ(total, expected) << "count " << count;
                own = mine;
                call_as(form, MPI_Reduce_scatter_block, MPI_Ireduce_scatter_block, own.data(), total.data(), count,
                    MPI_UNSIGNED, op.get(), MPI_COMM_WORLD);
                EXPECT_EQ(total, expected_block) << "count " << count;
            }
        }
    }
}

// Ranks whose numbers lie together, and ranks with gaps between theirs, have an operation that looks at the type.
void add_by_type(void* in, void* in_out, int* count, MPI_Datatype* type)
{
    MPI_Aint lower = 0, extent = 0;
    MPI_Type_get_extent(*type, &lower, &extent);
    const auto numbers = static_cast<std::ptrdiff_t>(extent / static_cast<MPI_Aint>(sizeof(unsigned)));
    const std::ptrdiff_t step = numbers > 2 ? 2 : 1;
    for (std::ptrdiff_t i = 0; i < *count; ++i) {
        for (std::ptrdiff_t k = 0; k < 2; ++k) {
            const std::ptrdiff_t at = i * numbers + k * step;
            static_cast<unsigned*>(in_out)[at] += static_cast<unsigned*>(in)[at];
        }
    }
}

MPI_TEST(UserOperation, OnTypesThatHaveGapsOnSomeRanksMeetsAllOperands)
{
    const bool has_gaps = rank() % 2 == 1;
    MPI_Datatype pair = MPI_DATATYPE_NULL;
    MPI_Type_vector(2, 1, has_gaps ? 2 : 1, MPI_UNSIGNED, &pair);
    const CommittedType type(pair);
    const UserOperation op(&add_by_type, true);
    const std::size_t numbers = has_gaps ? 3 : 2, second = numbers - 1;
    const auto of = [&](unsigned first) {
        std::vector<unsigned> values(numbers, 7);
        values[0] = first;
        values[second] = 10 * first;
        return values;
    };
    const auto me = static_cast<unsigned>(rank()), ranks = static_cast<unsigned>(size());
    for (const Form form : kForms) {
        std::vector<unsigned> total = of(0);
        call_as(form, MPI_Reduce, MPI_Ireduce, of(me).data(), total.data(), 1, type.get(), op.get(), 0, MPI_COMM_WORLD);
        if (rank() == 0) {
            EXPECT_EQ(total, of(ranks * (ranks - 1) / 2));
        }
        total = of(0);
        call_as(
            form, MPI_Allreduce, MPI_Iallreduce, of(me).data(), total.data(), 1, type.get(), op.get(), MPI_COMM_WORLD);
        EXPECT_EQ(total, of(ranks * (ranks - 1) / 2));
        total = of(0);
        call_as(form, MPI_Scan, MPI_Iscan, of(me).data(), total.data(), 1, type.get(), op.get(), MPI_COMM_WORLD);
        EXPECT_EQ(total, of(me * (me + 1) / 2));
        total = of(0);
        call_as(form, MPI_Exscan, MPI_Iexscan, of(me).data(), total.data(), 1, type.get(), op.get(), MPI_COMM_WORLD);
        if (rank() > 0) {
            EXPECT_EQ(total, of(me * (me - 1) / 2));
        }
        std::vector<unsigned> blocks(numbers * ranks, 7);
        for (std::size_t i = 0; i < ranks; ++i) {
            blocks[i * numbers] = me + static_cast<unsigned>(i);
            blocks[i * numbers + second] = 10 * blocks[i * numbers];
        }
        total = of(0);
        call_as(form, MPI_Reduce_scatter_block, MPI_Ireduce_scatter_block, blocks.data(), total.data(), 1, type.get(),
            op.get(), MPI_COMM_WORLD);
        EXPECT_EQ(total, of(ranks * (ranks - 1) / 2 + ranks * me));
    }
}

MPI_TEST(UserOperation, OnATypeWithGapsLeavesTheGaps)
{
    const CommittedType type(record_type());
    const UserOperation op(&combine_records, true);
    const int count = 10;
    const std::size_t bytes = count * static_cast<std::size_t>(kExtent);
    std::vector<unsigned char> mine(bytes, 0x11);
    for (int i = 0; i < count; ++i) {
        field(mine.data(), i, 0) = rank() + i;
        field(mine.data(), i, 1) = rank() * i;
    }
    std::vector<unsigned char> expected(bytes, 0x77);
    for (int i = 0; i < count; ++i) {
        field(expected.data(), i, 0) = size() * (size() - 1) / 2 + size() * i;
        field(expected.data(), i, 1) = (size() - 1) * i;
    }
    for (const Form form : kForms) {
        std::vector<unsigned char> total(bytes, 0x77);
        call_as(form, MPI_Allreduce, MPI_Iallreduce, mine.data(), total.data(), count, type.get(), op.get(),
            MPI_COMM_WORLD);
        EXPECT_EQ(total, expected);

        total.assign(bytes, 0x77);
        call_as(form, MPI_Reduce, MPI_Ireduce, mine.data(), total.data(), count, type.get(), op.get(), size() - 1,
            MPI_COMM_WORLD);
        if (rank() == size() - 1) {
            EXPECT_EQ(total, expected);
        }
    }
}

MPI_TEST(UserOperation, ScansOnATypeWithGapsLeaveTheGaps)
{
    const CommittedType type(record_type());
    const UserOperation op(&combine_records, true);
    for (const int count : {10, 5000}) {
        const std::size_t bytes = static_cast<std::size_t>(count) * static_cast<std::size_t>(kExtent);
        std::vector<unsigned char> mine(bytes, 0x11);
        const auto fill = [&](std::vector<unsigned char>& to, int of_sum, int times) {
            for (int i = 0; i < count; ++i) {
                field(to.data(), i, 0) = of_sum + times * i;
                field(to.data(), i, 1) = (times > 1 ? times - 1 : 0) * i;
            }
        };
        for (int i = 0; i < count; ++i) {
            field(mine.data(), i, 0) = rank() + i;
            field(mine.data(), i, 1) = rank() * i;
        }
        std::vector<unsigned char> up_to(bytes, 0x77);
        std::vector<unsigned char> before(bytes, 0x77);
        fill(up_to, rank() * (rank() + 1) / 2, rank() + 1);
        fill(before, rank() * (rank() - 1) / 2, rank());
        for (const Form form : kForms) {
            std::vector<unsigned char> total(bytes, 0x77);
            call_as(form, MPI_Scan, MPI_Iscan, mine.data(), total.data(), count, type.get(), op.get(), MPI_COMM_WORLD);
            EXPECT_EQ(total, up_to) << count;
            total.assign(bytes, 0x77);
            call_as(
                form, MPI_Exscan, MPI_Iexscan, mine.data(), total.data(), count, type.get(), op.get(), MPI_COMM_WORLD);
            if (rank() > 0) {
                EXPECT_EQ(total, before) << count;
            }
        }
    }
}

MPI_TEST(UserOperation, AppliesToTwoLocalBuffers)
{
    const CommittedType type(matrix_type());
    const UserOperation op(&multiply, false);
    const std::vector<Matrix> left = matrices(3, 4);
    std::vector<Matrix> right = matrices(5, 4);
    MPI_Reduce_local(left.data(), right.data(), 4, type.get(), op.get());
    for (int i = 0; i < 4; ++i) {
        EXPECT_EQ(right[static_cast<std::size_t>(i)], product(matrix(3, i), matrix(5, i)));
    }
}

MPI_TEST(UserOperation, SaysWhetherItCommutes)
{
    for (const bool commutes : {false, true}) {
        const UserOperation op(&multiply, commutes);
        int answer = -1;
        MPI_Op_commutative(op.get(), &answer);
        EXPECT_EQ(answer != 0, commutes);
    }
}

MPI_TEST(UserOperation, FreedInUseStillServesWhatWasStarted)
{
    for (int round = 0; round < 3; ++round) {
        CommittedType type(matrix_type());
        UserOperation op(&multiply, false);
        const std::vector<Matrix> mine = matrices(rank(), 200);
        std::vector<Matrix> total(mine.size());
        MPI_Request request = MPI_REQUEST_NULL;
        MPI_Iallreduce(mine.data(), total.data(), 200, type.get(), op.get(), MPI_COMM_WORLD, &request);
        MPI_Op_free(&op.handle());
        EXPECT_TRUE(op.get() == MPI_OP_NULL);
        MPI_Type_free(&type.handle());
        EXPECT_TRUE(type.get() == MPI_DATATYPE_NULL);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        EXPECT_EQ(total, products(size(), 200));
    }
}

MPI_TEST(UserOperation, PredefinedOnesCannotBeFreed)
{
    const ReturnErrors guard;
    MPI_Op sum = MPI_SUM;
    EXPECT_CLASS(MPI_ERR_OP, MPI_Op_free(&sum));
    MPI_Op none = MPI_OP_NULL;
    EXPECT_CLASS(MPI_ERR_OP, MPI_Op_free(&none));
}

// Many operations of the same program, made and freed again.
MPI_TEST(UserOperation, AreRecycled)
{
    for (int i = 0; i < 2000; ++i) {
        UserOperation op(&multiply, i % 2 == 0);
        int answer = -1;
        MPI_Op_commutative(op.get(), &answer);
        EXPECT_EQ(answer, i % 2 == 0 ? 1 : 0);
    }
}
