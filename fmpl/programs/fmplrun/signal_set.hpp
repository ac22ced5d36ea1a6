// The signals that the launcher reacts to, as a descriptor.
#pragma once

#include <csignal>

namespace fmpl::launcher {

// From its construction on, the signals arrive here instead of interrupting the launcher. Those of the terminal and of
// a hang-up that were ignored at the start (nohup; a background command of a shell script) stay ignored. They stay
// blocked after its end too: the launcher is about to exit then, with a status of its own choice.
class SignalSet {
public:
    SignalSet();  // throws Error(SYSTEM)
    ~SignalSet();
    SignalSet(const SignalSet&) = delete;
    SignalSet& operator=(const SignalSet&) = delete;

    int fd() const { return fd_; }
    int next();  // the number of a signal that has arrived; 0: none
    bool hangup_was_ignored() const { return hangup_was_ignored_; }

    // Stops this process as SIGTSTP would have done; returns when it is continued.
    void stop_here();

private:
    int fd_ = -1;
    bool hangup_was_ignored_ = false;
};

}  // namespace fmpl::launcher
