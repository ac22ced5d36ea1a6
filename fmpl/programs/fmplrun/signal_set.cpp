#include "signal_set.hpp"

#include "error.hpp"

#include <sys/signalfd.h>
#include <unistd.h>

namespace fmpl::launcher {
namespace {

bool is_ignored(int signal)
{
    struct sigaction action {};
    return sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

}  // namespace

SignalSet::SignalSet() : hangup_was_ignored_(is_ignored(SIGHUP))
{
    sigset_t wanted;
    sigemptyset(&wanted);
    for (const int signal : {SIGHUP, SIGINT, SIGQUIT, SIGTSTP}) {
        if (!is_ignored(signal)) sigaddset(&wanted, signal);
    }
    for (const int signal : {SIGCHLD, SIGTERM, SIGCONT, SIGUSR1}) sigaddset(&wanted, signal);
    // An ignored SIGCHLD would make the kernel throw the ranks' exit statuses away.
    std::signal(SIGCHLD, SIG_DFL);
    sigprocmask(SIG_BLOCK, &wanted, nullptr);
    fd_ = signalfd(-1, &wanted, SFD_CLOEXEC | SFD_NONBLOCK);
    if (fd_ < 0) fail_system("fmplrun cannot receive signals (signalfd)");
}

SignalSet::~SignalSet()
{
    close(fd_);
}

int SignalSet::next()
{
    signalfd_siginfo info{};
    return read(fd_, &info, sizeof info) == static_cast<ssize_t>(sizeof info) ? static_cast<int>(info.ssi_signo) : 0;
}

void SignalSet::stop_here()
{
    // The real signal, so that the kernel's rule for orphaned process groups holds: nobody could continue such a group.
    sigset_t stop;
    sigemptyset(&stop);
    sigaddset(&stop, SIGTSTP);
    raise(SIGTSTP);
    sigprocmask(SIG_UNBLOCK, &stop, nullptr);
    sigprocmask(SIG_BLOCK, &stop, nullptr);
}

}  // namespace fmpl::launcher
