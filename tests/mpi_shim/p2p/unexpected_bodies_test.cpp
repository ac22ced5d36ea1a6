// Bursts of messages that come before their receives take the same memory again.
#include "job.hpp"
#include "mpi_shim/standard/message.hpp"
#include "support/ranks_test.hpp"

#include <mpi.h>

#include <malloc.h>
#include <sys/resource.h>

#include <array>
#include <vector>

namespace {

using mpi_test::Job;
using mpi_test::Message;

constexpr int kMessages = 48;
constexpr int kTag = 7;
constexpr int kLastTag = 8;

long faults()
{
    rusage usage{};
    getrusage(RUSAGE_THREAD, &usage);
    return usage.ru_minflt;
}

void burst(const Job& job, int bytes)
{
    std::array<MPI_Request, kMessages> requests;
    if (job.rank == 0) {
        std::vector<Message> messages;
        for (int i = 0; i < kMessages; ++i) messages.emplace_back(static_cast<std::size_t>(bytes), i);
        for (int i = 0; i < kMessages; ++i) {
            MPI_Isend(messages[static_cast<std::size_t>(i)].data(), bytes, MPI_BYTE, 1, kTag, MPI_COMM_WORLD,
                &requests[static_cast<std::size_t>(i)]);
        }
        MPI_Send(nullptr, 0, MPI_BYTE, 1, kLastTag, MPI_COMM_WORLD);
        MPI_Waitall(kMessages, requests.data(), MPI_STATUSES_IGNORE);
        MPI_Recv(nullptr, 0, MPI_BYTE, 1, kLastTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        return;
    }
    MPI_Recv(nullptr, 0, MPI_BYTE, 0, kLastTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    Message message(static_cast<std::size_t>(bytes));
    for (int i = 0; i < kMessages; ++i) {
        MPI_Recv(message.data(), bytes, MPI_BYTE, 0, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        EXPECT_TRUE(message.holds(i)) << i;
    }
    MPI_Send(nullptr, 0, MPI_BYTE, 0, kLastTag, MPI_COMM_WORLD);
}

FMPL_RANKS_TEST_WITH(UnexpectedBodies, BurstsTakeTheSameMemoryAgain, fmpl_test::RanksOptions{.ranks = {2}})
{
    constexpr int kBursts = 20;
    constexpr long kMost = kBursts * kMessages;  // a fault a message; without memory that is kept there are four
    mallopt(M_TRIM_THRESHOLD, 128 * 1024);       // the default, which has been raised if longer memory was freed before
    const Job job;
    // Shorter ones, too: what lies where in the heap decides how much of it malloc gives back.
    for (const int bytes : {8, 256, 4096, 8192, 16384, 12288, 16384}) {
        for (int i = 0; i < 3; ++i) burst(job, bytes);
        const long before = faults();
        for (int i = 0; i < kBursts; ++i) burst(job, bytes);
        if (job.rank == 1) {
            EXPECT_LT(faults() - before, kMost) << bytes;
        }
    }
}

}  // namespace
