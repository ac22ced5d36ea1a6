// What fmplrun makes of the ends of ranks (Verdict): status, words, and how long the others have.
#include "verdict.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <string>
#include <vector>

#include <sys/wait.h>

namespace {

using namespace fmpl::launcher;
using fmpl::RankState;
using fmpl::SpokenLibrary;
using std::chrono::milliseconds;
using Sentences = std::vector<std::string>;

const int kWell = W_EXITCODE(0, 0);

RankEnd end_of(int rank, int wait_status, RankState state, SpokenLibrary library = SpokenLibrary::fmpl)
{
    return {rank, "rank " + std::to_string(rank), wait_status, state, library};
}

TEST(Verdict, ThatAllHaveLeftEndsNoJob)
{
    Verdict verdict;
    const auto words = verdict.judge({end_of(0, kWell, RankState::finalized), end_of(1, kWell, RankState::absent)}, 0);
    EXPECT_EQ(words.sentences, Sentences());
    EXPECT_FALSE(words.ends_in);
}

TEST(Verdict, TheStatusIsThatOfTheLowestOfTheRanksThatFailShortlyAfterEachOther)
{
    Verdict verdict;
    auto words = verdict.judge({end_of(2, W_EXITCODE(7, 0), RankState::ready)}, 3);
    EXPECT_EQ(words.sentences, (Sentences{"rank 2 exited with status 7; the job ends"}));
    EXPECT_EQ(words.ends_in, Verdict::kTimeToCollect);
    words = verdict.judge(
        {end_of(1, W_EXITCODE(0, SIGSEGV), RankState::ready), end_of(3, W_EXITCODE(9, 0), RankState::ready)}, 1);
    EXPECT_EQ(words.sentences,
        (Sentences{"rank 1 was killed by signal 11 (Segmentation fault)", "rank 3 exited with status 9"}));
    EXPECT_EQ(verdict.failure_status(), 128 + SIGSEGV);
}

TEST(Verdict, ThatARankLeavesInTheMiddleIsAFailureThatNamesTheCallOfItsLibrary)
{
    Verdict verdict;
    const auto words = verdict.judge({end_of(0, kWell, RankState::ready, SpokenLibrary::mpi)}, 1);
    EXPECT_EQ(words.sentences, (Sentences{"rank 0 exited without calling MPI_Finalize; the job ends"}));
    EXPECT_EQ(words.ends_in, Verdict::kTimeToCollect);
    EXPECT_EQ(verdict.failure_status(), 1);
}

TEST(Verdict, AFailureAfterTheEndOfFmplLetsOthersFinishWhatTheyPrint)
{
    Verdict verdict;
    auto words = verdict.judge({end_of(0, W_EXITCODE(3, 0), RankState::finalized)}, 1);
    EXPECT_EQ(words.ends_in, Verdict::kTimeAfterFinalize);
    // What ends well meanwhile does not hurry them.
    words = verdict.judge({end_of(1, kWell, RankState::finalized)}, 2);
    EXPECT_EQ(words.sentences, Sentences());
    EXPECT_GE(words.ends_in, Verdict::kTimeAfterFinalize);
}

TEST(Verdict, TheLastOneToFailEndsTheJobAtOnce)
{
    Verdict verdict;
    const auto words = verdict.judge({end_of(0, W_EXITCODE(3, 0), RankState::finalized)}, 0);
    EXPECT_EQ(words.sentences, (Sentences{"rank 0 exited with status 3"}));
    EXPECT_EQ(words.ends_in, milliseconds(0));
}

TEST(Verdict, ManyFailuresAreCutShort)
{
    Verdict verdict;
    std::vector<RankEnd> ends;
    for (int rank = 0; rank < 100; ++rank) ends.push_back(end_of(rank, W_EXITCODE(1, 0), RankState::absent));
    const auto words = verdict.judge(ends, 0);
    ASSERT_EQ(words.sentences.size(), static_cast<std::size_t>(Verdict::kFailuresInWords + 1));
    EXPECT_EQ(words.sentences.back(), "more ranks failed");
}

TEST(Verdict, TheLowestRankThatHasNeverJoinedIsKept)
{
    Verdict verdict;
    verdict.judge({end_of(4, kWell, RankState::absent)}, 4);
    verdict.judge({end_of(3, kWell, RankState::absent), end_of(6, kWell, RankState::absent)}, 2);
    ASSERT_TRUE(verdict.absent());
    EXPECT_EQ(verdict.absent()->rank, 3);
}

TEST(Verdict, AProcessOfAllRanksFailsAsOne)
{
    Verdict verdict;
    const auto words = verdict.judge_process("the process of all ranks (pid 7, ./p)", W_EXITCODE(0, SIGKILL));
    EXPECT_EQ(words.sentences, (Sentences{"the process of all ranks (pid 7, ./p) was killed by signal 9 (Killed)"}));
    EXPECT_EQ(words.ends_in, milliseconds(0));
    EXPECT_EQ(verdict.failure_status(), 128 + SIGKILL);
}

}  // namespace
