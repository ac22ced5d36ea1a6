// Over FMPL: remote-DMA memory of ranks that this one addresses. The BLACS number processes as FMPL_COMM_WORLD does.
#include "peer_memory.hpp"

#include <fmpl/layers.h>

namespace fmpl::pdgemm {

bool reads_memory_of(int process)
{
    return fmpl_is_addressable(process) != 0;
}

std::optional<std::uint64_t> place_of(const void* p, std::size_t bytes)
{
    std::uint64_t place = 0;
    if (fmpl_is_remote_dma(p, bytes) == 0 || fmpl_remote_place(p, bytes, &place) != FMPL_SUCCESS) return std::nullopt;
    return place;
}

const void* at_place(int process, std::uint64_t place)
{
    return fmpl_remote_view(process, place, 0);
}

}  // namespace fmpl::pdgemm
