// The remote operations between two nodes of one job, with an engine that maps the peer's memory and one that does not.
#include "crossbar/crossbar.hpp"
#include "crossbar/transmission_control_word.hpp"
#include "error.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace {

using namespace fmpl;

constexpr std::size_t kBacked = 64 * 1024;

class RemoteMemory : public ::testing::TestWithParam<EngineKind> {
protected:
    RemoteMemory() : memory_(make(GetParam())), origin_(memory_, 0), target_(memory_, 1)
    {
        for (int node = 0; node < 2; ++node) memory_->commit(memory_->arena_offset(node), kBacked);
    }

    static std::shared_ptr<JobMemory> make(EngineKind engine)
    {
        JobSpec spec;
        spec.ranks = 2;
        spec.arena_bytes = std::size_t{2} << 20;
        spec.engine = engine;
        return std::make_shared<JobMemory>(JobMemory::create(spec));
    }

    // A place in the target's arena.
    Offset there(std::size_t bytes = 0) const { return memory_->arena_offset(1) + bytes; }
    std::uint64_t word_there(std::size_t index) const
    {
        std::uint64_t value = 0;
        std::memcpy(&value, target_.local(there(index * 8)), sizeof value);
        return value;
    }

    std::shared_ptr<JobMemory> memory_;
    Crossbar origin_;
    Crossbar target_;
};

INSTANTIATE_TEST_SUITE_P(Engines, RemoteMemory, ::testing::Values(EngineKind::shm, EngineKind::unmapped),
    [](const auto& test) { return test.param == EngineKind::shm ? "shm" : "unmapped"; });

TEST_P(RemoteMemory, ANodeMapsItselfAndThePeerIfTheEngineDoes)
{
    const bool mapped = GetParam() == EngineKind::shm;
    EXPECT_TRUE(origin_.maps(0));
    EXPECT_EQ(origin_.maps(1), mapped);
    EXPECT_EQ(origin_.mapped(1, there()), mapped ? memory_->base() + there() : nullptr);
    EXPECT_EQ(target_.mapped(1, there()), memory_->base() + there());
    EXPECT_EQ(target_.local(there()), memory_->base() + there());
}

TEST_P(RemoteMemory, ANodeContainsItsOwnArenaOnly)
{
    const auto own = memory_->arena(0);
    EXPECT_TRUE(origin_.contains(own.data(), own.size()));
    EXPECT_TRUE(origin_.contains(own.data() + own.size() - 1, 1));
    EXPECT_FALSE(origin_.contains(own.data() + own.size() - 1, 2));
    EXPECT_FALSE(origin_.contains(own.data() - 1, 2));
    EXPECT_FALSE(origin_.contains(own.data() + 1, ~std::size_t{0}));
    EXPECT_FALSE(origin_.contains(memory_->arena(1).data(), 1));
    EXPECT_FALSE(origin_.contains(&own, 1));
    EXPECT_FALSE(origin_.contains(nullptr, 0));
    EXPECT_EQ(origin_.offset_of(own.data() + 100), memory_->arena_offset(0) + 100);
}

TEST_P(RemoteMemory, WritesArriveExactly)
{
    for (const std::size_t bytes : {0, 1, 7, 8, 63, 64, 65, 4096, 40000}) {
        std::vector<unsigned char> data(bytes + 1);  // never a null pointer
        for (std::size_t i = 0; i < bytes; ++i) data[i] = static_cast<unsigned char>(i * 7 + bytes);
        std::memset(target_.local(there()), 0xEE, kBacked);
        origin_.write(1, there(3), data.data(), bytes);
        const auto* seen = reinterpret_cast<const unsigned char*>(target_.local(there()));
        EXPECT_EQ(std::memcmp(seen + 3, data.data(), bytes), 0) << bytes << " bytes";
        EXPECT_EQ(seen[2], 0xEE) << bytes << " bytes";
        EXPECT_EQ(seen[3 + bytes], 0xEE) << bytes << " bytes";
    }
}

TEST_P(RemoteMemory, ReadsBringExactly)
{
    for (std::size_t i = 0; i < kBacked; ++i) target_.local(there())[i] = static_cast<std::byte>(i % 251);
    for (const std::size_t bytes : {0, 1, 8, 65, 40000}) {
        std::vector<unsigned char> data(bytes + 1, 0xEE);
        origin_.read(1, there(5), data.data(), bytes);
        for (std::size_t i = 0; i < bytes; ++i) ASSERT_EQ(data[i], (i + 5) % 251) << bytes << " bytes, byte " << i;
        EXPECT_EQ(data[bytes], 0xEE) << bytes << " bytes";
    }
}

TEST_P(RemoteMemory, FlagsAndWordsArrive)
{
    const std::array<std::uint64_t, 3> words = {11, ~std::uint64_t{0}, 13};
    origin_.write_words(1, there(8), words);
    origin_.write_flag(1, there(64), 77);
    EXPECT_EQ(word_there(0), 0u);
    EXPECT_EQ(word_there(1), 11u);
    EXPECT_EQ(word_there(2), ~std::uint64_t{0});
    EXPECT_EQ(word_there(3), 13u);
    EXPECT_EQ(word_there(4), 0u);
    EXPECT_EQ(target_.read_flag(1, there(64)), 77u);
    EXPECT_EQ(origin_.read_flag(1, there(64)), 77u);
}

TEST_P(RemoteMemory, ExchangesOfBothNodesGiveWhatTheLastOnePut)
{
    EXPECT_EQ(origin_.exchange(1, there(), 5), 0u);
    EXPECT_EQ(target_.exchange(1, there(), 7), 5u);
    EXPECT_EQ(origin_.exchange(1, there(), ~std::uint64_t{0}), 7u);
    EXPECT_EQ(target_.read_flag(1, there()), ~std::uint64_t{0});
}

TEST_P(RemoteMemory, OperationsOnTheOwnNodeWorkToo)
{
    const std::uint64_t value = 42;
    std::uint64_t seen = 0;
    target_.write(1, there(), &value, sizeof value);
    target_.read(1, there(), &seen, sizeof seen);
    EXPECT_EQ(seen, 42u);
    target_.write_flag(1, there(8), 43);
    EXPECT_EQ(target_.read_flag(1, there(8)), 43u);
}

TEST_P(RemoteMemory, TheLastBytesOfAnArenaCanBeReached)
{
    const std::size_t end = memory_->arena(1).size();
    memory_->commit(there(end - 4096), 4096);
    origin_.write_flag(1, there(end - 8), 9);
    EXPECT_EQ(target_.read_flag(1, there(end - 8)), 9u);
    const char last = 'l';
    origin_.write(1, there(end - 1), &last, 1);
    EXPECT_EQ(static_cast<char>(*target_.local(there(end - 1))), 'l');
    origin_.write(1, there(end), &last, 0);
}

TEST_P(RemoteMemory, AControlWordCanBeKickedAgainWithOtherContents)
{
    EXPECT_FALSE(TransmissionControlWord<4>().prepared());
    const TransmissionControlWord<4> control_word(1, there(128), there(256));
    EXPECT_TRUE(control_word.prepared());
    EXPECT_EQ(word_there(32), 0u) << "nothing is sent before the first kick";
    for (std::uint64_t kick = 1; kick <= 5; ++kick) {
        std::array<std::uint64_t, 4> words;
        for (std::size_t i = 0; i < words.size(); ++i) words[i] = 100 * kick + i;
        control_word.kick(origin_, words, kick);
        EXPECT_EQ(target_.read_flag(1, there(256)), kick);
        for (std::size_t i = 0; i < words.size(); ++i) EXPECT_EQ(word_there(16 + i), words[i]) << "kick " << kick;
    }
    EXPECT_EQ(word_there(15), 0u);
    EXPECT_EQ(word_there(20), 0u);
}

TEST_P(RemoteMemory, AKickRingsASleeperAndNobodyElse)
{
    const TransmissionControlWord<1> control_word(1, there(128), there(256));
    control_word.kick(origin_, {1}, 1);
    EXPECT_EQ(origin_.record(1).doorbell.load(), 0u) << "it was awake";
    origin_.record(1).sleeping.store(1);
    control_word.kick(origin_, {2}, 2);
    EXPECT_EQ(origin_.record(1).doorbell.load(), 1u);
    EXPECT_EQ(origin_.record(0).doorbell.load(), 0u);
    const int both[] = {0, 1};
    origin_.wake_only(both);
    EXPECT_EQ(origin_.record(1).doorbell.load(), 2u);
    EXPECT_EQ(origin_.record(0).doorbell.load(), 0u);
}

TEST(UnmappedEngine, AnAccessOutsideThePeersArenaIsADefect)
{
    JobSpec spec;
    spec.ranks = 2;
    spec.arena_bytes = std::size_t{2} << 20;
    spec.engine = EngineKind::unmapped;
    const auto memory = std::make_shared<JobMemory>(JobMemory::create(spec));
    const Crossbar crossbar(memory, 0);
    const Offset first = memory->arena_offset(1);
    const Offset end = first + memory->arena(1).size();
    std::array<std::uint64_t, 2> words = {1, 2};
    const std::vector<std::byte> before(memory->base(), memory->base() + control_bytes(2));

    struct Place {
        int node;
        Offset at;
    };
    const Place places[] = {{1, 0}, {1, memory->arena_offset(0)}, {1, first - 8}, {1, end - 7}, {1, end},
        {1, ~Offset{7}}, {2, end}, {-1, first}, {1 << 20, first}};
    for (const Place& p : places) {
        const std::function<void()> accesses[] = {
            [&] { crossbar.write(p.node, p.at, words.data(), 8); },
            [&] { crossbar.read(p.node, p.at, words.data(), 8); },
            [&] { crossbar.write_flag(p.node, p.at, 1); },
            [&] { crossbar.read_flag(p.node, p.at); },
            [&] { crossbar.write_words(p.node, p.at, words); },
            [&] { crossbar.exchange(p.node, p.at, 1); },
            [&] { TransmissionControlWord<2>(p.node, p.at, first).kick(crossbar, words, 1); },
        };
        int access = 0;
        for (const auto& action : accesses) {
            SCOPED_TRACE("access " + std::to_string(access++));
            try {
                action();
                ADD_FAILURE() << "offset " << p.at << " of node " << p.node << " was reached";
            } catch (const Error& error) {
                EXPECT_EQ(error.code(), FMPL_ERR_INTERNAL);
                EXPECT_NE(std::string(error.what()).find("node " + std::to_string(p.node)), std::string::npos)
                    << error.what();
            }
        }
    }
    EXPECT_EQ(words, (std::array<std::uint64_t, 2>{1, 2}));
    EXPECT_EQ(std::memcmp(before.data(), memory->base(), before.size()), 0) << "the control block was changed";
    EXPECT_EQ(crossbar.read_flag(1, first), 0u);
}

TEST(UnmappedEngine, AnAccessLongerThanTheArenaIsADefect)
{
    JobSpec spec;
    spec.ranks = 2;
    spec.arena_bytes = std::size_t{2} << 20;
    spec.engine = EngineKind::unmapped;
    const auto memory = std::make_shared<JobMemory>(JobMemory::create(spec));
    const Crossbar crossbar(memory, 0);
    std::byte byte{};
    for (const std::size_t bytes : {memory->arena(1).size() + 1, ~std::size_t{0}}) {
        EXPECT_THROW(crossbar.read(1, memory->arena_offset(1), &byte, bytes), Error);
        EXPECT_THROW(crossbar.write(1, memory->arena_offset(1), &byte, bytes), Error);
    }
}

}  // namespace
