// How a job of a given number of ranks would run here: its crossbar, its waiting, and the form of its collective calls.
#pragma once

#include "fact.hpp"

#include <string>
#include <vector>

namespace fmpl::info {

// Makes the job's memory as fmplrun would, with the variables of the environment. Throws Error where one of them cannot
// be used.
Section job(int ranks);

// The waiting of ranks that have a CPU each, and of those that share CPUs. Throws Error likewise.
Section waiting();

// The crossbar that is chosen for some numbers of ranks, and what the profiles allow FMPL_COMM_WORLD on it.
struct CrossbarRow {
    int ranks;
    std::string shape;
    bool rectangle;  // of the nodes that the ranks take
    bool hardware_on_host;
    bool hardware_on_sr8000;  // barrier and broadcast
};
std::vector<CrossbarRow> default_crossbars();

}  // namespace fmpl::info
