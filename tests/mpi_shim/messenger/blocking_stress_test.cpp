// Random messages by blocking calls alone: what a rank receives then matches without a request, if nothing else is
// under way (Messenger::recv).
//
// All ranks walk through the same random list of messages, and each does its part: MPI_Send or MPI_Ssend at the
// source, MPI_Recv at the destination. The first message of the list that is not through has both its ranks waiting
// for it, so nobody waits for good. A source may be far ahead, and a destination find many messages that it has not
// come to yet. A receive names source and tag, or leaves out one of them where it is known all the same which message
// it gets; now and then its buffer is too short.
//
// FMPL_TEST_SEED repeats a run; FMPL_STRESS_SECONDS (default 1) is the length of one at each rank count.
#include "mpi_shim/p2p/require.hpp"
#include "mpi_shim/standard/message.hpp"
#include "support/ranks_test.hpp"

#include <mpi.h>

#include <fmpl.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <new>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using fmpl_test::random_delay;
using fmpl_test::stress_seconds;
using fmpl_test::RanksOptions;
using mpi_test::pattern_byte;
using mpi_test::require;
using Random = std::mt19937_64;

constexpr int kMessagesOfRound = 300;
constexpr unsigned char kUntouched = 0x5a;
constexpr std::size_t kGuard = 64;

struct Planned {
    int source;
    int destination;
    int tag;
    std::size_t bytes;
    std::size_t room;  // of the receive
    bool synchronous;
    enum class Form { exact, any_source, any_tag } form;
    bool source_in_rdma_memory;
    bool destination_in_rdma_memory;
    bool strided;  // at the destination: every second byte
    std::uint64_t key;
};

std::size_t random_size(Random& random)
{
    switch (random() % 8) {
        case 0:
            return 8;
        case 1:
            return random() % 30;  // about what travels in the envelope's line
        case 2:
        case 3:
            return random() % 300;
        case 4:
        case 5:
            return random() % 5000;
        case 6:
            return random() % 20000;  // eager no more
        default:
            return random() % 8 == 0 ? random() % 300000 : random() % 70000;
    }
}

std::vector<Planned> make_plan(Random& shared, int ranks, int round)
{
    // Stretches between two ranks in turn, as in a ping-pong, and whatever comes.
    std::vector<Planned> plan(kMessagesOfRound);
    int left = 0;  // of the stretch
    Planned last{};
    for (std::size_t i = 0; i < plan.size(); ++i) {
        Planned& message = plan[i];
        if (left > 0) {
            --left;
            message.source = last.destination;
            message.destination = last.source;
        } else {
            if (shared() % 10 == 0) left = static_cast<int>(shared() % 30);
            message.source = static_cast<int>(shared() % static_cast<unsigned>(ranks));
            const int other = static_cast<int>(shared() % static_cast<unsigned>(ranks - 1));
            message.destination = other + (other >= message.source ? 1 : 0);
        }
        message.form = static_cast<Planned::Form>(shared() % 3);
        // Where the source is left out the tag names the message. (A rank may be rounds ahead.)
        message.tag = round * kMessagesOfRound + static_cast<int>(i);
        message.bytes = random_size(shared);
        message.room = shared() % 16 == 0 ? message.bytes / 2 : message.bytes + shared() % 3 * 10;
        message.synchronous = shared() % 8 == 0;
        message.source_in_rdma_memory = shared() % 2 == 0;
        message.destination_in_rdma_memory = shared() % 2 == 0;
        message.strided = shared() % 8 == 0;
        message.key = shared();
        last = message;
    }
    return plan;
}

// Bytes between guards, all of them untouched.
class Memory {
public:
    Memory(std::size_t bytes, bool rdma)
        : bytes_(bytes),
          rdma_(rdma ? static_cast<unsigned char*>(fmpl_malloc(bytes + 2 * kGuard)) : nullptr)
    {
        if (rdma && rdma_ == nullptr) throw std::bad_alloc();
        if (!rdma) own_.resize(bytes + 2 * kGuard);
        std::memset(begin(), kUntouched, bytes + 2 * kGuard);
    }
    ~Memory() { fmpl_free(rdma_); }
    Memory(const Memory&) = delete;
    Memory& operator=(const Memory&) = delete;

    unsigned char* data() { return begin() + kGuard; }
    bool guards_stand()
    {
        for (std::size_t i = 0; i < kGuard; ++i) {
            if (begin()[i] != kUntouched || data()[bytes_ + i] != kUntouched) return false;
        }
        return true;
    }

private:
    unsigned char* begin() { return rdma_ != nullptr ? rdma_ : own_.data(); }

    std::size_t bytes_;
    unsigned char* rdma_;
    std::vector<unsigned char> own_;
};

void send(const Planned& message)
{
    Memory memory(message.bytes, message.source_in_rdma_memory);
    for (std::size_t i = 0; i < message.bytes; ++i) memory.data()[i] = pattern_byte(message.key, i);
    const auto call = message.synchronous ? MPI_Ssend : MPI_Send;
    require(call(memory.data(), static_cast<int>(message.bytes), MPI_BYTE, message.destination, message.tag,
                MPI_COMM_WORLD),
        "the send");
    // It may be overwritten from here on.
    std::memset(memory.data(), 0, message.bytes);
}

void receive(const Planned& message)
{
    const std::size_t step = message.strided ? 2 : 1;
    Memory memory(message.room * step, message.destination_in_rdma_memory);
    MPI_Datatype type = MPI_BYTE;
    if (message.strided) {
        MPI_Type_create_resized(MPI_BYTE, 0, 2, &type);
        MPI_Type_commit(&type);
    }
    MPI_Status status;
    const int source = message.form == Planned::Form::any_source ? MPI_ANY_SOURCE : message.source;
    const int tag = message.form == Planned::Form::any_tag ? MPI_ANY_TAG : message.tag;
    const int code =
        MPI_Recv(memory.data(), static_cast<int>(message.room), type, source, tag, MPI_COMM_WORLD, &status);
    if (message.strided) MPI_Type_free(&type);
    int error_class = MPI_SUCCESS;
    MPI_Error_class(code, &error_class);
    EXPECT_EQ(error_class, message.room < message.bytes ? MPI_ERR_TRUNCATE : MPI_SUCCESS);
    const std::size_t got = std::min(message.bytes, message.room);
    EXPECT_EQ(status.MPI_SOURCE, message.source);
    EXPECT_EQ(status.MPI_TAG, message.tag);
    if (message.room >= message.bytes) {
        int count = -1;
        MPI_Get_count(&status, MPI_BYTE, &count);
        EXPECT_EQ(count, static_cast<int>(message.bytes));
    }
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < message.room * step; ++i) {
        const std::size_t place = i / step;
        const bool in_message = i % step == 0 && place < got;
        if (memory.data()[i] != (in_message ? pattern_byte(message.key, place) : kUntouched)) ++wrong;
    }
    EXPECT_EQ(wrong, 0u) << "of " << message.bytes << " bytes into " << message.room;
    EXPECT_TRUE(memory.guards_stand());
}

void run()
{
    require(MPI_Init(nullptr, nullptr), "MPI_Init");
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    int me = 0;
    int ranks = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    Random shared(fmpl_test::seed() + static_cast<std::uint64_t>(ranks));
    Random own(fmpl_test::seed() * 31 + static_cast<std::uint64_t>(me));
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(stress_seconds());
    for (int round = 0;; ++round) {
        int go_on = std::chrono::steady_clock::now() < end && !::testing::Test::HasFailure() ? 1 : 0;
        require(MPI_Bcast(&go_on, 1, MPI_INT, 0, MPI_COMM_WORLD), "MPI_Bcast");
        if (go_on == 0) break;
        const bool delays = shared() % 2 == 0;
        for (const Planned& message : make_plan(shared, ranks, round)) {
            SCOPED_TRACE("round " + std::to_string(round) + ", message " + std::to_string(message.tag) + ", rank " +
                         std::to_string(me));
            if (delays && own() % 16 == 0) random_delay(own);
            if (message.source == me) send(message);
            if (message.destination == me) receive(message);
        }
    }
    require(MPI_Finalize(), "MPI_Finalize");
}

FMPL_RANKS_TEST_WITH(BlockingStress, RandomMessages, RanksOptions{.ranks = {2, 3, 4, 7}})
{
    run();
}

FMPL_RANKS_TEST_WITH(BlockingStress, RandomMessagesOfMany, RanksOptions{.ranks = {8, 16}, .threads = false})
{
    run();
}

FMPL_RANKS_TEST_WITH(BlockingStress, RandomMessagesOfRanksWithCpus,
    RanksOptions{.ranks = {3, 4, 7}, .environment = {{"FMPL_CPUS", "16"}, {"FMPL_SPIN_US", "3"}}})
{
    run();
}

// Hardly any message travels with its envelope, and what a rank is not woken for hangs.
FMPL_RANKS_TEST_WITH(BlockingStress, SleepyRanks,
    RanksOptions{
        .ranks = {2, 4}, .environment = {{"FMPL_MPI_EAGER", "256"}, {"FMPL_SPIN_US", "0"}, {"FMPL_YIELD_US", "0"}}})
{
    run();
}

}  // namespace
