// MPI-3.1, sections 8.1, 8.2, 8.6, 8.7 and 12.4: versions, names, clocks, memory, the state of the library, threads.
#include "mpi_test.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

using namespace mpi_test;

MPI_TEST(Environment, VersionIsThatOfTheHeader)
{
    int version = 0;
    int subversion = -1;
    MPI_Get_version(&version, &subversion);
    EXPECT_EQ(version, MPI_VERSION);
    EXPECT_EQ(subversion, MPI_SUBVERSION);
    EXPECT_GE(version, 3);
}

MPI_TEST(Environment, TheLibraryNamesItself)
{
    std::vector<char> text(MPI_MAX_LIBRARY_VERSION_STRING, '#');
    int length = -1;
    MPI_Get_library_version(text.data(), &length);
    REQUIRE(length > 0 && length < MPI_MAX_LIBRARY_VERSION_STRING);
    EXPECT_EQ(std::strlen(text.data()), static_cast<std::size_t>(length));
}

MPI_TEST(Environment, TheProcessorHasAName)
{
    std::vector<char> text(MPI_MAX_PROCESSOR_NAME, '#');
    int length = -1;
    MPI_Get_processor_name(text.data(), &length);
    REQUIRE(length > 0 && length < MPI_MAX_PROCESSOR_NAME);
    EXPECT_EQ(std::strlen(text.data()), static_cast<std::size_t>(length));
}

MPI_TEST(Environment, ClocksDoNotGoBack)
{
    EXPECT_GT(MPI_Wtick(), 0.0);
    EXPECT_LT(MPI_Wtick(), 0.01);
    double before = MPI_Wtime();
    const double start = before;
    for (int i = 0; i < 1000; ++i) {
        const double now = MPI_Wtime();
        EXPECT_GE(now, before);
        before = now;
    }
    while (MPI_Wtime() == start) {
    }
    EXPECT_GT(MPI_Wtime(), start);
}

MPI_TEST(Environment, IsInitializedAndNotFinalized)
{
    int flag = 0;
    MPI_Initialized(&flag);
    EXPECT_TRUE(flag);
    MPI_Finalized(&flag);
    EXPECT_FALSE(flag);
}

MPI_TEST(Environment, ThreadLevelsAreOrdered)
{
    EXPECT_LT(MPI_THREAD_SINGLE, MPI_THREAD_FUNNELED);
    EXPECT_LT(MPI_THREAD_FUNNELED, MPI_THREAD_SERIALIZED);
    EXPECT_LT(MPI_THREAD_SERIALIZED, MPI_THREAD_MULTIPLE);
    int provided = -1;
    MPI_Query_thread(&provided);
    EXPECT_GE(provided, MPI_THREAD_SINGLE);
    EXPECT_LE(provided, MPI_THREAD_MULTIPLE);
}

MPI_TEST(Environment, TheRankThatInitializedIsTheMainThread)
{
    int flag = 0;
    MPI_Is_thread_main(&flag);
    EXPECT_TRUE(flag);
}

MPI_TEST(Environment, MemoryIsAllocatedAlignedAndSeparate)
{
    std::vector<unsigned char*> blocks;
    for (const int bytes : {1, 100, 65536, 3 << 20}) {
        void* block = nullptr;
        MPI_Alloc_mem(bytes, MPI_INFO_NULL, &block);
        REQUIRE(block != nullptr);
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % alignof(double), 0U);
        std::memset(block, 0x30 + static_cast<int>(blocks.size()), static_cast<std::size_t>(bytes));
        blocks.push_back(static_cast<unsigned char*>(block));
    }
    for (std::size_t i = 0; i < blocks.size(); ++i) EXPECT_EQ(blocks[i][0], 0x30 + i);
    for (unsigned char* block : blocks) EXPECT_SUCCESS(MPI_Free_mem(block));
}

MPI_TEST(Environment, AllocatedMemoryServesMessages)
{
    constexpr int kCount = 100000;
    int* out = nullptr;
    int* in = nullptr;
    MPI_Alloc_mem(kCount * sizeof(int), MPI_INFO_NULL, &out);
    MPI_Alloc_mem(kCount * sizeof(int), MPI_INFO_NULL, &in);
    const int previous = (rank() + size() - 1) % size();
    for (int i = 0; i < kCount; ++i) {
        out[i] = rank() + i;
        in[i] = -1;
    }
    MPI_Sendrecv(out, kCount, MPI_INT, (rank() + 1) % size(), 0, in, kCount, MPI_INT, previous, 0, MPI_COMM_WORLD,
        MPI_STATUS_IGNORE);
    for (int i = 0; i < kCount; i += 999) EXPECT_EQ(in[i], previous + i);
    MPI_Free_mem(out);
    MPI_Free_mem(in);
}

MPI_TEST_AT(Environment, MemoryThatIsNotThereIsAnError, ({1}))
{
    const ReturnErrors guard;
    void* block = nullptr;
    EXPECT_CLASS(MPI_ERR_NO_MEM, MPI_Alloc_mem(MPI_Aint{1} << 56, MPI_INFO_NULL, &block));
}

MPI_TEST_AT(Environment, ManyBlocksOfMemoryAreRecycled, ({1, 2}))
{
    for (int i = 0; i < 2000; ++i) {
        void* block = nullptr;
        MPI_Alloc_mem(1 << 20, MPI_INFO_NULL, &block);
        REQUIRE(block != nullptr);
        MPI_Free_mem(block);
    }
}
