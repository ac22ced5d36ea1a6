// A rank that computes between its polls, and sends to one that shares its CPU and polls in vain: that one runs before
// MPI_Send returns.
#include "job.hpp"
#include "support/ranks_test.hpp"

#include <mpi.h>

#include <vector>

namespace {

using mpi_test::Job;

constexpr int kTag = 5;
constexpr int kRounds = 200;

void compute(double seconds)
{
    for (const double end = MPI_Wtime() + seconds; MPI_Wtime() < end;) {
    }
}

bool has_come(int source)
{
    int flag = 0;
    MPI_Iprobe(source, kTag, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    return flag != 0;
}

// Rank 0 sends a number and gets it back from rank 1. Of kRounds, how often it is back at the first look.
int back_at_once(const Job& job, int bytes)
{
    int count = 0;
    std::vector<char> number(static_cast<std::size_t>(bytes));
    for (int round = 0; round < kRounds; ++round) {
        MPI_Barrier(MPI_COMM_WORLD);
        if (job.rank == 0) {
            for (int poll = 0; poll < 3; ++poll) {
                EXPECT_FALSE(has_come(1));
                compute(20e-6);
            }
            MPI_Send(number.data(), bytes, MPI_BYTE, 1, kTag, MPI_COMM_WORLD);
            if (has_come(1)) ++count;
            MPI_Recv(number.data(), bytes, MPI_BYTE, 1, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else if (job.rank == 1) {
            while (!has_come(0)) {
            }
            MPI_Recv(number.data(), bytes, MPI_BYTE, 0, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(number.data(), bytes, MPI_BYTE, 0, kTag, MPI_COMM_WORLD);
        }
    }
    return count;
}

FMPL_RANKS_TEST_WITH(LetRun, TheReceiverRunsIfTheSenderComputes,
    (fmpl_test::RanksOptions{.ranks = {2}, .threads = false, .unmapped = false, .environment = {{"FMPL_CPUS", "1"}}}))
{
    fmpl_test::bind_to_one_cpu(0);
    const Job job;
    for (const int bytes : {0, 8, 4096}) {
        const int count = back_at_once(job, bytes);
        if (job.rank == 0) {
            EXPECT_GT(count, kRounds / 4) << bytes << " bytes";
        }
    }
}

// Nobody, itself and everybody: nothing else happens to a message.
FMPL_RANKS_TEST_WITH(
    LetRun, WhoeverTheReceiverIs, (fmpl_test::RanksOptions{.ranks = {1, 2, 4}, .environment = {{"FMPL_CPUS", "1"}}}))
{
    fmpl_test::bind_to_one_cpu(0);
    const Job job;
    for (int round = 0; round < 20; ++round) {
        for (int shift = 0; shift < job.size; ++shift) {
            const int to = (job.rank + shift) % job.size, from = (job.rank + job.size - shift) % job.size;
            int sent = 100 * job.rank + round, got = -1;
            MPI_Request request = MPI_REQUEST_NULL;
            MPI_Irecv(&got, 1, MPI_INT, from, kTag, MPI_COMM_WORLD, &request);
            compute(5e-6);
            has_come(MPI_PROC_NULL);
            MPI_Send(nullptr, 0, MPI_INT, MPI_PROC_NULL, kTag, MPI_COMM_WORLD);
            MPI_Send(&sent, 1, MPI_INT, to, kTag, MPI_COMM_WORLD);
            for (int done = 0; done == 0;) {
                MPI_Test(&request, &done, MPI_STATUS_IGNORE);
                compute(2e-6);
            }
            EXPECT_EQ(got, 100 * from + round);
        }
    }
}

}  // namespace
