// Messages made of columns (fmpl/layers.h): from any columns to any others, through every way that a message can take.
#include "../support/guarded_buffer.hpp"

#include <fmpl/layers.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <vector>

namespace {

using namespace fmpl_test;

constexpr std::ptrdiff_t kNone = 0;

// Calls f(offset, length) for what each column gives: written from the definition, for comparison.
template <class F>
void for_each_part(const fmpl_columns& c, F&& f)
{
    const auto limit = static_cast<std::ptrdiff_t>(c.bytes);
    for (std::size_t j = 0; j < c.count; ++j) {
        const auto step = static_cast<std::ptrdiff_t>(j);
        const std::ptrdiff_t begin = std::max<std::ptrdiff_t>(c.begin + step * c.begin_step, 0);
        const std::ptrdiff_t end = std::min<std::ptrdiff_t>(c.end + step * c.end_step, limit);
        if (begin < end) f(j * c.stride + static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin));
    }
}

std::size_t bytes_of(const fmpl_columns& c)
{
    std::size_t bytes = 0;
    for_each_part(c, [&](std::size_t, std::size_t length) { bytes += length; });
    return bytes;
}

std::size_t extent_of(const fmpl_columns& c)
{
    return c.count == 0 ? 0 : (c.count - 1) * c.stride + c.bytes;
}

fmpl_columns block(std::size_t m, std::size_t n, std::size_t lda, std::size_t element)
{
    return {m * element, n, lda * element, kNone, kNone, static_cast<std::ptrdiff_t>(m * element), kNone};
}

fmpl_columns upper(std::ptrdiff_t m, std::ptrdiff_t n, std::ptrdiff_t lda, std::ptrdiff_t element, std::ptrdiff_t unit)
{
    return {static_cast<std::size_t>(m * element), static_cast<std::size_t>(n), static_cast<std::size_t>(lda * element),
        kNone, kNone, (std::max<std::ptrdiff_t>(m - n, 0) + 1 - unit) * element, element};
}

fmpl_columns lower(std::ptrdiff_t m, std::ptrdiff_t n, std::ptrdiff_t lda, std::ptrdiff_t element, std::ptrdiff_t unit)
{
    return {static_cast<std::size_t>(m * element), static_cast<std::size_t>(n), static_cast<std::size_t>(lda * element),
        (std::min<std::ptrdiff_t>(m - n, 0) + unit) * element, element, m * element, kNone};
}

// A buffer with the message `key` in its columns, and 0xEE elsewhere.
GuardedBuffer filled(Place place, const fmpl_columns& c, std::uint64_t key)
{
    GuardedBuffer buffer(place, extent_of(c));
    buffer.fill_byte(0xEE);
    std::vector<unsigned char> message(bytes_of(c));
    fill_pattern(message.data(), message.size(), key);
    std::size_t at = 0;
    for_each_part(c, [&](std::size_t offset, std::size_t length) {
        std::memcpy(buffer.data() + offset, message.data() + at, length);
        at += length;
    });
    return buffer;
}

// Whether the first `bytes` of the message `key` are in the columns and nothing else has changed.
bool holds_message(const GuardedBuffer& buffer, const fmpl_columns& c, std::uint64_t key, std::size_t bytes)
{
    std::vector<unsigned char> message(bytes);
    fill_pattern(message.data(), bytes, key);
    std::vector<unsigned char> expected(extent_of(c), 0xEE);
    std::size_t at = 0;
    for_each_part(c, [&](std::size_t offset, std::size_t length) {
        const std::size_t n = std::min(length, bytes - at);
        if (n > 0) std::memcpy(expected.data() + offset, message.data() + at, n);
        at += n;
    });
    return expected.empty() || std::memcmp(buffer.data(), expected.data(), expected.size()) == 0;
}

// Shapes of 900 elements, which fit one another; the last gives a part of each column.
std::vector<fmpl_columns> shapes_of(std::ptrdiff_t element)
{
    const auto e = static_cast<std::size_t>(element);
    return {block(900, 1, 900, e), block(30, 30, 30, e), block(30, 30, 47, e), block(1, 900, 3, e),
        block(450, 2, 1000, e), {2 * e, 900, 3 * e, 0, 0, element, 0}, {3 * e, 900, 3 * e, element, 0, 2 * element, 0},
        block(9, 100, 640, e)};
}

FMPL_RANKS_TEST_AT(Columns, EveryShapeGoesIntoEveryOtherWhoeverComesFirst, ({1, 2, 3}))
{
    const fmpl::Session session(2);
    const int to = (rank() + 1) % size();
    const int from = (rank() + size() - 1) % size();
    REQUIRE_OK(fmpl_sendbuf_set(nullptr, 0, 0));
    std::uint64_t key = 0;
    for (const std::ptrdiff_t element : {1, 4, 8, 16}) {
        const std::vector<fmpl_columns> shapes = shapes_of(element);
        for (std::size_t s = 0; s < shapes.size(); ++s) {
            for (std::size_t r = 0; r < shapes.size(); ++r) {
                ++key;
                const GuardedBuffer out = filled(kPlaces[key % 2], shapes[s], message_key(key, rank()));
                GuardedBuffer in(kPlaces[key / 2 % 2], extent_of(shapes[r]));
                in.fill_byte(0xEE);
                // With more ranks than one, half of them receive first.
                const bool receive_first = size() > 1 && (static_cast<std::uint64_t>(rank()) + key / 4) % 2 == 0;
                for (const bool receiving : {receive_first, !receive_first}) {
                    if (receiving) {
                        REQUIRE_OK(fmpl_recv_columns(in.data(), &shapes[r], from, 0, FMPL_COMM_WORLD));
                    } else {
                        REQUIRE_OK(fmpl_send_columns(out.data(), &shapes[s], to, 0, FMPL_COMM_WORLD));
                    }
                }
                const auto bytes = static_cast<std::size_t>(900 * element);
                EXPECT_TRUE(holds_message(in, shapes[r], message_key(key, from), bytes))
                    << "element " << element << ", shapes " << s << " to " << r;
            }
        }
    }
}

FMPL_RANKS_TEST_AT(Columns, TrapezoidsOfAllKindsArrive, ({2, 3}))
{
    const fmpl::Session session(2);
    const int to = (rank() + 1) % size();
    const int from = (rank() + size() - 1) % size();
    REQUIRE_OK(fmpl_sendbuf_set(nullptr, 0, 0));
    std::mt19937_64 common(seed());  // the same at all ranks
    for (std::uint64_t round = 0; round < 150; ++round) {
        const auto m = static_cast<std::ptrdiff_t>(1 + common() % 60);
        const auto n = static_cast<std::ptrdiff_t>(1 + common() % 60);
        const auto unit = static_cast<std::ptrdiff_t>(common() % 2);
        const std::ptrdiff_t element = std::ptrdiff_t{4} << common() % 3;
        const auto out_lda = static_cast<std::ptrdiff_t>(static_cast<std::uint64_t>(m) + common() % 70);
        const auto in_lda = static_cast<std::ptrdiff_t>(static_cast<std::uint64_t>(m) + common() % 70);
        const bool up = common() % 2 == 0;
        const fmpl_columns sent = up ? upper(m, n, out_lda, element, unit) : lower(m, n, out_lda, element, unit);
        const fmpl_columns taken = up ? upper(m, n, in_lda, element, unit) : lower(m, n, in_lda, element, unit);
        const GuardedBuffer out = filled(kPlaces[common() % 2], sent, message_key(round, rank()));
        GuardedBuffer in(kPlaces[common() % 2], extent_of(taken));
        in.fill_byte(0xEE);
        const bool receive_first = rank() % 2 == static_cast<int>(common() % 2);
        for (const bool receiving : {receive_first, !receive_first}) {
            if (receiving) {
                REQUIRE_OK(fmpl_recv_columns(in.data(), &taken, from, 1, FMPL_COMM_WORLD));
            } else {
                REQUIRE_OK(fmpl_send_columns(out.data(), &sent, to, 1, FMPL_COMM_WORLD));
            }
        }
        EXPECT_TRUE(holds_message(in, taken, message_key(round, from), bytes_of(sent)))
            << (up ? "upper " : "lower ") << m << " x " << n << ", unit " << unit;
    }
}

// Long ones, with and without a send buffer: through rings, the send buffer, or straight.
FMPL_RANKS_TEST_AT(Columns, LongMessagesArriveByEveryWay, ({2, 3}))
{
    const fmpl::Session session(2);
    const int to = (rank() + 1) % size();
    const int from = (rank() + size() - 1) % size();
    const fmpl_columns wide = block(1000, 40, 1501, 8);
    const fmpl_columns narrow = block(40, 1000, 41, 8);
    const fmpl_columns whole = block(40000, 1, 40000, 8);
    const std::size_t bytes = 40000 * 8;
    std::uint64_t key = 0;
    for (const int timeout_ms : {-1, 0, 1}) {
        REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
        REQUIRE_OK(fmpl_sendbuf_set(nullptr, 0, timeout_ms));
        for (const fmpl_columns& sent : {wide, narrow, whole}) {
            for (const fmpl_columns& taken : {narrow, wide, whole}) {
                ++key;
                const GuardedBuffer out = filled(kPlaces[key % 2], sent, message_key(key, rank()));
                GuardedBuffer in(kPlaces[key / 2 % 2], extent_of(taken));
                in.fill_byte(0xEE);
                const bool receive_first = (static_cast<std::uint64_t>(rank()) + key / 4) % 2 == 0;
                // Without a send buffer a ring of sends would wait for ever: rank 0 receives first.
                const bool first = timeout_ms < 0 ? rank() == 0 : receive_first;
                for (const bool receiving : {first, !first}) {
                    if (receiving) {
                        REQUIRE_OK(fmpl_recv_columns(in.data(), &taken, from, 0, FMPL_COMM_WORLD));
                    } else {
                        REQUIRE_OK(fmpl_send_columns(out.data(), &sent, to, 0, FMPL_COMM_WORLD));
                    }
                }
                EXPECT_TRUE(holds_message(in, taken, message_key(key, from), bytes)) << key;
            }
        }
        REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
    }
}

FMPL_RANKS_TEST_AT(Columns, AShorterMessageFillsTheFirstBytesAndALongerOneIsRefused, ({2}))
{
    const fmpl::Session session(2);
    const int peer = 1 - rank();
    REQUIRE_OK(fmpl_sendbuf_set(nullptr, 0, 0));
    const fmpl_columns place = block(10, 20, 33, 8);
    const auto send_and_check = [&](const fmpl_columns& sent, const fmpl_columns& taken, bool first,
                                    std::uint64_t key) {
        const std::size_t bytes = bytes_of(sent);
        const GuardedBuffer out = filled(Place::rdma, sent, key);
        GuardedBuffer in(Place::rdma, extent_of(taken));
        in.fill_byte(0xEE);
        if ((rank() == 0) == first) {
            REQUIRE_OK(fmpl_send_columns(out.data(), &sent, peer, 0, FMPL_COMM_WORLD));
        } else {
            REQUIRE_OK(fmpl_recv_columns(in.data(), &taken, peer, 0, FMPL_COMM_WORLD));
            std::size_t came = 0;
            REQUIRE_OK(fmpl_received(nullptr, nullptr, &came));
            EXPECT_EQ(came, bytes);
            EXPECT_TRUE(holds_message(in, taken, key, bytes)) << bytes;
        }
    };
    for (const fmpl_columns& taken : {place, upper(30, 20, 33, 8, 0), lower(30, 20, 33, 8, 1)}) {
        for (const std::size_t bytes :
            {std::size_t{0}, std::size_t{3}, std::size_t{72}, std::size_t{1000}, std::size_t{1600}}) {
            for (const bool first : {true, false}) {
                send_and_check(block(bytes, 1, bytes, 1), taken, first, message_key(bytes, first ? 1 : 0));
            }
        }
    }
    // The same columns, but fewer.
    for (const bool first : {true, false}) {
        send_and_check(block(10, 13, 21, 8), place, first, message_key(13, first ? 1 : 0));
        send_and_check(lower(20, 13, 20, 8, 0), lower(20, 20, 33, 8, 0), first, message_key(14, first ? 1 : 0));
    }
    const fmpl_columns longer = block(11, 20, 12, 8);
    GuardedBuffer buffer(Place::rdma, extent_of(place));
    buffer.fill_byte(0xEE);
    if (rank() == 0) {
        const GuardedBuffer out = filled(Place::rdma, longer, 1);
        REQUIRE_OK(fmpl_send_columns(out.data(), &longer, peer, 0, FMPL_COMM_WORLD));
    } else {
        EXPECT_EQ(fmpl_recv_columns(buffer.data(), &place, peer, 0, FMPL_COMM_WORLD), FMPL_ERR_TRUNCATED);
        EXPECT_TRUE(holds_message(buffer, place, 0, 0));
    }
    REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
}

FMPL_RANKS_TEST_AT(Columns, ABroadcastGoesFromAndToColumns, ({1, 2, 3, 4}))
{
    const fmpl::Session session(2);
    std::mt19937_64 common(seed());
    const std::vector<fmpl_columns> shapes = {block(5, 3, 9, 1), block(30, 30, 47, 8), block(900, 1, 900, 8),
        block(1, 900, 2, 8), block(200, 200, 210, 8), upper(60, 40, 77, 8, 0), lower(40, 60, 77, 4, 1),
        upper(300, 250, 301, 8, 0), lower(300, 250, 301, 8, 0)};
    for (std::uint64_t round = 0; round < 40; ++round) {
        const fmpl_columns& shape = shapes[common() % shapes.size()];
        const int root = static_cast<int>(common() % static_cast<std::uint64_t>(size()));
        const std::size_t bytes = bytes_of(shape);
        // Every second round the others take it in one piece.
        const fmpl_columns mine = rank() == root || round % 2 == 0 ? shape : block(bytes, 1, bytes, 1);
        GuardedBuffer buffer = rank() == root ? filled(kPlaces[round / 2 % 2], mine, message_key(round, root))
                                              : GuardedBuffer(kPlaces[round / 3 % 2], extent_of(mine));
        if (rank() != root) buffer.fill_byte(0xEE);
        REQUIRE_OK(fmpl_bcast_columns(buffer.data(), &mine, root, FMPL_COMM_WORLD));
        EXPECT_TRUE(holds_message(buffer, mine, message_key(round, root), bytes)) << "round " << round;
    }
}

FMPL_RANKS_TEST_AT(Columns, BadOnesAreRefused, ({1}))
{
    const fmpl::Session session(2);
    const fmpl_columns overlapping = block(8, 2, 7, 8);
    std::vector<double> memory(64);
    EXPECT_EQ(fmpl_send_columns(memory.data(), &overlapping, 0, 0, FMPL_COMM_WORLD), FMPL_ERR_ARGUMENT);
    EXPECT_NE(std::strstr(fmpl_error_message(), "overlap"), nullptr) << fmpl_error_message();
    EXPECT_EQ(fmpl_recv_columns(memory.data(), nullptr, 0, 0, FMPL_COMM_WORLD), FMPL_ERR_ARGUMENT);
    const fmpl_columns good = block(2, 2, 8, 8);
    const fmpl_columns negative = {8, ~std::size_t{0}, 8, 0, 0, 8, 8};
    EXPECT_EQ(fmpl_send_columns(memory.data(), &negative, 0, 0, FMPL_COMM_WORLD), FMPL_ERR_ARGUMENT);
    const fmpl_columns to_the_end = {8, 3, 8, 0, 0, PTRDIFF_MAX, 8};
    EXPECT_EQ(fmpl_send_columns(memory.data(), &to_the_end, 0, 0, FMPL_COMM_WORLD), FMPL_ERR_ARGUMENT);
    EXPECT_EQ(fmpl_send_columns(nullptr, &good, 0, 0, FMPL_COMM_WORLD), FMPL_ERR_ARGUMENT);
    const fmpl_columns huge = block(std::size_t{1} << 40, std::size_t{1} << 40, std::size_t{1} << 40, 1);
    EXPECT_EQ(fmpl_send_columns(memory.data(), &huge, 0, 0, FMPL_COMM_WORLD), FMPL_ERR_ARGUMENT);
    EXPECT_EQ(fmpl_send_columns(memory.data(), &good, 1, 0, FMPL_COMM_WORLD), FMPL_ERR_RANK);
    EXPECT_EQ(fmpl_recv_columns(memory.data(), &good, 0, 2, FMPL_COMM_WORLD), FMPL_ERR_INDEX);
}

}  // namespace
