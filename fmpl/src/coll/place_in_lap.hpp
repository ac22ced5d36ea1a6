// In which order the ranks of a CPU run, while they wait for one another by yielding; and how each of them moves to
// the place where it is needed.
//
// Such ranks run in laps, each once, always in the same order (crossbar/time_slice.hpp). Where they are needed one
// after the other, as roots that take turns are, a wrong order costs further laps: of 8 ranks in a random one, four
// to five for each that would do. Each rank counts, when it leaves the CPU, how many have left since the one that is
// needed first; is that not its place, lap after lap, it has one time slice made longer or shorter by the difference
// (docs/decisions/0022-ranks-in-the-order-of-their-turns.md).
#pragma once

#include <atomic>
#include <cstdint>

namespace fmpl {

// Where a rank is needed among those of its CPU.
struct Turn {
    int place = -1;  // 0: first; -1: not known
    int places = 0;
};

// What the ranks of a CPU tell each other. Since another may come between two of its accesses a count may be lost, or a
// place be one off; a lap later it is right. Writer: who leaves the CPU. Ordering: relaxed, a hint.
struct CpuLap {
    std::atomic<std::uint32_t> leaves;  // of the CPU by ranks of these
    std::atomic<std::uint32_t> begun;   // their number when the rank of place 0 left
    std::atomic<std::uint32_t> last;    // who left last, + 1
};

class PlaceInLap {
public:
    // This rank is about to leave the CPU. By how many halves of a place it is to come later in the laps from now on,
    // earlier if negative; 0 mostly, and always if no other has left since it was last called.
    int leaves(CpuLap& lap, int rank, const Turn& turn)
    {
        const auto name = static_cast<std::uint32_t>(rank) + 1;
        if (lap.last.load(std::memory_order_relaxed) == name) return 0;
        return count(lap, name, turn);
    }

private:
    int count(CpuLap& lap, std::uint32_t name, const Turn& turn);
    int move_from(std::uint32_t found, const Turn& turn);

    // Moves in quick succession, and one more for so many laps: where something else moves the rank, or two
    // communicators want it elsewhere, it costs little.
    static constexpr int kMostMoves = 8;
    static constexpr std::uint32_t kLapsForMove = 64;

    std::uint32_t found_ = 0;  // the place in the last lap
    int alike_ = 0;            // so many laps in a wrong place
    int moves_ = kMostMoves;   // allowed
    std::uint32_t laps_ = 0;
};

}  // namespace fmpl
