#include "output_relay.hpp"

#include <algorithm>
#include <cerrno>

#include <fcntl.h>
#include <unistd.h>

#include <fmt/format.h>

namespace fmpl::launcher {
namespace {

constexpr std::size_t kMostQueued = std::size_t{1} << 20;
constexpr std::size_t kReadBytes = std::size_t{64} << 10;

// The beginning of a line is shown at the third look. Looks are counted instead of time, since a machine that stands
// still keeps the rank from finishing its line, too.
constexpr std::chrono::milliseconds kBetweenLooks{30};
constexpr int kLooks = 3;

// C and Fortran libraries write to a pipe when so many bytes, or a multiple, have been printed, in the middle of a
// line.
constexpr std::size_t kBufferBytes = 4096;

}  // namespace

OutputRelay::OutputRelay(EventSet& events, int ranks, bool tag_lines)
    : events_(events),
      tag_lines_(tag_lines),
      shared_(same_destination(1, 2)),
      pipes_(static_cast<std::size_t>(ranks) * 2),
      buffer_(kReadBytes)
{
}

OutputRelay::~OutputRelay()
{
    for (std::uint32_t number = 0; number < pipes_.size(); ++number) {
        if (pipes_[number].fd >= 0) close(pipes_[number].fd);
    }
}

void OutputRelay::add(int rank, Stream stream, int fd)
{
    const std::uint32_t number = static_cast<std::uint32_t>(rank) * 2 + static_cast<std::uint32_t>(stream);
    Pipe& pipe = pipes_[number];
    pipe.fd = fd;
    fcntl(fd, F_SETFL, O_NONBLOCK);
    pipe.waiting = events_.add(fd, EPOLLIN, {Source::rank_output, number});
}

void OutputRelay::on_rank_output(std::uint32_t number)
{
    if (number >= pipes_.size() || pipes_[number].fd < 0) return;
    read_once(number);
    flush_sinks();
}

void OutputRelay::on_sink(std::uint32_t)
{
    flush_sinks();
}

void OutputRelay::drain(int rank)
{
    for (std::uint32_t stream = 0; stream < 2; ++stream) {
        const std::uint32_t number = static_cast<std::uint32_t>(rank) * 2 + stream;
        while (pipes_[number].fd >= 0 && read_once(number)) {
        }
    }
    flush_sinks();
}

void OutputRelay::finish()
{
    for (std::uint32_t number = 0; number < pipes_.size(); ++number) {
        while (pipes_[number].fd >= 0 && read_once(number)) {
        }
        if (pipes_[number].fd >= 0) close_pipe(number);
    }
    flush_sinks();
}

void OutputRelay::say(std::string_view words)
{
    emit(shared_ ? out_ : err_, Sink::kLauncher, words);
    flush_sinks();
}

bool OutputRelay::all_written() const
{
    return out_.empty() && err_.empty();
}

std::size_t OutputRelay::give_up()
{
    const std::size_t dropped = out_.queued() + err_.queued();
    out_.drop();
    err_.drop();
    flush_sinks();
    return dropped;
}

std::optional<OutputRelay::Failure> OutputRelay::take_failure()
{
    if (failure_taken_) return std::nullopt;
    for (const Sink* sink : {&out_, &err_}) {
        if (sink->error() != 0) {
            failure_taken_ = true;
            return Failure{sink->fd(), sink->error()};
        }
    }
    return std::nullopt;
}

bool OutputRelay::read_once(std::uint32_t number)
{
    const ssize_t got = read(pipes_[number].fd, buffer_.data(), buffer_.size());
    if (got > 0) {
        pipes_[number].is_flushed = static_cast<std::size_t>(got) % kBufferBytes != 0;
        pass_on(number, {buffer_.data(), static_cast<std::size_t>(got)});
        return true;
    }
    if (got < 0 && errno == EINTR) return true;
    if (got == 0 || (errno != EAGAIN && errno != EWOULDBLOCK)) close_pipe(number);
    return false;
}

void OutputRelay::pass_on(std::uint32_t number, std::string_view text)
{
    std::string& incomplete = pipes_[number].incomplete;
    const int rank = static_cast<int>(number / 2);
    Sink& sink = sink_of(number);
    if (const auto end = text.rfind('\n'); end != std::string_view::npos) {
        if (incomplete.empty()) {
            emit(sink, rank, text.substr(0, end + 1));
        } else {
            incomplete += text.substr(0, end + 1);
            emit(sink, rank, incomplete);
            incomplete.clear();
        }
        pipes_[number].looks = 0;
        text.remove_prefix(end + 1);
    }
    incomplete += text;
    if (incomplete.size() > kLongestLine) show_incomplete(number);
    if (incomplete.empty()) {
        pipes_[number].looks = 0;
    } else if (!next_look_ && pipes_[number].is_flushed) {
        next_look_ = Clock::now() + kBetweenLooks;
    }
}

void OutputRelay::show_incomplete(std::uint32_t number)
{
    Pipe& pipe = pipes_[number];
    emit(sink_of(number), static_cast<int>(number / 2), pipe.incomplete);
    pipe.incomplete.clear();
    pipe.looks = 0;
}

void OutputRelay::show_unfinished(Clock::time_point now)
{
    if (!next_look_ || now < *next_look_) return;
    next_look_.reset();
    for (std::uint32_t number = 0; number < pipes_.size(); ++number) {
        Pipe& pipe = pipes_[number];
        if (pipe.incomplete.empty() || !pipe.is_flushed) continue;
        if (++pipe.looks >= kLooks) {
            show_incomplete(number);
        } else {
            next_look_ = now + kBetweenLooks;
        }
    }
    flush_sinks();
}

void OutputRelay::emit(Sink& sink, int rank, std::string_view text)
{
    // A rank's two streams are two writers: a line of one must not continue a line of the other.
    const int writer = rank == Sink::kLauncher ? rank : rank * 2 + (&sink == &err_ ? 1 : 0);
    if (!tag_lines_ || rank == Sink::kLauncher) {
        sink.append(writer, text);
        return;
    }
    const std::string tag = fmt::format("[{}] ", rank);
    while (!text.empty()) {
        const auto end = text.find('\n');
        const std::size_t length = end == std::string_view::npos ? text.size() : end + 1;
        if (sink.at_line_start(writer)) {
            sink.append(writer, tag + std::string(text.substr(0, length)));
        } else {
            sink.append(writer, text.substr(0, length));
        }
        text.remove_prefix(length);
    }
}

void OutputRelay::close_pipe(std::uint32_t number)
{
    Pipe& pipe = pipes_[number];
    if (!pipe.incomplete.empty()) show_incomplete(number);
    if (pipe.waiting) events_.remove(pipe.fd);
    close(pipe.fd);
    pipe.fd = -1;
    pipe.waiting = false;
}

void OutputRelay::flush_sinks()
{
    std::size_t queued = 0;
    for (Sink* sink : {&out_, &err_}) {
        sink->flush();
        queued = std::max(queued, sink->queued());
        const auto number = static_cast<std::uint32_t>(sink == &err_);
        if (sink->empty() == watching_[number]) {
            if (sink->empty()) {
                events_.remove(sink->fd());
                watching_[number] = false;
            } else {
                watching_[number] = events_.add(sink->fd(), EPOLLOUT, {Source::sink, number});
            }
        }
    }
    const bool hold = queued > kMostQueued;
    if (hold != holding_) {
        holding_ = hold;
        watch_pipes();
    }
}

void OutputRelay::watch_pipes()
{
    for (std::uint32_t number = 0; number < pipes_.size(); ++number) {
        Pipe& pipe = pipes_[number];
        if (pipe.fd < 0 || pipe.waiting == !holding_) continue;
        // Removed and not only masked: epoll reports a pipe's end even when nothing was asked for.
        if (holding_) {
            events_.remove(pipe.fd);
            pipe.waiting = false;
        } else {
            pipe.waiting = events_.add(pipe.fd, EPOLLIN, {Source::rank_output, number});
        }
    }
}

}  // namespace fmpl::launcher
