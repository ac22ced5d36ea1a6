// OfferChance: offers go on while they are taken, and become rare while they are left.
#include "p2p/offer_chance.hpp"

#include <gtest/gtest.h>

namespace {

using fmpl::OfferChance;

// Offers among so many messages, each ended the same way.
int offers_of(OfferChance& chance, int messages, bool taken)
{
    int offers = 0;
    for (int i = 0; i < messages; ++i) {
        if (!chance.is_worth_it()) continue;
        ++offers;
        if (taken) chance.was_taken();
        else chance.was_left();
    }
    return offers;
}

TEST(OfferChance, EachMessageIsOfferedWhileOffersAreTaken)
{
    OfferChance chance;
    EXPECT_EQ(offers_of(chance, 100, true), 100);
}

TEST(OfferChance, AfterEachOfferThatIsLeftTwiceAsManyGoAnotherWay)
{
    OfferChance chance;
    // An offer, then 2, 4, 8 ... 128 messages that are none, and an offer after each.
    EXPECT_EQ(offers_of(chance, 1 + 2 + 1 + 4 + 1 + 8 + 1, false), 4);
    EXPECT_EQ(offers_of(chance, 16 + 1 + 32 + 1 + 64 + 1 + 128 + 1, false), 4);
    // And no rarer than this.
    const int period = 1 + (1 << OfferChance::kLongest);
    EXPECT_EQ(offers_of(chance, 10 * period, false), 10);
}

TEST(OfferChance, OneThatIsTakenLetsTheNextBeOffered)
{
    OfferChance chance;
    EXPECT_EQ(offers_of(chance, 1 + 2 + 1, false), 2);
    EXPECT_EQ(offers_of(chance, 4, true), 0);
    EXPECT_EQ(offers_of(chance, 50, true), 50);
}

// A channel whose destination is busy every other time does not settle on offers.
TEST(OfferChance, HalfOfThemLeftIsTooMany)
{
    OfferChance chance;
    int offers = 0;
    for (int i = 0; i < 10'000; ++i) {
        if (!chance.is_worth_it()) continue;
        if (++offers % 2 == 0) chance.was_taken();
        else chance.was_left();
    }
    EXPECT_LT(offers, 10'000 * 2 / 3);
}

}  // namespace
