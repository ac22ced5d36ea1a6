// Which messages travel with their envelopes, and how long the rings for them are, by the job's shape.
#include "p2p/settings.hpp"

#include "error.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

namespace {

using namespace fmpl::mpi;

constexpr std::size_t kKiB = 1024;
constexpr std::size_t kMiB = 1024 * kKiB;

JobFacts job(int ranks, bool is_crowded, bool two_copies_are_fast)
{
    return {ranks, is_crowded, two_copies_are_fast, 64 * kKiB, 64 * kMiB};
}

std::size_t eager_bytes(const JobFacts& job)
{
    return settings_from_environment(job).eager_bytes;
}

TEST(Settings, LongMessagesAreEagerWhereThatIsQuicker)
{
    EXPECT_EQ(eager_bytes(job(2, false, false)), 16 * kKiB);
    EXPECT_EQ(eager_bytes(job(2, false, true)), 64 * kKiB);
    EXPECT_EQ(eager_bytes(job(16, false, true)), 64 * kKiB);
    for (const bool two_copies : {false, true}) {
        EXPECT_EQ(eager_bytes(job(5, true, two_copies)), 256 * kKiB);
        EXPECT_EQ(eager_bytes(job(8, true, two_copies)), 256 * kKiB);
        EXPECT_EQ(eager_bytes(job(11, true, two_copies)), 128 * kKiB);
        EXPECT_EQ(eager_bytes(job(16, true, two_copies)), 64 * kKiB);
        EXPECT_EQ(eager_bytes(job(17, true, two_copies)), 32 * kKiB);
        EXPECT_EQ(eager_bytes(job(32, true, two_copies)), 16 * kKiB);
        EXPECT_EQ(eager_bytes(job(33, true, two_copies)), 4 * kKiB);
    }
}

TEST(Settings, TheRingsOfAJobStayWithin64MiBAndARanksMemory)
{
    for (int ranks = 2; ranks <= 100; ++ranks) {
        for (const std::size_t most_ring : {64 * kMiB, 300 * kKiB, 70 * kKiB, 10 * kKiB}) {
            JobFacts facts = job(ranks, true, true);
            facts.best_ring = 0;
            facts.most_ring = most_ring;
            const Settings settings = settings_from_environment(facts);
            EXPECT_LE(4 * settings.eager_bytes, settings.ring_bytes);
            EXPECT_LE(settings.ring_bytes * static_cast<std::size_t>(ranks) * static_cast<std::size_t>(ranks),
                64 * kMiB + (ranks > 32 ? 128 * kMiB : 0))
                << ranks;
            // What every job has needed.
            EXPECT_LE(settings.ring_bytes, std::max(most_ring, ranks > 32 ? 16 * kKiB : 64 * kKiB)) << ranks;
        }
    }
}

TEST(Settings, LongOnesAreNotKeptUntilThereIsRoom)
{
    EXPECT_EQ(settings_from_environment(job(8, true, true)).eager_bytes_kept, 16 * kKiB);
    EXPECT_EQ(settings_from_environment(job(8, true, true)).eager_bytes_of_many, 64 * kKiB);
    EXPECT_EQ(settings_from_environment(job(40, true, true)).eager_bytes_kept, 4 * kKiB);
}

TEST(Settings, FromRemoteDmaMemoryFewerAreEager)
{
    EXPECT_EQ(settings_from_environment(job(4, false, true)).eager_bytes_remote_dma, 4 * kKiB);
    EXPECT_EQ(settings_from_environment(job(8, true, true)).eager_bytes_remote_dma, 8 * kKiB);
    EXPECT_EQ(settings_from_environment(job(64, true, true)).eager_bytes_remote_dma, 4 * kKiB);
}

TEST(Settings, TheUsersLimitHolds)
{
    const auto with = [](const char* text) {
        setenv("FMPL_MPI_EAGER", text, 1);
        const JobFacts facts{2, false, true, 2 * kMiB, 64 * kMiB};
        const Settings settings = settings_from_environment(facts);
        unsetenv("FMPL_MPI_EAGER");
        return settings;
    };
    EXPECT_EQ(with("200000").eager_bytes, 200'000u);
    EXPECT_EQ(with("200000").eager_bytes_kept, 200'000u);
    EXPECT_EQ(with("200000").eager_bytes_of_many, 200'000u);
    EXPECT_EQ(with("200000").eager_bytes_by_rate, 0u);
    EXPECT_EQ(with("1048576").ring_bytes, 4 * kMiB);
    EXPECT_EQ(with("16384").ring_bytes, 2 * kMiB);
    EXPECT_EQ(with("1024").ring_bytes, 4 * kKiB);
    EXPECT_EQ(with("0").ring_bytes, 1 * kKiB);
    EXPECT_EQ(with("1000").eager_bytes_remote_dma, 1000u);
    for (const char* const text : {"", "-1", "1k", "1048577", " 1", "99999999999999999999"}) {
        setenv("FMPL_MPI_EAGER", text, 1);
        EXPECT_THROW(settings_from_environment(job(2, false, false)), Error) << text;
    }
    unsetenv("FMPL_MPI_EAGER");
}

}  // namespace
