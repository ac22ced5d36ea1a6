// Over FMPL: remote-DMA memory, from which and into which messages are copied at most once. When the arena is
// full the heap serves, more slowly.
#include "comm_memory.hpp"

#include <fmpl.h>

#include <new>

namespace fmpl::pdgemm {

namespace {
constexpr std::align_val_t line{64};
}

CommMemory::CommMemory(std::size_t bytes) : data_(static_cast<std::byte*>(fmpl_malloc(bytes))), on_heap_(false)
{
    if (data_ == nullptr) {
        data_ = static_cast<std::byte*>(::operator new(bytes, line));
        on_heap_ = true;
    }
}

CommMemory::~CommMemory()
{
    if (on_heap_) {
        ::operator delete(data_, line);
    } else {
        fmpl_free(data_);
    }
}

}  // namespace fmpl::pdgemm
