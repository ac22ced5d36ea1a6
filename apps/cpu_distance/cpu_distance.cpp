// cpu-distance: the time that a cache line takes from one CPU to another and back, in nanoseconds, as two threads see
// it that pass it to each other. It takes some milliseconds.
//
// Exit status: 0 when the time was printed; 1 when the CPUs cannot be used; 2 for options that cannot be used.
#include "cpu_distance_options.hpp"

#include "../options_end.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <sched.h>

namespace {

using namespace fmpl;

constexpr std::size_t kBatches = 11;
constexpr std::uint64_t kRoundsOfBatch = 1000;
constexpr std::chrono::milliseconds kEnough{100};

// The calling thread's.
void bind_to(int cpu)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    const bool is_one = cpu >= 0 && cpu < CPU_SETSIZE;
    if (is_one) CPU_SET(static_cast<std::size_t>(cpu), &set);
    if (sched_setaffinity(0, sizeof set, &set) != 0) {
        throw std::runtime_error(fmt::format(
            "CPU {} cannot be used: {}; `taskset -p $$` shows which can", cpu, std::strerror(is_one ? errno : EINVAL)));
    }
}

// What goes back and forth: the number of the turn, even when it is the first thread's.
class Line {
public:
    // Takes every other turn from `first` to the one before `end`; ends before that when the other thread has left.
    void pass(std::uint64_t first, std::uint64_t end)
    {
        for (std::uint64_t turn = first; turn < end; turn += 2) {
            for (std::uint64_t seen; (seen = turn_.load(std::memory_order_relaxed)) != turn;) {
                if (seen == kLeft) return;
            }
            turn_.store(turn + 1, std::memory_order_relaxed);
        }
    }
    // In the turn of who leaves: the other thread may still be about to write its answer before.
    void leave(std::uint64_t turn)
    {
        while (turn_.load(std::memory_order_relaxed) != turn) {
        }
        turn_.store(kLeft, std::memory_order_relaxed);
    }

private:
    static constexpr std::uint64_t kLeft = ~std::uint64_t{0};
    alignas(64) std::atomic<std::uint64_t> turn_{0};
};

double median_nanoseconds(int first_cpu, int second_cpu)
{
    using Clock = std::chrono::steady_clock;
    bind_to(second_cpu);  // known before a thread depends on it
    bind_to(first_cpu);
    Line line;
    std::thread other([&] {
        bind_to(second_cpu);
        line.pass(1, 2 * kBatches * kRoundsOfBatch);
    });
    std::vector<double> batches;
    std::uint64_t turn = 0;
    // Where another process has one of the CPUs a batch may take long, and then one is enough.
    for (const auto end = Clock::now() + kEnough; batches.size() < kBatches && Clock::now() < end;) {
        const auto begin = Clock::now();
        line.pass(turn, turn + 2 * kRoundsOfBatch);
        turn += 2 * kRoundsOfBatch;
        const std::chrono::duration<double, std::nano> elapsed = Clock::now() - begin;
        batches.push_back(elapsed.count() / static_cast<double>(kRoundsOfBatch));
    }
    line.leave(turn);
    other.join();
    std::nth_element(batches.begin(), batches.begin() + static_cast<std::ptrdiff_t>(batches.size() / 2), batches.end());
    return batches[batches.size() / 2];
}

}  // namespace

int main(int argc, char** argv)
{
    try {
        const std::vector<int> cpus = read_cpus(argc, argv);
        if (cpus[0] == cpus[1]) throw std::runtime_error("give two different CPUs");
        fmt::print("{:.1f}\n", median_nanoseconds(cpus[0], cpus[1]));
        return 0;
    } catch (const command_line::OptionsEnd& end) {
        std::fputs(end.what(), end.exit_code() == 0 ? stdout : stderr);
        return end.exit_code();
    } catch (const std::exception& error) {
        fmt::print(stderr, "cpu-distance: {}\n", error.what());
        return 1;
    }
}
