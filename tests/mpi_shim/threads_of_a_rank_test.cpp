// The threads of a rank that is a process, of which one calls at a time; in threads_at_once.cpp they call as they like.
#include "support/ranks_test.hpp"

#include <mpi.h>

#include <thread>

namespace {

fmpl_test::RanksOptions as_processes()
{
    return {.ranks = {1, 2, 4}, .threads = false, .unmapped = false};
}

void in_another_thread(void (*body)())
{
    std::thread(body).join();
}

void sum_ranks()
{
    int rank = -1, size = -1, sum = -1;
    EXPECT_EQ(MPI_Comm_rank(MPI_COMM_WORLD, &rank), MPI_SUCCESS);
    EXPECT_EQ(MPI_Comm_size(MPI_COMM_WORLD, &size), MPI_SUCCESS);
    EXPECT_EQ(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD), MPI_SUCCESS);
    EXPECT_EQ(sum, size * (size - 1) / 2);
}

template <int (*Question)(int*)>
bool says()
{
    int flag = -1;
    EXPECT_EQ(Question(&flag), MPI_SUCCESS);
    return flag == 1;
}

FMPL_RANKS_TEST_WITH(ThreadsOfARank, AnyOfThemCallsOnceOneHasJoined, as_processes())
{
    int provided = -1;
    EXPECT_EQ(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &provided), MPI_SUCCESS);
    EXPECT_EQ(provided, MPI_THREAD_MULTIPLE);
    for (int round = 0; round < 10; ++round) {
        in_another_thread(&sum_ranks);
        sum_ranks();
    }
    in_another_thread([] { EXPECT_FALSE(says<&MPI_Is_thread_main>()); });
    EXPECT_EQ(MPI_Finalize(), MPI_SUCCESS);
    in_another_thread([] { EXPECT_TRUE(says<&MPI_Finalized>()); });
}

FMPL_RANKS_TEST_WITH(ThreadsOfARank, OneJoinsAndAnotherLeaves, as_processes())
{
    EXPECT_FALSE(says<&MPI_Initialized>());
    in_another_thread([] {
        int provided = -1;
        EXPECT_EQ(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided), MPI_SUCCESS);
    });
    EXPECT_TRUE(says<&MPI_Initialized>());
    sum_ranks();
    in_another_thread([] { EXPECT_EQ(MPI_Finalize(), MPI_SUCCESS); });
    EXPECT_TRUE(says<&MPI_Finalized>());
}

}  // namespace
