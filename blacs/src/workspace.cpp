#include "workspace.hpp"

#include "error.hpp"

#include <algorithm>

namespace fmpl::blacs {
namespace {

constexpr std::size_t kSmallestBytes = 64 * 1024;

}  // namespace

void Workspace::release()
{
    fmpl_free(memory_);
    memory_ = nullptr;
    capacity_ = 0;
}

void Workspace::too_large()
{
    throw Error(FMPL_ERR_MEMORY, "the matrix has more bytes than memory has addresses");
}

void Workspace::grow(std::size_t bytes)
{
    const std::size_t doubled = capacity_ > std::numeric_limits<std::size_t>::max() / 2 ? bytes : 2 * capacity_;
    std::size_t wanted = std::max({bytes, doubled, kSmallestBytes});
    release();
    memory_ = fmpl_malloc(wanted);
    if (memory_ == nullptr && wanted > bytes) {
        wanted = bytes;
        memory_ = fmpl_malloc(wanted);
    }
    if (memory_ == nullptr) {
        throw Error(FMPL_ERR_MEMORY, fmt::format("no memory to pack a matrix: {}", fmpl_error_message()));
    }
    capacity_ = wanted;
}

}  // namespace fmpl::blacs
