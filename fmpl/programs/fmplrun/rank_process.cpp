#include "rank_process.hpp"

#include "crossbar/host.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace fmpl::launcher {
namespace {

std::vector<char*> pointers(const std::vector<std::string>& strings)
{
    std::vector<char*> result;
    for (const std::string& s : strings) result.push_back(const_cast<char*>(s.c_str()));
    result.push_back(nullptr);
    return result;
}

void default_signals(bool keep_hangup_ignored)
{
    for (int signal = 1; signal < NSIG; ++signal) {
        if (signal == SIGHUP && keep_hangup_ignored) continue;
        struct sigaction action {};
        action.sa_handler = SIG_DFL;
        sigaction(signal, &action, nullptr);
    }
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
}

[[noreturn]] void become_rank(const RankStart& start, pid_t launcher, int report)
{
    const auto give_up = [report](StartFailure::Step step) {
        const StartFailure failure{step, errno};
        if (write(report, &failure, sizeof failure) < 0) _exit(126);
        _exit(127);
    };
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != launcher) _exit(127);  // it died before it could become our reason to die
    // A CPU can have gone since the launcher looked. Unbound is slower, and right all the same.
    bind_thread(0, start.cpus);
    for (int i = 0; i < 3; ++i) {
        if (start.standard[i] != i && dup2(start.standard[i], i) < 0) give_up(StartFailure::Step::prepare);
    }
    if (start.job_fd >= 0 && fcntl(start.job_fd, F_SETFD, 0) != 0) give_up(StartFailure::Step::prepare);
    setrlimit(RLIMIT_NOFILE, &start.open_files);
    start.mark.put_on_this_process();
    default_signals(start.keep_hangup_ignored);
    const auto arguments = pointers(start.program);
    auto variables = pointers(start.environment);
    environ = variables.data();  // before the search, which uses its PATH
    execvp(arguments[0], arguments.data());
    give_up(StartFailure::Step::execute);
    _exit(127);
}

}  // namespace

pid_t start_rank(const RankStart& start, StartFailure& failure)
{
    // Closed by a successful exec; otherwise it carries the reason.
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) {
        failure = {StartFailure::Step::prepare, errno};
        return -1;
    }
    const pid_t launcher = getpid();
    const pid_t pid = fork();
    if (pid < 0) {
        failure = {StartFailure::Step::fork, errno};
        close(ends[0]);
        close(ends[1]);
        return -1;
    }
    if (pid == 0) become_rank(start, launcher, ends[1]);
    // Both sides set the group, so that it is there for whoever needs it first.
    setpgid(pid, pid);
    close(ends[1]);
    ssize_t got;
    do {
        got = read(ends[0], &failure, sizeof failure);
    } while (got < 0 && errno == EINTR);
    close(ends[0]);
    if (got == static_cast<ssize_t>(sizeof failure)) {
        while (waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
        }
        return -1;
    }
    failure = {};
    return pid;
}

}  // namespace fmpl::launcher
