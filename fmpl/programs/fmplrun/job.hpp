// One job from its start to its end: the launcher's main loop.
//
// The loop sleeps in epoll until a rank ends, writes, or a signal arrives; it has deadlines for --timeout, for
// unfinished lines, for a look each second whether the ranks are deadlocked, while the job is being ended, and while
// a rank has left that others may be waiting for. The first reason to end the job decides the exit status; what ranks
// die of after that is the launcher's doing.
#pragma once

#include "event_set.hpp"
#include "guardian.hpp"
#include "observation_output.hpp"
#include "options.hpp"
#include "output_relay.hpp"
#include "process_search.hpp"
#include "rank_layout.hpp"
#include "rank_process.hpp"
#include "signal_set.hpp"
#include "terminal_input.hpp"
#include "verdict.hpp"

#include "crossbar/job_memory.hpp"
#include "launch/deadlock_watch.hpp"

#include <chrono>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include <sys/types.h>

namespace fmpl::launcher {

class Job {
public:
    // Makes the job's memory; throws Error (ARGUMENT: the options or FMPL_* variables are wrong; MEMORY; SYSTEM).
    // Starts nothing but the guardian.
    explicit Job(const Options& options);
    ~Job();  // whatever is left of the job is killed
    Job(const Job&) = delete;
    Job& operator=(const Job&) = delete;

    // Starts the ranks, blocks until all have ended and their output is written, and returns fmplrun's exit status.
    // After a time-out or an interrupt, output that nobody reads is given up.
    int run();

private:
    using Clock = std::chrono::steady_clock;

    struct Rank {
        pid_t pid = -1;  // and its process group's number; of ranks that share a process, the same
        bool ended = false;
        int wait_status = 0;
    };

    // Start
    bool start_ranks();  // false: a rank could not be started; said, and the job is ending
    pid_t start(int rank, RankStart& start, StartFailure& failure);
    void end_unstarted(int rank, const StartFailure& failure);

    // The loop
    int milliseconds_to_next_deadline() const;
    void handle(Event event);
    void handle_signals();
    void handle_deadlines();
    bool watches_for_deadlock() const;
    void look_for_deadlock();

    // Ends of processes
    void reap();
    std::vector<int> reap_children();  // the ranks among them
    void note_rank_end(int rank, int wait_status);
    RankEnd end_of(int rank) const;
    void judge(const std::vector<int>& ended);
    std::optional<int> aborting_rank() const;
    bool judge_abort();
    void judge_absent();
    void tell_ranks();  // who has exited; wakes those that sleep

    // The end of the job
    void end_job(int status);
    void end_job_by_signal(int signal);
    void kill_ranks();
    void signal_ranks(int signal);
    std::set<pid_t> left_over_processes() const;
    std::set<pid_t> kill_left_over_processes();  // those that go on living
    bool interrupted_while_waiting_for_ends();
    void name_left_over_processes(const std::set<pid_t>& left);
    void print_states(const std::string& occasion);
    void hint_at_unused_blacs();
    std::optional<int> write_out();
    int finish();

    std::string name_of(int rank) const;  // "rank 2 (pid 77, ./program)"
    RankState state_of(int rank) const;
    SpokenLibrary library_of(int rank) const;
    void say(const std::string& words) { relay_.say("fmplrun: " + words + "\n"); }

    const Options options_;
    ObservationOutput observation_;
    const std::set<pid_t> children_before_;  // not the job's: they were there before this program began
    const JobIdentity identity_;
    Guardian guardian_;
    SignalSet signals_;
    EventSet events_;
    OutputRelay relay_;
    TerminalInput input_;
    JobMemory memory_;
    int job_fd_ = -1;  // of the ranks
    RankLayout layout_;

    std::vector<Rank> ranks_;
    std::unordered_map<pid_t, int> rank_of_;
    int running_ = 0;

    std::optional<int> status_;  // once the job is ending
    Verdict verdict_;
    int interrupts_ = 0;
    bool timed_out_ = false;
    std::optional<Clock::time_point> timeout_at_, end_at_, kill_at_;
    std::optional<Clock::time_point> give_up_at_;  // what has not ended by then, although killed, is left behind
    std::optional<DeadlockWatch> deadlock_watch_;
};

}  // namespace fmpl::launcher
