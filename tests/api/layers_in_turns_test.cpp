// The MPI and the BLACS among ranks of one process, on a thread each and in turns on fewer.
#include "api/layers_in_turns.hpp"
#include "support/ranks_test.hpp"

namespace {

using namespace layers_in_turns;

void run_everywhere(Layers layers)
{
    for (const int ranks : {2, 4, 8}) {
        for (const int threads : {0, 1, 2, 3}) {
            if (threads >= ranks) continue;
            SCOPED_TRACE(std::to_string(ranks) + " ranks, JobOptions::threads = " + std::to_string(threads));
            fmpl::JobOptions options;
            options.threads = threads;
            EXPECT_NO_THROW(fmpl::run_ranks(
                ranks, [&](int) { run_rank(layers); }, options));
        }
    }
}

TEST(LayersInTurns, EachRankHasAnMpiOfItsOwn)
{
    run_everywhere(Layers::mpi);
}

TEST(LayersInTurns, EachRankHasGridsOfItsOwn)
{
    run_everywhere(Layers::blacs);
}

TEST(LayersInTurns, TheMpiAndTheBlacsOfARankGoTogether)
{
    run_everywhere(Layers::both);
}

// The state of a rank that leaves MPI up goes with the rank: the next job on the same threads begins anew.
TEST(LayersInTurns, ARankThatFailsLeavesNothingToTheNext)
{
    for (const int threads : {0, 1}) {
        fmpl::JobOptions options;
        options.threads = threads;
        const auto fail = [](int rank) {
            MPI_Init(nullptr, nullptr);
            int number = -1, count = -1;
            Cblacs_pinfo(&number, &count);
            expect_equal(number, rank, "Cblacs_pinfo");
            MPI_Barrier(MPI_COMM_WORLD);
            throw std::runtime_error("on purpose");
        };
        EXPECT_THROW(fmpl::run_ranks(2, fail, options), std::runtime_error);
        EXPECT_NO_THROW(fmpl::run_ranks(
            2, [](int) { run_rank(Layers::both); }, options));
    }
}

}  // namespace
