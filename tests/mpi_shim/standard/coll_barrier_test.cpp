// MPI-3.1, sections 5.3 and 5.12.1: the barrier.
#include "collective_calls.hpp"

#include <vector>

using namespace mpi_test;

// Every rank tells each other rank of its arrival by a message sent before the barrier. The receiver's side of a
// synchronizing call is observable without clocks: a message that was sent in synchronous mode to a rank that posts its
// receive only after it left the barrier must not have been matched before.
MPI_TEST(Barrier, NoRankLeavesBeforeTheLastArrives)
{
    for (const Form form : kForms) {
        for (int last = 0; last < size(); ++last) {
            // The last rank enters only after it has received a word from everybody, who send it before they enter; the
            // word that it sends after leaving can only come after that.
            if (rank() == last) {
                for (int i = 0; i < size() - 1; ++i) {
                    int word = -1;
                    MPI_Recv(&word, 1, MPI_INT, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                    EXPECT_EQ(word, 1);
                }
                // Nobody has left: nobody has sent the word of leaving.
                delay(static_cast<unsigned>(last));
                int left = 0;
                MPI_Iprobe(MPI_ANY_SOURCE, 6, MPI_COMM_WORLD, &left, MPI_STATUS_IGNORE);
                EXPECT_FALSE(left) << "a rank left the barrier before rank " << last << " entered it";
                call_as(form, MPI_Barrier, MPI_Ibarrier, MPI_COMM_WORLD);
                for (int i = 0; i < size() - 1; ++i) {
                    int word = -1;
                    MPI_Recv(&word, 1, MPI_INT, MPI_ANY_SOURCE, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                    EXPECT_EQ(word, 2);
                }
            } else {
                const int arriving = 1;
                MPI_Send(&arriving, 1, MPI_INT, last, 5, MPI_COMM_WORLD);
                call_as(form, MPI_Barrier, MPI_Ibarrier, MPI_COMM_WORLD);
                const int left = 2;
                MPI_Send(&left, 1, MPI_INT, last, 6, MPI_COMM_WORLD);
            }
            MPI_Barrier(MPI_COMM_WORLD);
        }
    }
}

MPI_TEST(Barrier, AnUnmatchedNonblockingBarrierDoesNotComplete)
{
    if (size() < 2) return;
    MPI_Request barrier = MPI_REQUEST_NULL;
    const int last = size() - 1;
    if (rank() == last) {
        int word = 0;
        for (int i = 0; i < size() - 1; ++i) {
            MPI_Recv(&word, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
        MPI_Ibarrier(MPI_COMM_WORLD, &barrier);
    } else {
        MPI_Ibarrier(MPI_COMM_WORLD, &barrier);
        int done = 0;
        for (int attempt = 0; attempt < 50 && !done; ++attempt) MPI_Test(&barrier, &done, MPI_STATUS_IGNORE);
        EXPECT_FALSE(done);
        const int word = 1;
        MPI_Send(&word, 1, MPI_INT, last, 1, MPI_COMM_WORLD);
    }
    MPI_Wait(&barrier, MPI_STATUS_IGNORE);
    EXPECT_TRUE(barrier == MPI_REQUEST_NULL);
}

MPI_TEST(Barrier, AMessageSentBeforeItIsThereAfterIt)
{
    for (int round = 0; round < 5; ++round) {
        const int next = (rank() + 1) % size();
        const int previous = (rank() + size() - 1) % size();
        std::vector<int> word(1, -1);
        MPI_Request receive = MPI_REQUEST_NULL;
        MPI_Irecv(word.data(), 1, MPI_INT, previous, round, MPI_COMM_WORLD, &receive);
        delay(static_cast<unsigned>(round));
        MPI_Request send = MPI_REQUEST_NULL;
        const int value = rank() * 10 + round;
        MPI_Issend(&value, 1, MPI_INT, next, round, MPI_COMM_WORLD, &send);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Wait(&receive, MPI_STATUS_IGNORE);
        MPI_Wait(&send, MPI_STATUS_IGNORE);
        EXPECT_EQ(word[0], previous * 10 + round);
    }
}

MPI_TEST(Barrier, OverItselfReturnsAtOnce)
{
    for (const Form form : kForms) call_as(form, MPI_Barrier, MPI_Ibarrier, MPI_COMM_SELF);
}
