// A program for threads_at_once_test.py: MPI_THREAD_MULTIPLE, the threads of each rank call as they like. It prints
// "OK" when all ranks found everything right; what is wrong ends the job.
#include <mpi.h>

#include <atomic>
#include <cstdio>
#include <thread>
#include <vector>

namespace {

struct Ranks {
    int rank = -1;
    int size = -1;
};

void check(bool holds, const char* what)
{
    if (holds) return;
    std::fprintf(stderr, "wrong: %s\n", what);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

// body(number) in so many threads at once.
template <class Body>
void in_threads(int count, const Body& body)
{
    std::vector<std::thread> threads;
    for (int number = 0; number < count; ++number) threads.emplace_back(body, number);
    for (std::thread& thread : threads) thread.join();
}

void each_passes_messages_around_by_its_own_tag(const Ranks& mpi)
{
    constexpr int kThreads = 4, kRounds = 200;
    in_threads(kThreads, [&](int number) {
        const int next = (mpi.rank + 1) % mpi.size, previous = (mpi.rank + mpi.size - 1) % mpi.size;
        for (int round = 0; round < kRounds; ++round) {
            // From 4 bytes to what is announced before it is read.
            std::vector<int> out(1 + (round % 5 == 0 ? 40000 : round % 7)), in(out.size());
            for (std::size_t i = 0; i < out.size(); ++i) out[i] = 1000 * number + round + static_cast<int>(i);
            const int count = static_cast<int>(out.size());
            MPI_Request sent = MPI_REQUEST_NULL;
            MPI_Isend(out.data(), count, MPI_INT, next, number, MPI_COMM_WORLD, &sent);
            if (round % 3 == 0) {
                MPI_Status status;
                MPI_Probe(MPI_ANY_SOURCE, number, MPI_COMM_WORLD, &status);
                check(status.MPI_SOURCE == previous, "the source of a probe");
            }
            MPI_Recv(in.data(), count, MPI_INT, previous, number, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Wait(&sent, MPI_STATUS_IGNORE);
            check(in == out, "the message");
        }
    });
}

// Each rank has a thread for each communicator, and on odd ranks the other one comes first: were the second not let in
// while the first waits, no rank's first call would ever end.
void collective_calls_on_two_communicators_come_in_any_order(const Ranks& mpi)
{
    MPI_Comm comms[2];
    for (MPI_Comm& comm : comms) MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    std::atomic<int> begun{-1};  // the round that the first thread of this rank has begun
    in_threads(2, [&](int number) {
        for (int round = 0; round < 100; ++round) {
            if ((mpi.rank + number + round) % 2 == 0) {
                begun.store(round);
            } else {
                while (begun.load() < round) std::this_thread::yield();
                for (int i = 0; i < 20; ++i) std::this_thread::yield();
            }
            MPI_Barrier(comms[number]);
            int sum = -1;
            MPI_Allreduce(&mpi.rank, &sum, 1, MPI_INT, MPI_SUM, comms[number]);
            check(sum == mpi.size * (mpi.size - 1) / 2, "the sum");
        }
    });
    for (MPI_Comm& comm : comms) MPI_Comm_free(&comm);
}

void each_makes_and_frees_communicators_and_types(const Ranks& mpi)
{
    constexpr int kThreads = 3;
    MPI_Comm comms[kThreads];
    for (MPI_Comm& comm : comms) MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    in_threads(kThreads, [&](int number) {
        for (int round = 0; round < 20; ++round) {
            MPI_Comm made = MPI_COMM_NULL;
            MPI_Comm_split(comms[number], mpi.rank % 2, mpi.rank, &made);
            MPI_Datatype type = MPI_DATATYPE_NULL;
            MPI_Type_vector(3, 1, 2, MPI_INT, &type);
            MPI_Type_commit(&type);
            int values[6] = {number, -1, number, -1, number, -1};
            MPI_Bcast(values, 1, type, 0, made);
            check(values[4] == number, "what was broadcast");
            MPI_Type_free(&type);
            MPI_Comm_free(&made);
        }
    });
    for (MPI_Comm& comm : comms) MPI_Comm_free(&comm);
}

// What a thread waits for, another one brings about.
void one_waits_for_what_another_completes(const Ranks&)
{
    for (int round = 0; round < 50; ++round) {
        MPI_Request request = MPI_REQUEST_NULL;
        MPI_Grequest_start([](void*, MPI_Status* status) { return MPI_Status_set_elements(status, MPI_INT, 0); },
            [](void*) { return MPI_SUCCESS; }, [](void*, int) { return MPI_SUCCESS; }, nullptr, &request);
        const MPI_Request completed = request;
        in_threads(2, [&](int number) {
            if (number == 0) {
                MPI_Wait(&request, MPI_STATUS_IGNORE);
            } else {
                MPI_Grequest_complete(completed);
            }
        });
        check(request == MPI_REQUEST_NULL, "the null request");
    }
}

// Of MPI_COMM_SELF, in MPI_Finalize: ends the thread that has been in MPI until then.
std::atomic<bool> is_over{false};
std::thread until_the_end;

int end_thread(MPI_Comm, int, void*, void*)
{
    is_over.store(true);
    until_the_end.join();
    return MPI_SUCCESS;
}

void test_until_the_end()
{
    MPI_Request never = MPI_REQUEST_NULL;
    int nothing = 0;
    MPI_Irecv(&nothing, 1, MPI_INT, 0, 99, MPI_COMM_SELF, &never);
    for (int flag = 0; !is_over.load();) MPI_Test(&never, &flag, MPI_STATUS_IGNORE);
    MPI_Cancel(&never);
    MPI_Wait(&never, MPI_STATUS_IGNORE);
}

}  // namespace

int main(int argc, char** argv)
{
    int provided = -1;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    check(provided == MPI_THREAD_MULTIPLE, "the level of thread support");
    Ranks mpi;
    MPI_Comm_rank(MPI_COMM_WORLD, &mpi.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &mpi.size);
    each_passes_messages_around_by_its_own_tag(mpi);
    collective_calls_on_two_communicators_come_in_any_order(mpi);
    each_makes_and_frees_communicators_and_types(mpi);
    one_waits_for_what_another_completes(mpi);
    int keyval = MPI_KEYVAL_INVALID;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, end_thread, &keyval, nullptr);
    MPI_Comm_set_attr(MPI_COMM_SELF, keyval, nullptr);
    until_the_end = std::thread(test_until_the_end);
    MPI_Barrier(MPI_COMM_WORLD);
    if (mpi.rank == 0) std::puts("OK");
    return MPI_Finalize();
}
