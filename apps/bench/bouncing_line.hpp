// The floor under every latency: one cache line in memory that a pair of ranks shares, written by each in turn and
// polled by the other, without a library in between.
//
// One line, not one for each direction: a rank that polls a line of its own beside the one that it writes moves two
// lines for every step, which takes more than twice as long and would be no lower bound.
#pragma once

#include "job.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

namespace fmpl::bench {

struct SharedLine;

class BouncingLine {
public:
    // Shares the memory between the ranks of each pair: the first rank makes it, the other one opens it through /proc.
    // yield: whether a waiting rank gives its CPU away, as it must where ranks share CPUs. Collective over the job.
    BouncingLine(const Pairing& pairing, bool yield);
    ~BouncingLine();
    BouncingLine(const BouncingLine&) = delete;
    BouncingLine& operator=(const BouncingLine&) = delete;

    // Why the floor cannot be measured (the same on all ranks of the job, in detail on rank 0); empty when it can.
    const std::string& problem() const { return problem_; }

    // Does `count` round trips. Requires an empty problem().
    void operator()(std::uint64_t first, std::uint64_t count);

private:
    void share(const Pairing& pairing);
    void map(int fd);

    SharedLine* line_ = nullptr;
    std::string problem_;
    std::uint64_t trips_ = 0;  // round trips that are done
    bool first_;
    bool yield_;
};

}  // namespace fmpl::bench
