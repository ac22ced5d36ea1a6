// Over FMPL: remote-DMA memory of ranks that this one addresses, by their rank in FMPL_COMM_WORLD.
#include "peer_memory.hpp"

#include <fmpl/job.h>
#include <fmpl/remote.h>

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

std::byte* allocate_readable(std::size_t bytes)
{
    constexpr std::size_t kLeft = std::size_t{4} << 20;
    void* const p = fmpl_try_malloc(bytes);
    void* const left = p != nullptr ? fmpl_try_malloc(kLeft) : nullptr;
    fmpl_free(left);
    if (left == nullptr) {
        fmpl_free(p);
        return nullptr;
    }
    return static_cast<std::byte*>(p);
}

void free_readable(std::byte* p)
{
    fmpl_free(p);
}

const void* at_place(int number, std::uint64_t place)
{
    return fmpl_remote_view(number, place, 0);
}

}  // namespace fmpl::pdgemm
