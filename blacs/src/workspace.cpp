#include "workspace.hpp"

#include "error.hpp"
#include "transport.hpp"

#include <algorithm>

namespace fmpl::blacs {
namespace {

constexpr std::size_t kSmallestBytes = 64 * 1024;

}  // namespace

void Workspace::release()
{
    release_memory(memory_);
    memory_ = nullptr;
    capacity_ = 0;
}

void Workspace::too_large()
{
    throw Error("the matrix has more bytes than memory has addresses");
}

void Workspace::grow(std::size_t bytes)
{
    const std::size_t doubled = capacity_ > std::numeric_limits<std::size_t>::max() / 2 ? bytes : 2 * capacity_;
    std::size_t wanted = std::max({bytes, doubled, kSmallestBytes});
    release();
    memory_ = allocate_memory(wanted);
    if (memory_ == nullptr && wanted > bytes) {
        wanted = bytes;
        memory_ = allocate_memory(wanted);
    }
    if (memory_ == nullptr) {
        refuse("no memory to pack a matrix: {}", no_memory_reason());
    }
    capacity_ = wanted;
}

}  // namespace fmpl::blacs
