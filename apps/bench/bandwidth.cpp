// Rate of long messages by ping-pong (paper, figure 6), and beside it, alternating with it batch by batch, the rate of
// memcpy within the first rank: the least that moving the bytes once can cost.
//
// Both use buffers of the same kind and the same total size: by default the same two again and again, one for each way;
// with --footprint many in turn, so that data is met outside the caches.
#include "benchmarks.hpp"
#include "byte_message.hpp"
#include "ping_pong.hpp"
#include "report.hpp"
#include "transport.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <functional>

namespace fmpl::bench {
namespace {

// There and back, through the buffers that the messages take.
void copy(const BufferPool& pool, std::byte* memory, std::byte* other, std::uint64_t first, std::uint64_t count)
{
    for (std::uint64_t i = first; i < first + count; ++i) {
        std::memcpy(pool.at(other, there(i)), pool.at(memory, there(i)), pool.buffer_bytes());
        asm volatile("" ::: "memory");  // the compiler must not see that the way back changes nothing
        std::memcpy(pool.at(memory, back(i)), pool.at(other, back(i)), pool.buffer_bytes());
        asm volatile("" ::: "memory");
    }
}

}  // namespace

void run_bandwidth(const Options& options, const Job& job, Report& report)
{
    const Pairing pairing(job, options.pairs);
    report.line(fmt::format("rate between {}{}, in 10^9 bytes a second; memcpy: within the first rank", pairing.words(),
        pairing.pairs() > 1 ? ", all pairs together" : ""));
    report.line(options.footprint > 0
                    ? fmt::format("buffers of {} KiB in all at each end are taken in turn, by memcpy too",
                          options.footprint / 1024)
                    : std::string("two buffers at each end, one for each way, again and again, by memcpy too"));
    report.columns({"bytes", "reps", "median GB/s", "best GB/s", "q1 GB/s", "q3 GB/s", "median us", "memcpy GB/s",
        fmt::format("{}/memcpy", transport::kShortName)});

    for (const std::size_t bytes : options.sizes) {
        const BufferPool pool(bytes, options.footprint);
        with_message_memory(options.memory, 2 * pool.total_bytes(), [&](std::byte* memory) {
            const PingPong ping_pong(pairing, ByteMessage{bytes}, pool, memory);
            std::byte* other = memory + pool.total_bytes();
            std::memcpy(other, memory, pool.total_bytes());
            const Batch activities[] = {std::cref(ping_pong), [&](std::uint64_t first, std::uint64_t count) {
                                            if (pairing.first()) copy(pool, memory, other, first, count);
                                        }};
            auto [reps, seconds] = sample(options.sampling(reps_for(bytes, 64 * kMiB, 4, 4096)), pairing.group(),
                pairing.takes_part(), activities);
            all_must_be_right(ping_pong.verify(), "bandwidth: a message came back wrong");

            for (auto& of_one : seconds) halve(of_one);
            const double moved = static_cast<double>(bytes) * pairing.pairs();
            const Summary messages = summarize(seconds[0]);
            const Summary memcpy = summarize(seconds[1]);
            const double ratio = bytes > 0 ? memcpy.median / messages.median : 0.0;
            report.row({fmt::format("{}", bytes), fmt::format("{}", reps), gigabytes_per_second(moved, messages.median),
                           gigabytes_per_second(moved, messages.min), gigabytes_per_second(moved, messages.quartile3),
                           gigabytes_per_second(moved, messages.quartile1), microseconds(messages.median),
                           gigabytes_per_second(moved, memcpy.median), fmt::format("{:.2f}", ratio)},
                {{"bytes", bytes}, {"reps", reps}, {"seconds", json_of(seconds[0])},
                    {"memcpy_seconds", json_of(seconds[1])}, {"bytes_per_second", moved / messages.median},
                    {"ratio", ratio}});
        });
    }
}

}  // namespace fmpl::bench
