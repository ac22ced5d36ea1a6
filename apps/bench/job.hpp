// The job that the benchmark runs in: its ranks, its CPUs, and the pairs that exchange messages.
#pragma once

#include "pairs.hpp"
#include "transport.hpp"

#include <cstdint>
#include <string>

namespace fmpl::bench {

struct Job {
    int rank = 0;
    int ranks = 1;
    int cpus = 1;  // that its ranks may use together
    std::string cpu_model;

    bool cpus_suffice() const { return ranks <= cpus; }
    // Of the collective call number i: each rank in turn.
    int root(std::uint64_t i) const { return static_cast<int>(i % static_cast<std::uint64_t>(ranks)); }
};

// Collective over the job.
Job this_job(const transport::Process& process);

// Who exchanges messages with whom. The others take no part.
class Pairing {
public:
    Pairing(const Job& job, Pairs pairs);  // collective over the job
    ~Pairing();                            // likewise, unless an exception is under way
    Pairing(const Pairing&) = delete;
    Pairing& operator=(const Pairing&) = delete;

    bool takes_part() const { return peer_ >= 0; }
    int peer() const { return peer_; }
    bool first() const { return first_; }           // the lower rank of the pair, which sends first
    int first_rank() const { return first_rank_; }  // that one
    int pairs() const { return pairs_; }
    const transport::Group& group() const { return group_; }  // all that take part
    std::string words() const;                                // "ranks 0 and 1"

private:
    int pairs_;
    int peer_;
    bool are_halves_;
    bool first_;
    int first_rank_;
    int exceptions_;
    transport::Group group_;
};

}  // namespace fmpl::bench
