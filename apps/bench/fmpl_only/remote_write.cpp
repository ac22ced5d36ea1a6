// Rate of raw writes into the other rank's memory, by ping-pong: "TCW-reused RDMA" of the paper's figure 6. "Not
// actually point-to-point communication because there is no receive call but a polling loop for the remote memory
// write, but shows the peak communication performance" (section 5.1).
//
// The bytes go from a rank's remote-DMA memory to the other's, and then, released, the number of the step into a word
// that the other one polls. The words of both directions lie in one line: the rank that has polled it answers into it
// without fetching another (bouncing_line.hpp). Up to 8 bytes are that word: what is polled is the message, which
// costs one passage of one line. Bytes beside the word in its line would cost more: between two stores the other
// rank's look takes the line away.
//
// As in the paper, and as with messages in `bandwidth`, nobody reads what came: the bytes are visible to the
// receiver and may lie in the writer's cache still. The column "read" shows the same with a receiver that loads every
// line that came before it answers.
//
// Which way of copying is the best depends on the machine and the size; each is measured, alternating batch by batch,
// and the one with the least median counts. The writer copies alone, as a remote-DMA engine does. So this is no bound
// for long messages, of which both ranks copy a part.
#include "benchmarks.hpp"
#include "peer_room.hpp"
#include "../ping_pong.hpp"
#include "../polling.hpp"
#include "../report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <span>

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

namespace fmpl::bench {
namespace {

constexpr std::size_t kLine = 64;
constexpr std::size_t kWordBytes = sizeof(std::uint64_t);

using Copy = void (*)(void* to, const void* from, std::size_t bytes);

void copy_by_memcpy(void* to, const void* from, std::size_t bytes)
{
    std::memcpy(to, from, bytes);
}

// Asks for the target's lines a block ahead, so that they come from the other core's cache while the source's are
// copied.
void copy_ahead(void* to, const void* from, std::size_t bytes)
{
    constexpr std::size_t block = 2048;
    auto* target = static_cast<std::byte*>(to);
    const auto* source = static_cast<const std::byte*>(from);
    const auto ask_for = [&](std::size_t begin) {
        for (std::size_t at = begin; at < std::min(begin + block, bytes); at += kLine) {
#if defined(__x86_64__)
            asm volatile("prefetchw %0" : : "m"(*reinterpret_cast<const char*>(target + at)));
#else
            __builtin_prefetch(target + at, 1);
#endif
        }
    };
    ask_for(0);
    for (std::size_t done = 0; done < bytes; done += block) {
        ask_for(done + block);
        std::memcpy(target + done, source + done, std::min(block, bytes - done));
    }
}

#if defined(__x86_64__)
// Past the caches: the target's lines are not fetched before they are overwritten.
void copy_past_caches(void* to, const void* from, std::size_t bytes)
{
    auto* target = static_cast<std::byte*>(to);
    const auto* source = static_cast<const std::byte*>(from);
    std::size_t done = 0;
    for (; done + kLine <= bytes; done += kLine) {
        __m128i words[kLine / sizeof(__m128i)];
        std::memcpy(words, source + done, sizeof words);
        for (std::size_t i = 0; i < std::size(words); ++i) {
            _mm_stream_si128(reinterpret_cast<__m128i*>(target + done) + i, words[i]);
        }
    }
    _mm_sfence();  // such stores wait for no later release
    std::memcpy(target + done, source + done, bytes - done);
}
#endif

struct WayOfCopying {
    const char* name;
    Copy copy;
};

std::span<const WayOfCopying> ways_of_copying()
{
    static const WayOfCopying all[] = {
        {"memcpy", copy_by_memcpy},
        {"ahead", copy_ahead},
#if defined(__x86_64__)
        {"streaming", copy_past_caches},
#endif
    };
    return all;
}

// Loads every line.
void read_all(const std::byte* p, std::size_t bytes)
{
    for (std::size_t at = 0; at < bytes; at += kLine) {
        static_cast<void>(*reinterpret_cast<const volatile std::byte*>(p + at));
    }
}

// The pair's ping-pong through the buffers of a pool at both ends, which begin at the same place behind the line.
class RemotePingPong {
public:
    // memory: memory_bytes() of this rank's own remote-DMA memory, zeros. Collective over the job; throws
    // std::runtime_error on all ranks where a rank does not address its partner's memory.
    RemotePingPong(const Pairing& pairing, const BufferPool& pool, std::byte* memory, bool yield, const char* benchmark)
        : pairing_(pairing),
          pool_(pool),
          mine_(memory + sizeof(LineForBoth)),
          yield_(yield)
    {
        std::byte* const theirs = room_at_peer(pairing, memory, memory_bytes(pool), benchmark);
        if (!pairing.takes_part()) return;
        room_ = theirs + sizeof(LineForBoth);
        auto* const line = reinterpret_cast<LineForBoth*>(pairing.first() ? memory : theirs);
        own_ = &line->steps[pairing.first() ? 0 : 1];
        other_ = &line->steps[pairing.first() ? 1 : 0];
        for (std::uint64_t i = outgoing(); i < pool_.buffers(); i += 2) {
            fill_pattern(pool_.at(mine_, i), pool_.buffer_bytes(), seed(i));
        }
    }

    static std::size_t memory_bytes(const BufferPool& pool) { return sizeof(LineForBoth) + pool.total_bytes(); }

    // Round trips first .. first + count - 1, copied by `copy`.
    void operator()(std::uint64_t first, std::uint64_t count, Copy copy, bool reads)
    {
        if (yield_) {
            exchange<true>(first, count, copy, reads);
        } else {
            exchange<false>(first, count, copy, reads);
        }
        trips_ += count;
    }

    // Whether all buffers that this rank receives into hold what the other one has written, also after a round of
    // `copy` over buffers that were cleared before. A message that is a word is right when the wait for it ends.
    // Collective over the pairs.
    bool verify(Copy copy)
    {
        if (!pairing_.takes_part() || is_word()) return true;
        for (std::uint64_t i = incoming(); i < pool_.buffers(); i += 2) {
            std::memset(pool_.at(mine_, i), 0, pool_.buffer_bytes());
        }
        pairing_.group().barrier();  // nothing is written before it is cleared
        (*this)(0, pool_.buffers() / 2, copy, false);
        for (std::uint64_t i = incoming(); i < pool_.buffers(); i += 2) {
            if (!has_pattern(pool_.at(mine_, i), pool_.buffer_bytes(), seed(i))) return false;
        }
        return true;
    }

private:
    // Nothing is looked up between a word that comes and the word that answers it: that time would be no passage's.
    template <bool yield>
    void exchange(std::uint64_t first, std::uint64_t count, Copy copy, bool reads) const
    {
        std::atomic<std::uint64_t>& own = *own_;
        const std::atomic<std::uint64_t>& other = *other_;
        const bool writes_first = pairing_.first();
        const std::uint64_t done = trips_;
        if (is_word()) {
            for (std::uint64_t step = done + 1; step <= done + count; ++step) {
                if (!writes_first) wait_for<yield>(other, step);  // pairs with the other rank's store
                own.store(step, std::memory_order_release);       // pairs with the other rank's wait_for
                if (writes_first) wait_for<yield>(other, step);
            }
            return;
        }
        const std::size_t bytes = pool_.buffer_bytes();
        const auto await = [&](std::uint64_t step, std::uint64_t buffer) {
            wait_for<yield>(other, step);  // pairs with the other rank's store
            if (reads) read_all(pool_.at(mine_, buffer), bytes);
        };
        for (std::uint64_t i = 0; i < count; ++i) {
            const std::uint64_t step = done + i + 1;
            const std::uint64_t outgoing = writes_first ? there(first + i) : back(first + i);
            const std::uint64_t incoming = writes_first ? back(first + i) : there(first + i);
            std::byte* const to = pool_.at(room_, outgoing);
            const std::byte* const from = pool_.at(mine_, outgoing);
            if (!writes_first) await(step, incoming);
            copy(to, from, bytes);
            own.store(step, std::memory_order_release);  // pairs with the other rank's wait_for
            if (writes_first) await(step, incoming);
        }
    }

    bool is_word() const { return pool_.buffer_bytes() <= kWordBytes; }
    std::uint64_t outgoing() const { return pairing_.first() ? there(0) : back(0); }
    std::uint64_t incoming() const { return pairing_.first() ? back(0) : there(0); }
    std::uint64_t seed(std::uint64_t buffer) const
    {
        return buffer * 65536 + static_cast<std::uint64_t>(pairing_.first_rank());  // the same at both ends
    }

    const Pairing& pairing_;
    BufferPool pool_;
    std::byte* mine_;
    std::byte* room_ = nullptr;
    std::atomic<std::uint64_t>* own_ = nullptr;
    const std::atomic<std::uint64_t>* other_ = nullptr;
    std::uint64_t trips_ = 0;  // round trips done
    bool yield_;
};

}  // namespace

void run_remote_write(const Options& options, const Job& job, Report& report)
{
    const Pairing pairing(job, options.pairs);
    report.line(
        fmt::format("raw writes between {}{}, in 10^9 bytes a second; no messages, no receive call: a loop polls a "
                    "word behind the bytes",
            pairing.words(), pairing.pairs() > 1 ? ", all pairs together" : ""));
    report.line("copied: the best way for the size; read: the receiver loads every line before it answers");
    if (!job.cpus_suffice()) report.line("ranks share CPUs and yield: no limit of the machine");
    report.columns({"bytes", "reps", "median GB/s", "best GB/s", "q1 GB/s", "q3 GB/s", "median us", "copied",
        "read GB/s", "read us", "copied"});

    for (const std::size_t bytes : options.sizes) {
        const BufferPool pool(bytes, options.footprint);
        with_message_memory(options.memory, RemotePingPong::memory_bytes(pool), [&](std::byte* memory) {
            RemotePingPong ping_pong(pairing, pool, memory, !job.cpus_suffice(), options.benchmark->name);
            const auto ways = ways_of_copying().first(bytes <= kWordBytes ? 1 : ways_of_copying().size());
            std::vector<Batch> activities;
            for (const WayOfCopying& way : ways) {
                for (const bool reads : {false, true}) {
                    activities.push_back([&ping_pong, copy = way.copy, reads](std::uint64_t first,
                                             std::uint64_t count) { ping_pong(first, count, copy, reads); });
                }
                all_must_be_right(ping_pong.verify(way.copy), "remote-write: bytes arrived wrong");
            }
            auto [reps, seconds] = sample(options.sampling(reps_for(bytes, 32 * kMiB, 4, 4096)), pairing.group(),
                pairing.takes_part(), activities);
            for (const WayOfCopying& way : ways) {
                all_must_be_right(ping_pong.verify(way.copy), "remote-write: bytes arrived wrong");
            }

            for (auto& of_one : seconds) halve(of_one);
            // The best of the ways: [0] where nobody reads, [1] where the receiver does.
            std::size_t best[2] = {0, 1};
            for (std::size_t i = 0; i < seconds.size(); ++i) {
                std::size_t& so_far = best[i % 2];
                if (summarize(seconds[i]).median < summarize(seconds[so_far]).median) so_far = i;
            }
            const auto name_of = [&](std::size_t i) { return bytes <= kWordBytes ? "one word" : ways[i / 2].name; };
            nlohmann::json of_ways = nlohmann::json::object();
            for (std::size_t i = 0; i < seconds.size(); i += 2) {
                of_ways[name_of(i)] = {{"seconds", json_of(seconds[i])}, {"read_seconds", json_of(seconds[i + 1])}};
            }

            const double moved = static_cast<double>(bytes) * pairing.pairs();
            const Summary unread = summarize(seconds[best[0]]);
            const Summary read = summarize(seconds[best[1]]);
            report.row({fmt::format("{}", bytes), fmt::format("{}", reps), gigabytes_per_second(moved, unread.median),
                           gigabytes_per_second(moved, unread.min), gigabytes_per_second(moved, unread.quartile3),
                           gigabytes_per_second(moved, unread.quartile1), microseconds(unread.median), name_of(best[0]),
                           gigabytes_per_second(moved, read.median), microseconds(read.median), name_of(best[1])},
                {{"bytes", bytes}, {"reps", reps}, {"seconds", json_of(seconds[best[0]])},
                    {"bytes_per_second", moved / unread.median}, {"copied", name_of(best[0])},
                    {"read_seconds", json_of(seconds[best[1]])}, {"read_copied", name_of(best[1])},
                    {"ways", std::move(of_ways)}});
        });
    }
}

}  // namespace fmpl::bench
