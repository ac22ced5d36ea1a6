// Blocks of an arena and of a send buffer, against a model that remembers every block.
#include "../support/ranks_test.hpp"

#include "crossbar/host.hpp"
#include "error.hpp"
#include "p2p/arena_allocator.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <random>
#include <string>

namespace {

using namespace fmpl;

constexpr std::size_t kMiB = std::size_t{1} << 20;

JobMemory arena_of(std::size_t bytes)
{
    JobSpec spec;
    spec.arena_bytes = bytes;
    return JobMemory::create(spec);
}

std::size_t round_up(std::size_t value, std::size_t unit)
{
    return (value + unit - 1) / unit * unit;
}

// Random calls to an allocator of [begin, begin + bytes), each result compared with the blocks that are known.
class Model {
public:
    Model(ArenaAllocator& allocator, Offset begin, std::size_t bytes, bool arena, std::uint64_t seed)
        : allocator_(allocator),
          begin_(begin),
          bytes_(bytes),
          arena_(arena),
          random_(seed)
    {
    }

    void allocate(std::size_t most)
    {
        // Small sizes as often as large ones.
        const std::size_t bytes = below(std::size_t{1} << below(64 - __builtin_clzll(most) + 1)) % (most + 1);
        const std::size_t rounded = round_up(std::max<std::size_t>(bytes, 1), ArenaAllocator::kAlignment);
        const std::size_t alignment =
            arena_ && rounded >= ArenaAllocator::kPageAlignedFrom ? 4096 : ArenaAllocator::kAlignment;
        const Offset at = allocator_.try_allocate(bytes);
        if (at == kNoOffset) {
            ASSERT_LT(largest_gap(alignment), rounded) << bytes << " bytes refused";
            ++refused;
            return;
        }
        const std::size_t size = allocator_.block_bytes(at);
        ASSERT_EQ(at % alignment, 0u) << bytes << " bytes";
        ASSERT_GE(size, std::max<std::size_t>(bytes, 1));
        ASSERT_GE(at, begin_);
        ASSERT_LE(at + size, begin_ + bytes_);
        const auto next = blocks_.lower_bound(at);
        if (next != blocks_.end()) {
            ASSERT_LE(at + size, next->first) << "overlaps the next block";
        }
        if (next != blocks_.begin()) {
            const auto previous = std::prev(next);
            ASSERT_LE(previous->first + previous->second, at) << "overlaps the block before";
        }
        blocks_.emplace(at, size);
        used_ += size;
    }

    void free_one()
    {
        if (blocks_.empty()) return;
        const auto block = std::next(blocks_.begin(), static_cast<std::ptrdiff_t>(below(blocks_.size())));
        const auto [at, size] = *block;
        ASSERT_TRUE(allocator_.free(at));
        ASSERT_FALSE(allocator_.free(at)) << "freed twice";
        blocks_.erase(block);
        used_ -= size;
    }

    void free_all()
    {
        while (!blocks_.empty()) free_one();
    }

    void check_sums_and_a_random_place()
    {
        ASSERT_EQ(allocator_.used_bytes(), used_);
        ASSERT_EQ(allocator_.blocks(), blocks_.size());
        const Offset at = begin_ + below(bytes_);
        auto block = blocks_.upper_bound(at);
        std::size_t expected = 0;
        if (block != blocks_.begin()) {
            --block;
            if (at < block->first + block->second) expected = block->first + block->second - at;
        }
        ASSERT_EQ(allocator_.bytes_from(at), expected);
        ASSERT_EQ(allocator_.block_bytes(at), blocks_.count(at) != 0 ? blocks_.at(at) : 0);
    }

    std::uint64_t below(std::uint64_t bound) { return random_() % bound; }

    int refused = 0;

private:
    std::size_t largest_gap(std::size_t alignment) const
    {
        std::size_t largest = 0;
        Offset gap = begin_;
        const auto look = [&](Offset end) {
            const Offset at = round_up(gap, alignment);
            if (at < end) largest = std::max<std::size_t>(largest, end - at);
        };
        for (const auto& [at, size] : blocks_) {
            look(at);
            gap = at + size;
        }
        look(begin_ + bytes_);
        return largest;
    }

    ArenaAllocator& allocator_;
    Offset begin_;
    std::size_t bytes_;
    bool arena_;
    std::mt19937_64 random_;
    std::map<Offset, std::size_t> blocks_;
    std::size_t used_ = 0;
};

// Phases that fill and phases that empty the range.
void run(Model& model, int steps, std::size_t most)
{
    for (int step = 0; step < steps && !::testing::Test::HasFatalFailure(); ++step) {
        const bool filling = step / 500 % 2 == 0;
        if (model.below(100) < (filling ? 70 : 30)) {
            model.allocate(most);
        } else {
            model.free_one();
        }
        if (!::testing::Test::HasFatalFailure()) model.check_sums_and_a_random_place();
    }
    EXPECT_GT(model.refused, 0) << "the range was never full";
    if (!::testing::Test::HasFatalFailure()) model.free_all();
}

TEST(ArenaAllocator, AgreesWithAModelInABackedRange)
{
    for (const Offset begin : {Offset{64}, Offset{1 << 20}, Offset{(1 << 20) + 24}}) {
        const std::size_t bytes = 300'000;
        ArenaAllocator allocator(nullptr, begin, bytes);
        Model model(allocator, begin, bytes, false, fmpl_test::seed() + begin);
        run(model, 4000, 30'000);
        ASSERT_FALSE(::testing::Test::HasFatalFailure()) << "begin " << begin;
        EXPECT_EQ(allocator.used_bytes(), 0u);
        const std::size_t whole = (begin + bytes - round_up(begin, 64)) / 64 * 64;
        EXPECT_NE(allocator.try_allocate(whole), kNoOffset) << "the free blocks were not merged";
    }
}

TEST(ArenaAllocator, AgreesWithAModelInAnArena)
{
    const JobMemory memory = arena_of(16 * kMiB);
    const Offset begin = memory.arena_offset(0);
    ArenaAllocator allocator(&memory, begin, memory.arena(0).size());
    Model model(allocator, begin, memory.arena(0).size(), true, fmpl_test::seed());
    run(model, 4000, 3 * kMiB);
    ASSERT_FALSE(::testing::Test::HasFatalFailure());
    EXPECT_EQ(allocator.used_bytes(), 0u);
    EXPECT_EQ(allocator.allocate(memory.arena(0).size()), begin) << "the free blocks were not merged";
}

// Half of the arena is the program's heap, which ends what can be backed at a multiple of 2 MiB.
TEST(ArenaAllocator, TakesAllThatIsBelowTheHeapFromAnyPageOn)
{
    constexpr std::size_t kMargin = 5 * 4096, kHeap = 8 * kMiB, kBlock = 64 * 1024;
    JobMemory memory = arena_of(16 * kMiB);
    memory.set_apart(memory.arena_offset(0) + kHeap, 16 * kMiB - kHeap);
    ArenaAllocator allocator(&memory, memory.arena_offset(0) + kMargin, memory.arena(0).size() - kMargin);
    for (std::size_t i = 0; i < (kHeap - kMargin) / kBlock; ++i) EXPECT_NE(allocator.try_allocate(kBlock), kNoOffset);
    EXPECT_NE(allocator.try_allocate((kHeap - kMargin) % kBlock), kNoOffset);
    EXPECT_EQ(allocator.try_allocate(64), kNoOffset);
}

TEST(ArenaAllocator, MergesInEveryOrderOfFreeing)
{
    std::array<int, 4> order = {0, 1, 2, 3};
    do {
        ArenaAllocator allocator(nullptr, 4096, 4 * 64);
        std::array<Offset, 4> blocks;
        for (Offset& block : blocks) block = allocator.allocate(64);
        for (const int i : order) EXPECT_TRUE(allocator.free(blocks[static_cast<std::size_t>(i)]));
        EXPECT_EQ(allocator.allocate(4 * 64), 4096u);
    } while (std::next_permutation(order.begin(), order.end()));
}

TEST(ArenaAllocator, TakesTheSmallestGapThatFits)
{
    ArenaAllocator allocator(nullptr, 4096, 1024);
    const Offset large = allocator.allocate(256);
    allocator.allocate(64);
    const Offset small = allocator.allocate(128);
    allocator.allocate(64);
    allocator.free(large);
    allocator.free(small);
    EXPECT_EQ(allocator.allocate(100), small);
    EXPECT_EQ(allocator.allocate(129), large);
}

TEST(ArenaAllocator, NothingIsABlockOfItsOwn)
{
    ArenaAllocator allocator(nullptr, 4096, 128);
    const Offset first = allocator.allocate(0);
    const Offset second = allocator.allocate(0);
    EXPECT_NE(first, second);
    EXPECT_EQ(allocator.try_allocate(0), kNoOffset);
    EXPECT_TRUE(allocator.free(first));
    EXPECT_TRUE(allocator.free(second));
}

TEST(ArenaAllocator, ExhaustionIsSaidInWordsAndChangesNothing)
{
    ArenaAllocator allocator(nullptr, 4096, 1024);
    allocator.allocate(512);
    for (const std::size_t bytes : {std::size_t{513}, std::size_t{1025}, ~std::size_t{0}, ~std::size_t{0} - 63}) {
        EXPECT_EQ(allocator.try_allocate(bytes), kNoOffset);
        try {
            allocator.allocate(bytes);
            ADD_FAILURE() << bytes << " bytes were given";
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), FMPL_ERR_MEMORY);
            for (const std::string& word : {std::to_string(bytes) + " bytes", std::string("1024 bytes"),
                     std::string("512"), std::string("FMPL_ARENA_SIZE")}) {
                EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << word << " in: " << error.what();
            }
        }
    }
    EXPECT_EQ(allocator.used_bytes(), 512u);
    EXPECT_EQ(allocator.blocks(), 1u);
    EXPECT_NE(allocator.try_allocate(512), kNoOffset);
}

TEST(ArenaAllocator, AnEmptyRangeHasNoBlocks)
{
    ArenaAllocator allocator(nullptr, 4096, 0);
    EXPECT_EQ(allocator.try_allocate(0), kNoOffset);
    EXPECT_EQ(allocator.bytes_from(4096), 0u);
    EXPECT_FALSE(allocator.free(4096));
}

TEST(ArenaAllocator, AnArenaLargerThanTheMachineRefusesWhatIsNotThere)
{
    const JobMemory memory = arena_of(4 * physical_memory_bytes());
    ArenaAllocator allocator(&memory, memory.arena_offset(0), memory.arena(0).size());
    const std::size_t wanted = 2 * physical_memory_bytes();
    EXPECT_EQ(allocator.try_allocate(wanted), kNoOffset);
    try {
        allocator.allocate(wanted);
        ADD_FAILURE() << "more than the machine has was given";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), FMPL_ERR_MEMORY);
        EXPECT_NE(std::string(error.what()).find("available"), std::string::npos) << error.what();
    }
    EXPECT_EQ(allocator.used_bytes(), 0u);
    const Offset block = allocator.allocate(100'000);
    memory.base()[block + 99'999] = std::byte{1};
    EXPECT_EQ(block % 4096, 0u);
}

TEST(ArenaAllocator, OnlyTheBeginOfABlockFreesIt)
{
    ArenaAllocator allocator(nullptr, 4096, 1024);
    const Offset block = allocator.allocate(256);
    EXPECT_FALSE(allocator.free(block + 64));
    EXPECT_FALSE(allocator.free(block - 64));
    EXPECT_FALSE(allocator.free(block + 256));
    EXPECT_FALSE(allocator.free(kNoOffset));
    EXPECT_TRUE(allocator.free(block));
    EXPECT_FALSE(allocator.free(block));
}

TEST(ArenaAllocator, BytesFromCountsToTheEndOfTheBlock)
{
    ArenaAllocator allocator(nullptr, 4096, 1024);
    const Offset first = allocator.allocate(128);
    const Offset second = allocator.allocate(192);
    EXPECT_EQ(second, first + 128);
    EXPECT_EQ(allocator.bytes_from(first - 1), 0u);
    EXPECT_EQ(allocator.bytes_from(first), 128u);
    EXPECT_EQ(allocator.bytes_from(first + 127), 1u);
    EXPECT_EQ(allocator.bytes_from(second), 192u);
    EXPECT_EQ(allocator.bytes_from(second + 191), 1u);
    EXPECT_EQ(allocator.bytes_from(second + 192), 0u);
    EXPECT_EQ(allocator.block_bytes(second), 192u);
    EXPECT_EQ(allocator.block_bytes(second + 64), 0u);
    allocator.free(first);
    EXPECT_EQ(allocator.bytes_from(first + 1), 0u);
}

}  // namespace
