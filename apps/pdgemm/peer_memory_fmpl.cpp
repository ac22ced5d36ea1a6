// Over FMPL: remote-DMA memory of ranks that this one addresses, by their rank in FMPL_COMM_WORLD.
#include "peer_memory.hpp"

#include <fmpl/layers.h>

namespace fmpl::pdgemm {

bool reads_all_memory()
{
    for (int rank = fmpl_job_size(); rank-- > 0;) {
        if (fmpl_is_addressable(rank) == 0) return false;
    }
    return true;
}

int memory_number()
{
    return fmpl_job_rank();
}

std::optional<std::uint64_t> place_of(const void* p, std::size_t bytes)
{
    std::uint64_t place = 0;
    if (fmpl_is_remote_dma(p, bytes) == 0 || fmpl_remote_place(p, bytes, &place) != FMPL_SUCCESS) return std::nullopt;
    return place;
}

const void* at_place(int number, std::uint64_t place)
{
    return fmpl_remote_view(number, place, 0);
}

}  // namespace fmpl::pdgemm
