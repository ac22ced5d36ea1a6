#include "job.hpp"

#include "crossbar/byte_words.hpp"
#include "crossbar/futex.hpp"
#include "crossbar/host.hpp"
#include "ended_child.hpp"
#include "error.hpp"
#include "launch/environment.hpp"
#include "printable.hpp"
#include "rank_environment.hpp"
#include "rank_report.hpp"

#include <algorithm>
#include <climits>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <random>

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace fmpl::launcher {
namespace {

using std::chrono::milliseconds;

constexpr int kTimedOut = 124;
constexpr int kDeadlocked = 1;
constexpr int kNotExecutable = 126;
constexpr int kNotFound = 127;

// From SIGTERM to SIGKILL.
constexpr milliseconds kTimeToEnd{300};
// From SIGKILL on: the kernel takes its time to give back the memory of a large process, or waits for a device.
constexpr milliseconds kTimeToDie{5000};
constexpr milliseconds kLookAgain{100};
// After a time-out or an interrupt, for whoever reads the output.
constexpr milliseconds kTimeToRead{1000};
constexpr int kFirstRankDescriptor = 100;  // out of the way of the program's own

std::string new_identity()
{
    std::random_device random;
    return fmt::format("{}-{:08x}{:08x}", getpid(), random(), random());
}

std::uint64_t monotonic_ns()
{
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(now.tv_nsec);
}

void raise_open_files_limit(rlimit& before)
{
    getrlimit(RLIMIT_NOFILE, &before);
    rlimit raised = before;
    raised.rlim_cur = raised.rlim_max;
    setrlimit(RLIMIT_NOFILE, &raised);
}

JobSpec spec_from(const Options& options)
{
    // An option wins over the variable of the same meaning, even over a wrong one.
    if (!options.crossbar.empty()) unsetenv("FMPL_CROSSBAR");
    if (!options.profile.empty()) setenv("FMPL_PROFILE", options.profile.c_str(), 1);
    JobSpec spec = job_spec_from_environment(options.ranks);
    check_environment();
    if (!options.crossbar.empty()) {
        try {
            parse_crossbar_shape(options.crossbar, options.ranks, spec.shape);
        } catch (const Error& error) {
            fail(error.code(), "--crossbar: {}", error.what());
        }
    }
    spec.has_launcher = true;
    return spec;
}

}  // namespace

Job::Job(const Options& options)
    : options_(options),
      observation_(options_),
      children_before_(children_of(getpid())),
      identity_{new_identity(), JobMark()},
      guardian_(identity_),
      relay_(events_, options.ranks, options.tag_output),
      input_(events_),
      ranks_(static_cast<std::size_t>(options.ranks))
{
    events_.add(signals_.fd(), EPOLLIN, {Source::signals, 0});
    // Processes that the ranks leave behind become children of the launcher, which can then find and kill them.
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    for (const auto& [name, value] : options_.variables) setenv(name.c_str(), value.c_str(), 1);

    JobSpec spec = spec_from(options_);
    spec.cpus = available_cpus();
    layout_ = RankLayout(options_, spec.cpus);
    spec.lent_cpus = layout_.lent_cpus();
    observation_.prepare(spec);
    memory_ = JobMemory::create(spec);
    job_fd_ = fcntl(memory_.fd(), F_DUPFD_CLOEXEC, kFirstRankDescriptor);
    if (job_fd_ < 0) job_fd_ = fcntl(memory_.fd(), F_DUPFD_CLOEXEC, 3);
    if (job_fd_ < 0) fail_system("no descriptor for the job's memory");
    if (options_.on_deadlock != OnDeadlock::ignore) deadlock_watch_.emplace(memory_.control(), Clock::now());
}

Job::~Job()
{
    if (running_ > 0) {
        if (!status_) status_ = 1;  // nothing that ends from here on is a reason to end the job
        kill_ranks();
        try {
            kill_left_over_processes();
        } catch (const Error&) {
            // Nobody tells when they end.
        }
    }
    if (job_fd_ >= 0) close(job_fd_);
}

int Job::run()
{
    if (!processes_can_be_found()) {
        say("/proc does not show this process: what ranks have left behind is not found and lives on; mount it "
            "(mount -t proc proc /proc)");
    }
    if (options_.timeout_s) {
        const std::chrono::duration<double> timeout(*options_.timeout_s);
        timeout_at_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(timeout);
    }
    if (start_ranks() && options_.report_bindings) {
        for (const std::string& words : layout_.bindings_in_words()) say(words);
    }
    while (running_ > 0 && !(give_up_at_ && Clock::now() >= *give_up_at_)) {
        for (const epoll_event& e : events_.wait(milliseconds_to_next_deadline())) handle(EventSet::event_of(e));
        handle_deadlines();
    }
    return finish();
}

// ---- Start

bool Job::start_ranks()
{
    RankStart start;
    start.program = options_.program;
    start.job_fd = job_fd_;
    start.mark = identity_.mark;
    start.keep_hangup_ignored = signals_.hangup_was_ignored();
    raise_open_files_limit(start.open_files);
    const int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (null < 0) fail_system("/dev/null cannot be opened");
    start.standard[0] = null;

    const RankEnvironment environment(layout_, options_.ranks, identity_.id, job_fd_);
    StartFailure failure;
    int failed = -1;
    for (const int rank : layout_.starting_order()) {
        if (aborting_rank()) break;  // for want of memory: it needs no more ranks
        start.environment = environment.of(rank);
        if (!layout_.is_one_process()) start.cpus = layout_.cpus_of(rank);
        const pid_t pid = this->start(rank, start, failure);
        if (pid < 0) {
            failed = rank;
            break;
        }
        rank_of_[pid] = rank;
        for (int i = 0; i < layout_.ranks_of_a_process(); ++i) ranks_[static_cast<std::size_t>(rank + i)].pid = pid;
        running_ += layout_.ranks_of_a_process();
    }
    close(null);
    if (failed >= 0) end_unstarted(failed, failure);
    return failed < 0;
}

// With pipes for its output; rank 0 reads what is typed. start.standard[0]: /dev/null.
pid_t Job::start(int rank, RankStart& start, StartFailure& failure)
{
    int out[2] = {-1, -1}, err[2] = {-1, -1};
    pid_t pid = -1;
    if (pipe2(out, O_CLOEXEC) == 0 && pipe2(err, O_CLOEXEC) == 0) {
        const int null = start.standard[0];
        const int typed = rank == 0 ? input_.open() : -1;
        start.standard[0] = rank > 0 ? null : typed >= 0 ? typed : 0;
        start.standard[1] = out[1];
        start.standard[2] = err[1];
        pid = start_rank(start, failure);
        start.standard[0] = null;
        if (typed >= 0) close(typed);
    } else {
        failure = {StartFailure::Step::prepare, errno};
    }
    for (const int fd : {out[1], err[1]}) {
        if (fd >= 0) close(fd);
    }
    if (pid >= 0) {
        guardian_.protect(pid);
        relay_.add(rank, Stream::out, out[0]);
        relay_.add(rank, Stream::err, err[0]);
    } else {
        for (const int fd : {out[0], err[0]}) {
            if (fd >= 0) close(fd);
        }
    }
    return pid;
}

void Job::end_unstarted(int rank, const StartFailure& failure)
{
    const char* why = std::strerror(failure.error);
    if (failure.step == StartFailure::Step::execute) {
        const bool missing = failure.error == ENOENT || failure.error == ENOTDIR;
        say(fmt::format("{} cannot be {}: {}", options_.program.front(), missing ? "found" : "executed", why));
        end_job(missing ? kNotFound : kNotExecutable);
    } else {
        say(fmt::format("rank {} of {} cannot be started: {}{}", rank, options_.ranks, why,
            failure.error == EMFILE   ? " (ulimit -n)"
            : failure.error == EAGAIN ? " (ulimit -u)"
                                      : ""));
        end_job(1);
    }
}

// ---- The loop

int Job::milliseconds_to_next_deadline() const
{
    std::optional<Clock::time_point> next;
    const auto consider = [&](const std::optional<Clock::time_point>& at) {
        if (at && (!next || *at < *next)) next = at;
    };
    if (!status_) consider(timeout_at_);
    if (!status_) consider(end_at_);
    consider(kill_at_);
    consider(relay_.next_look());
    consider(give_up_at_);
    if (watches_for_deadlock()) consider(deadlock_watch_->next_look());
    const auto now = Clock::now();
    if ((verdict_.absent() && !status_) || input_.in_background()) consider(now + kLookAgain);
    if (!next) return -1;
    const auto left = std::chrono::ceil<milliseconds>(*next - now).count();
    return static_cast<int>(std::clamp<long long>(left, 0, INT_MAX));
}

void Job::handle(Event event)
{
    switch (event.source) {
        case Source::signals:
            handle_signals();
            break;
        case Source::rank_output:
            relay_.on_rank_output(event.number);
            break;
        case Source::sink:
            relay_.on_sink(event.number);
            break;
        case Source::terminal:
            input_.on_terminal();
            break;
        case Source::rank_input:
            input_.on_rank_input();
            break;
    }
    if (const auto failure = relay_.take_failure(); failure && !status_) {
        const char* name = failure->fd == 1 ? "standard output" : "standard error";
        say(failure->error == EPIPE
                ? fmt::format("nobody reads {} any more; the job ends", name)
                : fmt::format("{} cannot be written: {}; the job ends", name, std::strerror(failure->error)));
        end_job(failure->error == EPIPE ? 128 + SIGPIPE : 1);
    }
}

void Job::handle_signals()
{
    bool children_ended = false;
    while (const int signal = signals_.next()) {
        switch (signal) {
            case SIGCHLD:
                children_ended = true;
                break;
            case SIGUSR1:
                print_states("the state of the ranks");
                break;
            case SIGTSTP:
                signal_ranks(SIGSTOP);
                signals_.stop_here();
                signal_ranks(SIGCONT);
                break;
            case SIGCONT:
                signal_ranks(SIGCONT);
                input_.look_again();
                break;
            default:
                end_job_by_signal(signal);
                break;
        }
    }
    if (children_ended) reap();
}

void Job::handle_deadlines()
{
    const auto now = Clock::now();
    input_.look_again();
    relay_.show_unfinished(now);
    if (!status_) judge_absent();
    if (!status_ && end_at_ && now >= *end_at_) {
        end_job(verdict_.failure_status());
    }
    if (!status_ && timeout_at_ && now >= *timeout_at_ && running_ > 0) {
        print_states(fmt::format("time-out after {:g} s; the job ends", *options_.timeout_s));
        end_job(kTimedOut);
        timed_out_ = true;
    }
    look_for_deadlock();
    if (kill_at_ && now >= *kill_at_) kill_ranks();
}

// Not while a failure is about to end the job: that is the first reason then.
bool Job::watches_for_deadlock() const
{
    return deadlock_watch_ && !status_ && !end_at_ && running_ > 0;
}

void Job::look_for_deadlock()
{
    const auto now = Clock::now();
    if (!watches_for_deadlock() || now < deadlock_watch_->next_look()) return;
    if (judge_abort()) return;  // by ranks that go on all the same
    std::vector<bool> gone;
    for (const Rank& rank : ranks_) gone.push_back(rank.ended);
    if (!deadlock_watch_->look(gone, now)) return;
    const bool ends = options_.on_deadlock == OnDeadlock::end;
    print_states(fmt::format("deadlock: all ranks wait for each other and nobody can go on{}",
        ends ? "; the job ends" : " (--on-deadlock report: the job stays as it is)"));
    if (ends) end_job(kDeadlocked);
}

// ---- Ends of processes

void Job::reap()
{
    std::vector<int> ended = reap_children();
    if (ended.empty()) return;
    std::sort(ended.begin(), ended.end());
    for (const int rank : ended) relay_.drain(rank);
    if (!status_) judge(ended);
}

std::vector<int> Job::reap_children()
{
    std::vector<int> ended;
    const auto end_group = [this](pid_t pid) {
        if (rank_of_.count(pid) == 0) return;
        kill(-pid, SIGKILL);
        guardian_.forget(pid);
    };
    while (const auto child = reap_ended_child(end_group)) {
        const auto [pid, wait_status] = *child;
        const auto found = rank_of_.find(pid);
        if (found != rank_of_.end()) {
            const int rank = found->second;
            rank_of_.erase(found);
            for (int i = 0; i < layout_.ranks_of_a_process(); ++i) {
                note_rank_end(rank + i, wait_status);
                ended.push_back(rank + i);
            }
        } else if (pid == guardian_.pid()) {
            guardian_.has_ended();
            if (!status_ && running_ > 0) {
                say(fmt::format("the guardian process {}; the job ends, because nobody else would clean up after it",
                    death_in_words(wait_status)));
                end_job(1);
            }
        }
    }
    return ended;
}

void Job::note_rank_end(int rank, int wait_status)
{
    Rank& record = ranks_[static_cast<std::size_t>(rank)];
    record.ended = true;
    record.wait_status = wait_status;
    note_process_end(memory_, rank);
    --running_;
    if (rank == 0) input_.stop();
}

RankEnd Job::end_of(int rank) const
{
    const RankState state = state_of(rank);
    // To know it of a rank that has not joined takes a look at all.
    const SpokenLibrary library = state == RankState::absent ? SpokenLibrary::fmpl : library_of(rank);
    return {rank, name_of(rank), ranks_[static_cast<std::size_t>(rank)].wait_status, state, library};
}

void Job::judge(const std::vector<int>& ended)
{
    if (judge_abort()) return;
    const Rank& first = ranks_[static_cast<std::size_t>(ended.front())];
    Verdict::Words words;
    if (layout_.is_one_process() && first.wait_status != 0) {
        words = verdict_.judge_process(
            fmt::format("the process of all ranks (pid {}, {})", first.pid, options_.program.front()),
            first.wait_status);
    } else {
        std::vector<RankEnd> ends;
        for (const int rank : ended) ends.push_back(end_of(rank));
        words = verdict_.judge(ends, running_);
    }
    for (const std::string& sentence : words.sentences) say(sentence);
    if (!words.ends_in) {
        judge_absent();
    } else if (words.ends_in->count() == 0) {
        end_job(verdict_.failure_status());
    } else {
        const auto at = Clock::now() + *words.ends_in;
        if (!end_at_ || at < *end_at_) end_at_ = at;
    }
}

// The rank that has ended the job; none while nobody has, also where what is written there cannot be.
std::optional<int> Job::aborting_rank() const
{
    const ControlBlock& control = memory_.control();
    constexpr std::uint32_t kWritten = 2;
    // acquire: pairs with abort_job
    if (control.abort_state.load(std::memory_order_acquire) != kWritten) return std::nullopt;
    const int rank = control.abort_rank.load(std::memory_order_relaxed);
    return rank >= 0 && rank < options_.ranks ? std::optional(rank) : std::nullopt;
}

bool Job::judge_abort()
{
    const std::optional<int> aborting = aborting_rank();
    if (!aborting) return false;
    const ControlBlock& control = memory_.control();
    const int rank = *aborting;
    const int code = control.abort_code.load(std::memory_order_relaxed);
    const std::string reason = abort_reason(control.nodes[rank]);
    say(fmt::format("{} {} with status {}{}", name_of(rank),
        layout_.is_one_process() || library_of(rank) != SpokenLibrary::fmpl ? "ended the job" : "called fmpl_abort",
        code, reason.empty() ? "" : ": " + reason));
    end_job(code >= 1 && code <= 255 ? code : 1);
    return true;
}

void Job::judge_absent()
{
    if (!verdict_.absent() || status_ || end_at_) return;
    for (int rank = 0; rank < options_.ranks; ++rank) {
        const RankState state = state_of(rank);
        const bool waits = state == RankState::attached || state == RankState::ready;
        if (ranks_[static_cast<std::size_t>(rank)].ended || !waits) continue;
        say(fmt::format("{} exited without calling {}, and rank {} waits for it", verdict_.absent()->name,
            calls_of(library_of(rank)).joins, rank));
        end_job(1);
        return;
    }
}

void Job::tell_ranks()
{
    ControlBlock& control = memory_.control();
    for (int rank = 0; rank < options_.ranks; ++rank) {
        const std::uint32_t exited = ranks_[static_cast<std::size_t>(rank)].ended ? 1 : 0;
        control.nodes[rank].exited.store(exited, std::memory_order_release);
    }
    for (int rank = 0; rank < options_.ranks; ++rank) {
        if (ranks_[static_cast<std::size_t>(rank)].ended) continue;
        // Pairs with the acquire of the rank that wakes up: it then sees `exited`.
        control.nodes[rank].doorbell.fetch_add(1, std::memory_order_release);
        futex_wake(control.nodes[rank].doorbell, INT_MAX);
    }
}

// ---- The end of the job

void Job::end_job(int status)
{
    if (status_) return;
    status_ = status;
    tell_ranks();
    signal_ranks(SIGTERM);
    signal_ranks(SIGCONT);  // a stopped process ends only after this
    kill_at_ = Clock::now() + kTimeToEnd;
}

void Job::end_job_by_signal(int signal)
{
    if (++interrupts_ > 1) {
        if (!status_) status_ = 128 + signal;
        kill_ranks();
        return;
    }
    if (status_) return;
    const char* name = strsignal(signal);
    print_states(fmt::format("signal {} ({}); the job ends", signal, name != nullptr ? name : "?"));
    end_job(128 + signal);
}

void Job::kill_ranks()
{
    kill_at_.reset();
    signal_ranks(SIGKILL);
    if (give_up_at_) return;
    // Ranks that have changed their user may not be killed.
    const auto may_be_killed = [](const Rank& rank) { return rank.pid > 0 && !rank.ended && kill(rank.pid, 0) == 0; };
    const bool waits = std::any_of(ranks_.begin(), ranks_.end(), may_be_killed);
    give_up_at_ = Clock::now() + (waits ? kTimeToDie : milliseconds(0));
}

void Job::signal_ranks(int signal)
{
    for (int r = 0; r < options_.ranks; r += layout_.ranks_of_a_process()) {
        const Rank& rank = ranks_[static_cast<std::size_t>(r)];
        if (rank.pid > 0 && !rank.ended) kill(-rank.pid, signal);
    }
}

std::set<pid_t> Job::left_over_processes() const
{
    // Their parents are gone, so they are children of the launcher now.
    std::set<pid_t> left;
    for (const pid_t pid : children_of(getpid())) {
        const bool ours =
            children_before_.empty() || (children_before_.count(pid) == 0 && belongs_to_job(pid, identity_));
        if (pid != guardian_.pid() && ours && !process_has_ended(pid)) left.insert(pid);
    }
    return left;
}

std::set<pid_t> Job::kill_left_over_processes()
{
    if (!give_up_at_) give_up_at_ = Clock::now() + kTimeToDie;
    // Killing one can bring its own children here, which is why this looks again until nothing is left.
    for (;;) {
        std::set<pid_t> left = left_over_processes();
        bool some_may_be_killed = false;
        for (const pid_t pid : left) some_may_be_killed = kill(pid, SIGKILL) == 0 || some_may_be_killed;
        reap_children();
        if (!some_may_be_killed || Clock::now() >= *give_up_at_) return left;
        if (interrupted_while_waiting_for_ends()) give_up_at_ = Clock::now();
    }
}

// Returns after a short while, or as soon as a process ends.
bool Job::interrupted_while_waiting_for_ends()
{
    pollfd signals{signals_.fd(), POLLIN, 0};
    poll(&signals, 1, 10);
    bool interrupted = false;
    while (const int signal = signals_.next()) {
        interrupted = interrupted || signal == SIGINT || signal == SIGTERM || signal == SIGHUP || signal == SIGQUIT;
    }
    return interrupted;
}

void Job::name_left_over_processes(const std::set<pid_t>& left)
{
    for (const pid_t pid : left) {
        struct stat process {};
        const bool may_be_killed = kill(pid, 0) == 0;
        if (process_has_ended(pid) || stat(fmt::format("/proc/{}", pid).c_str(), &process) != 0) continue;
        say(fmt::format("process {} ({}) is left behind: {}", pid, printable(name_of_process(pid)),
            may_be_killed ? "it has been killed and has not ended (frozen, or waiting for a device?)"
                          : fmt::format("it runs as user {}, whom fmplrun may not kill", process.st_uid)));
    }
}

void Job::print_states(const std::string& occasion)
{
    std::vector<RankLine> lines;
    const auto now_ns = monotonic_ns();
    for (int rank = 0; rank < options_.ranks; ++rank) {
        const Rank& record = ranks_[static_cast<std::size_t>(rank)];
        if (record.pid < 0) continue;
        std::string words;
        if (record.ended) {
            words = record.wait_status == 0 ? "has exited" : death_in_words(record.wait_status);
        } else {
            words = describe_state(memory_.control().nodes[rank], library_of(rank), now_ns);
            if (process_is_stopped(record.pid)) words += " (its process is stopped)";
        }
        lines.push_back({rank, static_cast<int>(record.pid), words});
    }
    relay_.say("fmplrun: " + occasion + "\n" + list_ranks(lines));
}

// A program with a BLACS linked into it statically does not see a preloaded one. (Who ends the job has called it,
// even where FMPL was not up yet.)
void Job::hint_at_unused_blacs()
{
    if (memory_.control().abort_state.load(std::memory_order_relaxed) != 0) return;
    for (int rank = 0; rank < options_.ranks; ++rank) {
        if (ranks_[static_cast<std::size_t>(rank)].pid < 0 || state_of(rank) != RankState::absent) return;
    }
    say("--blacs had no effect: no rank has called the BLACS of FMPL. A program that was linked with a static "
        "ScaLAPACK (libscalapack.a) keeps the BLACS in it; link it again with -lblacs_fmpl in front of -lscalapack");
}

// The ranks are gone; what they have written still waits for a slow reader. A time-out or an interrupt gives it up:
// the one that has ended the job soon, one that comes now at once. Returns fmplrun's exit status where it has been
// given up.
std::optional<int> Job::write_out()
{
    const bool ended_by_force = timed_out_ || interrupts_ > 0;
    const auto until = ended_by_force ? Clock::now() + kTimeToRead : timeout_at_.value_or(Clock::time_point::max());
    while (!relay_.all_written()) {
        int wait_ms = -1;
        if (until != Clock::time_point::max()) {
            const auto left = std::chrono::ceil<milliseconds>(until - Clock::now()).count();
            if (left <= 0) {
                const std::size_t lost = relay_.give_up();
                say(fmt::format("{} of output are given up: nobody has read them in time", bytes_in_words(lost)));
                if (!status_) status_ = kTimedOut;
                return status_;
            }
            wait_ms = static_cast<int>(std::min<long long>(left, INT_MAX));
        }
        for (const epoll_event& e : events_.wait(wait_ms)) {
            const Event event = EventSet::event_of(e);
            if (event.source == Source::sink) relay_.on_sink(event.number);
            if (event.source != Source::signals) continue;
            while (const int signal = signals_.next()) {
                if (signal == SIGTSTP) signals_.stop_here();
                if (signal == SIGINT || signal == SIGTERM || signal == SIGHUP || signal == SIGQUIT) {
                    return status_.value_or(128 + signal);
                }
            }
        }
    }
    return std::nullopt;
}

int Job::finish()
{
    name_left_over_processes(kill_left_over_processes());
    relay_.finish();
    const bool observation_is_written =
        observation_.write(memory_, status_.value_or(0), [this](const std::string& lines) { relay_.say(lines); });
    if (options_.blacs) hint_at_unused_blacs();
    if (const auto given_up = write_out()) return *given_up;
    if (const auto failure = relay_.take_failure(); failure && status_.value_or(0) == 0) {
        if (failure->error != EPIPE) {
            say(fmt::format("standard {} cannot be written: {}", failure->fd == 1 ? "output" : "error",
                std::strerror(failure->error)));
        }
        return failure->error == EPIPE ? 128 + SIGPIPE : 1;
    }
    if (!observation_is_written && status_.value_or(0) == 0) return 1;
    return status_.value_or(0);
}

std::string Job::name_of(int rank) const
{
    return fmt::format(
        "rank {} (pid {}, {})", rank, ranks_[static_cast<std::size_t>(rank)].pid, options_.program.front());
}

RankState Job::state_of(int rank) const
{
    return static_cast<RankState>(memory_.control().nodes[rank].state.load(std::memory_order_acquire));
}

// Of a rank that has not joined: that of another one, or what the options say.
SpokenLibrary Job::library_of(int rank) const
{
    if (state_of(rank) != RankState::absent) return memory_.control().nodes[rank].speaks;
    for (int other = 0; other < options_.ranks; ++other) {
        if (state_of(other) != RankState::absent) return memory_.control().nodes[other].speaks;
    }
    return options_.blacs ? SpokenLibrary::blacs : options_.mpi ? SpokenLibrary::mpi : SpokenLibrary::fmpl;
}

}  // namespace fmpl::launcher
