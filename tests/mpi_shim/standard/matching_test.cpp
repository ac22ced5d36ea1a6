// MPI-3.1, sections 3.2.4, 3.5 and 3.7.4: which message goes into which receive, in which order, and that it comes at
// all.
#include "message.hpp"
#include "mpi_test.hpp"
#include "protocol_sizes.hpp"

#include <algorithm>
#include <deque>
#include <memory>
#include <numeric>
#include <random>
#include <string>

namespace mpi_test {
namespace {

constexpr int kTag = 21;
constexpr int kNote = 22;

struct Pending {
    std::vector<Message> messages;
    std::vector<MPI_Request> requests;

    void send(std::size_t bytes, std::uint64_t key, int dest, int tag, MPI_Comm comm = MPI_COMM_WORLD)
    {
        messages.emplace_back(bytes, key);
        requests.push_back(MPI_REQUEST_NULL);
        MPI_Isend(messages.back().data(), messages.back().count(), MPI_BYTE, dest, tag, comm, &requests.back());
    }
    void receive(std::size_t bytes, int source, int tag, MPI_Comm comm = MPI_COMM_WORLD)
    {
        messages.emplace_back(bytes);
        requests.push_back(MPI_REQUEST_NULL);
        MPI_Irecv(messages.back().data(), messages.back().count(), MPI_BYTE, source, tag, comm, &requests.back());
    }
    std::vector<MPI_Status> wait()
    {
        std::vector<MPI_Status> statuses(requests.size());
        MPI_Waitall(static_cast<int>(requests.size()), requests.data(), statuses.data());
        return statuses;
    }
};

std::size_t random_size(std::mt19937_64& random)
{
    static constexpr std::size_t kTable[] = {0, 1, 8, 24, 31, 40, 48, 64, 65, 200, 1024, 5000, 8192, 20000, 65537};
    return kTable[random() % std::size(kTable)];
}

std::mt19937_64 random_of(int sender)
{
    return std::mt19937_64(seed() * 1000003 + static_cast<std::uint64_t>(sender));
}

std::uint64_t key_of(int sender, int i)
{
    return static_cast<std::uint64_t>(sender) * 1000000 + static_cast<std::uint64_t>(i);
}

MPI_TEST(Order, MessagesOfAPairWithOneTagAreReceivedInTheOrderOfTheirSends)
{
    constexpr int kMessages = 150;
    for (const bool receives_first : {false, true}) {
        Pending in;
        if (receives_first) {
            for (int i = 0; i < kMessages; ++i) in.receive(65537, left(), kTag);
        }
        Pending out;
        std::mt19937_64 random = random_of(rank());
        for (int i = 0; i < kMessages; ++i) out.send(random_size(random), key_of(rank(), i), right(), kTag);
        if (!receives_first) {
            for (int i = 0; i < kMessages; ++i) in.receive(65537, left(), kTag);
        }
        in.wait();
        std::mt19937_64 theirs = random_of(left());
        for (int i = 0; i < kMessages; ++i) {
            EXPECT_TRUE(in.messages[static_cast<std::size_t>(i)].begins_with(key_of(left(), i), random_size(theirs)))
                << "message " << i << ", FMPL_TEST_SEED=" << seed();
        }
        out.wait();
    }
}

MPI_TEST(Order, ATagThatIsReceivedLaterKeepsItsOrder)
{
    constexpr int kMessages = 60;
    constexpr int kTags = 3;
    Pending out;
    for (int i = 0; i < kMessages; ++i) {
        out.send(static_cast<std::size_t>(i % 7) * 1500, key_of(rank(), i), right(), kTag + i % kTags);
    }
    for (int tag = kTags - 1; tag >= 0; --tag) {
        for (int i = tag; i < kMessages; i += kTags) {
            const std::size_t bytes = static_cast<std::size_t>(i % 7) * 1500;
            Message in(10000);
            MPI_Recv(in.data(), in.count(), MPI_BYTE, left(), kTag + tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            EXPECT_TRUE(in.begins_with(key_of(left(), i), bytes)) << "message " << i;
        }
    }
    out.wait();
}

// What every rank sends to rank 0, itself included, comes in its order from each of them.
void expect_order_from_each(bool any_source, bool any_tag)
{
    constexpr int kMessages = 60;
    std::mt19937_64 random = random_of(rank());
    Pending out;
    for (int i = 0; i < kMessages; ++i) {
        out.send(random_size(random), key_of(rank(), i), 0, any_tag ? kTag + i % 5 : kTag);
    }
    if (rank() == 0) {
        std::vector<int> received(static_cast<std::size_t>(size()), 0);
        std::vector<std::mt19937_64> randoms;
        for (int r = 0; r < size(); ++r) randoms.push_back(random_of(r));
        for (int k = 0; k < kMessages * size(); ++k) {
            Message in(65537);
            MPI_Status status;
            MPI_Recv(in.data(), in.count(), MPI_BYTE, any_source ? MPI_ANY_SOURCE : k / kMessages,
                any_tag ? MPI_ANY_TAG : kTag, MPI_COMM_WORLD, &status);
            REQUIRE(status.MPI_SOURCE >= 0 && status.MPI_SOURCE < size());
            const auto source = static_cast<std::size_t>(status.MPI_SOURCE);
            const int i = received[source]++;
            const std::size_t bytes = random_size(randoms[source]);
            int count = -1;
            MPI_Get_count(&status, MPI_BYTE, &count);
            EXPECT_EQ(count, static_cast<int>(bytes));
            EXPECT_EQ(status.MPI_TAG, any_tag ? kTag + i % 5 : kTag);
            EXPECT_TRUE(in.begins_with(key_of(status.MPI_SOURCE, i), bytes))
                << "message " << i << " of rank " << source << ", FMPL_TEST_SEED=" << seed();
        }
        EXPECT_EQ(received, std::vector<int>(static_cast<std::size_t>(size()), kMessages));
    }
    out.wait();
    MPI_Barrier(MPI_COMM_WORLD);
}

MPI_TEST(Wildcards, AnySourceTakesFromEachSourceInOrder)
{
    expect_order_from_each(true, false);
}
MPI_TEST(Wildcards, AnyTagTakesAllTagsInOrder)
{
    expect_order_from_each(false, true);
}
MPI_TEST(Wildcards, AnySourceAndAnyTagTakeEverythingInOrder)
{
    expect_order_from_each(true, true);
}

MPI_TEST(Wildcards, AMessageGoesToTheReceivePostedFirst)
{
    struct Receive {
        int source;
        int tag;
        int message;
    };
    // Tags 5, 5, 7, 5, 9 come from the left neighbour.
    const Receive receives[] = {{left(), MPI_ANY_TAG, 0}, {left(), 5, 1}, {MPI_ANY_SOURCE, 5, 3},
        {MPI_ANY_SOURCE, MPI_ANY_TAG, 2}, {left(), 9, 4}};
    const int tags[] = {5, 5, 7, 5, 9};
    for (const std::size_t bytes : {std::size_t{4}, std::size_t{kRendezvous}}) {
        Pending in;
        for (const Receive& r : receives) in.receive(bytes, r.source, r.tag);
        MPI_Barrier(MPI_COMM_WORLD);
        Pending out;
        for (int i = 0; i < 5; ++i) out.send(bytes, key_of(rank(), i), right(), tags[i]);
        const std::vector<MPI_Status> statuses = in.wait();
        for (std::size_t k = 0; k < std::size(receives); ++k) {
            EXPECT_EQ(statuses[k].MPI_TAG, tags[receives[k].message]) << "receive " << k;
            EXPECT_EQ(statuses[k].MPI_SOURCE, left());
            EXPECT_TRUE(in.messages[k].holds(key_of(left(), receives[k].message))) << "receive " << k;
        }
        out.wait();
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

// Which message each receive gets is determined when all messages come from one sender: a message goes to the first
// receive posted that matches, a receive takes the first message sent that matches.
struct Matching {
    std::vector<int> message_tags;
    std::vector<int> receive_tags;      // or MPI_ANY_TAG
    std::vector<int> message_of;        // for each receive
    std::vector<bool> from_any_source;  // for each receive

    static constexpr int kNobody = -1;

    explicit Matching(std::mt19937_64& random)
    {
        const auto count = 20 + random() % 60;
        for (std::uint64_t i = 0; i < count; ++i) {
            message_tags.push_back(static_cast<int>(random() % 4));
            receive_tags.push_back(random() % 3 == 0 ? MPI_ANY_TAG : static_cast<int>(random() % 4));
        }
        match();
        // What is left over gets a partner at the end.
        for (std::size_t r = 0; r < receive_tags.size(); ++r) {
            if (message_of[r] != kNobody) continue;
            message_tags.push_back(receive_tags[r] == MPI_ANY_TAG ? 0 : receive_tags[r]);
            match();
        }
        for (std::size_t m = 0; m < message_tags.size(); ++m) {
            if (std::find(message_of.begin(), message_of.end(), static_cast<int>(m)) != message_of.end()) continue;
            receive_tags.push_back(message_tags[m]);
            match();
        }
        for (std::size_t r = 0; r < receive_tags.size(); ++r) from_any_source.push_back(random() % 3 == 0);
    }

    void match()
    {
        message_of.assign(receive_tags.size(), kNobody);
        for (std::size_t m = 0; m < message_tags.size(); ++m) {
            for (std::size_t r = 0; r < receive_tags.size(); ++r) {
                const bool fits = receive_tags[r] == MPI_ANY_TAG || receive_tags[r] == message_tags[m];
                if (message_of[r] == kNobody && fits) {
                    message_of[r] = static_cast<int>(m);
                    break;
                }
            }
        }
    }
};

MPI_TEST(Wildcards, RandomReceivesGetTheMessagesThatTheOrderOfBothSidesGivesThem)
{
    for (int round = 0; round < 12; ++round) {
        std::mt19937_64 random(seed() + static_cast<std::uint64_t>(round));  // the same on all ranks
        const Matching matching(random);
        REQUIRE(std::find(matching.message_of.begin(), matching.message_of.end(), Matching::kNobody) ==
                matching.message_of.end());
        Pending out;
        Pending in;
        const auto send_all = [&] {
            for (std::size_t m = 0; m < matching.message_tags.size(); ++m) {
                const std::size_t bytes = (m * 37 + static_cast<std::size_t>(round)) % 5 == 0 ? 70000 : m % 90;
                out.send(bytes, key_of(rank(), static_cast<int>(m)), right(), matching.message_tags[m]);
            }
        };
        const auto receive_all = [&] {
            for (std::size_t r = 0; r < matching.receive_tags.size(); ++r) {
                in.receive(70000, matching.from_any_source[r] ? MPI_ANY_SOURCE : left(), matching.receive_tags[r]);
            }
        };
        // Before, after, and mixed with the arrivals.
        if (round % 3 == 0) receive_all();
        if (round % 3 != 1) MPI_Barrier(MPI_COMM_WORLD);
        send_all();
        if (round % 3 == 1) MPI_Barrier(MPI_COMM_WORLD);
        if (round % 3 != 0) receive_all();
        const std::vector<MPI_Status> statuses = in.wait();
        for (std::size_t r = 0; r < matching.receive_tags.size(); ++r) {
            const auto m = static_cast<std::size_t>(matching.message_of[r]);
            const std::size_t bytes = (m * 37 + static_cast<std::size_t>(round)) % 5 == 0 ? 70000 : m % 90;
            EXPECT_EQ(statuses[r].MPI_TAG, matching.message_tags[m]);
            EXPECT_TRUE(in.messages[r].begins_with(key_of(left(), static_cast<int>(m)), bytes))
                << "receive " << r << " of round " << round << ", FMPL_TEST_SEED=" << seed();
        }
        out.wait();
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

MPI_TEST(Matching, ThousandsOfReceivesAreFilledInTheWorstOrder)
{
    const int n = size() <= 2 ? 3000 : 500;
    std::vector<int> in(static_cast<std::size_t>(n), -1);
    std::vector<MPI_Request> receives(static_cast<std::size_t>(n), MPI_REQUEST_NULL);
    for (int i = 0; i < n; ++i) {
        MPI_Irecv(&in[static_cast<std::size_t>(i)], 1, MPI_INT, left(), i, MPI_COMM_WORLD,
            &receives[static_cast<std::size_t>(i)]);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    std::vector<int> out(static_cast<std::size_t>(n));
    std::iota(out.begin(), out.end(), 1000 * rank());
    std::vector<MPI_Request> sends(static_cast<std::size_t>(n), MPI_REQUEST_NULL);
    for (int i = n - 1; i >= 0; --i) {
        MPI_Isend(&out[static_cast<std::size_t>(i)], 1, MPI_INT, right(), i, MPI_COMM_WORLD,
            &sends[static_cast<std::size_t>(i)]);
    }
    std::vector<MPI_Status> statuses(static_cast<std::size_t>(n));
    MPI_Waitall(n, receives.data(), statuses.data());
    MPI_Waitall(n, sends.data(), MPI_STATUSES_IGNORE);
    for (int i = 0; i < n; ++i) {
        EXPECT_EQ(in[static_cast<std::size_t>(i)], 1000 * left() + i);
        EXPECT_EQ(statuses[static_cast<std::size_t>(i)].MPI_TAG, i);
    }
}

MPI_TEST(Matching, ThousandsOfEarlyMessagesAreReceivedInTheWorstOrder)
{
    const int n = size() <= 2 ? 3000 : 500;
    std::vector<int> out(static_cast<std::size_t>(n));
    std::iota(out.begin(), out.end(), 1000 * rank());
    std::vector<MPI_Request> sends(static_cast<std::size_t>(n), MPI_REQUEST_NULL);
    for (int i = 0; i < n; ++i) {
        MPI_Isend(&out[static_cast<std::size_t>(i)], 1, MPI_INT, right(), i, MPI_COMM_WORLD,
            &sends[static_cast<std::size_t>(i)]);
    }
    for (int i = n - 1; i >= 0; --i) {
        int in = -1;
        MPI_Recv(&in, 1, MPI_INT, left(), i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        EXPECT_EQ(in, 1000 * left() + i);
    }
    MPI_Waitall(n, sends.data(), MPI_STATUSES_IGNORE);
}

// Receives and messages of a rank with itself, beside queues of both as the standard has them.
class OwnMessages {
public:
    void post(int tag)
    {
        auto receive = std::make_unique<Receive>();
        receive->tag = tag;
        MPI_Irecv(
            &receive->in, 1, MPI_INT, random_() % 2 == 0 ? MPI_ANY_SOURCE : 0, tag, MPI_COMM_SELF, &receive->request);
        const auto first = first_for(tag);
        if (first == come_.end()) {
            posted_.push_back(std::move(receive));
        } else {
            expect_got(*receive, *first);
            come_.erase(first);
        }
    }
    void send(int tag)
    {
        const Sent sent{++sent_, tag};
        MPI_Send(&sent.value, 1, MPI_INT, 0, tag, MPI_COMM_SELF);
        const auto first = std::ranges::find_if(
            posted_, [&](const auto& receive) { return receive->tag == tag || receive->tag == MPI_ANY_TAG; });
        if (first == posted_.end()) {
            come_.push_back(sent);
        } else {
            expect_got(**first, sent);
            posted_.erase(first);
        }
    }
    void probe(int tag)
    {
        int is_there = 0;
        MPI_Status status;
        MPI_Iprobe(MPI_ANY_SOURCE, tag, MPI_COMM_SELF, &is_there, &status);
        const auto first = first_for(tag);
        ASSERT_EQ(is_there != 0, first != come_.end());
        if (is_there != 0) {
            ASSERT_EQ(status.MPI_TAG, first->tag);
        }
    }
    void cancel_one()
    {
        if (posted_.empty()) return;
        const auto one = posted_.begin() + static_cast<std::ptrdiff_t>(random_() % posted_.size());
        MPI_Cancel(&(*one)->request);
        MPI_Status status;
        int cancelled = 0;
        MPI_Wait(&(*one)->request, &status);
        MPI_Test_cancelled(&status, &cancelled);
        ASSERT_NE(cancelled, 0);
        posted_.erase(one);
    }
    void end()
    {
        while (!posted_.empty()) cancel_one();
        while (!come_.empty()) post(MPI_ANY_TAG);
    }

private:
    struct Receive {
        int in = 0;
        int tag = 0;
        MPI_Request request = MPI_REQUEST_NULL;
    };
    struct Sent {
        int value;
        int tag;
    };
    std::deque<Sent>::iterator first_for(int tag)
    {
        return std::ranges::find_if(come_, [&](const Sent& sent) { return sent.tag == tag || tag == MPI_ANY_TAG; });
    }
    static void expect_got(Receive& receive, const Sent& sent)
    {
        int done = 0;
        MPI_Status status;
        MPI_Test(&receive.request, &done, &status);
        ASSERT_NE(done, 0);
        ASSERT_EQ(receive.in, sent.value);
        ASSERT_EQ(status.MPI_TAG, sent.tag);
    }

    std::mt19937_64 random_{seed()};
    std::deque<std::unique_ptr<Receive>> posted_;
    std::deque<Sent> come_;
    int sent_ = 0;
};

// In a row that matches in order, and in any other; many receives outstanding, then many messages.
MPI_TEST_AT(Matching, ReceivesMessagesProbesAndCancelsInAnyOrder, ({1}))
{
    std::mt19937_64 random(seed() + 1);
    for (int phase = 0; phase < 200 && !::testing::Test::HasFatalFailure(); ++phase) {
        OwnMessages own;
        const unsigned tags = 1 + static_cast<unsigned>(random() % 4);
        const unsigned posts = 1 + static_cast<unsigned>(random() % 8);
        const bool any = random() % 2 == 0;
        for (int i = 0; i < 300; ++i) {
            const int tag = static_cast<int>(random() % tags);
            const int wanted = any && random() % 4 == 0 ? MPI_ANY_TAG : tag;
            const auto what = static_cast<unsigned>(random() % 10);
            if (random() % 16 == 0) {
                what < 5 ? own.cancel_one() : own.probe(wanted);
            } else {
                what < posts ? own.post(wanted) : own.send(tag);
            }
        }
        own.end();
    }
}

// Section 3.5, progress: a send and a receive that match complete whatever else is under way. The note is received
// before any message of the flood.
void flood(int messages, std::size_t bytes)
{
    Message note(1);
    MPI_Request noted = MPI_REQUEST_NULL;
    std::vector<MPI_Request> sends(static_cast<std::size_t>(messages), MPI_REQUEST_NULL);
    const Message out(bytes, static_cast<std::uint64_t>(rank()));
    if (rank() != 0) {
        for (MPI_Request& send : sends) {
            MPI_Isend(out.data(), out.count(), MPI_BYTE, 0, kTag, MPI_COMM_WORLD, &send);
        }
        MPI_Isend(note.data(), 1, MPI_BYTE, 0, kNote, MPI_COMM_WORLD, &noted);
        MPI_Waitall(messages, sends.data(), MPI_STATUSES_IGNORE);
        MPI_Wait(&noted, MPI_STATUS_IGNORE);
    } else {
        for (int r = 1; r < size(); ++r) {
            MPI_Recv(note.data(), 1, MPI_BYTE, r, kNote, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
        for (int r = size() - 1; r > 0; --r) {
            for (int i = 0; i < messages; ++i) {
                Message in(bytes);
                MPI_Recv(in.data(), in.count(), MPI_BYTE, r, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                if (!in.holds(static_cast<std::uint64_t>(r))) ADD_FAILURE() << "message " << i << " of rank " << r;
            }
        }
    }
}

MPI_TEST_AT(Flood, TwentyThousandEarlySmallMessagesHinderNoOther, ({2, 4}))
{
    flood(20000 / (size() - 1), 4);
}
MPI_TEST_AT(Flood, EarlyMessagesOfAKilobyteHinderNoOther, ({2, 4}))
{
    flood(6000 / (size() - 1), 1000);
}
MPI_TEST_AT(Flood, TwoHundredEarlyLongMessagesHinderNoOther, ({2, 4}))
{
    flood(200 / (size() - 1), 100000);
}

MPI_TEST_AT(Flood, BothSidesFloodEachOther, ({2, 4}))
{
    constexpr int kMessages = 3000;
    const Message out(500, static_cast<std::uint64_t>(rank()));
    std::vector<MPI_Request> sends(kMessages, MPI_REQUEST_NULL);
    for (MPI_Request& send : sends) MPI_Isend(out.data(), out.count(), MPI_BYTE, right(), kTag, MPI_COMM_WORLD, &send);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < kMessages; ++i) {
        Message in(500);
        MPI_Recv(in.data(), in.count(), MPI_BYTE, left(), kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (!in.holds(static_cast<std::uint64_t>(left()))) ADD_FAILURE() << "message " << i;
    }
    MPI_Waitall(kMessages, sends.data(), MPI_STATUSES_IGNORE);
}

// Section 3.2.3: messages of different communicators never match.
MPI_TEST(Communicators, AMessageIsReceivedInItsOwnCommunicator)
{
    MPI_Comm other = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    for (const std::size_t bytes : {std::size_t{8}, std::size_t{100000}}) {
        Pending out;
        out.send(bytes, 1, right(), kTag, MPI_COMM_WORLD);
        out.send(bytes, 2, right(), kTag, other);
        Message in(bytes);
        MPI_Status status;
        MPI_Recv(in.data(), in.count(), MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, other, &status);
        EXPECT_TRUE(in.holds(2));
        EXPECT_EQ(status.MPI_SOURCE, left());
        MPI_Recv(in.data(), in.count(), MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        EXPECT_TRUE(in.holds(1));
        out.wait();
    }
    MPI_Comm_free(&other);
}

MPI_TEST(Communicators, APostedReceiveLeavesTheMessagesOfOtherCommunicators)
{
    MPI_Comm other = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    Pending in;
    in.receive(8, MPI_ANY_SOURCE, MPI_ANY_TAG, other);
    in.receive(8, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    Pending out;
    out.send(8, 1, right(), kTag, MPI_COMM_WORLD);
    MPI_Wait(&in.requests[1], MPI_STATUS_IGNORE);
    EXPECT_TRUE(in.messages[1].holds(1));
    int flag = -1;
    MPI_Test(&in.requests[0], &flag, MPI_STATUS_IGNORE);
    EXPECT_EQ(flag, 0);
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, other, &flag, MPI_STATUS_IGNORE);
    EXPECT_EQ(flag, 0);
    MPI_Barrier(MPI_COMM_WORLD);
    out.send(8, 2, right(), kTag, other);
    in.wait();
    EXPECT_TRUE(in.messages[0].holds(2));
    out.wait();
    MPI_Comm_free(&other);
}

MPI_TEST(Communicators, SourcesAreRanksOfTheCommunicator)
{
    MPI_Comm reversed = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank(), &reversed);
    int me = -1;
    MPI_Comm_rank(reversed, &me);
    EXPECT_EQ(me, size() - 1 - rank());
    Pending out;
    out.send(40, static_cast<std::uint64_t>(me), (me + 1) % size(), kTag, reversed);
    const int source = (me + size() - 1) % size();
    for (const bool any : {false, true}) {
        Message in(40);
        MPI_Status status;
        MPI_Recv(in.data(), in.count(), MPI_BYTE, any ? MPI_ANY_SOURCE : source, kTag, reversed, &status);
        EXPECT_EQ(status.MPI_SOURCE, source);
        EXPECT_TRUE(in.holds(static_cast<std::uint64_t>(source)));
        if (!any) out.send(40, static_cast<std::uint64_t>(me), (me + 1) % size(), kTag, reversed);
    }
    out.wait();
    MPI_Comm_free(&reversed);
}

MPI_TEST_AT(Communicators, AMessageToAFreedCommunicatorsReceiveStillArrives, ({2, 4}))
{
    MPI_Comm other = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    Pending in;
    Pending out;
    in.receive(100000, left(), kTag, other);
    out.send(100000, 5, right(), kTag, other);
    MPI_Comm_free(&other);  // section 6.4.3: pending communication completes normally
    EXPECT_EQ(other, MPI_COMM_NULL);
    in.wait();
    out.wait();
    EXPECT_TRUE(in.messages[0].holds(5));
}

// Section 3.7.4: a rank inside another MPI call makes its pending communication progress.
MPI_TEST_AT(Progress, ALongSendCompletesWhileTheSenderIsInABarrier, ({2, 4}))
{
    Pending out;
    if (rank() == 0) out.send(kLong, 1, 1, kTag);
    if (rank() == 1) {
        Message in(kLong);
        MPI_Recv(in.data(), in.count(), MPI_BYTE, 0, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        EXPECT_TRUE(in.holds(1));
    }
    MPI_Barrier(MPI_COMM_WORLD);
    out.wait();
}

MPI_TEST_AT(Progress, ALongSendCompletesWhileTheSenderReceivesOrProbes, ({2}))
{
    for (const bool probes : {false, true}) {
        Pending out;
        if (rank() == 0) {
            out.send(kLong, 1, 1, kTag);
            if (probes) MPI_Probe(1, kNote, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Recv(nullptr, 0, MPI_BYTE, 1, kNote, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            out.wait();
        } else {
            Message in(kLong);
            MPI_Recv(in.data(), in.count(), MPI_BYTE, 0, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            EXPECT_TRUE(in.holds(1));
            MPI_Send(nullptr, 0, MPI_BYTE, 0, kNote, MPI_COMM_WORLD);
        }
    }
}

MPI_TEST_AT(Progress, ALongReceiveCompletesWhileTheReceiverIsInABarrier, ({2, 4}))
{
    Pending in;
    if (rank() == 1) in.receive(kLong, 0, kTag);
    if (rank() == 0) {
        const Message out(kLong, 1);
        MPI_Ssend(out.data(), out.count(), MPI_BYTE, 1, kTag, MPI_COMM_WORLD);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    in.wait();
    if (rank() == 1) {
        EXPECT_TRUE(in.messages[0].holds(1));
    }
}

MPI_TEST(Progress, TestAloneCompletesALongExchange)
{
    Pending in;
    Pending out;
    const std::size_t bytes = long_size();
    in.receive(bytes, left(), kTag);
    out.send(bytes, static_cast<std::uint64_t>(rank()), right(), kTag);
    int received = 0;
    int sent = 0;
    while (received == 0 || sent == 0) {
        if (received == 0) MPI_Test(in.requests.data(), &received, MPI_STATUS_IGNORE);
        if (sent == 0) MPI_Test(out.requests.data(), &sent, MPI_STATUS_IGNORE);
    }
    EXPECT_TRUE(in.messages[0].holds(static_cast<std::uint64_t>(left())));
}

MPI_TEST(Progress, EveryRankSendsALongMessageToEveryRank)
{
    Pending in;
    Pending out;
    constexpr std::size_t kBytes = 150000;
    for (int r = 0; r < size(); ++r) {
        in.receive(kBytes, r, kTag);
        out.send(kBytes, key_of(rank(), r), r, kTag);
    }
    in.wait();
    for (int r = 0; r < size(); ++r) {
        EXPECT_TRUE(in.messages[static_cast<std::size_t>(r)].holds(key_of(r, rank()))) << "from rank " << r;
    }
    out.wait();
}

}  // namespace
}  // namespace mpi_test
