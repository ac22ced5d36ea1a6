// What the processes of the grid tell each other when they enter PxGEMM: errors in their arguments, which algorithm
// they want, and where their parts of A and B can be read. One combine operation of the BLACS for all of it.
#pragma once

#include "argument_check.hpp"
#include "process_grid.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace fmpl::pdgemm {

// FMPL_PDGEMM_ALGORITHM, or --algorithm of the program.
enum class Algorithm { automatic, summa, direct };

// What the environment says now. Throws std::invalid_argument, in words, for an unknown name.
Algorithm wanted_algorithm();

// A process's part of an operand: where others read it, and the distance of its columns, in elements.
struct PartPlace {
    std::uint64_t place = 0;
    int leading_dimension = 1;
};

struct Announcement {
    int error = 0;  // number of the first error in the arguments; 0: none
    Algorithm wanted = Algorithm::automatic;
    bool readable = false;  // this process reads the memory of all others, and they read both its parts
    int memory_number = 0;  // of this process, see peer_memory.hpp
    PartPlace a{};
    PartPlace b{};
};

// Collective over the grid: everybody's announcement, in row-major order of the grid.
std::vector<Announcement> meet(const ProcessGrid& grid, const Announcement& own);

// Whether any process announced an error; then the job has been ended, unless the ScaLAPACK of this program has its own
// way of that and came back from it, as the PBLAS testers do. All processes agree on which error counts: the first in
// the calling sequence, and of the processes that found it the first in row-major order, which reports it.
bool report_errors(
    const ProcessGrid& grid, const char* routine, const ArgumentError& own, const std::vector<Announcement>& all);

// The same for a process that is in no grid of its context.
void report_bad_context(int context, const char* routine);

// The algorithm of this call, the same on all processes. Ends the job when one wants `direct` and it cannot be.
Algorithm agreed_algorithm(const ProcessGrid& grid, const char* routine, const std::vector<Announcement>& all);

}  // namespace fmpl::pdgemm
