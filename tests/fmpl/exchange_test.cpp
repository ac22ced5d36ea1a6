// Exchanges: what a member lays down is what others take, however far it is ahead, and at any length.
#include "../support/ranks_test.hpp"

#include <fmpl/exchange.h>

#include <chrono>
#include <cstddef>
#include <random>
#include <thread>
#include <vector>

namespace {

using namespace fmpl_test;

constexpr int kToAll = -1;

// nullptr with the engine that maps no memory.
fmpl_exchange* exchange_of_world()
{
    fmpl_exchange* x = nullptr;
    REQUIRE_OK(fmpl_exchange_of(FMPL_COMM_WORLD, &x));
    EXPECT_EQ(x == nullptr, engine_is_unmapped() || size() == 1);
    return x;
}

unsigned char byte_of(int member, int number, std::size_t i)
{
    return static_cast<unsigned char>(static_cast<std::size_t>(member * 31 + number * 7) + i);
}

// More than an exchange holds is declined.
void give(fmpl_exchange* x, int number, std::size_t bytes, int to)
{
    if (bytes > FMPL_EXCHANGE_BYTES) {
        REQUIRE_OK(fmpl_exchange_decline(x, bytes, to));
        return;
    }
    void* room = nullptr;
    REQUIRE_OK(fmpl_exchange_room(x, bytes, &room));
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(room) % 16, 0u);
    auto* const data = static_cast<unsigned char*>(room);
    for (std::size_t i = 0; i < bytes; ++i) data[i] = byte_of(rank(), number, i);
    fmpl_exchange_show(x, to);
}

void take(fmpl_exchange* x, int from, int number, std::size_t expected)
{
    const void* data = nullptr;
    std::size_t bytes = 0;
    REQUIRE_OK(fmpl_exchange_take(x, from, &data, &bytes));
    EXPECT_EQ(bytes, expected);
    EXPECT_EQ(data == nullptr, expected > FMPL_EXCHANGE_BYTES);
    if (bytes != expected || data == nullptr) return;
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < bytes; ++i) {
        wrong += static_cast<const unsigned char*>(data)[i] != byte_of(from, number, i) ? 1 : 0;
    }
    EXPECT_EQ(wrong, 0u) << "of " << bytes << " bytes of rank " << from << " in exchange " << number;
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
    fmpl_exchange* const x = exchange_of_world();
    if (x == nullptr) return;
    std::mt19937 common(static_cast<unsigned>(seed()));
    std::mt19937 own(static_cast<unsigned>(seed()) + 1 + static_cast<unsigned>(rank()));
    const int exchanges = size() > 7 ? 500 : 3000;
    for (int number = 0; number < exchanges; ++number) {
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
        fmpl_exchange_end(x);
    }
}

// Who gives needs nobody for some exchanges, and then waits for the slowest.
FMPL_RANKS_TEST_WITH(Exchange, AGiverGoesAheadAndThenWaits, {.ranks = {2, 3, 4}, .unmapped = false})
{
    const fmpl::Session session;
    fmpl_exchange* const x = exchange_of_world();
    constexpr int kAhead = 30;
    constexpr int kAll = 300;
    const auto go = [&](int number) {
        if (rank() == 0) {
            give(x, number, static_cast<std::size_t>(number), kToAll);
        } else {
            take(x, 0, number, static_cast<std::size_t>(number));
        }
        fmpl_exchange_end(x);
    };
    int word = 0;
    for (int number = 0; number < kAll; ++number) {
        if (rank() == 0 && number == kAhead) {
            for (int r = 1; r < size(); ++r) REQUIRE_OK(fmpl_send(&word, sizeof word, r, 0, FMPL_COMM_WORLD));
        }
        if (rank() != 0 && number == 0) REQUIRE_OK(fmpl_recv(&word, sizeof word, 0, 0, FMPL_COMM_WORLD));
        go(number);
    }
}

// On each communicator by itself, also one whose ranks come in another order.
FMPL_RANKS_TEST_WITH(Exchange, CommunicatorsHaveTheirOwn, {.ranks = {3, 4}, .unmapped = false})
{
    const fmpl::Session session;
    fmpl_exchange* const world = exchange_of_world();
    std::vector<int> backwards;
    for (int r = size(); r-- > 0;) backwards.push_back(r);
    fmpl_comm_t comm = FMPL_COMM_NULL;
    REQUIRE_OK(fmpl_comm_create_group(&comm, backwards.data(), size()));
    int own = -1;
    REQUIRE_OK(fmpl_comm_rank(comm, &own));
    fmpl_exchange* reversed = nullptr;
    REQUIRE_OK(fmpl_exchange_of(comm, &reversed));
    for (int number = 0; number < 100; ++number) {
        give(world, number, 40, kToAll);
        for (int r = 0; r < size(); ++r) {
            if (r != rank()) take(world, r, number, 40);
        }
        void* room = nullptr;
        REQUIRE_OK(fmpl_exchange_room(reversed, sizeof own, &room));
        *static_cast<int*>(room) = own;
        fmpl_exchange_show(reversed, kToAll);
        for (int r = 0; r < size(); ++r) {
            const void* data = nullptr;
            std::size_t bytes = 0;
            if (r == own) continue;
            REQUIRE_OK(fmpl_exchange_take(reversed, r, &data, &bytes));
            EXPECT_EQ(*static_cast<const int*>(data), r);
        }
        fmpl_exchange_end(reversed);
        fmpl_exchange_end(world);
    }
    REQUIRE_OK(fmpl_comm_free(&comm));
}

FMPL_RANKS_TEST_WITH(Exchange, WithoutMemoryBothSidesHearOfIt,
    {.ranks = {3}, .unmapped = false, .environment = {{"FMPL_ARENA_SIZE", "8M"}, {"FMPL_ERRORS", "return"}}})
{
    const fmpl::Session session;
    fmpl_exchange* const x = exchange_of_world();
    if (rank() == 0) {
        for (std::size_t bytes = 4 << 20; bytes >= 1024; bytes /= 2) {
            while (fmpl_malloc(bytes) != nullptr) {
            }
        }
        void* room = nullptr;
        EXPECT_EQ(fmpl_exchange_room(x, 100, &room), FMPL_ERR_MEMORY);
    } else {
        const void* data = nullptr;
        std::size_t bytes = 0;
        EXPECT_EQ(fmpl_exchange_take(x, 0, &data, &bytes), FMPL_ERR_MEMORY);
    }
    fmpl_exchange_end(x);
    if (rank() == 0) {
        give(x, 1, 32, kToAll);  // as many as fit in the slot's line need none
    } else {
        take(x, 0, 1, 32);
    }
    fmpl_exchange_end(x);
}

FMPL_RANKS_TEST_WITH(
    Exchange, ArgumentsAreChecked, {.ranks = {2}, .unmapped = false, .environment = {{"FMPL_ERRORS", "return"}}})
{
    const fmpl::Session session;
    fmpl_exchange* x = nullptr;
    EXPECT_EQ(fmpl_exchange_of(FMPL_COMM_NULL, &x), FMPL_ERR_COMM);
    EXPECT_EQ(fmpl_exchange_of(FMPL_COMM_WORLD, nullptr), FMPL_ERR_ARGUMENT);
    x = exchange_of_world();
    void* room = nullptr;
    EXPECT_EQ(fmpl_exchange_room(x, FMPL_EXCHANGE_BYTES + 1, &room), FMPL_ERR_ARGUMENT);
    REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
}
