#include "windows.hpp"

#include "../job.hpp"
#include "../message_memory.hpp"
#include "../report.hpp"
#include "manners.hpp"
#include "new_data.hpp"

#include <fmt/format.h>

#include <mpi.h>

#include <string>
#include <vector>

namespace fmpl::bench {
namespace {

using transport::check;

constexpr int kWindowTag = 4;
constexpr int kMostWindow = 1024;

class Window {
public:
    Window(const Pairing& pairing, NewData& data, std::size_t bytes, int messages)
        : pairing_(pairing),
          data_(data),
          bytes_(bytes),
          messages_(static_cast<std::size_t>(messages)),
          sent_(messages_ * bytes),
          received_(messages_ * bytes),
          requests_(2 * messages_)
    {
    }

    void stream()
    {
        char answer = 0;
        if (pairing_.first()) {
            send(0, true);
            wait(messages_);
            transport::recv(&answer, 1, pairing_.peer(), kWindowTag + 1);
        } else {
            receive(0);
            wait(messages_);
            data_.read(received_.data(), received_.size());
            transport::send(&answer, 1, pairing_.peer(), kWindowTag + 1);
        }
    }
    void both_ways()
    {
        receive(0);
        send(messages_, true);
        wait(2 * messages_);
        data_.read(received_.data(), received_.size());
    }

    // Whether each message of a window each way arrives as it was sent.
    bool is_right()
    {
        const auto sender = [&](bool here) { return pairing_.first() == here ? 0u : 1u; };
        for (std::size_t i = 0; i < messages_; ++i)
            fill_pattern(sent_.data() + i * bytes_, bytes_, 2 * i + sender(true));
        receive(0);
        send(messages_, false);
        wait(2 * messages_);
        bool right = true;
        for (std::size_t i = 0; i < messages_; ++i) {
            right = right && has_pattern(received_.data() + i * bytes_, bytes_, 2 * i + sender(false));
        }
        return right;
    }

private:
    void send(std::size_t first, bool is_new)
    {
        for (std::size_t i = 0; i < messages_; ++i) {
            if (is_new) data_.write(sent_.data() + i * bytes_, bytes_);
            check(MPI_Isend(sent_.data() + i * bytes_, static_cast<int>(bytes_), MPI_BYTE, pairing_.peer(), kWindowTag,
                MPI_COMM_WORLD, &requests_[first + i]));
        }
    }
    void receive(std::size_t first)
    {
        for (std::size_t i = 0; i < messages_; ++i) {
            check(MPI_Irecv(received_.data() + i * bytes_, static_cast<int>(bytes_), MPI_BYTE, pairing_.peer(),
                kWindowTag, MPI_COMM_WORLD, &requests_[first + i]));
        }
    }
    void wait(std::size_t count) { check(MPI_Waitall(static_cast<int>(count), requests_.data(), MPI_STATUSES_IGNORE)); }

    const Pairing& pairing_;
    NewData& data_;
    std::size_t bytes_, messages_;
    std::vector<std::byte> sent_, received_;
    std::vector<MPI_Request> requests_;
};

int messages_of(const Options& options)
{
    return read_count("--window", options.own.at("--window"), 1, kMostWindow);
}

void settle_windows(Options& options)
{
    messages_of(options);
    NewData::settle(options);
}

void run_windows(const Options& options, const Job& job, Report& report)
{
    const Pairing pairing(job, options.pairs);
    const int messages = messages_of(options);
    NewData data(options);
    report.line(fmt::format("windows of {} messages between {}", messages, pairing.words()));
    manner_columns(report);
    const Manner<Window> manners[] = {
        {"stream", &Window::stream, messages}, {"both", &Window::both_ways, 2 * messages}};
    for (const std::size_t bytes : options.sizes) {
        Window window(pairing, data, bytes, messages);
        all_must_be_right(!pairing.takes_part() || window.is_right(), "windows: a message came wrong");
        const int reps = reps_for(bytes * static_cast<std::size_t>(messages), 64 * kMiB, 4, 200);
        for (const auto& manner : manners) measure_manner(options, pairing, report, window, manner, bytes, reps);
    }
}

}  // namespace

Benchmark windows_benchmark()
{
    return {"windows", "Nonblocking messages of which a window is under way, one way and both ways",
        {8, 512, 4 * kKiB, 64 * kKiB, 256 * kKiB}, 1, true, false, false, run_windows,
        {{"--window", "N", "Messages of a window (default: 64)", "64"}, NewData::option()}, settle_windows, 2,
        MemoryKind::heap};
}

}  // namespace fmpl::bench
