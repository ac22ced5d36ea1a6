// What the communication interface of the kernels promises, as functions that each rank of a job calls alike. The
// test over FMPL (communication_test.cpp) and those over MPIs (communication_mpi_test.cpp) run them.
//
// `seed` is the same on all ranks. What does not hold is reported to GoogleTest, on the rank that sees it.
#pragma once

#include "common/communication.hpp"

#include <cstdint>

namespace npb_test {

void collective_calls_agree_with_a_plain_loop(fmpl::npb::Communication& communication, std::uint64_t seed);
void reductions_give_all_ranks_the_same_bits(fmpl::npb::Communication& communication, std::uint64_t seed);
void messages_land_in_the_receives_of_their_index(fmpl::npb::Communication& communication, std::uint64_t seed);
void messages_of_an_index_keep_their_order(fmpl::npb::Communication& communication, std::uint64_t seed);
void exchanges_deliver_every_block(fmpl::npb::Communication& communication, std::uint64_t seed);
void two_areas_keep_what_has_landed(fmpl::npb::Communication& communication, std::uint64_t seed);
void publications_reach_every_reader(fmpl::npb::Communication& communication, std::uint64_t seed);
void what_was_published_stays_until_the_ranks_meet(fmpl::npb::Communication& communication, std::uint64_t seed);
void what_was_published_stays_until_its_last_reader_leaves(fmpl::npb::Communication& communication, std::uint64_t seed);
void long_blocks_arrive(fmpl::npb::Communication& communication, std::uint64_t seed);
void subgroups_do_not_disturb_each_other(fmpl::npb::Communication& communication, std::uint64_t seed);
void too_much_for_a_landing_area_is_an_error(fmpl::npb::Communication& communication, std::uint64_t seed);
void memory_is_aligned_and_apart(fmpl::npb::Communication& communication, std::uint64_t seed);
void the_time_of_calls_is_counted(fmpl::npb::Communication& communication, std::uint64_t seed);

struct Case {
    const char* name;
    void (*run)(fmpl::npb::Communication& communication, std::uint64_t seed);
};
inline constexpr Case kCases[] = {
    {"CollectiveCallsAgreeWithAPlainLoop", collective_calls_agree_with_a_plain_loop},
    {"ReductionsGiveAllRanksTheSameBits", reductions_give_all_ranks_the_same_bits},
    {"MessagesLandInTheReceivesOfTheirIndex", messages_land_in_the_receives_of_their_index},
    {"MessagesOfAnIndexKeepTheirOrder", messages_of_an_index_keep_their_order},
    {"ExchangesDeliverEveryBlock", exchanges_deliver_every_block},
    {"TwoAreasKeepWhatHasLanded", two_areas_keep_what_has_landed},
    {"PublicationsReachEveryReader", publications_reach_every_reader},
    {"WhatWasPublishedStaysUntilTheRanksMeet", what_was_published_stays_until_the_ranks_meet},
    {"WhatWasPublishedStaysUntilItsLastReaderLeaves", what_was_published_stays_until_its_last_reader_leaves},
    {"LongBlocksArrive", long_blocks_arrive},
    {"SubgroupsDoNotDisturbEachOther", subgroups_do_not_disturb_each_other},
    {"TooMuchForALandingAreaIsAnError", too_much_for_a_landing_area_is_an_error},
    {"MemoryIsAlignedAndApart", memory_is_aligned_and_apart},
    {"TheTimeOfCallsIsCounted", the_time_of_calls_is_counted},
};

}  // namespace npb_test
