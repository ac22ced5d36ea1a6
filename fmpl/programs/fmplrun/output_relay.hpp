// Carries the output of the ranks to the launcher's own, in whole lines.
//
// Each rank has a pipe for its standard output and one for its standard error. Of what arrives, complete lines go on
// at once; the rest waits for its end of line, for the end of the pipe, or until it is kLongestLine bytes long, but
// less than a tenth of a second where the program has flushed it: then it is shown as it is, a question for instance,
// and what another writes meanwhile begins a line of its own. While a sink holds too much that its reader has not
// taken, the pipes are not read, so that the ranks wait and not the memory grows.
#pragma once

#include "event_set.hpp"
#include "sink.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fmpl::launcher {

enum class Stream : std::uint32_t { out = 0, err = 1 };

class OutputRelay {
public:
    // Both references must outlive the relay. Uses the process's descriptors 1 and 2.
    OutputRelay(EventSet& events, int ranks, bool tag_lines);
    ~OutputRelay();
    OutputRelay(const OutputRelay&) = delete;
    OutputRelay& operator=(const OutputRelay&) = delete;

    // Takes over the reading end of a rank's pipe.
    void add(int rank, Stream stream, int fd);

    void on_rank_output(std::uint32_t number);  // an event of Source::rank_output
    void on_sink(std::uint32_t number);         // an event of Source::sink

    // When show_unfinished() is to be called next; none while no line is unfinished and unshown.
    using Clock = std::chrono::steady_clock;
    std::optional<Clock::time_point> next_look() const { return next_look_; }
    // Shows the beginnings of lines that several looks in a row have found waiting.
    void show_unfinished(Clock::time_point now);

    // Reads what the rank's pipes hold now, without waiting for more.
    void drain(int rank);
    // As drain for all ranks, and gives up the pipes: unfinished lines go out as they are.
    void finish();

    // The launcher's own words, on standard error. Whole lines.
    void say(std::string_view words);

    bool all_written() const;
    // What waits for a reader is dropped. How many bytes that is.
    std::size_t give_up();
    // The first failed write, once; its descriptor and errno.
    struct Failure {
        int fd;
        int error;
    };
    std::optional<Failure> take_failure();

    static constexpr std::size_t kLongestLine = std::size_t{64} << 10;

private:
    struct Pipe {
        int fd = -1;
        bool waiting = false;    // in the event set
        std::string incomplete;  // the beginning of a line
        int looks = 0;           // that have found it waiting
        bool is_flushed = true;  // by the program; otherwise its library's buffer was full
    };
    Sink& sink_of(std::uint32_t number) { return number % 2 == 0 || shared_ ? out_ : err_; }
    bool read_once(std::uint32_t number);  // false: nothing there, or at the end
    void pass_on(std::uint32_t number, std::string_view text);
    void emit(Sink& sink, int rank, std::string_view text);
    void close_pipe(std::uint32_t number);
    void show_incomplete(std::uint32_t number);
    void flush_sinks();
    void watch_pipes();

    EventSet& events_;
    const bool tag_lines_;
    const bool shared_;  // standard output and error are the same: one sink for both
    Sink out_{1};
    Sink err_{2};
    bool watching_[2] = {false, false};  // the sinks, for room
    bool holding_ = false;               // the pipes are not read
    bool failure_taken_ = false;
    std::optional<Clock::time_point> next_look_;
    std::vector<Pipe> pipes_;  // of rank r: 2 r, 2 r + 1
    std::vector<char> buffer_;
};

}  // namespace fmpl::launcher
