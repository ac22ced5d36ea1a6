#include "abi/call_facts.hpp"

#include "p2p/message_buffer.hpp"

namespace fmpl::mpi {

std::uint64_t bytes_of(Process& process, int count, MPI_Datatype type) noexcept
try {
    return count <= 0 ? 0 : MessageBuffer::of(nullptr, count, process.committed_type(type)).bytes;
} catch (...) {
    return 0;
}

std::uint64_t bytes_of_parts(
    Process& process, MPI_Comm comm, const int* counts, MPI_Datatype type, const MPI_Datatype* types) noexcept
{
    std::uint64_t bytes = 0;
    const std::uint64_t peers = counts == nullptr ? 0 : peers_of(process, comm);
    for (std::uint64_t i = 0; i < peers; ++i) bytes += bytes_of(process, counts[i], types == nullptr ? type : types[i]);
    return bytes;
}

int world_rank_of(Process& process, MPI_Comm comm, int rank) noexcept
try {
    const auto& peers = process.communicator(comm)->peers();
    return rank >= 0 && rank < peers.size() ? peers.world_rank(rank) : -1;
} catch (...) {
    return -1;
}

std::uint64_t peers_of(Process& process, MPI_Comm comm) noexcept
try {
    return static_cast<std::uint64_t>(process.communicator(comm)->peers().size());
} catch (...) {
    return 0;
}

}  // namespace fmpl::mpi
