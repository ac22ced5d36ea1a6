#include "abi/call_facts.hpp"

#include "group/topology.hpp"
#include "p2p/message_buffer.hpp"

namespace fmpl::mpi {

std::uint64_t bytes_of(Process& process, int count, MPI_Datatype type) noexcept
try {
    return count <= 0 ? 0 : MessageBuffer::of(nullptr, count, process.committed_type(number_of(type))).bytes;
} catch (...) {
    return 0;
}

std::uint64_t bytes_of_parts(
    Process& process, int parts, const int* counts, MPI_Datatype type, const MPI_Datatype* types) noexcept
{
    std::uint64_t bytes = 0;
    for (int i = 0; i < parts && counts != nullptr; ++i) {
        bytes += bytes_of(process, counts[i], types == nullptr ? type : types[i]);
    }
    return bytes;
}

std::uint64_t bytes_of_own_part(Process& process, MPI_Comm comm, const int* counts, MPI_Datatype type) noexcept
try {
    return counts == nullptr ? 0 : bytes_of(process, counts[process.communicator(number_of(comm))->rank()], type);
} catch (...) {
    return 0;
}

int world_rank_of(Process& process, MPI_Comm comm, int rank) noexcept
try {
    const auto& peers = process.communicator(number_of(comm))->peers();
    return rank >= 0 && rank < peers.size() ? peers.world_rank(rank) : -1;
} catch (...) {
    return -1;
}

int peers_of(Process& process, MPI_Comm comm) noexcept
try {
    return process.communicator(number_of(comm))->peers().size();
} catch (...) {
    return 0;
}

int neighbours_of(Process& process, MPI_Comm comm) noexcept
try {
    return static_cast<int>(neighbours_of(*process.communicator(number_of(comm))).destinations.size());
} catch (...) {
    return 0;
}

}  // namespace fmpl::mpi
