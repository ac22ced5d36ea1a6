// What the ends of ranks mean for their job: whether it goes on, when it ends, with which status, and the words for
// that. Knows no processes and no clock.
//
// A rank fails that dies of a signal, exits with a status that is not 0, or exits in the middle of the library: after
// it has joined the job and before it has left it. The exit status is that of the lowest-ranked one that has failed by
// itself, whichever the launcher saw first; so those that fail shortly afterwards count, too.
#pragma once

#include "crossbar/control_block.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace fmpl::launcher {

// "was killed by signal 9 (Killed)", "exited with status 3".
std::string death_in_words(int wait_status);
int exit_status_of(int wait_status);

struct RankEnd {
    int rank;
    std::string name;  // "rank 2 (pid 77, ./program)"
    int wait_status;
    RankState state;        // that it has left in the job's memory
    SpokenLibrary library;  // that it speaks, if it has left in the middle
};

class Verdict {
public:
    // From the first failure on the others are not told for so long: what fails meanwhile fails by itself.
    static constexpr std::chrono::milliseconds kTimeToCollect{100};
    // A rank that fails after fmpl_finalize keeps nobody waiting: the others may finish what they are printing.
    static constexpr std::chrono::milliseconds kTimeAfterFinalize{500};
    static constexpr int kFailuresInWords = 8;

    struct Words {
        std::vector<std::string> sentences;
        // The job ends so long from now, if it has not ended by then, with failure_status(); none: nobody has failed.
        std::optional<std::chrono::milliseconds> ends_in;
    };
    // The ranks that have ended since, at least one, in order. running: how many go on.
    Words judge(const std::vector<RankEnd>& ended, int running);
    // All ranks were one process, of this name, which has failed.
    Words judge_process(const std::string& name, int wait_status);

    // Once a rank has failed.
    int failure_status() const { return failure_status_; }
    // The lowest rank that has exited well without ever joining: others may wait for it.
    const std::optional<RankEnd>& absent() const { return absent_; }

private:
    int failures_ = 0;
    int failed_rank_ = 0;  // the lowest one, if there are failures
    int failure_status_ = 0;
    std::optional<RankEnd> absent_;
};

}  // namespace fmpl::launcher
