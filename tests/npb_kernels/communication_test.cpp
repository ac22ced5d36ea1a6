// The kernels' communication over FMPL: with the engine unmapped, an exchange goes by messages.
#include "communication_cases.hpp"

#include "support/ranks_test.hpp"

#include <fmpl/layers.h>

#include <span>

namespace {

using namespace fmpl_test;

const RanksOptions kOptions{.ranks = {1, 2, 3, 4, 7}};

void run(void (*checked)(fmpl::npb::Communication&, std::uint64_t))
{
    const auto communication = fmpl::npb::Communication::join();
    checked(*communication, seed());
}

#define NPB_COMMUNICATION_TEST(Name, checked)              \
    FMPL_RANKS_TEST_WITH(NpbCommunication, Name, kOptions) \
    {                                                      \
        run(npb_test::checked);                            \
    }

NPB_COMMUNICATION_TEST(CollectiveCallsAgreeWithAPlainLoop, collective_calls_agree_with_a_plain_loop)
NPB_COMMUNICATION_TEST(ReductionsGiveAllRanksTheSameBits, reductions_give_all_ranks_the_same_bits)
NPB_COMMUNICATION_TEST(MessagesLandInTheReceivesOfTheirIndex, messages_land_in_the_receives_of_their_index)
NPB_COMMUNICATION_TEST(MessagesOfAnIndexKeepTheirOrder, messages_of_an_index_keep_their_order)
NPB_COMMUNICATION_TEST(ExchangesDeliverEveryBlock, exchanges_deliver_every_block)
NPB_COMMUNICATION_TEST(TwoAreasKeepWhatHasLanded, two_areas_keep_what_has_landed)
NPB_COMMUNICATION_TEST(PublicationsReachEveryReader, publications_reach_every_reader)
NPB_COMMUNICATION_TEST(WhatWasPublishedStaysUntilTheRanksMeet, what_was_published_stays_until_the_ranks_meet)
NPB_COMMUNICATION_TEST(
    WhatWasPublishedStaysUntilItsLastReaderLeaves, what_was_published_stays_until_its_last_reader_leaves)
NPB_COMMUNICATION_TEST(LongBlocksArrive, long_blocks_arrive)
NPB_COMMUNICATION_TEST(SubgroupsDoNotDisturbEachOther, subgroups_do_not_disturb_each_other)
NPB_COMMUNICATION_TEST(TooMuchForALandingAreaIsAnError, too_much_for_a_landing_area_is_an_error)
NPB_COMMUNICATION_TEST(MemoryIsAlignedAndApart, memory_is_aligned_and_apart)
NPB_COMMUNICATION_TEST(TheTimeOfCallsIsCounted, the_time_of_calls_is_counted)

FMPL_RANKS_TEST_WITH(NpbCommunication, WhatIsPublishedIsReadWhereItsOwnerWroteIt, kOptions)
{
    const auto communication = fmpl::npb::Communication::join();
    const bool is_sent = engine_is_unmapped() && communication->ranks() > 1;
    EXPECT_EQ(communication->publishes_in_place(), !is_sent);
    EXPECT_EQ(communication->ranks_take_turns(), ranks_take_turns());
    const int other = (communication->rank() + 1) % communication->ranks();
    const auto published = communication->publication(communication->world(), 256, std::span(&other, 1));
    for (int round = 0; round < 2; ++round) {
        published->begin();
        double sum = 1;
        published->end(std::span(&sum, 1));
        // In another rank's arena, unless a message has brought it to this one's.
        const bool is_here = is_sent || communication->ranks() == 1;
        EXPECT_EQ(fmpl_is_remote_dma(published->of(other).data(), 256) != 0, is_here);
        EXPECT_NE(fmpl_is_remote_dma(published->of(communication->rank()).data(), 256), 0);
    }
}

// Three ranks on two threads: one of them has its thread for itself, and says what the others say.
TEST(NpbCommunicationOfTurns, AllRanksSayThatTheyTakeTurns)
{
    fmpl::JobOptions options;
    options.threads = 2;
    fmpl::run_ranks(
        3, [&](int) { EXPECT_TRUE(fmpl::npb::Communication::join()->ranks_take_turns()); }, options);
}

// What the memory of a job is reckoned with.
FMPL_RANKS_TEST_WITH(NpbCommunication, WhatIsWrittenToThePeersTakesNoMemoryToSendFrom, kOptions)
{
    const auto communication = fmpl::npb::Communication::join();
    const bool is_sent = engine_is_unmapped() && communication->ranks() > 1;
    EXPECT_EQ(communication->staging_bytes(4711), is_sent ? 4711u : 0u);
}

}  // namespace
