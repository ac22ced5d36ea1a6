// Rank 0 overwrites what the launcher shares with the ranks, as a program with a wild pointer does; for
// scribbling_rank_test.py.
//
//   scribble_probe PATTERN ENDING
//   PATTERN   ones, zeros, or a seed of random words, among them many that are small numbers or the largest ones
//   ENDING    wait (until it is killed), exit (with status 3), abort (as a job that has been ended says it in its
//             memory)
//
// All ranks print "ready" when they have joined. Rank 0 then reads a line, scribbles over everything before the
// arenas and prints "done"; the others wait until they are killed.
#include "crossbar/control_block.hpp"

#include <fmpl.h>
#include <fmpl/layers.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include <sys/mman.h>
#include <unistd.h>

namespace {

using namespace fmpl;

void require(bool good, const char* what)
{
    if (good) return;
    std::perror(what);
    std::exit(99);
}

std::vector<std::uint32_t> words_of(const std::string& pattern, std::size_t count)
{
    if (pattern == "zeros") return std::vector<std::uint32_t>(count, 0);
    if (pattern == "ones") return std::vector<std::uint32_t>(count, ~std::uint32_t{0});
    std::mt19937 random(static_cast<std::uint32_t>(std::atoi(pattern.c_str())));
    std::vector<std::uint32_t> words(count);
    for (std::uint32_t& word : words) {
        const auto kind = random() % 4;
        const auto value = static_cast<std::uint32_t>(random());
        word = kind == 0 ? value % 8 : kind == 1 ? ~(value % 2) : kind == 2 ? std::uint32_t{1} << 31 : value;
    }
    return words;
}

}  // namespace

int main(int argc, char** argv)
{
    if (argc != 3) return 97;
    const std::string pattern = argv[1], ending = argv[2];
    require(fmpl_init(nullptr, nullptr, 16) == FMPL_SUCCESS, "fmpl_init");
    require(fmpl_barrier(FMPL_COMM_WORLD) == FMPL_SUCCESS, "fmpl_barrier");
    const int rank = fmpl_job_rank(), ranks = fmpl_job_size();
    std::puts("ready");
    std::fflush(stdout);
    if (rank != 0) {
        for (;;) pause();
    }
    std::getchar();

    const int fd = std::atoi(std::getenv("FMPL_JOB_FD"));
    Offset first_arena = 0;
    require(pread(fd, &first_arena, sizeof first_arena, offsetof(JobConstants, first_arena)) > 0, "pread");
    const std::vector<std::uint32_t> words = words_of(pattern, first_arena / sizeof(std::uint32_t));
    require(pwrite(fd, words.data(), first_arena, 0) == static_cast<ssize_t>(first_arena), "pwrite");

    if (ending == "abort" || std::atoi(pattern.c_str()) % 2 != 0) {
        // What the launcher goes on reading after: ranks that have joined, and are in a call.
        void* const at = mmap(nullptr, control_bytes(ranks), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        require(at != MAP_FAILED, "mmap");
        auto& control = *static_cast<ControlBlock*>(at);
        for (int r = 0; r < ranks; ++r) {
            control.nodes[r].state = static_cast<std::uint32_t>(RankState::ready);
            control.nodes[r].blocked_in.call = static_cast<std::uint32_t>(Call::recv);
        }
        control.abort_rank = 1;
        control.abort_state = ending == "abort" ? 2 : 0;
    }
    std::puts("done");
    std::fflush(stdout);
    if (ending == "wait") {
        for (;;) pause();
    }
    _exit(3);
}
