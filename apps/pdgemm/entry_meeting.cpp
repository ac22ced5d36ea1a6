#include "entry_meeting.hpp"

#include "blacs_calls.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <string_view>

// How the PBLAS of ScaLAPACK say what is wrong, and that a call ends. Where the program has a ScaLAPACK, its own are
// used, or those that the program puts in their place.
extern "C" {
[[gnu::weak]] void PB_Cwarn(int context, int line, const char* routine, const char* format, ...);
[[gnu::weak]] void PB_Cabort(int context, const char* routine, int info);
}

namespace fmpl::pdgemm {
namespace {

// An announcement as integers, the one type that every BLACS combines exactly.
constexpr int kWords = 10;

int low_half(std::uint64_t value)
{
    return static_cast<int>(static_cast<std::uint32_t>(value));
}

int high_half(std::uint64_t value)
{
    return static_cast<int>(static_cast<std::uint32_t>(value >> 32));
}

std::uint64_t whole(int low, int high)
{
    return static_cast<std::uint32_t>(low) | static_cast<std::uint64_t>(static_cast<std::uint32_t>(high)) << 32;
}

int my_place(const ProcessGrid& grid)
{
    return grid.my_row * grid.columns + grid.my_column;
}

void print_error(int row, int column, const char* routine, int number, const std::string& words)
{
    fmt::print(stderr, "{{{:5},{:5}}}:  On entry to {} parameter number {:4} had an illegal value\n", row, column,
        routine, number);
    if (row >= 0) {
        fmt::print(stderr, "{} at process ({}, {}): {}.\n", routine, row, column, words);
    } else {
        fmt::print(stderr, "{}: {}.\n", routine, words);
    }
    std::fflush(stderr);
}

// In pieces, since the one of ScaLAPACK puts what it is given into 100 characters, unchecked.
void warn(int context, const char* routine, std::string_view words)
{
    constexpr std::size_t kMost = 90;
    while (!words.empty()) {
        std::size_t length = words.size();
        if (length > kMost) {
            length = words.rfind(' ', kMost);
            if (length == std::string_view::npos || length == 0) length = kMost;
        }
        PB_Cwarn(context, -1, routine, "%s", std::string(words.substr(0, length)).c_str());
        words.remove_prefix(std::min(words.size(), words.find_first_not_of(' ', length)));
    }
}

// As the routine of ScaLAPACK would end.
void end_call(int context, const char* routine, int number)
{
    if (PB_Cabort != nullptr) {
        PB_Cabort(context, routine, -number);
    } else {
        Cblacs_abort(context, 1);
    }
}

}  // namespace

Algorithm wanted_algorithm()
{
    const char* value = std::getenv("FMPL_PDGEMM_ALGORITHM");
    const std::string_view name = value != nullptr ? value : "auto";
    if (name == "auto") return Algorithm::automatic;
    if (name == "summa") return Algorithm::summa;
    if (name == "direct") return Algorithm::direct;
    throw std::invalid_argument(
        fmt::format("FMPL_PDGEMM_ALGORITHM={} is unknown; allowed are: auto, summa, direct", name));
}

std::vector<Announcement> meet(const ProcessGrid& grid, const Announcement& own)
{
    const auto processes = static_cast<std::size_t>(grid.processes());
    std::vector<int> words(processes * kWords, 0);
    const int mine[kWords] = {own.error, static_cast<int>(own.wanted), own.readable ? 1 : 0, own.memory_number,
        low_half(own.a.place), high_half(own.a.place), own.a.leading_dimension, low_half(own.b.place),
        high_half(own.b.place), own.b.leading_dimension};
    std::copy_n(mine, kWords, &words[static_cast<std::size_t>(my_place(grid)) * kWords]);
    Cigsum2d(grid.context, "All", " ", kWords, grid.processes(), words.data(), kWords, -1, -1);

    std::vector<Announcement> all(processes);
    for (std::size_t p = 0; p < processes; ++p) {
        const int* theirs = &words[p * kWords];
        all[p] = {theirs[0], static_cast<Algorithm>(theirs[1]), theirs[2] != 0, theirs[3],
            {whole(theirs[4], theirs[5]), theirs[6]}, {whole(theirs[7], theirs[8]), theirs[9]}};
    }
    return all;
}

bool report_errors(
    const ProcessGrid& grid, const char* routine, const ArgumentError& own, const std::vector<Announcement>& all)
{
    // Compared by position: an entry of a descriptor (above 100) belongs to its descriptor's position.
    const auto key = [](const Announcement& announcement) {
        const int number = announcement.error;
        return number == 0 ? 1 << 30 : number < 100 ? 100 * number : number;
    };
    const auto first =
        std::min_element(all.begin(), all.end(), [&](const auto& x, const auto& y) { return key(x) < key(y); });
    if (first->error == 0) return false;
    if (first - all.begin() == my_place(grid)) {
        if (PB_Cwarn != nullptr) {
            warn(grid.context, routine, own.words);
        } else {
            print_error(grid.my_row, grid.my_column, routine, own.number, own.words);
        }
    }
    // Nobody ends the job before the words are out.
    Cblacs_barrier(grid.context, "All");
    end_call(grid.context, routine, first->error);
    return true;
}

void report_bad_context(int context, const char* routine)
{
    if (PB_Cabort == nullptr) {
        print_error(-1, -1, routine, context_error_number,
            fmt::format("DESCA entry 2 (CTXT) is {}, which is no BLACS context of this process", context));
    }
    end_call(context, routine, context_error_number);
}

Algorithm agreed_algorithm(const ProcessGrid& grid, const char* routine, const std::vector<Announcement>& all)
{
    const auto any_wants = [&](Algorithm algorithm) {
        return std::any_of(all.begin(), all.end(), [&](const auto& one) { return one.wanted == algorithm; });
    };
    const auto unreadable = std::find_if(all.begin(), all.end(), [](const auto& one) { return !one.readable; });
    if (any_wants(Algorithm::summa)) return Algorithm::summa;
    if (unreadable == all.end()) return Algorithm::direct;
    if (!any_wants(Algorithm::direct)) return Algorithm::summa;
    if (unreadable - all.begin() == my_place(grid)) {
        fmt::print(stderr,
            "{} at process ({}, {}): FMPL_PDGEMM_ALGORITHM=direct needs remote-DMA memory that all processes of the "
            "job can "
            "read; this process cannot read that of all others, or has none left for its parts of A and B. Say auto, "
            "or give "
            "the ranks larger arenas with FMPL_ARENA_SIZE.\n",
            routine, grid.my_row, grid.my_column);
        std::fflush(stderr);
    }
    Cblacs_barrier(grid.context, "All");
    Cblacs_abort(grid.context, 1);
    return Algorithm::summa;
}

}  // namespace fmpl::pdgemm
