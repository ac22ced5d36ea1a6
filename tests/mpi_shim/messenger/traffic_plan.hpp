// A round of random messages, as every rank derives it from the seed: who sends what to whom, and what the receives
// that are posted for them ask for.
#pragma once

#include "mpi_shim/messenger/matching_oracle.hpp"

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace mpi_test {

using Random = std::mt19937_64;

inline constexpr std::size_t kBufferBytes = std::size_t{6} << 20;  // attached by each rank, for buffered sends
inline constexpr int kNeverSent = 99;                              // a tag

// The same on all ranks of the job: a communicator, and which ranks of MPI_COMM_WORLD are in it, in its order.
struct Group {
    std::vector<int> members;
    MPI_Comm comm = MPI_COMM_NULL;  // null for ranks outside

    int rank_of(int world_rank) const
    {
        const auto at = std::find(members.begin(), members.end(), world_rank);
        return at == members.end() ? -1 : static_cast<int>(at - members.begin());
    }
};

enum class Mode { standard, synchronous, buffered, ready };
enum class Order { mixed, posted_first, sent_first };

struct PlannedMessage {
    int group;
    int source;       // rank in the group
    int destination;  // likewise
    int tag;
    std::size_t bytes;
    Mode mode;
    bool any_source = false;  // of the receive that is posted for it, which may get another one
    bool any_tag = false;
    std::size_t room = 0;  // of that receive
    std::uint64_t send_draw = 0;
    std::uint64_t receive_draw = 0;
};

struct Plan {
    Order order = Order::mixed;
    std::vector<PlannedMessage> messages;
    std::uint64_t key = 0;
    int blocking_collectives = 0;
    int started_collectives = 0;

    // What a message says of itself to one that asks for it, and what the receive that is planned for it asks for.
    MatchKey key_of_message(std::size_t k) const
    {
        const PlannedMessage& m = messages[k];
        return {m.group, m.destination, m.source, m.tag};
    }
    MatchKey key_of_receive(std::size_t k) const
    {
        const PlannedMessage& m = messages[k];
        return {m.group, m.destination, m.any_source ? kAny : m.source, m.any_tag ? kAny : m.tag};
    }
    std::uint64_t pattern_of(std::size_t k) const { return key + k * 0x100000001b3u; }
};

// groups: of the job's ranks. The same on all ranks, with the same random numbers.
Plan make_plan(Random& random, const std::vector<Group>& groups, int ranks);

}  // namespace mpi_test
