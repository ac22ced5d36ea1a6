#include "guardian.hpp"

#include "error.hpp"

#include <chrono>
#include <climits>
#include <csignal>
#include <set>
#include <thread>

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace fmpl::launcher {
namespace {

constexpr int kTimeToReadMs = 1000;

enum What : int { kProtect, kForget, kFarewell };

struct Message {
    int what;
    pid_t group;
};
static_assert(sizeof(Message) <= PIPE_BUF);  // so that it arrives whole or not at all

void end_job(const std::set<pid_t>& groups, const JobIdentity& identity)
{
    for (const pid_t group : groups) kill(-group, SIGKILL);
    // Processes that have left their group. A few rounds, because one may have been forking just then; not for ever,
    // because a killed process can be beyond reach for a long time (in the middle of a device's work).
    for (int round = 0; round < 200; ++round) {
        const auto left = processes_of_job(identity);
        if (left.empty()) break;
        for (const pid_t pid : left) kill(pid, SIGKILL);
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
}

[[noreturn]] void guard(int pipe, const JobIdentity& identity)
{
    // Out of the terminal's reach, and holding nothing that others wait to see closed.
    setsid();
    for (const int signal : {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP, SIGTTIN, SIGTTOU, SIGUSR1, SIGUSR2, SIGPIPE}) {
        std::signal(signal, SIG_IGN);
    }
    prctl(PR_SET_NAME, "fmplrun-guard");
    dup2(pipe, 0);
    const int null = open("/dev/null", O_RDWR);
    dup2(null, 1);
    dup2(null, 2);
    close_range(3, UINT_MAX, 0);
    if (chdir("/") != 0) _exit(1);

    std::set<pid_t> groups;
    for (;;) {
        Message message{};
        const ssize_t got = read(0, &message, sizeof message);
        if (got < 0 && errno == EINTR) continue;
        if (got != static_cast<ssize_t>(sizeof message)) break;
        if (message.what == kFarewell) _exit(0);
        if (message.what == kProtect) groups.insert(message.group);
        if (message.what == kForget) groups.erase(message.group);
    }
    end_job(groups, identity);
    _exit(0);
}

}  // namespace

Guardian::Guardian(const JobIdentity& identity)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) fail_system("no pipe to the guardian process");
    pid_ = fork();
    if (pid_ < 0) {
        const int error = errno;
        close(ends[0]);
        close(ends[1]);
        errno = error;
        fail_system("the guardian process cannot be started (fork)");
    }
    if (pid_ == 0) guard(ends[0], identity);
    close(ends[0]);
    pipe_ = ends[1];
    fcntl(pipe_, F_SETFL, O_NONBLOCK);
}

Guardian::~Guardian()
{
    tell(kFarewell, 0);
    close(pipe_);
    if (pid_ < 0) return;
    // It may be stopped, and then hears nothing; or frozen or traced, and then does not even end by this.
    kill(pid_, SIGKILL);
    for (int round = 0; round < 100 && waitpid(pid_, nullptr, WNOHANG) == 0; ++round) {
        std::this_thread::sleep_for(std::chrono::milliseconds(round < 10 ? 1 : 5));
    }
}

void Guardian::protect(pid_t group)
{
    tell(kProtect, group);
}

void Guardian::forget(pid_t group)
{
    tell(kForget, group);
}

void Guardian::tell(int what, pid_t group)
{
    // When it is gone, SIGCHLD says so; the failed write adds nothing.
    const Message message{what, group};
    while (write(pipe_, &message, sizeof message) < 0) {
        if (errno == EINTR) continue;
        if (errno != EAGAIN || pid_ < 0) return;
        // Thousands of messages that it has not read: it is stopped, or has no CPU just now. A guardian that does not
        // know the groups is none; its end ends the job.
        pollfd room{pipe_, POLLOUT, 0};
        if (poll(&room, 1, kTimeToReadMs) == 0) {
            kill(pid_, SIGKILL);
            return;
        }
    }
}

}  // namespace fmpl::launcher
