// Jobs that are deadlocked, and jobs that only look like it, over FMPL and the BLACS: deadlock_probe CASE. The cases
// are at the end. Each rank says "rank R pid P" when the case begins.
#include <blacs_fmpl.h>
#include <fmpl.h>
#include <fmpl/layers.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <map>
#include <string>
#include <vector>

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace {

constexpr int kIndex = 7;
constexpr int kOtherIndex = 8;
constexpr unsigned kLong_s = 6;  // twice the time for which a deadlock stands before it is told

int rank()
{
    return fmpl_job_rank();
}

int ranks()
{
    return fmpl_job_size();
}

void require(int code)
{
    if (code == FMPL_SUCCESS) return;
    std::fprintf(stderr, "deadlock_probe: %s\n", fmpl_error_message());
    std::exit(99);
}

void begin()
{
    require(fmpl_init(nullptr, nullptr, 16));
    require(fmpl_barrier(FMPL_COMM_WORLD));
    std::printf("rank %d pid %d\n", rank(), getpid());
    std::fflush(stdout);
}

void receive(int source)
{
    int data = 0;
    require(fmpl_recv(&data, sizeof data, source, kIndex, FMPL_COMM_WORLD));
}

void send(int destination, int index = kIndex)
{
    const int data = rank();
    require(fmpl_send(&data, sizeof data, destination, index, FMPL_COMM_WORLD));
}

// Rank 0 sends to all others, which wait for it.
void give_to_all()
{
    for (int r = 1; r < ranks(); ++r) {
        if (rank() == 0) send(r);
        if (rank() == r) receive(0);
    }
}

// Whether this kernel has membarrier: where it has none no sleep is unbounded, and no deadlock is told.
void needs_membarrier()
{
    std::exit(syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED, 0, 0) == 0 ? 0 : 1);
}

// ---- Deadlocks

void receive_in_a_circle()
{
    begin();
    receive((rank() + 1) % ranks());
}

void send_to_each_other()
{
    begin();
    std::vector<char> data(1 << 20);
    require(fmpl_send(data.data(), data.size(), rank() ^ 1, kIndex, FMPL_COMM_WORLD));
}

void finalize_while_one_receives()
{
    begin();
    if (rank() == 0) receive(1);
    require(fmpl_finalize());
}

void grids_of_different_processes()
{
    begin();
    int context = 0;
    Cblacs_get(0, 0, &context);
    const int processes[3][2] = {{0, 1}, {1, 2}, {0, 2}};
    Cblacs_gridmap(&context, processes[rank()], 1, 2, 1);
    Cblacs_exit(0);
}

void blacs_exit_while_one_receives()
{
    begin();
    int context = 0;
    Cblacs_get(0, 0, &context);
    Cblacs_gridinit(&context, "R", ranks(), 1);
    double data = 0;
    if (rank() == 0) Cdgerv2d(context, 1, 1, &data, 1, 1, 0);
    Cblacs_exit(1);
    require(fmpl_finalize());
}

// ---- None

void one_computes()
{
    begin();
    const std::time_t end = std::time(nullptr) + kLong_s;
    while (rank() == 0 && std::time(nullptr) < end) {
    }
    give_to_all();
    require(fmpl_finalize());
}

void one_sleeps()
{
    begin();
    if (rank() == 0) sleep(kLong_s);
    give_to_all();
    require(fmpl_finalize());
}

// The test continues it.
void one_is_stopped()
{
    begin();
    if (rank() == 0) std::raise(SIGSTOP);
    give_to_all();
    require(fmpl_finalize());
}

// Rank 1 waits; the test stops it and continues rank 0, which sends to it and waits for the answer.
void one_is_stopped_and_rung()
{
    begin();
    if (rank() == 0) {
        std::raise(SIGSTOP);
        send(1);
        receive(1);
    } else if (rank() == 1) {
        receive(0);
        send(0);
    }
    require(fmpl_finalize());
}

// Rank 0's send gives up waiting for a receive, and then sends what rank 1 waits for.
void send_buffer_time_out()
{
    begin();
    require(fmpl_sendbuf_set(nullptr, 0, 1000 * static_cast<int>(kLong_s)));
    std::vector<char> data(1 << 20);
    if (rank() == 0) {
        require(fmpl_send(data.data(), data.size(), 1, kIndex, FMPL_COMM_WORLD));
        send(1, kOtherIndex);
    } else if (rank() == 1) {
        int word = 0;
        require(fmpl_recv(&word, sizeof word, 0, kOtherIndex, FMPL_COMM_WORLD));
        require(fmpl_recv(data.data(), data.size(), 0, kIndex, FMPL_COMM_WORLD));
    }
    require(fmpl_finalize());
}

// All ranks sleep nearly all of the time, each of them often.
void a_token_goes_round()
{
    begin();
    const std::time_t end = std::time(nullptr) + kLong_s;
    for (int go_on = 1; go_on != 0;) {
        if (rank() == 0) go_on = std::time(nullptr) < end ? 1 : 0;
        const int next = (rank() + 1) % ranks(), previous = (rank() + ranks() - 1) % ranks();
        if (rank() != 0) require(fmpl_recv(&go_on, sizeof go_on, previous, kIndex, FMPL_COMM_WORLD));
        require(fmpl_send(&go_on, sizeof go_on, next, kIndex, FMPL_COMM_WORLD));
        if (rank() == 0) require(fmpl_recv(&go_on, sizeof go_on, previous, kIndex, FMPL_COMM_WORLD));
    }
    require(fmpl_finalize());
}

const std::map<std::string, void (*)()> kCases = {
    {"needs_membarrier", needs_membarrier},
    {"receive_in_a_circle", receive_in_a_circle},
    {"send_to_each_other", send_to_each_other},
    {"finalize_while_one_receives", finalize_while_one_receives},
    {"grids_of_different_processes", grids_of_different_processes},
    {"blacs_exit_while_one_receives", blacs_exit_while_one_receives},
    {"one_computes", one_computes},
    {"one_sleeps", one_sleeps},
    {"one_is_stopped", one_is_stopped},
    {"one_is_stopped_and_rung", one_is_stopped_and_rung},
    {"send_buffer_time_out", send_buffer_time_out},
    {"a_token_goes_round", a_token_goes_round},
};

}  // namespace

int main(int argc, char** argv)
{
    const auto found = kCases.find(argc > 1 ? argv[1] : "");
    if (found == kCases.end()) {
        std::fprintf(stderr, "deadlock_probe: no such case\n");
        return 97;
    }
    found->second();
    return 0;
}
