// What users may set about messages by environment variables.
#pragma once

#include <cstddef>

namespace fmpl::mpi {

struct Settings {
    // FMPL_MPI_EAGER: bytes up to which a message travels with its envelope.
    std::size_t eager_bytes;
    // The same for a message in remote-DMA memory, which moves with one copy otherwise: at most the other. A program
    // that relies on MPI_Send's not waiting, as none should, finds the smallest limit that an MPI of today has (Open
    // MPI's).
    std::size_t eager_bytes_remote_dma;
    // The same for a message whose destination reads such ones slowly (CopyRates), if the user has set nothing.
    std::size_t eager_bytes_by_rate;

    // Of the bodies of a pair of ranks: a body is at most a quarter of its ring.
    std::size_t ring_bytes;
};

// ranks: of the job; best_ring: with which bodies travel fastest (fmpl_envelopes_best_room). Throws Error for a
// variable with a value that is none.
Settings settings_from_environment(int ranks, std::size_t best_ring);

}  // namespace fmpl::mpi
