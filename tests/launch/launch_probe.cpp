// A rank that behaves as its arguments say, for the tests of fmplrun. Uses the public interface alone.
//
//   launch_probe STEP...    STEP: an action for all ranks, or RANK:ACTION for one
//   init, finalize          the calls of the same name
//   abort=CODE              fmpl_abort with the reason "the probe was told to"
//   abort_for=WORDS         fmpl_abort with that reason
//   call=WORDS              begins a call of a layer's of that name, which does not end
//   exit=CODE               leaves at once, without fmpl_finalize
//   recv=SOURCE             waits for a message, over index 7
//   barrier                 fmpl_barrier on all ranks
//   exchange                each rank sends its number to the next one and checks what it receives
//   torn, torn=poll         rank 0 is killed while it sends the body that rank 1 is taking, in a wait or a poll
//   kill=SIGNAL             sends itself that signal
//   wait                    sleeps until it is killed
//   say=WORDS               a line "rank R: WORDS" on standard output
//   pid                     a line "rank R: P" with the number of its process
//
// As launch_probe_shared its ranks may share a process.
#include <fmpl.h>
#include <fmpl/fmpl.hpp>
#include <fmpl/layers.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include <sys/mman.h>
#include <unistd.h>

namespace {

constexpr int kIndex = 7;

void require(int code, const char* what)
{
    if (code == FMPL_SUCCESS) return;
    std::fprintf(stderr, "launch_probe: %s: %s\n", what, fmpl_strerror(code));
    std::exit(99);
}

void exchange()
{
    const int ranks = fmpl_job_size(), rank = fmpl_job_rank();
    const int next = (rank + 1) % ranks, previous = (rank + ranks - 1) % ranks;
    int received = -1;
    require(fmpl_irecv(&received, sizeof received, previous, kIndex, FMPL_COMM_WORLD), "fmpl_irecv");
    require(fmpl_send(&rank, sizeof rank, next, kIndex, FMPL_COMM_WORLD), "fmpl_send");
    require(fmpl_irecv_wait(previous, kIndex, FMPL_COMM_WORLD), "fmpl_irecv_wait");
    if (received != previous) std::exit(98);
}

// The second half of what rank 0 sends cannot be read, so that it is killed by SIGSEGV at the first of these steps.
void tear_body(bool polls)
{
    constexpr std::size_t kBytes = std::size_t{128} << 10;
    require(fmpl_envelopes_open(4 * kBytes), "fmpl_envelopes_open");
    if (fmpl_job_rank() != 0) {
        const auto take = [](void*, int, const void*, const void*, std::size_t bytes) {
            std::size_t there = 0;
            require(fmpl_envelope_await_body(1, &there), "fmpl_envelope_await_body");
            if (there >= bytes) std::exit(97);
            fmpl_envelope_await_body(bytes, &there);
            return 1;
        };
        if (!polls) {
            fmpl_envelopes_wait(take, nullptr, nullptr);
        } else {
            while (fmpl_envelopes_poll(take, nullptr) == 0) {
            }
            if (fmpl_barrier(FMPL_COMM_WORLD) == FMPL_SUCCESS) std::exit(96);
        }
        ::pause();
    }
    void* const body = ::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (body == MAP_FAILED || ::mprotect(static_cast<char*>(body) + kBytes / 2, kBytes / 2, PROT_NONE) != 0) return;
    const char head[FMPL_ENVELOPE_HEAD] = "";
    int sent = 0;
    std::signal(SIGSEGV, SIG_DFL);
    require(fmpl_envelope_send_body(1, head, body, kBytes, &sent), "fmpl_envelope_send_body");
}

// Long messages from and to private memory between two ranks, until somebody ends it.
void stream()
{
    std::vector<char> buffer(std::size_t{8} << 20);
    const int peer = fmpl_job_rank() ^ 1;
    for (;;) {
        if (peer == 1) {
            require(fmpl_send(buffer.data(), buffer.size(), peer, kIndex, FMPL_COMM_WORLD), "fmpl_send");
        } else {
            require(fmpl_recv(buffer.data(), buffer.size(), peer, kIndex, FMPL_COMM_WORLD), "fmpl_recv");
        }
    }
}

void act(const std::string& action, int value, const std::string& words)
{
    if (action == "init") {
        require(fmpl_init(nullptr, nullptr, value > 0 ? value : 16), "fmpl_init");
    } else if (action == "finalize") {
        require(fmpl_finalize(), "fmpl_finalize");
    } else if (action == "abort") {
        fmpl_abort(value, "the probe was told to");
    } else if (action == "abort_for") {
        fmpl_abort(1, words.c_str());
    } else if (action == "call") {
        static const std::string name = words;
        *fmpl_layer_call() = name.c_str();
        fmpl_layer_call_begin(name.c_str());
    } else if (action == "exit") {
        _exit(value);
    } else if (action == "recv") {
        int data = 0;
        require(fmpl_recv(&data, sizeof data, value, kIndex, FMPL_COMM_WORLD), "fmpl_recv");
    } else if (action == "barrier") {
        require(fmpl_barrier(FMPL_COMM_WORLD), "fmpl_barrier");
    } else if (action == "exchange") {
        exchange();
    } else if (action == "stream") {
        stream();
    } else if (action == "torn") {
        tear_body(words == "poll");
    } else if (action == "kill") {
        std::raise(value);
    } else if (action == "wait") {
        for (;;) pause();
    } else if (action == "pid") {
        std::printf("rank %d: %d\n", fmpl_job_rank(), static_cast<int>(getpid()));
        std::fflush(stdout);
    } else if (action == "say") {
        std::printf("rank %d: %s\n", fmpl_job_rank(), words.c_str());
        std::fflush(stdout);
    } else {
        std::fprintf(stderr, "launch_probe: unknown action %s\n", action.c_str());
        std::exit(97);
    }
}

int steps(int argc, char** argv)
{
    for (int i = 1; i < argc; ++i) {
        std::string step = argv[i];
        const auto colon = step.find(':');
        if (colon != std::string::npos && colon > 0 && step.find_first_not_of("0123456789") == colon) {
            if (std::atoi(step.c_str()) != fmpl_job_rank()) continue;
            step.erase(0, colon + 1);
        }
        const auto equals = step.find('=');
        const std::string words = equals == std::string::npos ? "" : step.substr(equals + 1);
        act(step.substr(0, equals), std::atoi(words.c_str()), words);
    }
    return 0;
}

}  // namespace

#ifdef LAUNCH_PROBE_SHARED
FMPL_RANKS_MAY_SHARE_A_PROCESS;

int main(int argc, char** argv)
{
    return fmpl::run_process([&] { return steps(argc, argv); });
}
#else
int main(int argc, char** argv)
{
    return steps(argc, argv);
}
#endif
