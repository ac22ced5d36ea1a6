// Partners on two CPUs that they share with others go on together by messages, also by posted receives that are waited
// for together: with few changes of the process.
#include "job.hpp"
#include "support/cpu_of_process.hpp"
#include "support/ranks_test.hpp"

#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstdint>

namespace {

using fmpl_test::changes_of_process;
using fmpl_test::only_cpu;
using mpi_test::Job;

FMPL_RANKS_TEST_WITH(Partners, RunTogetherByReceivesThatAreWaitedForTogether,
    (fmpl_test::RanksOptions{.ranks = {4}, .threads = false, .unmapped = false}))
{
    const int home = only_cpu();
    const Job job;
    std::array<int, 4> homes{};
    MPI_Allgather(&home, 1, MPI_INT, homes.data(), 1, MPI_INT, MPI_COMM_WORLD);
    if (!fmpl_test::four_share_two_cpus(home, homes)) return;
    constexpr int kBatches = 50;
    constexpr int kExchanges = 500;
    constexpr int kTag = 7;
    const int partner = (job.rank + 2) % 4;
    std::int64_t fewest = 1'000'000;
    for (int batch = 0; batch < kBatches; ++batch) {
        const std::int64_t before = changes_of_process();
        for (int i = 0; i < kExchanges; ++i) {
            constexpr int kMessages = 3;
            std::array<int, kMessages> sent{i, i + 1, i + 2}, got{};
            std::array<MPI_Request, kMessages> sends, receives;
            const auto send = [&] {
                for (std::size_t k = 0; k < kMessages; ++k)
                    MPI_Isend(&sent[k], 1, MPI_INT, partner, kTag, MPI_COMM_WORLD, &sends[k]);
            };
            for (std::size_t k = 0; k < kMessages; ++k)
                MPI_Irecv(&got[k], 1, MPI_INT, partner, kTag, MPI_COMM_WORLD, &receives[k]);
            if (job.rank < 2) send();  // the questions
            MPI_Waitall(kMessages, receives.data(), MPI_STATUSES_IGNORE);
            if (job.rank >= 2) send();
            MPI_Waitall(kMessages, sends.data(), MPI_STATUSES_IGNORE);
            EXPECT_EQ(got, sent);
        }
        std::int64_t all = changes_of_process() - before;
        MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
        fewest = std::min(fewest, all);
    }
    if (!fmpl_test::kIsSanitized) {
        EXPECT_LT(fewest, kExchanges);
    }
}

}  // namespace
