// Over an MPI: the memory that it registers with its network or shares between processes, where it has any. When it has
// no more, the heap serves.
#include "comm_memory.hpp"

#include <mpi.h>

#include <cstdint>
#include <new>

namespace fmpl::pdgemm {

namespace {

constexpr std::size_t line = 64;

// MPI aligns as malloc does. The place of the block itself stands before the aligned bytes.
std::byte* allocate(std::size_t bytes)
{
    void* block = nullptr;
    if (MPI_Alloc_mem(static_cast<MPI_Aint>(bytes + 2 * line), MPI_INFO_NULL, &block) != MPI_SUCCESS) return nullptr;
    const auto aligned = (reinterpret_cast<std::uintptr_t>(block) + 2 * line - 1) / line * line;
    auto* data = reinterpret_cast<std::byte*>(aligned);
    *reinterpret_cast<void**>(data - sizeof(void*)) = block;
    return data;
}

}  // namespace

CommMemory::CommMemory(std::size_t bytes) : data_(allocate(bytes)), on_heap_(false)
{
    if (data_ == nullptr) {
        data_ = static_cast<std::byte*>(::operator new (bytes, std::align_val_t{line}));
        on_heap_ = true;
    }
}

CommMemory::~CommMemory()
{
    if (on_heap_) {
        ::operator delete (data_, std::align_val_t{line});
    } else {
        MPI_Free_mem(*reinterpret_cast<void**>(data_ - sizeof(void*)));
    }
}

}  // namespace fmpl::pdgemm
