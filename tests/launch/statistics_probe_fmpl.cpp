// Sends what tests/launch/statistics_test.py says over FMPL, and no more: see FmplPattern there.
#include <fmpl.h>
#include <fmpl/layers.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

void require(int code)
{
    if (code == FMPL_SUCCESS) return;
    std::fprintf(stderr, "statistics_probe_fmpl: %s\n", fmpl_error_message());
    std::exit(99);
}

// Calls act(from, to) for each ordered pair of different ranks, one after the other.
template <class Act>
void for_each_pair(int ranks, Act&& act)
{
    for (int from = 0; from < ranks; ++from) {
        for (int to = 0; to < ranks; ++to) {
            if (from != to) act(from, to);
        }
    }
}

}  // namespace

int main(int argc, char** argv)
{
    const int rounds = argc > 1 ? std::atoi(argv[1]) : 1;
    constexpr std::size_t kSizes[] = {0, 8, 72, 1000, 20000, 300000, 3000000};
    constexpr std::size_t kLongest = 3000000;
    require(fmpl_init(nullptr, nullptr, 4));
    const int rank = fmpl_job_rank(), ranks = fmpl_job_size();
    std::vector<char> ordinary(kLongest);
    auto* const remote = static_cast<char*>(fmpl_malloc(kLongest));

    // From and to either kind of memory: inlined, pushed, pulled, piped.
    for (int round = 0; round < rounds; ++round) {
        for_each_pair(ranks, [&](int from, int to) {
            for (std::size_t i = 0; i < std::size(kSizes); ++i) {
                if (rank == from)
                    require(fmpl_send(i % 2 != 0 ? remote : ordinary.data(), kSizes[i], to, 0, FMPL_COMM_WORLD));
                if (rank == to)
                    require(fmpl_recv(i % 3 != 0 ? remote : ordinary.data(), kLongest, from, 0, FMPL_COMM_WORLD));
            }
        });
    }
    // Nonblocking, a number that tells pairs apart; the receives by test.
    for_each_pair(ranks, [&](int from, int to) {
        for (int i = 0; i < from + 2 * to + 1; ++i) {
            if (rank == from) {
                require(fmpl_isend(remote, 8, to, 1, FMPL_COMM_WORLD));
                require(fmpl_isend_wait(to, 1, FMPL_COMM_WORLD));
            }
            if (rank == to) {
                require(fmpl_irecv(remote, 8, from, 1, FMPL_COMM_WORLD));
                require(fmpl_irecv_wait(from, 1, FMPL_COMM_WORLD));
            }
        }
    });
    // To itself.
    require(fmpl_irecv(remote, 5, rank, 2, FMPL_COMM_WORLD));
    require(fmpl_send(remote, 5, rank, 2, FMPL_COMM_WORLD));
    require(fmpl_irecv_wait(rank, 2, FMPL_COMM_WORLD));
    // Before anybody receives: through the send buffer.
    require(fmpl_sendbuf_set(nullptr, 0, 0));
    for (int to = 0; to < ranks; ++to) {
        if (to == rank) continue;
        for (int i = 0; i < 2; ++i) require(fmpl_send(ordinary.data(), 5000, to, 3, FMPL_COMM_WORLD));
    }
    require(fmpl_barrier(FMPL_COMM_WORLD));
    for (int from = 0; from < ranks; ++from) {
        if (from == rank) continue;
        for (int i = 0; i < 2; ++i) require(fmpl_recv(ordinary.data(), 5000, from, 3, FMPL_COMM_WORLD));
    }
    // The any domain.
    for (int to = 0; to < ranks; ++to) {
        if (to == rank) continue;
        require(fmpl_send_any(ordinary.data(), 10, to, 0, FMPL_COMM_WORLD));
        require(fmpl_send_any(ordinary.data(), 10000, to, 0, FMPL_COMM_WORLD));
    }
    for (int i = 0; i < 2 * (ranks - 1); ++i) require(fmpl_recv_any(ordinary.data(), 10000, 0, FMPL_COMM_WORLD));
    // Columns, in a communicator whose ranks are others than those of the world.
    std::vector<int> backwards;
    for (int r = ranks; r-- > 0;) backwards.push_back(r);
    fmpl_comm_t comm = FMPL_COMM_NULL;
    require(fmpl_comm_create_group(&comm, backwards.data(), ranks));
    const fmpl_columns columns = {11, 3, 20, 0, 0, 11, 0};
    for_each_pair(ranks, [&](int from, int to) {
        if (rank == from) require(fmpl_send_columns(remote, &columns, ranks - 1 - to, 0, comm));
        if (rank == to) require(fmpl_recv_columns(remote, &columns, ranks - 1 - from, 0, comm));
    });
    // What is in no matrix.
    double sum = 1;
    require(fmpl_bcast(remote, 100000, 0, FMPL_COMM_WORLD));
    require(fmpl_allreduce(&sum, 1, &fmpl_sum_double, FMPL_COMM_WORLD, nullptr));
    if (fmpl_send(remote, 8, ranks, 0, FMPL_COMM_WORLD) == FMPL_SUCCESS) std::exit(98);
    require(fmpl_finalize());
    return 0;
}
