// Many nonblocking receives posted in advance, and then messages for them in the order that is worst for a library that
// searches a queue: the last one posted comes first (paper, table 2).
#include "benchmarks.hpp"
#include "cpu_distance.hpp"
#include "job.hpp"
#include "message_memory.hpp"
#include "report.hpp"
#include "transport.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace fmpl::bench {
namespace {

constexpr int kReceivesOfABatch = 4096;

// One pair with its posted receives: index i goes into or out of the buffer i of each side.
class OutstandingReceives {
public:
    OutstandingReceives(const Pairing& pairing, std::size_t bytes, int count, std::byte* memory)
        : pairing_(pairing),
          pool_(bytes, 0, 1),
          count_(static_cast<std::uint64_t>(count)),
          received_(memory),
          sent_(memory + memory_bytes(bytes, count) / 2),
          posted_(count)
    {
        for (std::uint64_t i = 0; i < count_; ++i) fill_pattern(send_buffer(i), bytes, i);
    }

    static std::size_t memory_bytes(std::size_t bytes, int count)
    {
        return 2 * BufferPool(bytes, 0, 1).total_bytes() * static_cast<std::size_t>(count);
    }

    void post()
    {
        const std::size_t bytes = pool_.buffer_bytes();
        for (std::uint64_t i = 0; i < count_; ++i) {
            posted_.post(receive_buffer(i), bytes, pairing_.peer(), static_cast<int>(i));
        }
    }

    // A ping-pong over all indices, the last one first.
    void exchange()
    {
        const std::size_t bytes = pool_.buffer_bytes();
        const int peer = pairing_.peer();
        for (std::uint64_t left = count_; left > 0; --left) {
            const int index = static_cast<int>(left - 1);
            if (pairing_.first()) {
                transport::send(send_buffer(left - 1), bytes, peer, index);
                posted_.wait(peer, index);
            } else {
                posted_.wait(peer, index);
                transport::send(send_buffer(left - 1), bytes, peer, index);
            }
        }
    }

    bool verify() const
    {
        for (std::uint64_t i = 0; i < count_; ++i) {
            if (!has_pattern(receive_buffer(i), pool_.buffer_bytes(), i)) return false;
        }
        return true;
    }

private:
    std::byte* receive_buffer(std::uint64_t i) const { return received_ + i * pool_.total_bytes(); }
    std::byte* send_buffer(std::uint64_t i) const { return sent_ + i * pool_.total_bytes(); }

    const Pairing& pairing_;
    BufferPool pool_;  // of one buffer: its size and its distance to the next
    std::uint64_t count_;
    std::byte* received_;
    std::byte* sent_;
    transport::PostedReceives posted_;
};

// Seconds that `rounds` rounds take in each of their two phases.
struct Phases {
    double post = 0;
    double exchange = 0;
};

Phases run_rounds(const Pairing& pairing, OutstandingReceives& receives, int rounds)
{
    Phases phases;
    for (int round = 0; round < rounds; ++round) {
        pairing.group().barrier();
        const double begin = now_seconds();
        receives.post();
        phases.post += now_seconds() - begin;
        pairing.group().barrier();  // all receives are posted
        const double posted = now_seconds();
        receives.exchange();
        phases.exchange += now_seconds() - posted;
    }
    return phases;
}

}  // namespace

void run_outstanding(const Options& options, const Job& job, Report& report)
{
    const Pairing pairing(job, options.pairs);
    report.line(
        fmt::format("between {}; a batch is reps rounds of posting all receives and then exchanging all messages",
            pairing.words()));
    report.columns(
        {"bytes", "outstanding", "reps", "irecv us", "irecv q1", "irecv q3", "one-way us", "min us", "q1 us", "q3 us"});

    for (const std::size_t bytes : options.sizes) {
        for (const int count : options.outstanding) {
            with_message_memory(
                options.memory, OutstandingReceives::memory_bytes(bytes, count), [&](std::byte* memory) {
                    OutstandingReceives receives(pairing, bytes, count, memory);
                    const int reps = options.sampling(std::max(1, kReceivesOfABatch / count)).reps;
                    const auto samples = static_cast<std::size_t>(options.samples);
                    std::vector<double> post(samples), one_way(samples);
                    bool right = true;
                    if (pairing.takes_part()) {
                        run_rounds(pairing, receives, 1);
                        right = receives.verify();
                        run_rounds(pairing, receives, options.warmup < 0 ? reps : options.warmup);
                        for (std::size_t s = 0; s < samples; ++s) {
                            Phases phases;
                            const auto rounds = [&] {
                                phases = run_rounds(pairing, receives, reps);
                                return phases.exchange;
                            };
                            options.distance->near(rounds);
                            post[s] = phases.post / (static_cast<double>(reps) * count);
                            one_way[s] = phases.exchange / (2.0 * reps * count);
                        }
                    }
                    all_must_be_right(right, "outstanding: a message arrived in the wrong receive, or wrong");
                    max_over_ranks(post);
                    max_over_ranks(one_way);

                    const Summary posting = summarize(post);
                    std::vector<std::string> cells = {fmt::format("{}", bytes), fmt::format("{}", count),
                        fmt::format("{}", reps), microseconds(posting.median), microseconds(posting.quartile1),
                        microseconds(posting.quartile3)};
                    for (std::string& cell : time_cells(one_way)) cells.push_back(std::move(cell));
                    report.row(cells, {{"bytes", bytes}, {"outstanding", count}, {"reps", reps},
                                          {"irecv_seconds", json_of(post)}, {"seconds", json_of(one_way)}});
                });
        }
    }
}

}  // namespace fmpl::bench
