// What users may set about messages by environment variables.
#pragma once

#include <cstddef>

namespace fmpl::mpi {

// What the defaults depend on; the same on all ranks.
struct JobFacts {
    int ranks;
    bool is_crowded;           // more than two ranks share a CPU
    bool two_copies_are_fast;  // !fmpl_is_private_read_preferred()
    std::size_t best_ring;     // fmpl_envelopes_best_room
    std::size_t most_ring;     // fmpl_envelopes_most_room
};

struct Settings {
    // FMPL_MPI_EAGER: bytes up to which a message travels with its envelope.
    std::size_t eager_bytes;
    // The same for a message in remote-DMA memory, which moves with one copy otherwise: at most the other. A program
    // that relies on MPI_Send's not waiting, as none should, finds at least the smallest limit that an MPI of today has
    // (Open MPI's).
    std::size_t eager_bytes_remote_dma;
    // The same for a message that its rank does not wait for and that finds no room in the ring, or for the rank
    // itself: a longer one stays where it is until it is received.
    std::size_t eager_bytes_kept;
    // The same for one of many that all ranks have under way (SendMode::one_of_many).
    std::size_t eager_bytes_of_many;
    // The same for a message whose destination reads such ones slowly (CopyRates), if the user has set nothing.
    std::size_t eager_bytes_by_rate;

    // Of the bodies of a pair of ranks: a body is at most a quarter of its ring.
    std::size_t ring_bytes;
};

// Throws Error for a variable with a value that is none.
Settings settings_from_environment(const JobFacts& job);

}  // namespace fmpl::mpi
