// What ranks write down about their calls in the job's memory, each rank a thread.
#include "api/observer.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace fmpl;

constexpr auto kRelaxed = std::memory_order_relaxed;

JobMemory observed_memory(int ranks, std::size_t trace_events)
{
    JobSpec spec;
    spec.ranks = ranks;
    spec.arena_bytes = std::size_t{2} << 20;
    spec.statistics = true;
    spec.trace_events = trace_events;
    return JobMemory::create(spec);
}

struct Reading {
    explicit Reading(const JobMemory& memory, int rank)
        : record(*memory.observation(rank)),
          row(reinterpret_cast<const SentRecord*>(
              memory.base() + memory.observation_offset(rank) + memory.observation_layout().row)),
          trace(reinterpret_cast<const TraceEvent*>(
              memory.base() + memory.observation_offset(rank) + memory.observation_layout().trace))
    {
    }
    const CallRecord* call(const std::string& name) const
    {
        for (const CallRecord& c : record.calls) {
            if (name == c.name) return &c;
        }
        return nullptr;
    }
    std::uint64_t calls(const std::string& name) const
    {
        return call(name) == nullptr ? 0 : call(name)->calls.load(kRelaxed);
    }

    const ObservationRecord& record;
    const SentRecord* row;
    const TraceEvent* trace;
};

void make_call(Observer& observer, const char* name, const CallFacts& facts, bool succeeds = true)
{
    observer.begin(name, facts);
    observer.end(succeeds);
}

TEST(Observer, RanksThatAreThreadsWriteEachItsOwn)
{
    constexpr int kRanks = 4;
    constexpr int kCalls = 2000;
    JobMemory memory = observed_memory(kRanks, 1000);
    std::vector<std::thread> threads;
    for (int rank = 0; rank < kRanks; ++rank) {
        threads.emplace_back([&memory, rank] {
            Observer observer(memory, rank);
            EXPECT_TRUE(observer.on());
            observer.begin_session();
            for (int i = 0; i < kCalls; ++i) {
                make_call(observer, "send", {.peer = (rank + i) % kRanks, .index = i, .bytes = 10, .sends = true});
                make_call(observer, "receive", {.peer = (rank + i) % kRanks, .bytes = 100});
            }
            observer.end_session();
        });
    }
    for (std::thread& thread : threads) thread.join();
    for (int rank = 0; rank < kRanks; ++rank) {
        const Reading reading(memory, rank);
        EXPECT_EQ(reading.calls("send"), std::uint64_t{kCalls});
        EXPECT_EQ(reading.calls("receive"), std::uint64_t{kCalls});
        EXPECT_EQ(reading.call("receive")->bytes.load(kRelaxed), 100u * kCalls);
        for (int to = 0; to < kRanks; ++to) {
            EXPECT_EQ(reading.row[to].messages.load(kRelaxed), std::uint64_t{kCalls / kRanks});
            EXPECT_EQ(reading.row[to].bytes.load(kRelaxed), std::uint64_t{10 * kCalls / kRanks});
        }
        EXPECT_EQ(reading.record.events.load(kRelaxed), 1000u);
        EXPECT_EQ(reading.record.dropped.load(kRelaxed), 2u * kCalls - 1000u);
        std::uint64_t end = reading.record.session_begin.load(kRelaxed);
        for (int i = 0; i < 1000; ++i) {
            const TraceEvent& event = reading.trace[i];
            EXPECT_GE(event.begin, end);
            EXPECT_GE(event.end, event.begin);
            EXPECT_EQ(event.peer, (rank + i / 2) % kRanks);
            EXPECT_EQ(event.index, i % 2 == 0 ? i / 2 : -1);
            end = event.end;
        }
        EXPECT_GE(reading.record.first_dropped.load(kRelaxed), end);
        EXPECT_GE(reading.record.session_end.load(kRelaxed), end);
    }
}

TEST(Observer, ACallWithinAnotherOneIsPartOfIt)
{
    JobMemory memory = observed_memory(2, 10);
    Observer observer(memory, 1);
    EXPECT_TRUE(observer.begin("outer", {.peer = 0, .bytes = 7, .sends = true}));
    EXPECT_FALSE(observer.begin("inner", {.peer = 1, .bytes = 1000, .sends = true}));
    observer.say({.peer = 1, .bytes = 2000});
    observer.sent(1, 3000);
    observer.end(true);
    observer.end(true);
    const Reading reading(memory, 1);
    EXPECT_EQ(reading.calls("outer"), 1u);
    EXPECT_EQ(reading.call("inner"), nullptr);
    EXPECT_EQ(reading.call("outer")->bytes.load(kRelaxed), 7u);
    EXPECT_EQ(reading.row[0].messages.load(kRelaxed), 1u);
    EXPECT_EQ(reading.row[1].messages.load(kRelaxed), 0u);
    EXPECT_EQ(reading.record.events.load(kRelaxed), 1u);
}

TEST(Observer, AMessageOfACallThatFailsIsNotCounted)
{
    JobMemory memory = observed_memory(2, 0);
    Observer observer(memory, 0);
    make_call(observer, "send", {.peer = 1, .bytes = 8, .sends = true}, false);
    const Reading reading(memory, 0);
    EXPECT_EQ(reading.calls("send"), 1u);
    EXPECT_EQ(reading.row[1].messages.load(kRelaxed), 0u);
}

TEST(Observer, TheCallThatARankIsInIsThereToRead)
{
    JobMemory memory = observed_memory(2, 0);
    Observer observer(memory, 0);
    observer.begin("receive", {.peer = 1, .index = 5, .bytes = 9});
    const Reading reading(memory, 0);
    ASSERT_EQ(reading.record.open_call.load(kRelaxed), 1u);
    EXPECT_STREQ(reading.record.calls[0].name, "receive");
    EXPECT_EQ(reading.record.open_peer.load(kRelaxed), 1);
    EXPECT_EQ(reading.record.open_index.load(kRelaxed), 5);
    EXPECT_EQ(reading.record.open_bytes.load(kRelaxed), 9u);
    observer.end_session();
    EXPECT_EQ(reading.record.session_end.load(kRelaxed), 0u) << "the session ends with the call";
    observer.end(true);
    EXPECT_EQ(reading.record.open_call.load(kRelaxed), 0u);
    EXPECT_NE(reading.record.session_end.load(kRelaxed), 0u);
}

TEST(Observer, NamesAreKnownByTheirLettersAndWhatIsTooManyGoesTogether)
{
    JobMemory memory = observed_memory(1, 0);
    Observer observer(memory, 0);
    std::vector<std::string> names;
    for (int copy = 0; copy < 2; ++copy) {
        for (int i = 0; i < 200; ++i) names.push_back("call number " + std::to_string(i));
    }
    names.emplace_back(100, 'x');
    for (const std::string& name : names) make_call(observer, name.c_str(), {.bytes = 1});
    const Reading reading(memory, 0);
    for (int i = 0; i < 125; ++i) EXPECT_EQ(reading.calls(names[static_cast<std::size_t>(i)]), 2u) << i;
    EXPECT_EQ(reading.calls("(other calls)"), 2u * 75u + 1u);
    std::uint64_t sum = 0;
    observer.for_each_call([&](const char*, std::uint64_t calls, std::uint64_t, double) { sum += calls; });
    EXPECT_EQ(sum, names.size());
}

TEST(Observer, WithoutALauncherThatAsksItKeepsCallsForItself)
{
    JobSpec spec;
    spec.arena_bytes = std::size_t{2} << 20;
    JobMemory memory = JobMemory::create(spec);
    EXPECT_EQ(memory.observation(0), nullptr);
    Observer observer(memory, 0);
    EXPECT_FALSE(observer.on());
    EXPECT_EQ(observer.seconds(), 0);
    observer.enable(true);
    make_call(observer, "send", {.peer = 0, .bytes = 8, .sends = true});
    observer.enable(false);
    int found = 0;
    observer.for_each_call([&](const char* name, std::uint64_t calls, std::uint64_t bytes, double seconds) {
        ++found;
        EXPECT_STREQ(name, "send");
        EXPECT_EQ(calls, 1u);
        EXPECT_EQ(bytes, 8u);
        EXPECT_GE(seconds, 0);
    });
    EXPECT_EQ(found, 1);
}

}  // namespace
