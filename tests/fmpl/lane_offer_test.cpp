// Messages of 73 bytes to 64 KiB that a blocking send offers in the lane: whoever claims one moves it, and whatever
// the other side does meanwhile, each arrives once, whole and in order.
#include "../support/guarded_buffer.hpp"

#include <fmpl/layers.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <random>
#include <vector>

namespace {

using namespace fmpl_test;

constexpr int kIndices = 40;
constexpr int kRandomIndices = 3;
constexpr unsigned char kRest = 0xEE;

// Offers are made between ranks that have a CPU each: as many as there are ranks are to be believed in.
RanksOptions with_cpus(std::vector<int> ranks)
{
    return {.ranks = std::move(ranks), .environment = {{"FMPL_CPUS", "16"}, {"FMPL_SPIN_US", "3"}}};
}

double seconds_since(std::chrono::steady_clock::time_point begin)
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// How one message of a round is sent and received; all ranks draw the same.
struct Message {
    enum class Receive { blocking, posted, any_index, too_short };
    std::size_t bytes;
    int index;
    bool send_block, receive_block;  // as columns with gaps
    Place source, target;
    Receive receive;
};

// Whole columns of 8 rows of doubles, in an array of 11 rows: any number of bytes that is a multiple of 64.
constexpr std::size_t kColumn = 64;
constexpr std::size_t kStride = 88;
fmpl_columns block_of(std::size_t bytes)
{
    return {kColumn, bytes / kColumn, kStride, 0, 0, static_cast<std::ptrdiff_t>(kColumn), 0};
}
std::size_t extent(const Message& m, bool block)
{
    return block ? m.bytes / kColumn * kStride : m.bytes;
}

Message draw_message(std::mt19937_64& common)
{
    constexpr std::size_t kLimits[] = {0, 8, 16, 17, 72, 73, 74, 127, 4096, 16384, 16385, 65535, 65536};
    Message m{};
    const bool is_limit = common() % 3 == 0;
    m.bytes = is_limit ? kLimits[common() % std::size(kLimits)] : common() % 2 == 0 ? common() % 600 : common() % 70000;
    if (common() % 3 == 0) m.bytes = (m.bytes + kColumn) / kColumn * kColumn;
    m.index = static_cast<int>(common() % kRandomIndices);
    m.send_block = m.bytes % kColumn == 0 && m.bytes > 0 && common() % 2 == 0;
    m.receive_block = m.bytes % kColumn == 0 && m.bytes > 0 && common() % 2 == 0;
    m.source = kPlaces[common() % 4 == 0 ? 1 : 0];
    m.target = kPlaces[common() % 4 == 0 ? 1 : 0];
    constexpr Message::Receive kReceives[] = {Message::Receive::blocking, Message::Receive::blocking,
        Message::Receive::posted, Message::Receive::any_index, Message::Receive::too_short};
    m.receive = kReceives[common() % std::size(kReceives)];
    if (m.receive == Message::Receive::too_short && (m.receive_block || m.bytes == 0)) {
        m.receive = Message::Receive::blocking;
    }
    if (m.receive == Message::Receive::posted) m.receive_block = false;
    return m;
}

void send(const Message& m, std::uint64_t key, int to)
{
    GuardedBuffer buffer(m.source, extent(m, m.send_block), 16);
    if (!m.send_block) {
        buffer.fill(key);
        REQUIRE_OK(fmpl_send(buffer.data(), m.bytes, to, m.index, FMPL_COMM_WORLD));
    } else {
        std::vector<unsigned char> message(m.bytes);
        fill_pattern(message.data(), m.bytes, key);
        for (std::size_t j = 0; j * kColumn < m.bytes; ++j) {
            std::copy_n(message.data() + j * kColumn, kColumn, buffer.data() + j * kStride);
        }
        const fmpl_columns columns = block_of(m.bytes);
        REQUIRE_OK(fmpl_send_columns(buffer.data(), &columns, to, m.index, FMPL_COMM_WORLD));
    }
    buffer.fill_byte(0x55);  // it is the caller's again
}

// A receive from before the wait for it to after it.
class Receiving {
public:
    Receiving(const Message& m, int from) : m_(m), from_(from), buffer_(m.target, extent(m, m.receive_block), 8)
    {
        buffer_.fill_byte(kRest);
        if (m_.receive != Message::Receive::posted) return;
        REQUIRE_OK(fmpl_irecv(buffer_.data(), m_.bytes, from_, m_.index, FMPL_COMM_WORLD));
    }

    void finish(std::uint64_t key)
    {
        const fmpl_columns columns = block_of(m_.bytes);
        switch (m_.receive) {
            case Message::Receive::posted:
                REQUIRE_OK(fmpl_irecv_wait(from_, m_.index, FMPL_COMM_WORLD));
                break;
            case Message::Receive::too_short: {
                const int code = fmpl_recv(buffer_.data(), m_.bytes - 1, from_, m_.index, FMPL_COMM_WORLD);
                EXPECT_EQ(code, FMPL_ERR_TRUNCATED);
                EXPECT_TRUE(buffer_.is_all(kRest)) << words();
                return;
            }
            case Message::Receive::any_index:
                // The earliest under way: the source may be some messages ahead by way of its send buffer.
                if (m_.receive_block) {
                    REQUIRE_OK(fmpl_recv_columns(buffer_.data(), &columns, from_, FMPL_ANY_TAG, FMPL_COMM_WORLD));
                } else {
                    REQUIRE_OK(fmpl_recv(buffer_.data(), m_.bytes, from_, FMPL_ANY_TAG, FMPL_COMM_WORLD));
                }
                break;
            case Message::Receive::blocking:
                if (m_.receive_block) {
                    REQUIRE_OK(fmpl_recv_columns(buffer_.data(), &columns, from_, m_.index, FMPL_COMM_WORLD));
                } else {
                    REQUIRE_OK(fmpl_recv(buffer_.data(), m_.bytes, from_, m_.index, FMPL_COMM_WORLD));
                }
                break;
        }
        int source = -1;
        int index = -1;
        std::size_t bytes = 0;
        REQUIRE_OK(fmpl_received(&source, &index, &bytes));
        EXPECT_EQ(bytes, m_.bytes);
        EXPECT_EQ(index, m_.index);
        if (!m_.receive_block) {
            EXPECT_TRUE(buffer_.holds(key)) << words();
            return;
        }
        std::vector<unsigned char> message(m_.bytes);
        for (std::size_t at = 0; at < buffer_.size(); ++at) {
            if (at % kStride < kColumn) message[at / kStride * kColumn + at % kStride] = buffer_.data()[at];
            else EXPECT_EQ(buffer_.data()[at], kRest) << "between two columns";
        }
        EXPECT_TRUE(has_pattern(message.data(), m_.bytes, key)) << words();
    }

private:
    std::string words() const
    {
        return std::to_string(m_.bytes) + " bytes over index " + std::to_string(m_.index) + " from " +
               place_name(m_.source) + (m_.send_block ? ", a block," : "") + " to " + place_name(m_.target) +
               (m_.receive_block ? ", a block" : "") + ", receive " + std::to_string(static_cast<int>(m_.receive));
    }

    Message m_;
    int from_;
    GuardedBuffer buffer_;
};

// Messages around a ring, both sides as late as it happens.
void exchange_messages()
{
    const fmpl::Session session(kIndices);
    const int to = (rank() + 1) % size();
    const int from = (rank() + size() - 1) % size();
    std::mt19937_64 common(seed());
    std::mt19937_64 own(message_key(seed(), static_cast<std::uint64_t>(rank())));
    const auto begin = std::chrono::steady_clock::now();
    for (std::uint64_t round = 0;; ++round) {
        // At once and copied away, later, never.
        constexpr int kTimeouts[] = {0, 1, -1};
        const int timeout_ms = kTimeouts[common() % 3];
        REQUIRE_OK(fmpl_sendbuf_set(nullptr, timeout_ms < 0 ? 0 : 1 << 18, timeout_ms));
        for (std::uint64_t i = 0; i < 40; ++i) {
            const Message m = draw_message(common);
            const bool delays = common() % 2 == 0;
            const std::uint64_t key = message_key(round, i, static_cast<std::uint64_t>(rank()));
            const std::uint64_t key_from = message_key(round, i, static_cast<std::uint64_t>(from));
            std::optional<Receiving> receiving;
            // Of a ring of blocking sends one at least receives first.
            const bool receives_first = rank() % 2 == 1 && m.receive != Message::Receive::posted;
            receiving.emplace(m, from);
            if (delays) random_delay(own);
            if (!receives_first) send(m, key, to);
            if (delays) random_delay(own);
            receiving->finish(key_from);
            if (receives_first) send(m, key, to);
        }
        REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
        int waiting = 0;
        REQUIRE_OK(fmpl_sendbuf_check(nullptr, &waiting));
        EXPECT_EQ(waiting, 0);
        char go_on = seconds_since(begin) < stress_seconds();
        REQUIRE_OK(fmpl_bcast(&go_on, 1, 0, FMPL_COMM_WORLD));
        if (go_on == 0) break;
    }
}

FMPL_RANKS_TEST_WITH(LaneOffer, RandomMessagesArriveWholeInOrderAndOnce, with_cpus({2, 3, 4, 7, 8, 16}))
{
    exchange_messages();
}

// The source finds that the destination, whose receive is posted, has no time: it moves the message itself.
FMPL_RANKS_TEST_WITH(LaneOffer, ABusyDestinationIsServed, with_cpus({2}))
{
    const fmpl::Session session(kIndices);
    GuardedBuffer buffer(Place::rdma, 8192);
    for (std::uint64_t round = 0; round < kIndices; ++round) {
        const int index = static_cast<int>(round);  // a channel that offers its first message
        if (rank() == 0) {
            buffer.fill(round);
            REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
            REQUIRE_OK(fmpl_send(buffer.data(), buffer.size(), 1, index, FMPL_COMM_WORLD));
            shared_words()[0].store(round + 1);
        } else {
            buffer.fill_byte(0);
            REQUIRE_OK(fmpl_irecv(buffer.data(), buffer.size(), 0, index, FMPL_COMM_WORLD));
            REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
            // Not in a call of FMPL until the send has returned.
            wait_until([&] { return shared_words()[0].load() == round + 1; }, "the send");
            REQUIRE_OK(fmpl_irecv_wait(0, index, FMPL_COMM_WORLD));
            EXPECT_TRUE(buffer.holds(round));
        }
    }
}

// With a send buffer and no time-out a send never waits for its receiver, though it has offered the message first.
FMPL_RANKS_TEST_WITH(LaneOffer, AnOfferThatNobodyTakesGoesToTheSendBuffer, with_cpus({2}))
{
    const fmpl::Session session(kIndices);
    REQUIRE_OK(fmpl_sendbuf_set(nullptr, 1 << 20, 0));
    constexpr std::uint64_t kMessages = 8;
    for (const Place place : kPlaces) {
        const int index = place == Place::rdma ? 1 : 2;  // a channel that has not been told yet that offers are left
        GuardedBuffer buffer(place, 5000);
        if (rank() == 0) {
            for (std::uint64_t i = 0; i < kMessages; ++i) {
                buffer.fill(i);
                REQUIRE_OK(fmpl_send(buffer.data(), buffer.size(), 1, index, FMPL_COMM_WORLD));
            }
            buffer.fill_byte(0x11);
            REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
        } else {
            REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
            for (std::uint64_t i = 0; i < kMessages; ++i) {
                buffer.fill_byte(0);
                REQUIRE_OK(fmpl_recv(buffer.data(), buffer.size(), 0, index, FMPL_COMM_WORLD));
                EXPECT_TRUE(buffer.holds(i)) << "message " << i << " in " << place_name(place);
            }
        }
        REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
    }
}

}  // namespace
