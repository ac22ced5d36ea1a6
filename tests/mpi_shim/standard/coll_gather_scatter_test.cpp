// MPI-3.1, sections 5.5, 5.6, 5.12.3 and 5.12.4: gather and scatter and their v-forms.
#include "collective_calls.hpp"

#include <algorithm>
#include <vector>

using namespace mpi_test;

namespace {

template <class Value>
void gather_to_every_root()
{
    const MPI_Datatype type = type_of<Value>();
    for (const int count : {0, 1, 3, 1000, 100000}) {
        for (const int root : roots_for(count, size())) {
            for (const Form form : kForms) {
                delay(static_cast<unsigned>(root + count));
                const std::vector<Value> mine = elements<Value>(rank(), count);
                if (rank() != root) {
                    call_as(form, MPI_Gather, MPI_Igather, mine.data(), count, type, nullptr, 0, MPI_DATATYPE_NULL,
                        root, MPI_COMM_WORLD);
                    continue;
                }
                std::vector<Value> all = untouched<Value>(static_cast<std::size_t>(count * size()));
                call_as(form, MPI_Gather, MPI_Igather, mine.data(), count, type, all.data(), count, type, root,
                    MPI_COMM_WORLD);
                EXPECT_EQ(all, everybodys<Value>(count)) << "root " << root << ", count " << count;
            }
        }
    }
}

template <class Value>
void scatter_from_every_root()
{
    const MPI_Datatype type = type_of<Value>();
    for (const int count : {0, 1, 3, 1000, 100000}) {
        for (const int root : roots_for(count, size())) {
            for (const Form form : kForms) {
                delay(static_cast<unsigned>(root + count));
                std::vector<Value> mine = untouched<Value>(static_cast<std::size_t>(count));
                if (rank() == root) {
                    const std::vector<Value> all = everybodys<Value>(count);
                    call_as(form, MPI_Scatter, MPI_Iscatter, all.data(), count, type, mine.data(), count, type, root,
                        MPI_COMM_WORLD);
                } else {
                    call_as(form, MPI_Scatter, MPI_Iscatter, nullptr, 0, MPI_DATATYPE_NULL, mine.data(), count, type,
                        root, MPI_COMM_WORLD);
                }
                EXPECT_EQ(mine, elements<Value>(rank(), count)) << "root " << root << ", count " << count;
            }
        }
    }
}

// Zero for every fourth rank.
int uneven(int block)
{
    return (block * 3) % 4;
}

}  // namespace

MPI_TEST(Gather, IntegersAtEveryRoot)
{
    gather_to_every_root<int>();
}

MPI_TEST(Gather, DoublesAtEveryRoot)
{
    gather_to_every_root<double>();
}

MPI_TEST(Gather, InPlaceLeavesTheRootsBlock)
{
    for (const int count : {1, 1000}) {
        for (int root = 0; root < size(); ++root) {
            for (const Form form : kForms) {
                const std::vector<int> mine = elements(rank(), count);
                if (rank() != root) {
                    call_as(form, MPI_Gather, MPI_Igather, mine.data(), count, MPI_INT, nullptr, 0, MPI_INT, root,
                        MPI_COMM_WORLD);
                    continue;
                }
                std::vector<int> all = untouched(static_cast<std::size_t>(count * size()));
                std::copy(mine.begin(), mine.end(), all.begin() + count * root);
                call_as(form, MPI_Gather, MPI_Igather, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all.data(), count, MPI_INT,
                    root, MPI_COMM_WORLD);
                EXPECT_EQ(all, everybodys<int>(count));
            }
        }
    }
}

MPI_TEST(Gather, EachBlockMayBeStridedAtTheRoot)
{
    const int count = 100;
    const CommittedType strided(CommittedType::strided(count, 2));
    for (int root = 0; root < size(); ++root) {
        for (const Form form : kForms) {
            // Every second rank sends from a strided buffer, too.
            const std::vector<int> plain = elements(rank(), count);
            const std::vector<int> sparse = spread(plain, 2);
            const bool is_plain = rank() % 2 == 0;
            std::vector<int> all = untouched(rank() == root ? static_cast<std::size_t>(2 * count * size()) : 0);
            call_as(form, MPI_Gather, MPI_Igather, is_plain ? plain.data() : sparse.data(), is_plain ? count : 1,
                is_plain ? MPI_INT : strided.get(), all.data(), 1, strided.get(), root, MPI_COMM_WORLD);
            if (rank() == root) {
                EXPECT_EQ(all, spread(everybodys<int>(count), 2));
            }
        }
    }
}

// Blocks that are columns of a matrix at the root: a type whose extent is one element, so that the blocks interleave.
MPI_TEST(Gather, BlocksThatInterleave)
{
    const int count = 5;
    MPI_Datatype vector = MPI_DATATYPE_NULL;
    MPI_Type_vector(count, 1, size(), MPI_INT, &vector);
    MPI_Datatype resized = MPI_DATATYPE_NULL;
    MPI_Type_create_resized(vector, 0, sizeof(int), &resized);
    MPI_Type_free(&vector);
    const CommittedType column(resized);
    const std::vector<int> mine = elements(rank(), count);
    std::vector<int> matrix = untouched(static_cast<std::size_t>(count * size()));
    MPI_Gather(mine.data(), count, MPI_INT, matrix.data(), 1, column.get(), 0, MPI_COMM_WORLD);
    if (rank() == 0) {
        for (int row = 0; row < count; ++row) {
            for (int from = 0; from < size(); ++from) {
                EXPECT_EQ(matrix[static_cast<std::size_t>(row * size() + from)], element(from, row));
            }
        }
    }
    // And back.
    std::vector<int> again = untouched(static_cast<std::size_t>(count));
    MPI_Scatter(matrix.data(), 1, column.get(), again.data(), count, MPI_INT, 0, MPI_COMM_WORLD);
    EXPECT_EQ(again, mine);
}

MPI_TEST(Gatherv, BlocksOutOfOrderWithGapsAndEmptyOnes)
{
    const Blocks blocks(size(), uneven);
    for (int root = 0; root < size(); ++root) {
        for (const Form form : kForms) {
            delay(static_cast<unsigned>(root));
            const std::vector<int> mine = elements(rank(), uneven(rank()));
            std::vector<int> all = blocks.buffer();
            if (rank() == root) {
                call_as(form, MPI_Gatherv, MPI_Igatherv, mine.data(), uneven(rank()), MPI_INT, all.data(),
                    blocks.counts.data(), blocks.displacements.data(), MPI_INT, root, MPI_COMM_WORLD);
                std::vector<int> expected = blocks.buffer();
                for (int from = 0; from < size(); ++from) blocks.put(expected, from, elements(from, uneven(from)));
                EXPECT_EQ(all, expected);
            } else {
                call_as(form, MPI_Gatherv, MPI_Igatherv, mine.data(), uneven(rank()), MPI_INT, nullptr, nullptr,
                    nullptr, MPI_DATATYPE_NULL, root, MPI_COMM_WORLD);
            }
        }
    }
}

MPI_TEST(Gatherv, LongBlocksInPlace)
{
    const auto count_of = [](int block) { return 20000 * (block % 3) + block; };
    const Blocks blocks(size(), count_of);
    const int root = size() - 1;
    for (const Form form : kForms) {
        const std::vector<int> mine = elements(rank(), count_of(rank()));
        if (rank() != root) {
            call_as(form, MPI_Gatherv, MPI_Igatherv, mine.data(), count_of(rank()), MPI_INT, nullptr, nullptr, nullptr,
                MPI_INT, root, MPI_COMM_WORLD);
            continue;
        }
        std::vector<int> all = blocks.buffer();
        blocks.put(all, rank(), mine);
        call_as(form, MPI_Gatherv, MPI_Igatherv, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all.data(), blocks.counts.data(),
            blocks.displacements.data(), MPI_INT, root, MPI_COMM_WORLD);
        std::vector<int> expected = blocks.buffer();
        for (int from = 0; from < size(); ++from) blocks.put(expected, from, elements(from, count_of(from)));
        EXPECT_EQ(all, expected);
    }
}

MPI_TEST(Scatter, IntegersFromEveryRoot)
{
    scatter_from_every_root<int>();
}

MPI_TEST(Scatter, DoublesFromEveryRoot)
{
    scatter_from_every_root<double>();
}

MPI_TEST(Scatter, InPlaceLeavesTheRootsBlock)
{
    const int count = 10;
    for (int root = 0; root < size(); ++root) {
        for (const Form form : kForms) {
            if (rank() == root) {
                std::vector<int> all = everybodys<int>(count);
                call_as(form, MPI_Scatter, MPI_Iscatter, all.data(), count, MPI_INT, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL,
                    root, MPI_COMM_WORLD);
                EXPECT_EQ(all, everybodys<int>(count));
            } else {
                std::vector<int> mine = untouched(count);
                call_as(form, MPI_Scatter, MPI_Iscatter, nullptr, 0, MPI_INT, mine.data(), count, MPI_INT, root,
                    MPI_COMM_WORLD);
                EXPECT_EQ(mine, elements(rank(), count));
            }
        }
    }
}

MPI_TEST(Scatter, BlocksMayBeStridedOnBothSides)
{
    const int count = 100;
    const CommittedType at_root(CommittedType::strided(count, 3));
    const CommittedType elsewhere(CommittedType::strided(count, 2));
    for (int root = 0; root < size(); ++root) {
        for (const Form form : kForms) {
            const std::vector<int> all = spread(everybodys<int>(count), 3);
            std::vector<int> mine = untouched(2 * count);
            call_as(form, MPI_Scatter, MPI_Iscatter, rank() == root ? all.data() : nullptr, 1, at_root.get(),
                mine.data(), 1, elsewhere.get(), root, MPI_COMM_WORLD);
            EXPECT_EQ(mine, spread(elements(rank(), count), 2));
        }
    }
}

MPI_TEST(Scatterv, BlocksOutOfOrderWithGapsAndEmptyOnes)
{
    const Blocks blocks(size(), uneven);
    for (int root = 0; root < size(); ++root) {
        for (const Form form : kForms) {
            delay(static_cast<unsigned>(root));
            std::vector<int> mine = untouched(static_cast<std::size_t>(uneven(rank())) + 1);
            std::vector<int> expected = elements(rank(), uneven(rank()));
            expected.push_back(kUntouched);
            if (rank() == root) {
                std::vector<int> all = blocks.buffer();
                for (int to = 0; to < size(); ++to) blocks.put(all, to, elements(to, uneven(to)));
                call_as(form, MPI_Scatterv, MPI_Iscatterv, all.data(), blocks.counts.data(),
                    blocks.displacements.data(), MPI_INT, mine.data(), uneven(rank()), MPI_INT, root, MPI_COMM_WORLD);
            } else {
                call_as(form, MPI_Scatterv, MPI_Iscatterv, nullptr, nullptr, nullptr, MPI_DATATYPE_NULL, mine.data(),
                    uneven(rank()), MPI_INT, root, MPI_COMM_WORLD);
            }
            EXPECT_EQ(mine, expected);
        }
    }
}

// Scatterv may send the same elements to several ranks: the blocks of the root may overlap.
MPI_TEST(Scatterv, TheRootsBlocksMayOverlap)
{
    const int count = 4;
    const std::vector<int> all = elements(0, count + size());
    std::vector<int> counts(static_cast<std::size_t>(size()), count);
    std::vector<int> displacements;
    for (int to = 0; to < size(); ++to) displacements.push_back(to);
    std::vector<int> mine = untouched(count);
    MPI_Scatterv(
        all.data(), counts.data(), displacements.data(), MPI_INT, mine.data(), count, MPI_INT, 0, MPI_COMM_WORLD);
    for (int i = 0; i < count; ++i) EXPECT_EQ(mine[static_cast<std::size_t>(i)], element(0, rank() + i));
}

MPI_TEST(Scatterv, LongBlocksInPlace)
{
    const auto count_of = [](int block) { return 20000 * ((block + 1) % 3) + block; };
    const Blocks blocks(size(), count_of);
    for (const Form form : kForms) {
        if (rank() == 0) {
            std::vector<int> all = blocks.buffer();
            for (int to = 0; to < size(); ++to) blocks.put(all, to, elements(to, count_of(to)));
            const std::vector<int> before = all;
            call_as(form, MPI_Scatterv, MPI_Iscatterv, all.data(), blocks.counts.data(), blocks.displacements.data(),
                MPI_INT, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, 0, MPI_COMM_WORLD);
            EXPECT_EQ(all, before);
        } else {
            std::vector<int> mine = untouched(static_cast<std::size_t>(count_of(rank())));
            call_as(form, MPI_Scatterv, MPI_Iscatterv, nullptr, nullptr, nullptr, MPI_INT, mine.data(),
                count_of(rank()), MPI_INT, 0, MPI_COMM_WORLD);
            EXPECT_EQ(mine, elements(rank(), count_of(rank())));
        }
    }
}

// What the root has begun to receive goes on without it; the messages of other calls are not touched.
MPI_TEST_AT(Gatherv, ACallThatFailsHalfwayLeavesTheOthersAlone, ({4, 7}))
{
    const ReturnErrors errors;
    MPI_Datatype far_apart = MPI_DATATYPE_NULL;
    MPI_Type_create_resized(MPI_INT, 0, MPI_Aint{1} << 45, &far_apart);
    MPI_Type_commit(&far_apart);
    std::vector<int> counts(static_cast<std::size_t>(size()), 1);
    counts.back() = 1 << 20;  // beyond the addresses of 64 bits, which is seen when the others' are posted
    const std::vector<int> places(counts.size(), 0);
    int received = -1;
    for (int call = 0; call < 3; ++call) {
        MPI_Barrier(MPI_COMM_WORLD);
        const int code = MPI_Gatherv(rank() == 0 ? MPI_IN_PLACE : static_cast<const void*>(&call), 1, MPI_INT,
            &received, counts.data(), places.data(), far_apart, 0, MPI_COMM_WORLD);
        EXPECT_EQ(code != MPI_SUCCESS, rank() == 0);
        MPI_Barrier(MPI_COMM_WORLD);
        int sum = 0;
        EXPECT_EQ(MPI_Reduce(&call, &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD), MPI_SUCCESS);
        std::vector<int> all(counts.size());
        const int mine = 10 * call + rank();
        EXPECT_EQ(MPI_Gather(&mine, 1, MPI_INT, all.data(), 1, MPI_INT, 0, MPI_COMM_WORLD), MPI_SUCCESS);
        for (int r = 0; rank() == 0 && r < size(); ++r) EXPECT_EQ(all[static_cast<std::size_t>(r)], 10 * call + r);
    }
    MPI_Type_free(&far_apart);
}
