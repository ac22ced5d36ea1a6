// Exchanges: what a member lays down is what others take, however far it is ahead, and at any length.
#include "../support/ranks_test.hpp"

#include <fmpl/exchange.h>
#include <fmpl/waiting.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <random>
#include <thread>
#include <utility>
#include <vector>

namespace {

using namespace fmpl_test;

constexpr int kToAll = -1;

// nullptr with the engine that maps no memory.
fmpl_exchanges* exchanges_of_world(int series = 0)
{
    fmpl_exchanges* x = nullptr;
    REQUIRE_OK(fmpl_exchanges_of(FMPL_COMM_WORLD, series, &x));
    EXPECT_EQ(x == nullptr, engine_is_unmapped() || size() == 1);
    return x;
}

std::uint64_t begin(fmpl_exchanges* x)
{
    std::uint64_t number = 0;
    REQUIRE_OK(fmpl_exchange_begin(x, &number));
    return number;
}

unsigned char byte_of(int member, std::uint64_t number, std::size_t i)
{
    return static_cast<unsigned char>(static_cast<std::size_t>(member) * 31 + number * 7 + i);
}

void write(void* room, std::uint64_t number, std::size_t bytes)
{
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(room) % 16, 0u);
    auto* const data = static_cast<unsigned char*>(room);
    for (std::size_t i = 0; i < bytes; ++i) data[i] = byte_of(rank(), number, i);
}

// More than an exchange holds is declined.
void show(fmpl_exchanges* x, std::uint64_t number, void* room, std::size_t bytes, int to)
{
    if (bytes > FMPL_EXCHANGE_BYTES) return fmpl_exchange_decline(x, number, bytes, to);
    write(room, number, bytes);
    fmpl_exchange_show(x, number, to);
}

std::size_t room_for(std::size_t bytes)
{
    return bytes > FMPL_EXCHANGE_BYTES ? 0 : bytes;
}

void give(fmpl_exchanges* x, std::uint64_t number, std::size_t bytes, int to)
{
    void* room = nullptr;
    REQUIRE_OK(fmpl_exchange_room(x, number, room_for(bytes), &room));
    show(x, number, room, bytes, to);
}

void check(const void* data, std::size_t bytes, int from, std::uint64_t number, std::size_t expected)
{
    EXPECT_EQ(bytes, expected);
    EXPECT_EQ(data == nullptr, expected > FMPL_EXCHANGE_BYTES);
    if (bytes != expected || data == nullptr) return;
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < bytes; ++i) {
        wrong += static_cast<const unsigned char*>(data)[i] != byte_of(from, number, i) ? 1 : 0;
    }
    EXPECT_EQ(wrong, 0u) << "of " << bytes << " bytes of rank " << from << " in exchange " << number;
}

void take(fmpl_exchanges* x, int from, std::uint64_t number, std::size_t expected)
{
    const void* data = nullptr;
    std::size_t bytes = 0;
    REQUIRE_OK(fmpl_exchange_take(x, number, from, &data, &bytes));
    check(data, bytes, from, number, expected);
}

// As long a line's own data, one byte more, anything up to the most, and more.
std::size_t some_length(std::mt19937& random)
{
    constexpr std::size_t kLengths[] = {
        0, 1, 8, 31, 32, 33, 64, 256, 2047, FMPL_EXCHANGE_BYTES, FMPL_EXCHANGE_BYTES + 1, SIZE_MAX};
    const std::size_t which = random() % (2 * std::size(kLengths));
    return which < std::size(kLengths) ? kLengths[which] : random() % (FMPL_EXCHANGE_BYTES + 1);
}

void now_and_then_a_pause(std::mt19937& random)
{
    if (random() % 64 == 0) std::this_thread::sleep_for(std::chrono::microseconds(random() % 300));
}

}  // namespace

// Each exchange: some members give, to one or to all, and those take who are meant.
FMPL_RANKS_TEST_WITH(Exchange, WhatIsTakenIsWhatWasGiven, {.ranks = {1, 2, 3, 4, 7, 8, 16}})
{
    const fmpl::Session session;
    fmpl_exchanges* const x = exchanges_of_world();
    if (x == nullptr) return;
    std::mt19937 common(static_cast<unsigned>(seed()));
    std::mt19937 own(static_cast<unsigned>(seed()) + 1 + static_cast<unsigned>(rank()));
    const int exchanges = size() > 7 ? 500 : 3000;
    for (int i = 0; i < exchanges; ++i) {
        const std::uint64_t number = begin(x);
        // Some have a root, true or not, in turn or any.
        const auto any = static_cast<int>(common() % static_cast<unsigned>(size()));
        if (common() % 4 != 0) {
            REQUIRE_OK(fmpl_exchange_root(x, i / 500 % 2 == 0 ? i % size() : any));
        }
        const bool in_turn = common() % 2 == 0;  // each takes before it gives: a chain
        const bool all_give = common() % 4 == 0;
        const int to = common() % 2 == 0 ? kToAll : static_cast<int>(common() % static_cast<unsigned>(size()));
        std::vector<std::size_t> lengths(static_cast<std::size_t>(size()));
        std::vector<char> gives(lengths.size());
        for (std::size_t r = 0; r < lengths.size(); ++r) {
            lengths[r] = some_length(common);
            gives[r] = all_give || common() % 3 == 0 ? 1 : 0;
        }
        const auto me = static_cast<std::size_t>(rank());
        now_and_then_a_pause(own);
        const auto take_some = [&](std::size_t first, std::size_t last) {
            for (std::size_t r = first; r < last; ++r) {
                const bool is_meant = to == kToAll || to == rank();
                if (r != me && gives[r] != 0 && is_meant) take(x, static_cast<int>(r), number, lengths[r]);
            }
        };
        if (in_turn) take_some(0, me);
        if (gives[me] != 0 && to != rank()) give(x, number, lengths[me], to);
        take_some(in_turn ? me : 0, lengths.size());
        fmpl_exchange_end(x, number);
    }
}

// Who gives needs nobody for some exchanges, and then waits for the slowest.
FMPL_RANKS_TEST_WITH(Exchange, AGiverGoesAheadAndThenWaits, {.ranks = {2, 3, 4}, .unmapped = false})
{
    const fmpl::Session session;
    fmpl_exchanges* const x = exchanges_of_world();
    constexpr int kAhead = 30;
    constexpr int kAll = 300;
    const auto go = [&] {
        const std::uint64_t number = begin(x);
        if (rank() == 0) {
            give(x, number, number, kToAll);
        } else {
            take(x, 0, number, number);
        }
        fmpl_exchange_end(x, number);
    };
    int word = 0;
    for (int number = 0; number < kAll; ++number) {
        if (rank() == 0 && number == kAhead) {
            for (int r = 1; r < size(); ++r) REQUIRE_OK(fmpl_send(&word, sizeof word, r, 0, FMPL_COMM_WORLD));
        }
        if (rank() != 0 && number == 0) REQUIRE_OK(fmpl_recv(&word, sizeof word, 0, 0, FMPL_COMM_WORLD));
        go();
    }
}

// On each communicator by itself, also one whose ranks come in another order.
FMPL_RANKS_TEST_WITH(Exchange, CommunicatorsHaveTheirOwn, {.ranks = {3, 4}, .unmapped = false})
{
    const fmpl::Session session;
    fmpl_exchanges* const world = exchanges_of_world();
    std::vector<int> backwards;
    for (int r = size(); r-- > 0;) backwards.push_back(r);
    fmpl_comm_t comm = FMPL_COMM_NULL;
    REQUIRE_OK(fmpl_comm_create_group(&comm, backwards.data(), size()));
    int own = -1;
    REQUIRE_OK(fmpl_comm_rank(comm, &own));
    fmpl_exchanges* reversed = nullptr;
    REQUIRE_OK(fmpl_exchanges_of(comm, 0, &reversed));
    for (int i = 0; i < 100; ++i) {
        const std::uint64_t number = begin(world);
        give(world, number, 40, kToAll);
        for (int r = 0; r < size(); ++r) {
            if (r != rank()) take(world, r, number, 40);
        }
        void* room = nullptr;
        const std::uint64_t other = begin(reversed);
        REQUIRE_OK(fmpl_exchange_room(reversed, other, sizeof own, &room));
        *static_cast<int*>(room) = own;
        fmpl_exchange_show(reversed, other, kToAll);
        for (int r = 0; r < size(); ++r) {
            const void* data = nullptr;
            std::size_t bytes = 0;
            if (r == own) continue;
            REQUIRE_OK(fmpl_exchange_take(reversed, other, r, &data, &bytes));
            EXPECT_EQ(*static_cast<const int*>(data), r);
        }
        fmpl_exchange_end(reversed, other);
        fmpl_exchange_end(world, number);
    }
    REQUIRE_OK(fmpl_comm_free(&comm));
}

FMPL_RANKS_TEST_WITH(Exchange, WithoutMemoryBothSidesHearOfIt,
    {.ranks = {3}, .unmapped = false, .environment = {{"FMPL_ARENA_SIZE", "8M"}, {"FMPL_ERRORS", "return"}}})
{
    const fmpl::Session session;
    fmpl_exchanges* const x = exchanges_of_world();
    std::uint64_t number = begin(x);
    if (rank() == 0) {
        for (std::size_t bytes = 4 << 20; bytes >= 1024; bytes /= 2) {
            while (fmpl_malloc(bytes) != nullptr) {
            }
        }
        void* room = nullptr;
        EXPECT_EQ(fmpl_exchange_room(x, number, 100, &room), FMPL_ERR_MEMORY);
    } else {
        const void* data = nullptr;
        std::size_t bytes = 0;
        EXPECT_EQ(fmpl_exchange_take(x, number, 0, &data, &bytes), FMPL_ERR_MEMORY);
    }
    fmpl_exchange_end(x, number);
    number = begin(x);
    if (rank() == 0) {
        give(x, number, 32, kToAll);  // as many as fit in the slot's line need none
    } else {
        take(x, 0, number, 32);
    }
    fmpl_exchange_end(x, number);
}

namespace {

// One that is gone on with as others are.
struct Open {
    std::uint64_t number;
    std::vector<std::size_t> lengths;  // of what each member gives
    std::vector<char> awaited;         // from whom it is still to be taken
    int to;
    bool gives;

    // Whether it is over.
    bool go_on(fmpl_exchanges* x)
    {
        if (gives) {
            void* room = nullptr;
            const std::size_t bytes = lengths[static_cast<std::size_t>(rank())];
            REQUIRE_OK(fmpl_exchange_try_room(x, number, room_for(bytes), &room));
            if (room == nullptr) return false;
            show(x, number, room, bytes, to);
            gives = false;
        }
        bool is_over = true;
        for (std::size_t r = 0; r < awaited.size(); ++r) {
            if (awaited[r] == 0) continue;
            const void* data = nullptr;
            std::size_t bytes = 0;
            int is_there = 0;
            REQUIRE_OK(fmpl_exchange_try_take(x, number, static_cast<int>(r), &data, &bytes, &is_there));
            if (is_there != 0) {
                check(data, bytes, static_cast<int>(r), number, lengths[r]);
                awaited[r] = 0;
            }
            is_over = is_over && is_there != 0;
        }
        return is_over;
    }
};

}  // namespace

// Of a series, up to 150 are open at once, more than there are slots, and end in an order of each rank's own; of the
// other, one at a time.
FMPL_RANKS_TEST_WITH(Exchange, ManyAreOpenAtOnce, {.ranks = {2, 3, 4, 7, 8, 16}, .unmapped = false})
{
    const fmpl::Session session;
    fmpl_exchanges* const x = exchanges_of_world(1);
    fmpl_exchanges* const blocking = exchanges_of_world(0);
    std::mt19937 common(static_cast<unsigned>(seed()));
    std::mt19937 own(static_cast<unsigned>(seed()) + 1 + static_cast<unsigned>(rank()));
    std::vector<Open> open;
    const auto me = static_cast<std::size_t>(rank());
    auto go_on = [&] {
        std::shuffle(open.begin(), open.end(), own);
        return std::erase_if(open, [&](Open& one) {
            const bool is_over = one.go_on(x);
            if (is_over) fmpl_exchange_end(x, one.number);
            return is_over;
        });
    };
    const auto go_on_until = [&](std::size_t most) {
        struct Wait {
            decltype(go_on)& look;
            const std::vector<Open>& open;
            std::size_t most;
        } wait{go_on, open, most};
        const auto ready = [](void* context) {
            const Wait& w = *static_cast<const Wait*>(context);
            while (w.look() > 0) {
            }
            return w.open.size() <= w.most ? 1 : 0;
        };
        REQUIRE_OK(fmpl_wait_until(ready, &wait, nullptr));
    };
    // While this rank waits in the other series, others may wait for what it has not given yet.
    const auto progress = [](void* look) { (*static_cast<decltype(go_on)*>(look))(); };
    REQUIRE_OK(fmpl_layer_progress_set(progress, &go_on));
    const int exchanges = size() > 7 ? 400 : 2000;
    for (int i = 0; i < exchanges; ++i) {
        Open one;
        one.number = begin(x);
        one.to = common() % 2 == 0 ? kToAll : static_cast<int>(common() % static_cast<unsigned>(size()));
        const std::uint32_t givers = common();
        const bool is_meant = one.to == kToAll || one.to == rank();
        for (std::size_t r = 0; r < static_cast<std::size_t>(size()); ++r) {
            one.lengths.push_back(some_length(common));
            one.awaited.push_back(is_meant && r != me && (givers >> r & 1) != 0 ? 1 : 0);
        }
        one.gives = (givers >> me & 1) != 0 && one.to != rank();
        open.push_back(std::move(one));
        now_and_then_a_pause(own);
        if (own() % 2 == 0) go_on();
        if (common() % 16 == 0) {
            const std::uint64_t number = begin(blocking);
            give(blocking, number, 8, kToAll);
            for (int r = 0; r < size(); ++r) {
                if (r != rank()) take(blocking, r, number, 8);
            }
            fmpl_exchange_end(blocking, number);
        }
        if (open.size() > 150) go_on_until(own() % 150);
    }
    go_on_until(0);
    REQUIRE_OK(fmpl_layer_progress_set(nullptr, nullptr));
}

// The calling rank itself has to end an exchange before it gives in the one that has its slot next.
FMPL_RANKS_TEST_WITH(
    Exchange, ARankDoesNotWaitForItself, {.ranks = {2}, .unmapped = false, .environment = {{"FMPL_ERRORS", "return"}}})
{
    const fmpl::Session session;
    fmpl_exchanges* const x = exchanges_of_world();
    std::uint64_t last = 0;
    for (int i = 0; i < 65; ++i) last = begin(x);
    void* room = &last;
    REQUIRE_OK(fmpl_exchange_try_room(x, last, 8, &room));
    EXPECT_EQ(room, nullptr);
    EXPECT_EQ(fmpl_exchange_room(x, last, 8, &room), FMPL_ERR_ARGUMENT);
    fmpl_exchange_end(x, 0);
    give(x, last, 8, kToAll);
    take(x, 1 - rank(), last, 8);
    for (std::uint64_t number = last; number > 0; --number) fmpl_exchange_end(x, number);
    for (int i = 0; i < 100; ++i) {
        const std::uint64_t number = begin(x);
        give(x, number, 40, kToAll);
        take(x, 1 - rank(), number, 40);
        fmpl_exchange_end(x, number);
    }
}

// Who waits for room asks of others only to leave what it has ended itself.
FMPL_RANKS_TEST_WITH(Exchange, WhoHasManyOpenWaitsForOne, {.ranks = {2}, .unmapped = false})
{
    const fmpl::Session session;
    fmpl_exchanges* const x = exchanges_of_world();
    constexpr std::uint64_t kOpen = 74;
    constexpr std::uint64_t kEnded = 10;
    for (std::uint64_t i = 0; i < kOpen; ++i) begin(x);
    if (rank() == 0) {
        give(x, kEnded - 1, 8, 1);
        for (std::uint64_t i = 0; i < kEnded; ++i) fmpl_exchange_end(x, i);
        give(x, kOpen - 1, 40, 1);  // in the same slot
        give(x, kEnded, 8, 1);
        for (std::uint64_t i = kEnded; i < kOpen; ++i) fmpl_exchange_end(x, i);
    } else {
        take(x, 0, kEnded - 1, 8);
        for (std::uint64_t i = 0; i + 1 < kEnded; ++i) fmpl_exchange_end(x, i);
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        fmpl_exchange_end(x, kEnded - 1);
        take(x, 0, kEnded, 8);
        take(x, 0, kOpen - 1, 40);
        for (std::uint64_t i = kEnded; i < kOpen; ++i) fmpl_exchange_end(x, i);
    }
}

FMPL_RANKS_TEST_WITH(
    Exchange, ArgumentsAreChecked, {.ranks = {2}, .unmapped = false, .environment = {{"FMPL_ERRORS", "return"}}})
{
    const fmpl::Session session;
    fmpl_exchanges* x = nullptr;
    EXPECT_EQ(fmpl_exchanges_of(FMPL_COMM_NULL, 0, &x), FMPL_ERR_COMM);
    EXPECT_EQ(fmpl_exchanges_of(FMPL_COMM_WORLD, FMPL_EXCHANGES_OF_A_COMM, &x), FMPL_ERR_ARGUMENT);
    EXPECT_EQ(fmpl_exchanges_of(FMPL_COMM_WORLD, -1, &x), FMPL_ERR_ARGUMENT);
    EXPECT_EQ(fmpl_exchanges_of(FMPL_COMM_WORLD, 0, nullptr), FMPL_ERR_ARGUMENT);
    x = exchanges_of_world();
    void* room = nullptr;
    EXPECT_EQ(fmpl_exchange_root(x, -1), FMPL_ERR_ARGUMENT);
    EXPECT_EQ(fmpl_exchange_root(x, size()), FMPL_ERR_ARGUMENT);
    EXPECT_EQ(fmpl_exchange_room(x, 0, FMPL_EXCHANGE_BYTES + 1, &room), FMPL_ERR_ARGUMENT);
    EXPECT_EQ(fmpl_exchange_try_room(x, 0, FMPL_EXCHANGE_BYTES + 1, &room), FMPL_ERR_ARGUMENT);
    REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
}
