#include "communication_cases.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <memory>
#include <numeric>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace npb_test {

namespace {

using fmpl::npb::Communication;
using fmpl::npb::Exchange;
using fmpl::npb::Group;
using fmpl::npb::Pieces;
using fmpl::npb::Publication;
using Random = std::mt19937_64;

constexpr std::byte kGuard{0xEE};

std::size_t at(int rank)
{
    return static_cast<std::size_t>(rank);
}

std::size_t below(Random& random, std::size_t limit)
{
    return static_cast<std::size_t>(random() % limit);
}

// Shifts the ranks against each other.
void delay(Random& random)
{
    for (std::size_t yields = below(random, 8); yields > 5; --yields) std::this_thread::yield();
}

// Numbers that only this rank draws.
Random own_numbers(std::uint64_t seed, Communication& communication)
{
    return Random(seed * 1000 + static_cast<std::uint64_t>(communication.rank()) + 1);
}

// The bytes of a message: any two messages differ, and so do its places.
std::byte byte_of(std::uint64_t message, std::size_t place)
{
    const std::uint64_t mixed = (message * 0x9E3779B97F4A7C15u) ^ (place * 0xC2B2AE3D27D4EB4Fu);
    return static_cast<std::byte>(mixed >> 56 ^ mixed >> 29);
}
void fill(std::span<std::byte> bytes, std::uint64_t message)
{
    for (std::size_t place = 0; place < bytes.size(); ++place) bytes[place] = byte_of(message, place);
}
std::size_t first_wrong(std::span<const std::byte> bytes, std::uint64_t message)
{
    std::size_t place = 0;
    while (place < bytes.size() && bytes[place] == byte_of(message, place)) ++place;
    return place;
}
void expect_message(std::span<const std::byte> bytes, std::uint64_t message, const char* what)
{
    EXPECT_EQ(first_wrong(bytes, message), bytes.size()) << what << ": the first wrong byte";
}

std::uint64_t message_number(std::uint64_t round, int source, int destination, int index = 0)
{
    return ((round * 64 + static_cast<std::uint64_t>(source)) * 64 + static_cast<std::uint64_t>(destination)) * 64 +
           static_cast<std::uint64_t>(index);
}

template <class T>
void expect_sum(Group& group, std::size_t count, std::uint64_t round)
{
    const auto value = [&](int rank, std::size_t i) {
        return static_cast<T>(static_cast<std::int64_t>((i * 37 + at(rank) * 11 + round) % 1999) - 1000);
    };
    std::vector<T> values(count), expected(count);
    for (std::size_t i = 0; i < count; ++i) {
        values[i] = value(group.rank(), i);
        for (int rank = 0; rank < group.size(); ++rank) expected[i] += value(rank, i);
    }
    group.sum(std::span(values));
    EXPECT_EQ(values, expected) << count << " elements, round " << round;
}

// One exchange of equal or of ragged blocks, whose sizes all ranks know.
struct Plan {
    bool equal;
    std::size_t block_bytes;                         // of equal blocks
    std::vector<std::vector<std::size_t>> bytes_to;  // of ragged ones: [source][destination]

    std::size_t bytes(int source, int destination) const
    {
        return equal ? block_bytes : bytes_to[at(source)][at(destination)];
    }
};

Plan equal_blocks(std::size_t bytes)
{
    return {true, bytes, {}};
}

// No rank gets more than landing_bytes. Some of the blocks are empty, and now and then one fills its landing area.
Plan ragged_blocks(Random& random, int ranks, std::size_t landing_bytes)
{
    Plan plan{false, 0, std::vector(at(ranks), std::vector<std::size_t>(at(ranks)))};
    const std::size_t most = landing_bytes / at(ranks) / 4;
    for (int destination = 0; destination < ranks; ++destination) {
        if (below(random, 6) == 0) {
            plan.bytes_to[below(random, at(ranks))][at(destination)] = landing_bytes / 4 * 4;
            continue;
        }
        for (int source = 0; source < ranks; ++source) {
            if (below(random, 4) != 0) plan.bytes_to[at(source)][at(destination)] = 4 * below(random, most + 1);
        }
    }
    return plan;
}

Plan any_blocks(Random& random, int ranks, std::size_t landing_bytes)
{
    const std::size_t most = landing_bytes / at(ranks);
    switch (below(random, 5)) {
        case 0:
            return equal_blocks(0);
        case 1:
            return equal_blocks(most);
        case 2:
            return equal_blocks(below(random, most + 1));
        default:
            return ragged_blocks(random, ranks, landing_bytes);
    }
}

void begin(Exchange& exchange, const Plan& plan, int rank)
{
    if (plan.equal) {
        exchange.begin(plan.block_bytes);
    } else {
        exchange.begin(std::span(plan.bytes_to[at(rank)]));
    }
}

// The blocks are written from a random rank on.
void write(Exchange& exchange, const Group& group, const Plan& plan, std::uint64_t round, Random& random)
{
    const std::size_t first = below(random, at(group.size()));
    for (std::size_t i = 0; i < at(group.size()); ++i) {
        const int peer = static_cast<int>((first + i) % at(group.size()));
        const std::size_t bytes = plan.bytes(group.rank(), peer);
        if (bytes != 0) fill({exchange.room(peer), bytes}, message_number(round, group.rank(), peer));
        delay(random);
    }
}

void expect_landed(Exchange& exchange, const Group& group, const Plan& plan, std::uint64_t round)
{
    const std::byte* place = exchange.landing().data();
    for (int source = 0; source < group.size(); ++source) {
        const std::span<std::byte> block = exchange.from(source);
        EXPECT_EQ(block.size(), plan.bytes(source, group.rank())) << "from rank " << source << " in round " << round;
        EXPECT_EQ(block.data(), place) << "blocks lie in the order of the ranks, round " << round;
        expect_message(block, message_number(round, source, group.rank()), "a block");
        place += block.size();
    }
    EXPECT_EQ(exchange.landing().size(), static_cast<std::size_t>(place - exchange.landing().data()));
}

constexpr int kPublished = 1;  // in the place of a message's index: an exchange's blocks have 0

// Who publishes how much, and who reads what of it; the same numbers on all ranks.
class Readers {
public:
    // All for whoever reads it.
    static Readers of_all(Random& random, int ranks)
    {
        Readers readers;
        for (int rank = 0; rank < ranks; ++rank) {
            readers.bytes_.push_back(below(random, 5) == 0 ? 0 : 4 * below(random, 3000));
            readers.sources_.emplace_back();
            for (std::size_t count = below(random, 2 * at(ranks)); count > 0; --count) {
                readers.sources_.back().push_back(static_cast<int>(below(random, at(ranks))));  // some of them twice
            }
        }
        return readers;
    }
    // A part for each rank. Some of them are empty, and now and then all of a rank's.
    static Readers of_parts(Random& random, int ranks)
    {
        Readers readers;
        for (int rank = 0; rank < ranks; ++rank) {
            const bool nothing = below(random, 5) == 0;
            readers.parts_.emplace_back();
            for (int reader = 0; reader < ranks; ++reader) {
                readers.parts_.back().push_back(nothing || below(random, 4) == 0 ? 0 : 4 * below(random, 1000));
            }
        }
        return readers;
    }
    static Readers any(Random& random, int ranks)
    {
        return below(random, 2) == 0 ? of_all(random, ranks) : of_parts(random, ranks);
    }

    std::unique_ptr<Publication> publication(Communication& communication, Group& group) const
    {
        const std::size_t own = at(group.rank());
        if (parts_.empty()) return communication.publication(group, bytes_[own], sources_[own]);
        return communication.publication(group, std::span(parts_[own]));
    }
    // That a rank publishes.
    std::size_t bytes(int rank) const
    {
        if (parts_.empty()) return bytes_[at(rank)];
        return std::accumulate(parts_[at(rank)].begin(), parts_[at(rank)].end(), std::size_t{0});
    }
    // For each rank that `reader` reads, itself among them: visit(rank, first byte of what that publishes, bytes).
    template <class Visit>
    void for_each_source(int reader, const Visit& visit) const
    {
        if (parts_.empty()) {
            for (const int source : sources_[at(reader)]) visit(source, std::size_t{0}, bytes_[at(source)]);
            visit(reader, std::size_t{0}, bytes_[at(reader)]);
            return;
        }
        for (std::size_t source = 0; source < parts_.size(); ++source) {
            const auto end = parts_[source].begin() + reader;
            const std::size_t first = std::accumulate(parts_[source].begin(), end, std::size_t{0});
            if (*end != 0) visit(static_cast<int>(source), first, *end);
        }
    }

private:
    std::vector<std::size_t> bytes_;
    std::vector<std::vector<int>> sources_;        // of each rank
    std::vector<std::vector<std::size_t>> parts_;  // [publisher][reader]; or empty
};

void write(Publication& publication, const Group& group, const Readers& readers, std::uint64_t round)
{
    std::byte* const place = publication.begin();
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(place) % 64, 0u);
    fill({place, readers.bytes(group.rank())}, message_number(round, group.rank(), 0, kPublished));
}

// With one number, two or three, since libraries have other ways for each, or without.
void publish(Publication& publication, const Group& group, std::uint64_t round)
{
    const double rank = static_cast<double>(group.rank());
    double sums[] = {rank, 1.0, 2 * rank};
    const std::size_t count = 1 + round % 3;
    if (round % 4 == 3) {
        publication.end();
        return;
    }
    publication.end(std::span(sums).first(count));
    const double ranks = group.size();
    const double expected[] = {0.5 * ranks * (ranks - 1), ranks, ranks * (ranks - 1)};
    for (std::size_t i = 0; i < count; ++i) EXPECT_EQ(sums[i], expected[i]);
}

void expect_published(Publication& publication, const Group& group, const Readers& readers, std::uint64_t round)
{
    readers.for_each_source(group.rank(), [&](int source, std::size_t first, std::size_t size) {
        const std::span<const std::byte> bytes = publication.of(source);
        EXPECT_EQ(bytes.size(), size) << "from rank " << source << " in round " << round;
        const std::uint64_t message = message_number(round, source, 0, kPublished);
        std::size_t right = 0;
        while (right < bytes.size() && bytes[right] == byte_of(message, first + right)) ++right;
        EXPECT_EQ(right, bytes.size()) << "the first wrong byte from rank " << source << " in round " << round;
    });
}

}  // namespace

void collective_calls_agree_with_a_plain_loop(Communication& communication, std::uint64_t seed)
{
    Random random(seed), own = own_numbers(seed, communication);
    Group& world = communication.world();
    EXPECT_EQ(communication.rank(), world.rank());
    EXPECT_EQ(communication.ranks(), world.size());
    for (std::uint64_t round = 0; round < 30; ++round) {
        const std::size_t count = round < 4 ? static_cast<std::size_t>(round) : below(random, 3000);
        delay(own);
        expect_sum<double>(world, count, round);
        expect_sum<std::int64_t>(world, count, round);
        expect_sum<std::int32_t>(world, count, round);

        std::vector<double> values(count), largest(count);
        for (std::size_t i = 0; i < count; ++i) {
            const auto value = [&](int rank) { return -1.5 - static_cast<double>((i + at(rank) * 7) % 13); };
            values[i] = value(world.rank());
            largest[i] = value(0);
            for (int rank = 1; rank < world.size(); ++rank) largest[i] = std::max(largest[i], value(rank));
        }
        world.maximum(std::span(values));
        EXPECT_EQ(values, largest);
        EXPECT_EQ(world.sum(static_cast<double>(world.rank() + 1)), 0.5 * world.size() * (world.size() + 1));
        EXPECT_EQ(world.maximum(-static_cast<double>(world.rank())), 0.0);

        const int root = static_cast<int>(below(random, at(world.size())));
        std::vector<std::byte> data(below(random, 4) == 0 ? 0 : below(random, 20000), kGuard);
        const std::uint64_t message = message_number(round, root, 0);
        if (world.rank() == root) fill(data, message);
        world.broadcast(std::span(data), root);
        expect_message(data, message, "a broadcast");
        world.barrier();
    }
}

void reductions_give_all_ranks_the_same_bits(Communication& communication, std::uint64_t seed)
{
    Random random(seed), own = own_numbers(seed, communication);
    Group& world = communication.world();
    std::uniform_real_distribution<double> number(-1e3, 1e3);
    for (const std::size_t count : {std::size_t{1}, std::size_t{2}, std::size_t{100}, std::size_t{5000}}) {
        std::vector<double> values(count);
        for (double& value : values) value = number(own);
        world.sum(std::span(values));
        std::vector<double> first = values;
        world.broadcast(std::as_writable_bytes(std::span(first)), 0);
        EXPECT_EQ(std::memcmp(values.data(), first.data(), count * sizeof(double)), 0) << count << " sums";
    }
}

void messages_land_in_the_receives_of_their_index(Communication& communication, std::uint64_t seed)
{
    Random random(seed), own = own_numbers(seed, communication);
    Group& world = communication.world();
    constexpr std::size_t kMost = 12;       // messages of a pair of ranks and a round
    constexpr std::size_t kLongest = 6000;  // of most of them

    struct Message {
        int source, destination, index;
        std::size_t bytes, count, stride;  // pieces
        std::uint64_t number;
        std::byte* to = nullptr;
        std::size_t total() const { return bytes * count; }
    };
    // Receives in memory of both kinds.
    const std::size_t room = at(world.size()) * kMost * (kLongest + 64);
    std::span<std::byte> remote(communication.allocate(room), room);
    std::vector<std::byte> heap(room), sent;

    for (std::uint64_t round = 0; round < 25; ++round) {
        std::vector<Message> incoming, outgoing;
        for (int source = 0; source < world.size(); ++source) {
            for (int destination = 0; destination < world.size(); ++destination) {
                if (source == destination) continue;
                std::vector<int> indices(Group::kIndices);
                std::iota(indices.begin(), indices.end(), 0);
                std::shuffle(indices.begin(), indices.end(), random);
                const std::size_t messages = below(random, 4) == 0 ? below(random, kMost) : below(random, 3);
                for (std::size_t i = 0; i < messages; ++i) {
                    Message message{source, destination, indices[i], 0, 1, 0, 0};
                    switch (below(random, 4)) {
                        case 0:
                            message.bytes = below(random, 100);
                            break;
                        case 1:
                            message.bytes = below(random, kLongest);
                            break;
                        case 2:  // a column of doubles
                            message.bytes = sizeof(double);
                            message.count = 1 + below(random, kLongest / sizeof(double) - 1);
                            break;
                        default:
                            message.bytes = 1 + below(random, 300);
                            message.count = 1 + below(random, kLongest / message.bytes);
                    }
                    message.stride = message.bytes + below(random, 3) * 8;
                    message.number = message_number(round, source, destination, message.index);
                    if (source == world.rank()) outgoing.push_back(message);
                    if (destination == world.rank()) incoming.push_back(message);
                }
            }
        }
        // A guard byte before each receive and behind it.
        const std::span<std::byte> memory = round % 2 == 0 ? remote : std::span(heap);
        std::fill(memory.begin(), memory.end(), kGuard);
        std::byte* next = memory.data();
        for (Message& message : incoming) {
            message.to = next + 1;
            next += message.total() + 2;
            world.post_receive(message.to, message.total(), message.source, message.index);
        }
        std::shuffle(outgoing.begin(), outgoing.end(), own);
        for (const Message& message : outgoing) {
            sent.assign((message.count - 1) * message.stride + message.bytes, kGuard);
            for (std::size_t piece = 0, place = 0; piece < message.count; ++piece) {
                for (std::size_t i = 0; i < message.bytes; ++i, ++place) {
                    sent[piece * message.stride + i] = byte_of(message.number, place);
                }
            }
            delay(own);
            if (message.count == 1 && below(own, 2) == 0) {
                world.send(sent.data(), message.bytes, message.destination, message.index);
            } else {
                world.send(Pieces{sent.data(), message.bytes, message.count, message.stride}, message.destination,
                    message.index);
            }
            std::fill(sent.begin(), sent.end(), kGuard);  // send has returned: the data may be changed
        }
        std::shuffle(incoming.begin(), incoming.end(), own);
        for (const Message& message : incoming) {
            world.wait_receive(message.source, message.index);
            expect_message({message.to, message.total()}, message.number, "a message");
            EXPECT_EQ(message.to[-1], kGuard);
            EXPECT_EQ(message.to[message.total()], kGuard);
        }
    }
}

// As the exchanges of neighbours in MG: each index is used again and again, the receive of the next round being posted
// before the messages of this one are sent.
void messages_of_an_index_keep_their_order(Communication& communication, std::uint64_t seed)
{
    Random own = own_numbers(seed, communication);
    Group& world = communication.world();
    if (world.size() == 1) return;
    const int right = (world.rank() + 1) % world.size(), left = (world.rank() + world.size() - 1) % world.size();
    constexpr std::size_t kBytes = 1000;
    constexpr std::uint64_t kRounds = 200;
    std::vector<std::byte> from_left[2], from_right[2], data(kBytes);
    for (int turn = 0; turn < 2; ++turn) {
        from_left[turn].resize(kBytes);
        from_right[turn].resize(kBytes);
    }
    const auto post = [&](std::uint64_t round) {
        const int turn = static_cast<int>(round % 2);
        world.post_receive(from_left[turn].data(), kBytes, left, turn);
        world.post_receive(from_right[turn].data(), kBytes, right, 2 + turn);
    };
    post(0);
    for (std::uint64_t round = 0; round < kRounds; ++round) {
        const int turn = static_cast<int>(round % 2);
        if (round + 1 < kRounds) post(round + 1);
        delay(own);
        fill(data, message_number(round, world.rank(), right, 0));
        world.send(data.data(), kBytes, right, turn);
        fill(data, message_number(round, world.rank(), left, 1));
        world.send(data.data(), kBytes, left, 2 + turn);
        world.wait_receive(left, turn);
        world.wait_receive(right, 2 + turn);
        expect_message(from_left[turn], message_number(round, left, world.rank(), 0), "from the left");
        expect_message(from_right[turn], message_number(round, right, world.rank(), 1), "from the right");
    }
}

void exchanges_deliver_every_block(Communication& communication, std::uint64_t seed)
{
    Random random(seed), own = own_numbers(seed, communication);
    Group& world = communication.world();
    for (const int areas : {1, 2}) {
        const std::size_t landing_bytes = at(world.size()) * (64 + below(random, 3000));
        const auto exchange = communication.exchange(world, landing_bytes, areas);
        for (std::uint64_t round = 0; round < 60; ++round) {
            const Plan plan = any_blocks(random, world.size(), landing_bytes);
            delay(own);
            begin(*exchange, plan, world.rank());
            write(*exchange, world, plan, round, own);
            exchange->end();
            expect_landed(*exchange, world, plan, round);
        }
    }
}

void two_areas_keep_what_has_landed(Communication& communication, std::uint64_t seed)
{
    Random random(seed), own = own_numbers(seed, communication);
    Group& world = communication.world();
    const std::size_t landing_bytes = at(world.size()) * 2048;
    const auto exchange = communication.exchange(world, landing_bytes, 2);
    std::span<std::byte> before;
    std::size_t block_before = 0;
    for (std::uint64_t round = 0; round < 80; ++round) {
        const Plan plan = equal_blocks(below(random, 2049));
        begin(*exchange, plan, world.rank());
        write(*exchange, world, plan, round, own);
        for (int source = 0; round != 0 && source < world.size(); ++source) {
            expect_message(before.subspan(at(source) * block_before, block_before),
                message_number(round - 1, source, world.rank()), "what landed in the round before");
        }
        exchange->end();
        before = exchange->landing();
        block_before = plan.block_bytes;
        delay(own);
    }
}

// Two of them in use at a time, beside an exchange.
void publications_reach_every_reader(Communication& communication, std::uint64_t seed)
{
    Random random(seed), own = own_numbers(seed, communication);
    Group& world = communication.world();
    const std::size_t landing_bytes = at(world.size()) * 1024;
    const auto exchange = communication.exchange(world, landing_bytes, 2);
    for (int times = 0; times < 6; ++times) {
        const Readers readers[] = {Readers::of_all(random, world.size()), Readers::of_parts(random, world.size())};
        const std::unique_ptr<Publication> publications[] = {
            readers[0].publication(communication, world), readers[1].publication(communication, world)};
        for (std::uint64_t round = 0; round < 20; ++round) {
            const Plan plan = equal_blocks(below(random, 1025));
            begin(*exchange, plan, world.rank());
            for (std::size_t p = 0; p < 2; ++p) {
                delay(own);
                write(*publications[p], world, readers[p], 2 * round + p);
            }
            write(*exchange, world, plan, 2 * round, own);
            const std::size_t first = below(random, 2);
            for (const std::size_t p : {first, 1 - first}) {
                publish(*publications[p], world, round);
                delay(own);
                expect_published(*publications[p], world, readers[p], 2 * round + p);
            }
            expect_published(*publications[first], world, readers[first], 2 * round + first);
            exchange->end();
            expect_landed(*exchange, world, plan, 2 * round);
        }
    }
}

// As a slow reader sees it. What a rank published lies where it publishes next.
void what_was_published_stays_until_the_ranks_meet(Communication& communication, std::uint64_t seed)
{
    Random random(seed), own = own_numbers(seed, communication);
    Group& world = communication.world();
    for (int times = 0; times < 4; ++times) {
        const Readers readers = Readers::any(random, world.size());
        const auto published = readers.publication(communication, world);
        for (std::uint64_t round = 0; round < 40; ++round) {
            write(*published, world, readers, round);
            publish(*published, world, round);
            if (below(own, 4) == 0) {
                for (int yields = 0; yields < 50; ++yields) std::this_thread::yield();
            }
            expect_published(*published, world, readers, round);
            if (below(random, 2) == 0) {
                world.barrier();
            } else {
                expect_sum<double>(world, 1, round);
            }
            delay(own);
            const std::span<const std::byte> memory(published->begin(), readers.bytes(world.rank()));
            expect_message(memory, message_number(round, world.rank(), 0, kPublished), "what was published last");
            publish(*published, world, round);  // once more
            expect_published(*published, world, readers, round);
            world.barrier();
        }
    }
}

// A reader may still read when the others leave, and whoever owned the memory takes it for something else at once.
void what_was_published_stays_until_its_last_reader_leaves(Communication& communication, std::uint64_t seed)
{
    Random random(seed), own = own_numbers(seed, communication);
    Group& world = communication.world();
    for (std::uint64_t round = 0; round < 8; ++round) {
        const Readers readers = Readers::any(random, world.size());
        auto published = readers.publication(communication, world);
        write(*published, world, readers, round);
        publish(*published, world, round);
        if (world.rank() == static_cast<int>(round) % world.size()) {
            for (int yields = 0; yields < 1000; ++yields) std::this_thread::yield();
            expect_published(*published, world, readers, round);
        }
        published.reset();
        // No other publication: making one waits for all ranks.
        std::ranges::fill(communication.allocate_array<std::byte>(readers.bytes(world.rank())), kGuard);
        delay(own);
    }
}

// Long enough for what a library does with long messages.
void long_blocks_arrive(Communication& communication, std::uint64_t seed)
{
    Random own = own_numbers(seed, communication);
    Group& world = communication.world();
    const std::size_t block = std::size_t{2 << 20} / at(world.size()) + 8;
    const auto exchange = communication.exchange(world, block * at(world.size()), 1);
    for (std::uint64_t round = 0; round < 3; ++round) {
        Plan plan = equal_blocks(block);
        if (round == 1) plan = {false, 0, std::vector(at(world.size()), std::vector(at(world.size()), block / 4 * 4))};
        begin(*exchange, plan, world.rank());
        write(*exchange, world, plan, round, own);
        exchange->end();
        expect_landed(*exchange, world, plan, round);
    }
}

// Rows and columns of a grid, which overlap, and the world in reverse order; all have an exchange that is in use.
void subgroups_do_not_disturb_each_other(Communication& communication, std::uint64_t seed)
{
    Random random(seed), own = own_numbers(seed, communication);
    const int ranks = communication.ranks();
    const int columns = ranks % 2 == 0 ? 2 : 1, rows = ranks / columns;
    std::vector<int> row, column, reverse;
    for (int c = 0; c < columns; ++c) row.push_back(communication.rank() / columns * columns + c);
    for (int r = 0; r < rows; ++r) column.push_back(r * columns + communication.rank() % columns);
    for (int rank = ranks; rank-- > 0;) reverse.push_back(rank);

    constexpr std::size_t kLanding = 4096;
    struct Member {
        std::unique_ptr<Group> group;
        std::unique_ptr<Exchange> exchange;
        std::unique_ptr<Publication> publication;
        Readers readers;
    };
    std::vector<Member> members;
    for (const std::vector<int>& world_ranks : {row, column, reverse}) {
        auto group = communication.group(world_ranks);
        EXPECT_EQ(group->size(), static_cast<int>(world_ranks.size()));
        EXPECT_EQ(world_ranks[at(group->rank())], communication.rank());
        auto exchange = communication.exchange(*group, kLanding, static_cast<int>(members.size()) % 2 + 1);
        const Readers readers = Readers::any(random, group->size());
        auto published = readers.publication(communication, *group);
        members.push_back({std::move(group), std::move(exchange), std::move(published), readers});
    }
    for (std::uint64_t round = 0; round < 40; ++round) {
        for (std::size_t m = 0; m < members.size(); ++m) {
            Group& group = *members[m].group;
            Exchange& exchange = *members[m].exchange;
            // Groups of one kind have the same plan, in ranks of the group.
            const Plan plan = any_blocks(random, group.size(), kLanding);
            const std::uint64_t key = round * 4 + m;
            delay(own);
            begin(exchange, plan, group.rank());
            write(exchange, group, plan, key, own);
            exchange.end();
            expect_landed(exchange, group, plan, key);

            write(*members[m].publication, group, members[m].readers, key);
            publish(*members[m].publication, group, round);
            expect_published(*members[m].publication, group, members[m].readers, key);

            expect_sum<std::int64_t>(group, below(random, 50), key);
            const int root = static_cast<int>(below(random, at(group.size())));
            std::vector<std::byte> data(100, kGuard);
            if (group.rank() == root) fill(data, message_number(key, root, 0));
            group.broadcast(std::span(data), root);
            expect_message(data, message_number(key, root, 0), "a broadcast");
            if (group.size() > 1) {
                const int right = (group.rank() + 1) % group.size();
                const int left = (group.rank() + group.size() - 1) % group.size();
                group.post_receive(data.data(), data.size(), left, 5);
                std::vector<std::byte> sent(100);
                fill(sent, message_number(key, group.rank(), right, 5));
                group.send(sent.data(), sent.size(), right, 5);
                group.wait_receive(left, 5);
                expect_message(data, message_number(key, left, group.rank(), 5), "a message");
            }
            group.barrier();
        }
        communication.world().barrier();
    }
    while (!members.empty()) {
        members.back().publication.reset();
        members.back().exchange.reset();
        members.pop_back();
    }
}

void too_much_for_a_landing_area_is_an_error(Communication& communication, std::uint64_t seed)
{
    Random own = own_numbers(seed, communication);
    Group& world = communication.world();
    const int ranks = world.size();
    const std::size_t landing_bytes = at(ranks) * 64;
    const auto exchange = communication.exchange(world, landing_bytes, 2);
    EXPECT_THROW(exchange->begin(std::size_t{68}), std::length_error);
    world.barrier();

    // Everybody sends to the last rank 4 bytes more than its share.
    std::vector<std::size_t> bytes_to(at(ranks), 4);
    bytes_to.back() = 68;
    bool thrown = false;
    try {
        exchange->begin(std::span<const std::size_t>(bytes_to));
    } catch (const std::length_error& error) {
        thrown = true;
        EXPECT_NE(std::string(error.what()).find("an exchange brings"), std::string::npos) << error.what();
        EXPECT_NE(std::string(error.what()).find(std::to_string(landing_bytes)), std::string::npos) << error.what();
    }
    if (world.rank() == ranks - 1) {
        EXPECT_TRUE(thrown);
    }
    world.barrier();

    // Another exchange works.
    const auto other = communication.exchange(world, landing_bytes, 1);
    begin(*other, equal_blocks(64), world.rank());
    write(*other, world, equal_blocks(64), 0, own);
    other->end();
    expect_landed(*other, world, equal_blocks(64), 0);
}

void memory_is_aligned_and_apart(Communication& communication, std::uint64_t seed)
{
    Random random(seed);
    const auto misalignment = [](const void* p) { return reinterpret_cast<std::uintptr_t>(p) % 64; };
    std::vector<std::span<std::byte>> all;
    for (std::uint64_t i = 0; i < 30; ++i) {
        const std::size_t bytes = i == 0 ? 0 : 1 + below(random, 5000);
        all.emplace_back(communication.allocate(bytes), bytes);
        EXPECT_EQ(misalignment(all.back().data()), 0u);
        fill(all.back(), i);
    }
    for (std::uint64_t i = 0; i < all.size(); ++i) expect_message(all[i], i, "memory");
    const std::span<double> doubles = communication.allocate_array<double>(33);
    EXPECT_EQ(doubles.size(), 33u);

    Group& world = communication.world();
    const auto exchange = communication.exchange(world, at(world.size()) * 128, 2);
    for (int round = 0; round < 3; ++round) {
        exchange->begin(std::size_t{128});
        for (int peer = 0; peer < world.size(); ++peer) EXPECT_EQ(misalignment(exchange->room(peer)), 0u);
        exchange->end();
        EXPECT_EQ(misalignment(exchange->landing().data()), 0u);
    }
    EXPECT_FALSE(communication.library().empty());
    EXPECT_EQ(communication.library().find('\n'), std::string::npos);
}

void the_time_of_calls_is_counted(Communication& communication, std::uint64_t)
{
    using Clock = std::chrono::steady_clock;
    const auto begin_time = Clock::now();
    const double before = communication.communication_seconds();
    double last = before;
    Group& world = communication.world();
    const auto exchange = communication.exchange(world, 64 * at(world.size()), 1);
    const auto published = communication.publication(world, 64, {});
    for (int round = 0; round < 10; ++round) {
        world.barrier();
        exchange->begin(std::size_t{64});
        exchange->end();
        double now = communication.communication_seconds();
        EXPECT_GT(now, last);
        last = now;
        published->begin();
        double sum = 1;
        published->end(std::span(&sum, 1));
        now = communication.communication_seconds();
        EXPECT_GT(now, last);
        last = now;
    }
    const double still = communication.communication_seconds();
    EXPECT_EQ(still, communication.communication_seconds()) << "time passes outside of calls too";
    EXPECT_LE(last - before, std::chrono::duration<double>(Clock::now() - begin_time).count());
}

}  // namespace npb_test
