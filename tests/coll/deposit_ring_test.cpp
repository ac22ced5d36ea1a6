// The ring in which a rank lays down longer operands of reductions.
#include "coll/reduce/deposit_ring.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <random>
#include <utility>

namespace {

using namespace fmpl;

struct Operand {
    std::uint64_t use;
    std::size_t place, bytes;
};

TEST(DepositRing, OperandsThatAreStillReadStayWhereTheyAre)
{
    std::mt19937_64 random(29);
    for (int ranks_of_cpu = 1; ranks_of_cpu <= 20; ++ranks_of_cpu) {
        DepositRing ring(ranks_of_cpu);
        const std::size_t longest = ring.longest();
        EXPECT_GE(longest, kDepositBytes);
        std::deque<Operand> read;
        std::size_t fixed = 0;
        std::size_t most = 0;
        for (std::uint64_t use = 0; use < 4000; ++use) {
            if (use % 50 == 0) fixed = random() % 3 == 0 ? 0 : random() % 3 == 0 ? longest : 1 + random() % longest;
            const std::size_t bytes = fixed != 0 ? fixed : random() % 4 == 0 ? 0 : 1 + random() % longest;
            ring.take(use, bytes);
            while (!read.empty() && (read.size() >= kReduceSlots || ring.overlaps(read.front().use))) read.pop_front();
            const Operand own{use, ring.place(use), bytes};
            EXPECT_EQ(own.place % kLine, 0u) << ranks_of_cpu << " ranks of a CPU, " << bytes << " bytes";
            EXPECT_LE(own.place + bytes, ring.bytes());
            for (const Operand& other : read) {
                EXPECT_TRUE(own.place + bytes <= other.place || other.place + other.bytes <= own.place || bytes == 0)
                    << "use " << use << " over " << other.use;
            }
            read.push_back(own);
            if (fixed == longest) most = std::max(most, read.size());
            if (HasFailure()) return;
        }
        EXPECT_GE(most, 2u);
    }
}

// Else each of two members, which both lay down their parts of an allreduce, might wait for the other's part.
TEST(DepositRing, OfTwoMembersAnOperandNeedsNoRoomOfTheLastUse)
{
    std::mt19937_64 random(31);
    for (const auto& [ranks_of_cpu, arena_bytes] : {std::pair(1, std::size_t{0}), {1, std::size_t{1} << 40}, {2, 0}}) {
        DepositRing ring(ranks_of_cpu, arena_bytes);
        const std::size_t longest = ring.longest_of_two();
        EXPECT_GE(longest, kDepositBytes);
        if (ring.bytes() > DepositRing::kMostBytes) {
            EXPECT_GT(longest, DepositRing::kLongest);
        }
        for (std::uint64_t use = 0; use < 4000; ++use) {
            ring.take(use, random() % 4 == 0 ? longest : random() % (longest + 1));
            ASSERT_FALSE(use > 0 && ring.overlaps(use - 1))
                << "use " << use << ", " << ranks_of_cpu << " ranks of a CPU, arenas of " << arena_bytes << " bytes";
        }
    }
}

}  // namespace
