// What the full verification finds.
#include "is/full_verification.hpp"

#include "support/ranks_test.hpp"

#include <vector>

namespace {

using namespace fmpl::npb;
using namespace fmpl::npb::is;
using fmpl_test::rank;
using fmpl_test::size;

// 100 keys of each rank: twice each of 50 successive values, in order over the ranks.
std::vector<Key> ordered_keys()
{
    std::vector<Key> keys;
    for (Key i = 0; i < 100; ++i) keys.push_back(static_cast<Key>(rank()) * 50 + i / 2);
    return keys;
}

FMPL_RANKS_TEST(FullVerification, FindsOrderedKeysInOrder)
{
    const auto communication = Communication::join();
    const FullVerification found = verify_fully(ordered_keys(), communication->world());
    EXPECT_EQ(found.keys, 100 * size());
    EXPECT_EQ(found.out_of_order, 0);
}

FMPL_RANKS_TEST(FullVerification, CountsKeysOutOfOrderWithinARank)
{
    const auto communication = Communication::join();
    std::vector<Key> keys = ordered_keys();
    if (rank() == size() - 1) std::swap(keys[10], keys[12]);
    EXPECT_EQ(verify_fully(keys, communication->world()).out_of_order, 1);
}

FMPL_RANKS_TEST_AT(FullVerification, SeesRanksOutOfOrderPastOneWithoutKeys, ({3, 4, 7}))
{
    const auto communication = Communication::join();
    std::vector<Key> keys = ordered_keys();
    if (rank() == 1) keys.clear();
    EXPECT_EQ(verify_fully(keys, communication->world()).out_of_order, 0);
    if (rank() == 0) keys.back() = 101;
    EXPECT_EQ(verify_fully(keys, communication->world()).out_of_order, 1);
}

FMPL_RANKS_TEST(FullVerification, DigestTellsAnAlteredKeyAndNotTheOrder)
{
    const auto communication = Communication::join();
    Group& world = communication->world();
    std::vector<Key> keys = ordered_keys();
    const std::int64_t before = verify_fully(keys, world).digest;
    std::swap(keys.front(), keys.back());
    EXPECT_EQ(verify_fully(keys, world).digest, before);
    if (rank() == 0) keys[50] += 1;
    EXPECT_NE(verify_fully(keys, world).digest, before);
}

}  // namespace
