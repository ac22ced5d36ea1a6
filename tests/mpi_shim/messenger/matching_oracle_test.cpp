// The model of matching, against all orders in which receives can be posted and messages come.
#include "mpi_shim/messenger/matching_oracle.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>
#include <set>
#include <string>

namespace {

using namespace mpi_test;

constexpr MatchKey from(int source, int tag)
{
    return {0, 0, source, tag};
}

// One order of events: queues of what is posted and of what has come, as the standard has them.
class Queues {
public:
    Queues(const std::vector<MatchKey>& receives, const std::vector<MatchKey>& messages)
        : receives_(receives),
          messages_(messages),
          matches(receives.size())
    {
    }
    void post(std::size_t r)
    {
        for (const std::size_t m : come_) {
            if (!receives_[r].takes(messages_[m])) continue;
            matches[r] = m;
            std::erase(come_, m);
            return;
        }
        posted_.push_back(r);
    }
    void come(std::size_t m)
    {
        for (const std::size_t r : posted_) {
            if (!receives_[r].takes(messages_[m])) continue;
            matches[r] = m;
            std::erase(posted_, r);
            return;
        }
        come_.push_back(m);
    }

private:
    const std::vector<MatchKey>& receives_;
    const std::vector<MatchKey>& messages_;
    std::vector<std::size_t> posted_;
    std::vector<std::size_t> come_;

public:
    Matches matches;
};

// Calls visit(matches, posted) for every order: receives in theirs, messages of each source in theirs. posted: how
// many receives there were before the first message.
class AllOrders {
public:
    using Visit = std::function<void(const Matches&, std::size_t posted)>;

    AllOrders(const std::vector<MatchKey>& receives, const std::vector<MatchKey>& messages, Visit visit)
        : receives_(receives),
          messages_(messages),
          visit_(std::move(visit))
    {
        std::vector<bool> come(messages.size());
        go_on(Queues(receives, messages), 0, come, std::nullopt);
    }

private:
    void go_on(
        const Queues& queues, std::size_t posted, std::vector<bool>& come, std::optional<std::size_t> before_first)
    {
        bool any = false;
        if (posted < receives_.size()) {
            Queues next = queues;
            next.post(posted);
            go_on(next, posted + 1, come, before_first);
            any = true;
        }
        std::set<int> sources;  // whose next message has been looked at
        for (std::size_t m = 0; m < messages_.size(); ++m) {
            if (come[m] || !sources.insert(messages_[m].source).second) continue;
            Queues next = queues;
            next.come(m);
            come[m] = true;
            go_on(next, posted, come, before_first.value_or(posted));
            come[m] = false;
            any = true;
        }
        if (!any) visit_(queues.matches, before_first.value_or(posted));
    }

    const std::vector<MatchKey>& receives_;
    const std::vector<MatchKey>& messages_;
    Visit visit_;
};

struct Case {
    std::vector<MatchKey> receives;
    std::vector<MatchKey> messages;
};

// any_source: whether receives may be by any source.
Case random_case(std::mt19937_64& random, bool any_source)
{
    Case one;
    const std::size_t n = 1 + random() % 4;
    for (std::size_t k = 0; k < n; ++k) {
        const int source = static_cast<int>(random() % 2);
        const int tag = static_cast<int>(random() % 2);
        one.messages.push_back(from(source, tag));
        one.receives.push_back(from(any_source && random() % 2 == 0 ? kAny : source, random() % 2 == 0 ? kAny : tag));
    }
    std::shuffle(one.receives.begin(), one.receives.end(), random);
    return one;
}

std::string words_of(const Case& one)
{
    std::string words;
    for (const auto* keys : {&one.receives, &one.messages}) {
        words += keys == &one.receives ? "receives" : "; messages";
        for (const MatchKey& key : *keys) words += " " + std::to_string(key.source) + "/" + std::to_string(key.tag);
    }
    return words;
}

TEST(MatchingOracle, TakesByCommunicatorReceiverSourceAndTag)
{
    EXPECT_TRUE(from(1, 2).takes(from(1, 2)));
    EXPECT_FALSE(from(1, 2).takes(from(1, 3)));
    EXPECT_FALSE(from(1, 2).takes(from(2, 2)));
    EXPECT_TRUE(from(kAny, 2).takes(from(7, 2)));
    EXPECT_FALSE(from(kAny, 2).takes(from(7, 1)));
    EXPECT_TRUE(from(3, kAny).takes(from(3, 9)));
    EXPECT_TRUE(from(kAny, kAny).takes(from(3, 9)));
    EXPECT_FALSE((MatchKey{1, 0, kAny, kAny}).takes(from(3, 9)));
    EXPECT_FALSE((MatchKey{0, 1, kAny, kAny}).takes(from(3, 9)));
}

TEST(MatchingOracle, AMessageGoesToTheFirstReceiveThatTakesIt)
{
    const std::vector<MatchKey> receives = {from(0, 1), from(0, kAny), from(0, 0)};
    const std::vector<MatchKey> messages = {from(0, 0), from(0, 1), from(0, 0)};
    EXPECT_EQ(messages_choose(receives, messages), (Matches{1, 0, 2}));
    EXPECT_EQ(receives_choose(receives, messages), (Matches{1, 0, 2}));
    // The wildcard takes the only one that the exact receive could get.
    const std::vector<MatchKey> two = {from(0, kAny), from(0, 1)};
    EXPECT_EQ(messages_choose(two, std::vector<MatchKey>{from(0, 1), from(0, 0)}), (Matches{0, std::nullopt}));
}

TEST(MatchingOracle, ExactReceivesGetTheirsInTurn)
{
    const std::vector<MatchKey> receives = {from(0, 1), from(0, 0), from(0, 1)};
    const std::vector<MatchKey> messages = {from(0, 0), from(0, 1), from(1, 1), from(0, 1)};
    EXPECT_EQ(candidates(receives, messages, 0), std::vector<std::size_t>{1});
    EXPECT_EQ(candidates(receives, messages, 1), std::vector<std::size_t>{0});
    EXPECT_EQ(candidates(receives, messages, 2), std::vector<std::size_t>{3});
    EXPECT_EQ(
        candidates(std::vector<MatchKey>{from(0, 1), from(0, kAny)}, messages, 0), (std::vector<std::size_t>{1, 3}));
    EXPECT_EQ(candidates(std::vector<MatchKey>{from(5, 1)}, messages, 0), std::vector<std::size_t>{});
}

TEST(MatchingOracle, AgreesWithTheQueuesInWhateverOrderThingsHappen)
{
    std::mt19937_64 random(1);
    for (int round = 0; round < 400; ++round) {
        const Case one = random_case(random, round % 2 == 0);
        SCOPED_TRACE(words_of(one));
        std::vector<std::set<std::size_t>> seen(one.receives.size());
        const bool by_source = std::none_of(
            one.receives.begin(), one.receives.end(), [](const MatchKey& key) { return key.source == kAny; });
        AllOrders(one.receives, one.messages, [&](const Matches& matches, std::size_t posted) {
            for (std::size_t r = 0; r < matches.size(); ++r) {
                if (matches[r]) seen[r].insert(*matches[r]);
            }
            if (posted == one.receives.size() && by_source) {
                EXPECT_EQ(matches, messages_choose(one.receives, one.messages));
            }
        });
        for (std::size_t r = 0; r < seen.size(); ++r) {
            const std::vector<std::size_t> possible = candidates(one.receives, one.messages, r);
            EXPECT_TRUE(std::includes(possible.begin(), possible.end(), seen[r].begin(), seen[r].end()))
                << "receive " << r;
            if (possible.size() == 1 && !seen[r].empty()) {
                EXPECT_EQ(*seen[r].begin(), possible[0]) << "receive " << r;
            }
        }
        // All messages have come before.
        Queues late(one.receives, one.messages);
        for (std::size_t m = 0; m < one.messages.size(); ++m) late.come(m);
        for (std::size_t r = 0; r < one.receives.size(); ++r) late.post(r);
        EXPECT_EQ(late.matches, receives_choose(one.receives, one.messages));
    }
}

// With one form for all receives it is enough to know the sources of what they have got.
TEST(MatchingOracle, OfOneFormTheSourcesTellTheMessages)
{
    std::mt19937_64 random(2);
    for (int round = 0; round < 400; ++round) {
        Case one = random_case(random, false);
        const bool any_source = round % 2 == 0;
        const bool any_tag = round / 2 % 2 == 0;
        one.receives = one.messages;
        for (MatchKey& key : one.receives) key = from(any_source ? kAny : key.source, any_tag ? kAny : key.tag);
        SCOPED_TRACE(words_of(one));
        AllOrders(one.receives, one.messages, [&](const Matches& matches, std::size_t) {
            std::vector<MatchKey> resolved = one.receives;
            for (std::size_t r = 0; r < matches.size(); ++r) {
                ASSERT_TRUE(matches[r]) << "receive " << r;
                resolved[r].source = one.messages[*matches[r]].source;
            }
            EXPECT_EQ(matches, messages_choose(resolved, one.messages));
            EXPECT_EQ(matches, receives_choose(resolved, one.messages));
        });
    }
}

}  // namespace
