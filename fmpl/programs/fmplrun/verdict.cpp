#include "verdict.hpp"

#include "crossbar/spoken_library.hpp"

#include <cstring>

#include <fmt/format.h>
#include <sys/wait.h>

namespace fmpl::launcher {

std::string death_in_words(int wait_status)
{
    if (WIFSIGNALED(wait_status)) {
        const int signal = WTERMSIG(wait_status);
        const char* name = strsignal(signal);
        return fmt::format("was killed by signal {} ({}){}", signal, name != nullptr ? name : "?",
            WCOREDUMP(wait_status) ? ", core dumped" : "");
    }
    return fmt::format("exited with status {}", WEXITSTATUS(wait_status));
}

int exit_status_of(int wait_status)
{
    return WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
}

Verdict::Words Verdict::judge(const std::vector<RankEnd>& ended, int running)
{
    Words words;
    bool all_had_finalized = true;
    for (const RankEnd& end : ended) {
        const bool left_others_waiting = end.state == RankState::attached || end.state == RankState::ready;
        if (end.wait_status == 0 && end.state == RankState::absent && (!absent_ || end.rank < absent_->rank))
            absent_ = end;
        if (end.wait_status == 0 && !left_others_waiting) continue;

        if (++failures_ <= kFailuresInWords) {
            words.sentences.push_back(fmt::format("{} {}{}", end.name,
                end.wait_status == 0 ? fmt::format("exited without calling {}", calls_of(end.library).leaves)
                                     : death_in_words(end.wait_status),
                failures_ == 1 && running > 0 ? "; the job ends" : ""));
        } else if (failures_ == kFailuresInWords + 1) {
            words.sentences.push_back("more ranks failed");
        }
        if (failures_ == 1 || end.rank < failed_rank_) {
            failed_rank_ = end.rank;
            failure_status_ = end.wait_status == 0 ? 1 : exit_status_of(end.wait_status);
        }
        all_had_finalized = all_had_finalized && end.state == RankState::finalized;
    }
    if (failures_ == 0) return words;
    words.ends_in = running == 0        ? std::chrono::milliseconds(0)
                    : all_had_finalized ? kTimeAfterFinalize
                                        : kTimeToCollect;
    return words;
}

Verdict::Words Verdict::judge_process(const std::string& name, int wait_status)
{
    failures_ = 1;
    failure_status_ = exit_status_of(wait_status);
    return {{fmt::format("{} {}", name, death_in_words(wait_status))}, std::chrono::milliseconds(0)};
}

}  // namespace fmpl::launcher
