#include "ended_child.hpp"

#include "error.hpp"

#include <cerrno>

#include <sys/wait.h>

namespace fmpl::launcher {
namespace {

int wait_status_of(const siginfo_t& info)
{
    if (info.si_code == CLD_EXITED) return W_EXITCODE(info.si_status, 0);
    return W_EXITCODE(0, info.si_status) | (info.si_code == CLD_DUMPED ? WCOREFLAG : 0);
}

}  // namespace

std::optional<EndedChild> reap_ended_child(const std::function<void(pid_t)>& before)
{
    siginfo_t info{};
    if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0) {
        if (info.si_pid == 0) return std::nullopt;
        const pid_t pid = info.si_pid;
        before(pid);
        waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOHANG);
        return EndedChild{pid, wait_status_of(info)};
    }
    if (errno == ECHILD) return std::nullopt;
    int wait_status = 0;
    const pid_t pid = waitpid(-1, &wait_status, WNOHANG);
    if (pid < 0 && errno != ECHILD) {
        fail_system("fmplrun is not told when ranks end: waitid and wait4 are forbidden (seccomp?); allow one of them");
    }
    if (pid <= 0) return std::nullopt;
    before(pid);
    return EndedChild{pid, wait_status};
}

}  // namespace fmpl::launcher
