// The job that the benchmark runs in: its ranks, its CPUs, and the pairs that exchange messages.
#pragma once

#include <fmpl/fmpl.hpp>

#include <string>

namespace fmpl::bench {

struct Job {
    int rank = 0;
    int ranks = 1;
    int cpus = 1;  // that its ranks may use together
    std::string cpu_model;

    bool cpus_suffice() const { return ranks <= cpus; }
};

// Collective over the job.
Job this_job();

// Ranks 2i and 2i+1, for i = 0 alone or for all i. The others take no part.
class Pairing {
public:
    Pairing(const Job& job, bool all_pairs);  // collective over the job
    ~Pairing();                               // likewise, unless an exception is under way
    Pairing(const Pairing&) = delete;
    Pairing& operator=(const Pairing&) = delete;

    bool takes_part() const { return peer_ >= 0; }
    int peer() const { return peer_; }
    bool first() const { return first_; }  // the even rank, which sends first
    int pairs() const { return pairs_; }
    Comm comm() const { return comm_; }  // of all that take part
    std::string words() const;           // "ranks 0 and 1"

private:
    int pairs_;
    int peer_ = -1;
    bool first_;
    int exceptions_;
    Comm comm_;
};

}  // namespace fmpl::bench
