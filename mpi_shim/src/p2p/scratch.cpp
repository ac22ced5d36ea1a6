#include "p2p/scratch.hpp"

#include <fmpl/remote.h>

#include <cstdlib>
#include <new>

namespace fmpl::mpi {

Scratch::Scratch(std::size_t bytes) : memory_(static_cast<std::byte*>(fmpl_try_malloc(bytes)))
{
    if (memory_ != nullptr) return;
    memory_ = static_cast<std::byte*>(std::malloc(bytes > 0 ? bytes : 1));
    in_heap_ = true;
    if (memory_ == nullptr) throw std::bad_alloc();
}

Scratch::~Scratch()
{
    if (in_heap_) {
        std::free(memory_);
    } else {
        fmpl_free(memory_);
    }
}

}  // namespace fmpl::mpi
