// fmpl::run_ranks: what ends a job of threads, and what it needs.
#include "../support/guarded_buffer.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace fmpl_test;

// A rank that throws between init and finalize ends the job: the others' calls fail instead of waiting for ever.
TEST(RunRanks, AnExceptionOfOneRankAbortsTheOthers)
{
    for (const int ranks : {1, 2, 4}) {
        std::atomic<int> aborted{0};
        std::string caught;
        try {
            fmpl::run_ranks(ranks, [&](int r) {
                const fmpl::Session session(2);
                EXPECT_EQ(fmpl_barrier(FMPL_COMM_WORLD), FMPL_SUCCESS);  // nobody is in fmpl_init any more
                if (r == ranks - 1) throw std::runtime_error("thrown by the test");
                char byte = 0;
                const int code = fmpl_recv(&byte, 1, ranks - 1, 0, FMPL_COMM_WORLD);
                EXPECT_EQ(code, FMPL_ERR_ABORTED);
                EXPECT_NE(std::string(fmpl_error_message()).find(std::to_string(ranks - 1)), std::string::npos)
                    << fmpl_error_message();
                if (code == FMPL_ERR_ABORTED) ++aborted;
                throw fmpl::Error(code, "the follow-up of the first exception");
            });
        } catch (const std::exception& e) {
            caught = e.what();
        }
        EXPECT_EQ(caught, "thrown by the test");
        EXPECT_EQ(aborted, ranks - 1);
    }
}

TEST(RunRanks, ARankThatReturnsWithoutFinalizeAbortsTheOthers)
{
    std::atomic<int> code{0};
    bool thrown = false;
    try {
        fmpl::run_ranks(2, [&](int r) {
            if (fmpl_init(nullptr, nullptr, 2) != FMPL_SUCCESS) throw std::runtime_error("fmpl_init failed");
            EXPECT_EQ(fmpl_barrier(FMPL_COMM_WORLD), FMPL_SUCCESS);  // nobody is in fmpl_init any more
            if (r == 0) code = fmpl_barrier(FMPL_COMM_WORLD);
        });
    } catch (const std::exception&) {
        thrown = true;
    }
    EXPECT_EQ(code, FMPL_ERR_ABORTED);
    EXPECT_TRUE(thrown);
}

TEST(RunRanks, NeedsAtLeastOneRankAndAKnownEngine)
{
    const auto nothing = [](int) {};
    EXPECT_THROW(fmpl::run_ranks(0, nothing), fmpl::Error);
    EXPECT_THROW(fmpl::run_ranks(-3, nothing), fmpl::Error);
    fmpl::JobOptions options;
    options.engine = "steam";
    EXPECT_THROW(fmpl::run_ranks(1, nothing, options), fmpl::Error);
    options = {};
    options.crossbar = "2x";
    EXPECT_THROW(fmpl::run_ranks(1, nothing, options), fmpl::Error);
    options = {};
    options.profile = "sr2201";
    EXPECT_THROW(fmpl::run_ranks(1, nothing, options), fmpl::Error);
}

TEST(RunRanks, JobsMayFollowEachOtherAndDifferInSize)
{
    for (const int ranks : {1, 5, 2, 3}) {
        std::atomic<int> sum{0};
        fmpl::run_ranks(ranks, [&](int r) {
            const fmpl::Session session(1);
            EXPECT_EQ(fmpl::world.rank(), r);
            EXPECT_EQ(fmpl::world.size(), ranks);
            std::int32_t one = 1;
            fmpl::world.allreduce<std::int32_t>({&one, 1}, FMPL_SUM_INT32);
            sum += one;
        });
        EXPECT_EQ(sum, ranks * ranks);
    }
}

}  // namespace
