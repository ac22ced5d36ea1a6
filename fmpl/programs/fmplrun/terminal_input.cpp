#include "terminal_input.hpp"

#include "error.hpp"

#include <fcntl.h>
#include <unistd.h>

namespace fmpl::launcher {
namespace {

constexpr Event kTerminal{Source::terminal, 0};
constexpr Event kRankInput{Source::rank_input, 0};

}  // namespace

TerminalInput::~TerminalInput()
{
    if (pipe_ >= 0) close(pipe_);
}

int TerminalInput::open()
{
    if (!isatty(0)) return -1;
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) fail_system("no pipe for the standard input of rank 0");
    pipe_ = ends[1];
    fcntl(pipe_, F_SETFL, O_NONBLOCK);
    watch_terminal(true);
    return ends[0];
}

void TerminalInput::on_terminal()
{
    if (pipe_ < 0 || !watching_terminal_) return;
    if (tcgetpgrp(0) != getpgrp()) {
        watch_terminal(false);
        in_background_ = true;
        return;
    }
    char text[4096];
    const ssize_t got = read(0, text, sizeof text);
    if (got > 0) {
        waiting_.append(text, static_cast<std::size_t>(got));
    } else if (got < 0 && (errno == EINTR || errno == EAGAIN)) {
        return;
    } else if (got < 0 && errno == EIO && tcgetpgrp(0) != getpgrp()) {
        watch_terminal(false);
        in_background_ = true;
        return;
    } else {
        at_end_ = true;
        watch_terminal(false);
    }
    pass_on();
}

void TerminalInput::on_rank_input()
{
    pass_on();
}

void TerminalInput::look_again()
{
    if (!in_background_ || tcgetpgrp(0) != getpgrp()) return;
    in_background_ = false;
    if (pipe_ >= 0 && !at_end_) watch_terminal(true);
}

void TerminalInput::stop()
{
    watch_terminal(false);
    in_background_ = false;
    close_pipe();
}

void TerminalInput::watch_terminal(bool on)
{
    if (on == watching_terminal_) return;
    if (on) {
        watching_terminal_ = events_.add(0, EPOLLIN, kTerminal);
    } else {
        events_.remove(0);
        watching_terminal_ = false;
    }
}

void TerminalInput::pass_on()
{
    while (pipe_ >= 0 && !waiting_.empty()) {
        const ssize_t taken = write(pipe_, waiting_.data(), waiting_.size());
        if (taken > 0) {
            waiting_.erase(0, static_cast<std::size_t>(taken));
        } else if (errno == EAGAIN) {
            // Nothing more is read from the terminal until rank 0 has taken this.
            if (!watching_pipe_) watching_pipe_ = events_.add(pipe_, EPOLLOUT, kRankInput);
            watch_terminal(false);
            return;
        } else if (errno != EINTR) {
            stop();  // rank 0 has closed its standard input
            return;
        }
    }
    if (pipe_ < 0) return;
    if (watching_pipe_) {
        events_.remove(pipe_);
        watching_pipe_ = false;
    }
    if (at_end_) {
        close_pipe();
    } else if (!in_background_) {
        watch_terminal(true);
    }
}

void TerminalInput::close_pipe()
{
    if (pipe_ < 0) return;
    if (watching_pipe_) events_.remove(pipe_);
    watching_pipe_ = false;
    close(pipe_);
    pipe_ = -1;
}

}  // namespace fmpl::launcher
