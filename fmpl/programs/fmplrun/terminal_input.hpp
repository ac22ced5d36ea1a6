// Carries what is typed at the terminal to rank 0.
//
// The ranks are in process groups of their own, so the terminal would stop rank 0 for reading from it (SIGTTIN). The
// launcher reads instead, while it is in the terminal's foreground group, and passes it on through a pipe.
#pragma once

#include "event_set.hpp"

#include <string>

namespace fmpl::launcher {

class TerminalInput {
public:
    explicit TerminalInput(EventSet& events) : events_(events) {}
    ~TerminalInput();
    TerminalInput(const TerminalInput&) = delete;
    TerminalInput& operator=(const TerminalInput&) = delete;

    // Begins when standard input is a terminal: returns the descriptor that rank 0 reads from (the caller closes it
    // after the start of rank 0), else -1: rank 0 can inherit standard input itself.
    int open();

    void on_terminal();    // an event of Source::terminal
    void on_rank_input();  // an event of Source::rank_input: rank 0 has taken something
    void stop();           // rank 0 has ended

    // True while there is input that must wait until the launcher is in the foreground: call look_again() now and then.
    bool in_background() const { return in_background_; }
    void look_again();

private:
    void watch_terminal(bool on);
    void pass_on();
    void close_pipe();

    EventSet& events_;
    int pipe_ = -1;
    bool watching_terminal_ = false;
    bool watching_pipe_ = false;
    bool in_background_ = false;
    bool at_end_ = false;
    std::string waiting_;  // read, and not yet taken by rank 0
};

}  // namespace fmpl::launcher
